//! Estimates of the memory that a run needs, and the check before the run begins.

use crate::config::{Component, Config, Precision, Velocity};
use crate::error::{DeviceFault, Error, Result};
use crate::grid::REMEDY;
use crate::mesh::{Kind, Mesh};
use crate::primitives::memory::{available, gibibytes};

/// The total number of cells in all patches divided by the number of cells in the mesh, for patches
/// of 64 vertices (docs/patches.md, section "Memory"). The first value is for triangles, the second
/// for tetrahedra.
const SHARED: [f64; 2] = [1.26, 1.7];
/// The total number of local vertices in all patches divided by the number of vertices in the mesh.
/// The first value is for triangles, the second for tetrahedra.
const LOCAL: [f64; 2] = [1.55, 2.2];

/// Estimates the number of bytes that a run needs for patches and the arrays of the task. The mesh
/// itself is not included.
///
/// The estimate is a lower bound, so that no run that would fit is refused.
pub(super) fn estimate(config: &Config, mesh: &Mesh) -> u64 {
    let (vertices, cells) = (mesh.n_vertices() as f64, mesh.n_cells() as f64);
    let arity = mesh.kind.arity() as f64;
    let kind = usize::from(mesh.kind == Kind::Volume);
    let scalar = match config.precision() {
        Precision::F64 => 8.0,
        Precision::F32 => 4.0,
    };
    let index = 4.0;
    // Cells, their corners, gathering matrix, order and halo (docs/patches.md, section "Memory").
    let patches = SHARED[kind] * cells * index * (1.0 + arity)
        + cells * arity * index
        + vertices * index * (1.0 + LOCAL[kind]);
    let coordinates = LOCAL[kind] * vertices * 3.0 * scalar;
    // For each vertex, the distance solver stores two values, their last change, and a flag that
    // states whether the value is given. The evolution stores phi twice, and two flags: whether
    // |phi| is below the half width and whether the vertex moves. It also lists the cells of each
    // patch that take part in a step.
    let distance = vertices * (2.0 * scalar + 5.0);
    // A characteristic map has 64-bit numbers: for each vertex phi, twice six numbers and a padded
    // triangle, the velocity at one instant or three, the position and a triangle. Each triangle
    // has its corners, its neighbors, its place in the tree and half of a node there. While these
    // are built, 48 bytes more per triangle are allocated. This is less than what each vertex has
    // later, because a planar mesh has at most two triangles per vertex.
    let velocity = if velocity_uses_time(config) { 48.0 } else { 16.0 };
    let map = match config.has_map() {
        true => vertices * (8.0 + 2.0 * 56.0 + velocity + 16.0 + 4.0) + cells * (24.0 + 36.0),
        false => 0.0,
    };
    let evolution = match config.distance {
        Some(_) => 0.0,
        None => vertices * (2.0 * scalar + 2.0) + SHARED[kind] * cells * index,
    };
    (patches + coordinates + distance + map + evolution) as u64 + copies(config, mesh)
}

/// Returns whether the velocity depends on time.
fn velocity_uses_time(config: &Config) -> bool {
    match config.evolve.as_ref().and_then(|evolve| evolve.velocity.as_ref()) {
        Some(Velocity::Components(components)) => components
            .iter()
            .any(|part| matches!(part, Component::Expression(text) if text.uses_time())),
        _ => false,
    }
}

/// Returns the number of bytes that are allocated to write a state while steps continue: for each
/// vertex, the snapshot for a checkpoint, which includes phi (9), the band (1) and a characteristic
/// map (60), and phi and the band in output order (9).
fn copies(config: &Config, mesh: &Mesh) -> u64 {
    let map = if config.has_map() { 8 + 48 + 4 } else { 0 };
    let per_vertex = if config.distance.is_some() { 0 } else { 10 + 9 + map };
    per_vertex * mesh.n_vertices() as u64
}

/// Refuses a run that does not fit in memory.
///
/// # Errors
/// Returns [`Error::Device`] if the run does not fit. The error states how much memory is needed
/// and how much is free.
pub(super) fn check(config: &Config, mesh: &Mesh) -> Result<()> {
    match available() {
        Some(free) => fits(config, mesh, free),
        None => Ok(()),
    }
}

