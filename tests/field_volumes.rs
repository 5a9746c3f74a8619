//! Tests the reading of volumes with inputs from the field (`ZEROSET_FIELD`): stacks of TIFF files,
//! layers of segmentations, and the placement of voxels. The correct values are those of tifffile,
//! SimpleITK and nibabel.

use std::path::Path;
use std::process::Command;

use zeroset::io::{VolumeFile, VolumeOptions, read_mesh, read_volume};
use zeroset_testing::field;

/// Runs the program in a folder. Returns whether it succeeded, and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

fn sum(file: &VolumeFile) -> f64 {
    file.volume.to_f64().iter().sum()
}

#[test]
fn stacks_have_all_slices_and_their_spacing() {
    for (name, spacing) in [
        ("imagej_one_ifd.tif", [0.5, 0.5, 2.0]),
        ("imagej_spacing.tif", [0.5, 0.5, 2.0]),
        ("ome_spacing.ome.tif", [0.5, 0.5, 2.0]),
        ("zstd.tif", [1.0; 3]),
    ] {
        let Some(path) = field(&format!("clouds/tiff_stacks/{name}")) else { return };
        let file = read_volume(&path, &VolumeOptions::default()).unwrap();
        assert_eq!(file.volume.shape(), [30, 40, 12], "{name}");
        assert_eq!(file.volume.placement().spacing(), spacing, "{name}");
        assert_eq!((sum(&file), file.volume.value(11, 7, 5)), (355_842.0, 45.0), "{name}");
        let units = (spacing[0] == 0.5).then_some("um");
        assert_eq!(file.volume.units.as_deref(), units, "{name}");
        assert!(file.warnings.is_empty(), "{name}: {:?}", file.warnings);
    }
    let Some(path) = field("clouds/tiff_stacks/one_bit.tif") else { return };
    let file = read_volume(&path, &VolumeOptions::default()).unwrap();
    assert_eq!((file.volume.shape(), sum(&file)), ([30, 40, 12], 1966.0));
}

#[test]
fn a_spacing_replaces_that_of_the_file_with_a_warning() {
    let Some(path) = field("clouds/tiff_stacks/imagej_spacing.tif") else { return };
    let options = VolumeOptions::default().spacing(Some([1.0, 1.0, 3.0]));
    let file = read_volume(&path, &options).unwrap();
    assert_eq!(file.volume.placement().spacing(), [1.0, 1.0, 3.0]);
    let [warning] = file.warnings.as_slice() else { panic!("{:?}", file.warnings) };
    assert!(warning.contains("0.5 x 0.5 x 2; 1 x 1 x 3 is used (--spacing)"), "{warning}");
    let Some(path) = field("clouds/tiff_stacks/zstd.tif") else { return };
    let file = read_volume(&path, &options).unwrap();
    assert_eq!(file.volume.placement().spacing(), [1.0, 1.0, 3.0]);
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    let folder = tempfile::tempdir().unwrap();
    let name = path.to_str().unwrap();
    let surface = ["isosurface", name, "--level", "45", "--spacing", "1,1,3", "-o", "s.ply"];
    let (success, said) = zeroset(folder.path(), &surface);
    assert!(success, "{said}");
    let (_, high) = read_mesh(&folder.path().join("s.ply")).unwrap().mesh.bounds();
    assert!(high[2] > 22.0, "{high:?}");
}

