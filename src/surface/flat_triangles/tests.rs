//! Tests of the removal of flat triangles.

use super::*;
use crate::geometry::Vec3;
use crate::mesh::statistics::inspect;
use crate::mesh::{DataArray, Kind};
use crate::surface::{IsosurfaceOptions, isosurface};
use crate::volume::{Placement, Volume};

/// Creates a volume of random integers from -1 to 2, so that a quarter of all voxels lie at level
/// 0.
fn whole_numbers(shape: [usize; 3], seed: u64) -> Volume {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let n = shape.iter().product();
    let values: Vec<i16> = (0..n).map(|_| (random.next_u32() >> 30) as i16 - 1).collect();
    Volume::new(shape, values.into(), Placement::identity()).unwrap()
}

fn surface(volume: &Volume, closed: bool) -> Mesh {
    let options = IsosurfaceOptions::default().closed(closed).normals(true);
    isosurface(volume, 0.0, &options).unwrap()
}

/// Returns six times the enclosed volume.
fn inside(mesh: &Mesh) -> f64 {
    let of = |t: &[u32]| {
        let [a, b, c] = corners(t).map(|v| Vec3::from(mesh.vertices[v as usize]));
        a.dot(&b.cross(&c))
    };
    mesh.iter_cells().map(of).sum()
}

/// Returns the number of fans of triangles around vertices.
fn fans(mesh: &Mesh) -> usize {
    let halves = 0..mesh.cells.len();
    let next = |half: usize| half / 3 * 3 + (half % 3 + 1) % 3;
    let ends = |half: usize| [mesh.cells[half], mesh.cells[next(half)]];
    let of: HashMap<[u32; 2], usize> = halves.clone().map(|half| (ends(half), half)).collect();
    let mut sets = Sets::new(mesh.cells.len());
    for half in halves.clone() {
        let [a, b] = ends(half);
        if let Some(&other) = of.get(&[b, a]) {
            sets.join(half as u32, next(other) as u32);
        }
    }
    halves.filter(|&corner| sets.of(corner as u32) as usize == corner).count()
}

/// Checks that no triangle is degenerate, each edge has two triangles, and each vertex has one fan.
fn check(mesh: &Mesh, is_closed: bool, what: &str) {
    let found = inspect(mesh);
    let faults = (found.degenerate, found.nonmanifold, found.inconsistent, found.duplicate);
    assert_eq!((faults, found.unreferenced), ((0, 0, 0, 0), 0), "{what}");
    assert!(!is_closed || found.boundary == 0, "{what}");
    assert_eq!(fans(mesh), mesh.n_vertices(), "{what}");
}

#[test]
fn surfaces_of_whole_numbers_lose_flat_triangles_and_stay_manifold() {
    for shape in [[2, 2, 2], [3, 3, 3], [9, 8, 7], [30, 21, 17]] {
        for closed in [false, true] {
            for seed in 0..20 {
                let volume = whole_numbers(shape, seed + 100 * u64::from(closed));
                let mesh = surface(&volume, closed);
                let mut mended = mesh.clone();
                let dropped = drop_flat(&mut mended);
                let what = format!("{shape:?} {seed}, closed {closed}");
                check(&mended, closed, &what);
                assert_eq!(dropped > 0, inspect(&mesh).degenerate > 0, "{what}");
                let change = inside(&mended) - inside(&mesh);
                assert!(!closed || change.abs() < 1e-9 * (1.0 + inside(&mesh)), "{what}");
                // A second call changes nothing, and arrays have one row per vertex.
                let once = mended.clone();
                assert_eq!(drop_flat(&mut mended), 0, "{what}");
                assert_eq!((&once.vertices, &once.cells), (&mended.vertices, &mended.cells));
                assert!(once.vertex_data.iter().all(|a| a.rows() == once.n_vertices()));
            }
        }
    }
}

#[test]
fn sheets_of_voxels_at_the_level_are_nothing() {
    // All voxels are inside except for those at the level: a single voxel, a line, a corner, or a
    // square.
    let line: &[[usize; 3]] = &[[3, 3, 3], [4, 3, 3], [5, 3, 3]];
    let corner: &[[usize; 3]] = &[[3, 3, 3], [4, 3, 3], [3, 4, 3]];
    let square: &[[usize; 3]] = &[[3, 3, 3], [4, 3, 3], [3, 4, 3], [4, 4, 3]];
    for voxels in [&line[..1], line, corner] {
        let mut values = vec![2_i16; 512];
        voxels.iter().for_each(|[x, y, z]| values[x + 8 * (y + 8 * z)] = 0);
        let volume = Volume::new([8; 3], values.into(), Placement::identity()).unwrap();
        let mut mesh = surface(&volume, false);
        assert!(mesh.n_cells() > 0);
        assert_eq!(drop_flat(&mut mesh), mesh_cells(&volume));
        assert_eq!((mesh.n_cells(), mesh.n_vertices()), (0, 0));
    }
    let mut values = vec![2_i16; 512];
    square.iter().for_each(|[x, y, z]| values[x + 8 * (y + 8 * z)] = 0);
    let volume = Volume::new([8; 3], values.into(), Placement::identity()).unwrap();
    let mut mesh = surface(&volume, false);
    drop_flat(&mut mesh);
    check(&mesh, true, "a square");
}

fn mesh_cells(volume: &Volume) -> usize {
    surface(volume, false).n_cells()
}

#[test]
fn what_has_no_flat_triangles_stays_to_the_bit() {
    let values: Vec<f32> = (0..1000_i32).map(|k| (k % 17) as f32 + 0.25).collect();
    let volume = Volume::new([10; 3], values.into(), Placement::identity()).unwrap();
    let mesh = isosurface(&volume, 7.5, &IsosurfaceOptions::default()).unwrap();
    let mut same = mesh.clone();
    assert_eq!(drop_flat(&mut same), 0);
    assert_eq!((same.vertices, same.cells), (mesh.vertices, mesh.cells));
    let mut named = surface(&whole_numbers([9, 8, 7], 1), true);
    let rows = Values::Int(vec![0; named.n_cells()]);
    named.cell_data.push(DataArray { name: "part".into(), components: 1, values: rows });
    let n = named.n_cells();
    assert_eq!((drop_flat(&mut named), named.n_cells()), (0, n));
    assert!(inspect(&named).degenerate > 0);
    let mut empty = Mesh::new(Kind::Surface, Vec::new(), Vec::new());
    assert_eq!(drop_flat(&mut empty), 0);
}

#[test]
fn threads_change_nothing() {
    let mesh = surface(&whole_numbers([40, 30, 20], 4), true);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut mesh = mesh.clone();
        pool.install(|| drop_flat(&mut mesh));
        (mesh.vertices, mesh.cells, mesh.vertex_data)
    };
    assert_eq!(run(1), run(3));
}