fn fits(config: &Config, mesh: &Mesh, free: u64) -> Result<()> {
    let needed = estimate(config, mesh);
    if needed <= free {
        return Ok(());
    }
    let (vertices, cells) = (mesh.n_vertices(), mesh.n_cells());
    let precision = match config.precision() {
        Precision::F64 => "precision = \"f32\", ",
        Precision::F32 => "",
    };
    Err(Error::device_fault(
        DeviceFault::memory(needed, free),
        format!(
            "the run needs at least {} besides the mesh of {vertices} vertices and {cells} cells \
             ({} bytes per vertex), but only {} are free",
            gibibytes(needed),
            needed / (vertices as u64).max(1),
            gibibytes(free)
        ),
        format!("use {precision}a coarser mesh or a machine with more memory"),
    ))
}

/// Number of bytes per tile in the lists of a sparse grid (docs/tiles.md, section "What is
/// stored").
const LISTED: u64 = 21;

/// Returns the size in bytes of `tiles` tiles with their lists and `arrays` arrays. Each array has
/// `values` values of `width` bytes per tile.
pub(super) fn of_tiles(tiles: u64, values: usize, width: usize, arrays: usize) -> u64 {
    tiles.saturating_mul(LISTED + (values * width * arrays) as u64)
}

/// Refuses a run on tiles that does not fit in memory. `what` describes the tiles, `needed` is
/// their size in bytes, and `held` is the part of that size that is already allocated.
///
/// # Errors
/// Returns [`Error::Device`] if the run does not fit. The error states how much memory is needed
/// and how much is free.
pub(super) fn check_tiles(what: &str, needed: u64, held: u64) -> Result<()> {
    match available() {
        Some(free) => tiles_fit(what, needed, free.saturating_add(held)),
        None => Ok(()),
    }
}

fn tiles_fit(what: &str, needed: u64, free: u64) -> Result<()> {
    if needed <= free {
        return Ok(());
    }
    let what = format!(
        "{what} need {} at the start, but only {} are free",
        gibibytes(needed),
        gibibytes(free)
    );
    Err(Error::device_fault(DeviceFault::memory(needed, free), what, REMEDY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_do_not_fit_are_refused() {
        // WENO5 with RK3 in f32 (docs/tiles.md).
        assert_eq!(of_tiles(1, 512, 4, 3), 6165);
        let needed = of_tiles(1_000_000, 512, 4, 3);
        tiles_fit("a million tiles", needed, needed).unwrap();
        let error = tiles_fit("a million tiles", needed, needed - 1).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        let text = error.to_string();
        assert!(text.contains("a million tiles need 5.7 GiB at the start"), "{text}");
        assert!(text.contains("larger dx"), "{text}");
        assert_eq!(of_tiles(u64::MAX, 512, 4, 3), u64::MAX);
    }
    use crate::mesh::generate::{Cube, Generate, Square, generate};

    #[test]
    fn the_estimate_stays_below_what_is_stated_and_a_small_memory_is_refused() {
        let case = |text: &str, set: &[String]| {
            let text = format!(
                "version = 1\n[domain.mesh]\npath = \"m\"\n[initial]\ndata = \"phi\"\n{text}"
            );
            Config::parse(&text, "case.toml".as_ref(), set).unwrap()
        };
        let square = Square { cells: [200, 200], ..Square::default() };
        let square = generate(&Generate::Square(square)).unwrap();
        let n = square.n_vertices() as u64;
        let evolve = case("[evolve]\nend_time = 1\n", &[]);
        let per_vertex = estimate(&evolve, &square) / n;
        // docs/patches.md states a peak of 242 bytes per vertex, 48 of them for the mesh.
        assert!((120..=194).contains(&per_vertex), "{per_vertex}");
        let distance = case("[distance]\n", &[]);
        assert!(estimate(&distance, &square) < estimate(&evolve, &square));
        let small = case("[evolve]\nend_time = 1\n", &["precision=f32".into()]);
        assert!(estimate(&small, &square) < estimate(&evolve, &square));
        fits(&evolve, &square, 194 * n).unwrap();
        let error = fits(&evolve, &square, 100 * n).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        let text = error.to_string();
        assert!(text.contains("40401 vertices") && text.contains("precision = \"f32\""), "{text}");
        let map = |x: &str| {
            let velocity =
                format!("velocity = [\"{x}\", 0, 0]\nadvection = \"characteristic-map\"");
            estimate(&case(&format!("[evolve]\nend_time = 1\n{velocity}\n"), &[]), &square)
        };
        // A velocity that depends on time is stored at three instants (docs/level-set.md, 2.8).
        assert_eq!(map("y * t") - map("y"), 32 * n);
        let cube = Cube { cells: [10; 3], ..Cube::default() };
        let cube = generate(&Generate::Cube(cube)).unwrap();
        let of_cells = estimate(&evolve, &cube) / cube.n_vertices() as u64;
        assert!(of_cells > per_vertex, "tetrahedra take more: {of_cells}");
    }
}
