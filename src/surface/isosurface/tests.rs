//! Tests of isosurfaces of volumes.

use std::collections::BTreeSet;

use super::*;
use crate::mesh::statistics::inspect;
use crate::surface::cubes::{self, Dense};

/// Creates a volume with the given shape from a function of the voxel position.
fn volume(shape: [usize; 3], value: impl Fn([f64; 3]) -> f64) -> Volume {
    let [nx, ny, nz] = shape;
    let at = |k: usize| [k % nx, k / nx % ny, k / (nx * ny)].map(|c| c as f64);
    let values: Vec<f64> = (0..nx * ny * nz).map(|k| value(at(k))).collect();
    Volume::new(shape, values.into(), Placement::identity()).unwrap()
}

/// Creates a volume of reproducible random values in [-1, 1].
fn noise(shape: [usize; 3], seed: u64) -> Volume {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..shape.iter().product())
        .map(|_| f64::from(random.next_u32() as i32) / f64::from(i32::MAX))
        .collect();
    Volume::new(shape, values.into(), Placement::identity()).unwrap()
}

/// Returns the triangles as the positions of their corners, with the smallest corner first.
fn triangles(mesh: &Mesh) -> BTreeSet<[[u64; 3]; 3]> {
    let at = |v: u32| mesh.vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let turned = |t: &[u32]| {
        let t = [at(t[0]), at(t[1]), at(t[2])];
        [[t[0], t[1], t[2]], [t[1], t[2], t[0]], [t[2], t[0], t[1]]].into_iter().min().unwrap()
    };
    mesh.iter_cells().map(turned).collect()
}

/// Extracts the same surface with marching cubes on blocks.
fn over_blocks(volume: &Volume, level: f64) -> Mesh {
    let phi: Vec<f64> = volume
        .to_f64()
        .into_iter()
        .map(|v| if v.is_finite() { level - v } else { f64::NAN })
        .collect();
    let dense = Dense { values: &phi, size: volume.shape(), edge: 8, beyond: f64::NAN };
    cubes::extract(&dense, &cubes::Placement::default(), false).unwrap()
}

fn surface(volume: &Volume, level: f64) -> Mesh {
    isosurface(volume, level, &Options::default()).unwrap()
}

#[test]
fn triangles_are_those_of_blocks() {
    for (seed, shape) in [[70, 5, 4], [64, 3, 3], [65, 4, 2], [3, 9, 8], [2, 2, 2], [130, 3, 5]]
        .into_iter()
        .enumerate()
    {
        for level in [0.0, 0.6, -0.9] {
            let volume = noise(shape, seed as u64);
            let (found, expected) = (surface(&volume, level), over_blocks(&volume, level));
            assert_eq!(found.n_vertices(), expected.n_vertices());
            assert_eq!(triangles(&found), triangles(&expected), "{shape:?} at {level}");
        }
    }
}

#[test]
fn nothing_is_drawn_beside_what_is_no_number() {
    let mut values = noise([67, 6, 5], 3).to_f64();
    for k in [0, 5, 66, 67 * 8 + 64, 67 * 20 + 63] {
        values[k] = if k % 2 == 0 { f64::NAN } else { f64::INFINITY };
    }
    let volume = Volume::new([67, 6, 5], values.into(), Placement::identity()).unwrap();
    let (found, expected) = (surface(&volume, 0.2), over_blocks(&volume, 0.2));
    assert_eq!(triangles(&found), triangles(&expected));
    assert_eq!(inspect(&found).unreferenced, 0);
}

#[test]
fn every_type_and_scaling_has_the_same_surface() {
    let ball = volume([20, 18, 16], |[x, y, z]| {
        (60.0 - 8.0 * ((x - 9.0).hypot(y - 8.0).hypot(z - 7.5))).round().clamp(-100.0, 100.0)
    });
    let expected = surface(&ball, 10.5);
    let stored = ball.to_f64();
    let of = |samples: Samples| Volume::new([20, 18, 16], samples, Placement::identity()).unwrap();
    let volumes = [
        of(stored.iter().map(|&v| v as f32).collect::<Vec<_>>().into()),
        of(stored.iter().map(|&v| v as i16).collect::<Vec<_>>().into()),
        of(stored.iter().map(|&v| v as i64).collect::<Vec<_>>().into()),
        of(stored.iter().map(|&v| (v + 100.0) as u8).collect::<Vec<_>>().into())
            .with_scaling(Scaling { slope: 1.0, intercept: -100.0 })
            .unwrap(),
        of(stored.iter().map(|&v| (-2.0 * v) as i32).collect::<Vec<_>>().into())
            .with_scaling(Scaling { slope: -0.5, intercept: 0.0 })
            .unwrap(),
    ];
    for volume in volumes {
        let found = surface(&volume, 10.5);
        assert_eq!((&found.vertices, &found.cells), (&expected.vertices, &expected.cells));
    }
    assert_eq!(inspect(&expected).euler, 2);
}