#[test]
fn a_layer_of_a_segmentation_is_chosen() {
    let Some(path) = field("clouds/nrrd_segmentation_layers/two_layers.seg.nrrd") else { return };
    let folder = tempfile::tempdir().unwrap();
    let name = path.to_str().unwrap();
    let (success, said) = zeroset(folder.path(), &["info", name]);
    assert!(!success, "{said}");
    assert!(said.contains("holds 2 layers"), "{said}");
    assert!(said.contains("--layer N, from 0 to 1"), "{said}");
    for (layer, voxels) in [(0, 40.0), (1, 60.0)] {
        let options = VolumeOptions::default().layer(Some(layer));
        let file = read_volume(&path, &options).unwrap();
        assert_eq!((file.volume.shape(), sum(&file)), ([6, 5, 4], voxels));
        assert_eq!(file.volume.frame.as_deref(), Some("LPS"));
        // The label of the first layer lies at x = 1 and 2, and that of the second at 2, 3 and 4.
        let label = |x: usize| file.volume.value(x, 4, 3);
        let first = (0..6).position(|x| label(x) == 1.0);
        assert_eq!(first, Some(1 + layer));
    }
    let surface = ["isosurface", name, "--level", "0.5", "--layer", "3", "-o", "s.ply"];
    let (success, said) = zeroset(folder.path(), &surface);
    assert!(!success && said.contains("there is no layer 3 among 2 layers"), "{said}");
    for (layer, width) in [("0", 2.0), ("1", 3.0)] {
        let surface =
            ["isosurface", name, "--level", "0.5", "--closed", "--layer", layer, "-o", "s.ply"];
        let (success, said) = zeroset(folder.path(), &surface);
        assert!(success, "{said}");
        let (low, high) = read_mesh(&folder.path().join("s.ply")).unwrap().mesh.bounds();
        assert!((high[0] - low[0] - width).abs() < 1e-6, "{low:?} {high:?}");
    }
}

#[test]
fn centers_of_cells_and_nodes_are_those_of_itk() {
    for (name, origin) in [("cell", [3.5, 4.5, 6.0]), ("node", [3.0, 4.0, 5.0])] {
        let Some(path) = field(&format!("clouds/nrrd_centers/{name}.nrrd")) else { return };
        let file = read_volume(&path, &VolumeOptions::default()).unwrap();
        assert_eq!(file.volume.placement().origin(), origin, "{name}");
        assert_eq!(file.volume.placement().spacing(), [1.0, 1.0, 2.0], "{name}");
    }
}

#[test]
fn isosurfaces_face_outward_where_the_affine_places_them() {
    let folder = tempfile::tempdir().unwrap();
    // Readers disagree about negative spacings: nibabel takes the absolute value, ITK mirrors.
    let Some(path) = field("clouds/iso_orientation/pixneg.nii.gz") else { return };
    let arguments = ["isosurface", path.to_str().unwrap(), "--level", "0", "-o", "s.ply"];
    let (success, said) = zeroset(folder.path(), &arguments);
    assert!(!success && said.contains("the spacing along axis x is -1"), "{said}");
    // The centroid of the voxels above the level, from nibabel, and their volume, from
    // supersampling.
    let upright = [5.225, -8.108, 39.201];
    for (name, centroid, volume) in [
        ("d4zero", upright, 574.4),
        ("q0s1", [-3.775, -8.108, 39.201], 574.4),
        ("oblique", [84.367, -22.841, 40.712], 572.6),
    ] {
        let Some(path) = field(&format!("clouds/iso_orientation/{name}.nii.gz")) else { return };
        let arguments = ["isosurface", path.to_str().unwrap(), "--level", "0", "-o", "s.ply"];
        let (success, said) = zeroset(folder.path(), &arguments);
        assert!(success, "{name}: {said}");
        let mesh = read_mesh(&folder.path().join("s.ply")).unwrap().mesh;
        let (mut total, mut moment) = (0.0, [0.0; 3]);
        for cell in mesh.iter_cells() {
            let [a, b, c] = [0, 1, 2].map(|k| mesh.vertices[cell[k] as usize]);
            // The signed volume and the centroid of the tetrahedron whose apex is a point near the
            // surface.
            let [a, b, c] = [a, b, c].map(|x| [0, 1, 2].map(|k| x[k] - centroid[k]));
            let cross =
                [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            let part = (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0;
            total += part;
            (0..3).for_each(|k| moment[k] += part * (a[k] + b[k] + c[k]) / 4.0);
        }
        assert!((total / volume - 1.0).abs() < 0.05, "{name}: {total}");
        let off = moment.map(|x| (x / total).abs());
        assert!(off.iter().all(|x| *x < 0.15), "{name}: {off:?}");
    }
}
