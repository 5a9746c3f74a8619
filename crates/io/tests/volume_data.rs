//! Tests of the volumes in the shared data against the results of other programs.

use zeroset_io::{VolumeOptions, read_volume};
use zeroset_testing::data;

/// Compares values that the README does not list with those of nibabel 5.4 and SimpleITK 2.5: the
/// mean value, one voxel, and the position of the first voxel.
#[test]
fn volumes_have_the_values_of_other_readers() {
    for (path, mean, [i, j, k], value, origin) in [
        (
            "CT_pitch.nii.gz",
            38.0100095344033,
            [3, 5, 7],
            0.0,
            [-69.02075958251953, -134.38560485839844, -13.56882095336914],
        ),
        ("avg152T1_RL_nifti.nii.gz", 82.89716151375593, [3, 5, 7], 12.0, [-90.0, -126.0, -72.0]),
        ("liver_labels.nii.gz", 33.213513535761194, [3, 5, 7], 0.0, [0.0; 3]),
        ("nibabel_anatomical_be.nii", 8401.066725794532, [3, 5, 7], 11505.0, [32.0, -40.0, -16.0]),
        ("HeadMRVolume.mhd", 24.46822196620584, [3, 5, 7], 1.0, [0.0; 3]),
        ("headsq_quarter.mha", 507.6873241137433, [3, 5, 7], 0.0, [0.0; 3]),
        (
            "lung2_label.nrrd",
            0.0015411376953125,
            [3, 5, 7],
            0.0,
            [-170.5, -324.5, -359.9999999999999],
        ),
        (
            "prostate_phantom.nrrd",
            389.4033631094061,
            [3, 5, 7],
            1752.0,
            [15.683382511138916, 76.5357608795166, -52.77613067626954],
        ),
        (
            "prostate_phantom-label.nrrd",
            1.4999019909831703,
            [3, 5, 7],
            9.0,
            [15.683382511138916, 76.5357608795166, -52.77613067626954],
        ),
    ] {
        let Some(place) = data(&format!("volumes/{path}")) else { return };
        let volume = read_volume(&place, &VolumeOptions::default()).unwrap().volume;
        let found = volume.statistics().mean.unwrap();
        assert!((found / mean - 1.0).abs() < 1e-12, "{path}: mean {found}, expected {mean}");
        assert_eq!(volume.value(i, j, k), value, "{path}");
        let found = volume.placement().origin();
        assert!(found.iter().zip(origin).all(|(a, b)| (a - b).abs() < 1e-12), "{path}: {found:?}");
    }
}