#[test]
fn normals_point_down_and_places_may_be_skewed_or_mirrored() {
    let ball =
        volume([24; 3], |x| 9.0 - x.map(|c| c - 11.3).iter().map(|c| c * c).sum::<f64>().sqrt());
    let mirrored = [[0.5, 0.0, 0.0], [0.0, 0.25, 0.1], [0.0, 0.0, -2.0]];
    for steps in [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], mirrored] {
        let placed = ball.clone().placed([100.0, -50.0, 7.0], steps).unwrap();
        let mesh = isosurface(&placed, 0.0, &Options::default().normals(true)).unwrap();
        let found = inspect(&mesh);
        assert_eq!((found.euler, found.boundary, found.inconsistent), (2, 0, 0));
        let of_triangles = vertex_normals(&mesh);
        let given = ["nx", "ny", "nz"].map(|n| mesh.vertex_array(n).unwrap().values.to_f64());
        let place = placed.placement();
        for (v, &x) in mesh.vertices.iter().enumerate() {
            let index = place.index(x);
            let radius = index.map(|c| c - 11.3).iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!((radius - 9.0).abs() < 0.05);
            let along: f64 = (0..3).map(|k| given[k][v] * of_triangles[v][k]).sum();
            assert!(along > 0.95, "{along}");
            let exact = place.world_gradient(index.map(|c| c - 11.3));
            let length = exact.iter().map(|c| c * c).sum::<f64>().sqrt();
            let along: f64 = (0..3).map(|k| given[k][v] * exact[k] / length).sum();
            assert!(along > 0.999, "{along}");
        }
    }
}

#[test]
fn surfaces_are_closed_at_the_border_if_they_shall_be() {
    let slab = volume([5, 66, 4], |[x, y, z]| 1.0 + x + y + z);
    let mesh = isosurface(&slab, 0.0, &Options::default().closed(true).normals(true)).unwrap();
    let found = inspect(&mesh);
    let faults = (found.boundary, found.nonmanifold, found.inconsistent);
    assert_eq!((found.euler, found.components, faults), (2, 1, (0, 0, 0)));
    assert_eq!(mesh.bounds(), ([-0.5; 3], [4.5, 65.5, 3.5]));
    // A single voxel becomes an octahedron that reaches half a voxel in each direction.
    let one = volume([1, 1, 1], |_| 3.0);
    let mesh = isosurface(&one, 0.0, &Options::default().closed(true)).unwrap();
    assert_eq!((inspect(&mesh).euler, mesh.n_cells()), (2, 8));
    let noisy = noise([9, 70, 8], 5);
    let mesh = isosurface(&noisy, 0.1, &Options::default().closed(true)).unwrap();
    let found = inspect(&mesh);
    assert_eq!((found.boundary, found.nonmanifold, found.inconsistent), (0, 0, 0));
}

#[test]
fn threads_change_nothing_and_levels_beyond_are_empty() {
    let volume = noise([70, 20, 20], 9);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| isosurface(&volume, 0.3, &Options::default().normals(true)).unwrap())
    };
    let (one, three) = (run(1), run(3));
    assert_eq!((one.vertices, one.cells), (three.vertices, three.cells));
    assert_eq!(one.vertex_data, three.vertex_data);
    assert_eq!(surface(&volume, 7.0).n_cells(), 0);
    assert!(isosurface(&volume, f64::NAN, &Options::default()).is_err());
    let flat = noise([9, 9, 1], 0);
    let refused = isosurface(&flat, 0.0, &Options::default()).unwrap_err().to_string();
    assert!(refused.contains("9 x 9 x 1 voxels has no cubes"), "{refused}");
}
