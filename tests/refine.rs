//! Tests refined meshes of the shared data against the counts and radii in the paper of Fu et al.

use zeroset::mesh::refine::refine;
use zeroset::mesh::statistics::inspect;
use zeroset_testing::cell_geometry::{measures, summary};
use zeroset_testing::data;

/// Reads a file of the shared data, refines it once and compares its summary with the expected one.
fn assert_refined(path: &str, expected: &str) {
    let Some(path) = data(path) else { return };
    let base = zeroset::io::read_mesh(&path).unwrap().mesh;
    let fine = refine(&base).unwrap();
    assert_eq!(summary(&fine), expected);
    let [before, after] = [inspect(&base), inspect(&fine)];
    assert_eq!((after.euler, after.components), (before.euler, before.components));
    assert_eq!([after.nonmanifold, after.inconsistent, after.inverted], [0; 3]);
    let [old, new]: [f64; 2] = [&base, &fine].map(|m| measures(m).iter().sum());
    assert!((old - new).abs() < 1e-10 * old, "{old} {new}");
}

#[test]
fn irregular_cube_of_the_paper() {
    assert_refined("bench/irregcube_base.msh", "200217 / 1127088 / 42 / 0.0744 0.3469");
}

#[test]
fn brain_of_the_paper() {
    let expected = "655362 / 1310720 / 6 / 0.0005 0.7611";
    assert_refined("cortex/fsaverage_pial_left.gii.gz", expected);
}
