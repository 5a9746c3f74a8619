//! Surfaces of volumes by the kernels: those of the CPU, bit for bit, in every order of threads.

use std::sync::LazyLock;

use zeroset::surface::{
    IsosurfaceOptions, SurfaceArgument, SurfaceTotals, isosurface, surface_cases,
};
use zeroset::volume::{Placement, Volume};

use crate::library::{Launch, Library, arg};
use crate::random::Random;

static OF_VALUES: LazyLock<Library> = LazyLock::new(|| {
    Library::compile(
        "kernels/surface/isosurface.cu",
        &["STORED=float", "IS_WHOLE=0", "NORMALS=1"],
        &["surface_masks", "surface_vertices"],
    )
});
static COUNT: LazyLock<Library> =
    LazyLock::new(|| Library::compile("kernels/surface/count.cu", &[], &["surface_count"]));
static TRIANGLES: LazyLock<Library> =
    LazyLock::new(|| Library::compile("kernels/surface/triangles.cu", &[], &["surface_triangles"]));

/// Vertices, normals and triangles of the kernels, launched as `DeviceIsosurface` does.
fn surface(
    values: &[f32],
    shape: [usize; 3],
    level: f64,
    closed: bool,
    seed: u64,
) -> (Vec<[f64; 3]>, Vec<[f64; 3]>, Vec<u32>) {
    let layers = usize::from(closed);
    let size = shape.map(|n| n + 2 * layers);
    let (words, rows) = (size[0].div_ceil(32), size[1] * size[2]);
    let mut bits = [vec![!0_u32; words * rows], vec![!0_u32; words * rows]];
    let mut of_rows = [vec![!0_u32; rows], vec![!0_u32; rows], vec![!0_u32; 2 * rows]];
    let tiles = rows.div_ceil(256);
    let mut told = vec![0_u64; 2 * tiles];
    let mut totals = SurfaceTotals::default();
    let nearest = level as f32;
    let least = if f64::from(nearest) > level { nearest } else { nearest.next_up() };
    let shift = -(layers as f64);
    let mut argument = SurfaceArgument {
        values: values.as_ptr() as u64,
        range: [least.to_bits().into(), f32::INFINITY.to_bits().into()],
        inside: bits[0].as_mut_ptr() as u64,
        missing: bits[1].as_mut_ptr() as u64,
        first_vertex: of_rows[0].as_mut_ptr() as u64,
        first_triangle: of_rows[1].as_mut_ptr() as u64,
        along: of_rows[2].as_mut_ptr() as u64,
        told: told.as_mut_ptr() as u64,
        totals: (&raw mut totals) as u64,
        level,
        slope: 1.0,
        origin: [shift; 3],
        steps: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        inverse: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        shape: shape.map(|n| n as u32),
        size: size.map(|n| n as u32),
        layers: layers as u32,
        words: words as u32,
        lanes: words.next_power_of_two().min(32) as u32,
        ..SurfaceArgument::default()
    };
    let cases = surface_cases(false);
    let launch = |library: &Library, kernel: &str, (grid, block, resident), args: &[_]| {
        let how = Launch { resident, seed, ..Launch::new(grid, block) };
        // SAFETY: places for all rows and words, and for the surface where the argument says so.
        unsafe { library.launch(kernel, &how, args) }.unwrap();
    };
    launch(&OF_VALUES, "surface_masks", (2, 128, 1), &[arg(argument)]);
    let all = [arg(argument), arg(cases.as_ptr())];
    launch(&COUNT, "surface_count", (tiles as u32, 256, 2), &all);
    // Without room nothing is written.
    launch(&OF_VALUES, "surface_vertices", (1, 128, 1), &[arg(argument)]);
    launch(&TRIANGLES, "surface_triangles", (1, 128, 1), &all);
    let n = totals.vertices as usize;
    let (mut vertices, mut normals) = (vec![[9.0; 3]; n], vec![[9.0; 3]; n]);
    let mut triangles = vec![!0_u32; 3 * totals.triangles as usize];
    argument.vertices = vertices.as_mut_ptr() as u64;
    argument.normals = normals.as_mut_ptr() as u64;
    argument.triangles = triangles.as_mut_ptr() as u64;
    argument.room = [totals.vertices, totals.triangles];
    launch(&OF_VALUES, "surface_vertices", (2, 128, 1), &[arg(argument)]);
    let all = [arg(argument), arg(cases.as_ptr())];
    launch(&TRIANGLES, "surface_triangles", (2, 128, 1), &all);
    (vertices, normals, triangles)
}

#[test]
fn surfaces_are_those_of_the_cpu() {
    let mut random = Random::new(8);
    let shapes = [[2, 2, 2], [31, 3, 4], [33, 9, 5], [65, 3, 90], [3, 4, 5], [130, 4, 3]];
    for (seed, shape) in shapes.into_iter().chain([[1027, 3, 2], [2100, 2, 2]]).enumerate() {
        let n = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|_| random.below(2001) as f32 / 1000.0 - 1.0).collect();
        let volume = Volume::new(shape, values.clone().into(), Placement::identity()).unwrap();
        for (level, closed) in [(0.0, false), (0.7, true), (-0.95, false), (3.0, true)] {
            let options = IsosurfaceOptions::default().closed(closed).normals(true);
            let expected = isosurface(&volume, level, &options).unwrap();
            let (vertices, normals, triangles) =
                surface(&values, shape, level, closed, seed as u64);
            assert!(triangles == expected.cells, "{shape:?} at {level}, {closed}");
            assert!(vertices == expected.vertices, "{shape:?} at {level}, {closed}");
            let given = [0, 1, 2].map(|k| expected.vertex_data[k].values.to_f64());
            for (v, normal) in normals.iter().enumerate() {
                // Where there is no gradient the host takes those of triangles.
                let same = (0..3).all(|k| normal[k].to_bits() == given[k][v].to_bits());
                assert!(same || normal[0].is_nan(), "{v}: {normal:?}");
            }
        }
    }
}

#[test]
fn values_that_are_no_numbers_are_left_out() {
    let mut random = Random::new(9);
    for shape in [[40, 5, 4], [1030, 3, 2]] {
        let n = shape.iter().product();
        let value = |random: &mut Random| match random.below(40) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            k => k as f32 - 20.0,
        };
        let values: Vec<f32> = (0..n).map(|_| value(&mut random)).collect();
        let volume = Volume::new(shape, values.clone().into(), Placement::identity()).unwrap();
        let expected = isosurface(&volume, 0.5, &IsosurfaceOptions::default()).unwrap();
        let (vertices, _, triangles) = surface(&values, shape, 0.5, false, 1);
        // The CPU drops the vertices that no triangle has.
        let place = |vertices: &[[f64; 3]], cells: &[u32]| -> Vec<[f64; 3]> {
            cells.iter().map(|&v| vertices[v as usize]).collect()
        };
        assert!(!triangles.is_empty());
        assert_eq!(place(&vertices, &triangles), place(&expected.vertices, &expected.cells));
    }
}
