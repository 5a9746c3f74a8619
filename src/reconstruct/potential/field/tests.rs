//! Tests of the potential and its gradient.

use super::*;
use crate::reconstruct::potential::octree_cube::Frame;

/// Creates a plane of samples at z = 0, with four samples per voxel.
fn plane() -> Arc<Octree> {
    let at = |n: i32| (f64::from(n) + 0.5) / 256.0 - 0.5;
    let points: Vec<[f64; 3]> = (0..256 * 256).map(|n| [at(n % 256), at(n / 256), 0.0]).collect();
    Arc::new(Octree::new(&points, Frame::new(&points, 7).unwrap()).unwrap())
}

/// Returns the velocity at the voxels (1, 1, z) for all z of a tile.
fn along_z(rest: Rest, exponent: u32, z: i32) -> [[f32; 3]; 4] {
    let rule = Rule { theta: 0.5, exponent, softening: 1.0 };
    let fill = velocity(plane(), rule, 7, rest, 4);
    let mut out = vec![0.0; 192];
    fill([0, 0, z], 0.0, &mut out);
    std::array::from_fn(|k| [0, 1, 2].map(|c| out[64 * c + 16 * k + 5]))
}

#[test]
fn the_velocity_is_a_unit_vector_to_a_plane_and_zero_on_it() {
    for exponent in 2..=5 {
        for (z, sign) in [(4, -1.0), (20, -1.0), (-8, 1.0)] {
            for u in along_z(Rest::Ridge, exponent, z) {
                assert!((u[2] - sign).abs() < 0.01 && u[0].abs() < 0.05, "{u:?}");
            }
        }
        let [on, above, ..] = along_z(Rest::Ridge, exponent, 0);
        assert!(on[2].abs() < 1e-6 && (above[2] + 1.0).abs() < 0.02, "{on:?} {above:?}");
    }
}

#[test]
fn a_hull_rests_at_its_distance_from_a_plane() {
    for exponent in 3..=5 {
        for (distance, z) in [(1.0, 1), (2.0, 2), (3.0, 3)] {
            let [u0, u1, u2, u3] = along_z(Rest::Hull(distance), exponent, z - 1);
            // The velocity points outward inside the hull, is small on the hull, and points toward
            // the plane outside the hull.
            assert!(u1[2].abs() < 0.2 && u2[2] < -0.3 && u3[2] < -0.9, "{u1:?} {u2:?} {u3:?}");
            assert!(u0[2] > 0.1 || z == 1, "{u0:?}");
        }
    }
}
