//! Tests of the volume readers: every format, encoding and byte order, placements, rejected files.

#[path = "support/volumes.rs"]
mod volumes;

use std::path::Path;

use volumes::*;
use zeroset_core::volume::Samples;
use zeroset_io::{VolumeFile, VolumeOptions, read_data, read_mesh, read_volume};

fn read(name: &str, bytes: &[u8]) -> zeroset_core::Result<VolumeFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_volume(&path, &VolumeOptions::default())
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let error = read(name, bytes).expect_err(name);
    assert_eq!(error.exit_code(), 3, "{name}: {error}");
    error.to_string()
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(close, "{what}: {found:?}, expected {expected:?}");
}

#[test]
fn every_encoding_gives_the_same_numbers() {
    for (name, bytes) in all() {
        let file = read(name, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_numbers(&file.volume, name);
        assert!(file.warnings.is_empty(), "{name}: {:?}", file.warnings);
        // The content determines the format, regardless of the file name.
        assert_numbers(&read("other.ply", &bytes).unwrap().volume, name);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let error = read_mesh(&path).unwrap_err().to_string();
        assert!(error.contains("not a mesh") && error.contains("zeroset info"), "{error}");
    }
}

#[test]
fn nifti_places_voxels_by_its_three_methods() {
    for big in [false, true] {
        for (name, head, codes) in
            [("1.nii", nifti1_head(big), 252), ("2.nii", nifti2_head(big), 344)]
        {
            let first = name == "1.nii";
            let file = read(name, &with_numbers(head.clone())).unwrap();
            let place = *file.volume.placement();
            assert_eq!(place.origin(), [10.0, 20.0, 30.0]);
            assert_eq!(place.steps(), [[-2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.25, 3.0]]);
            assert_eq!(file.volume.orientation().as_deref(), Some("LAS"));
            assert_eq!((file.volume.units.as_deref(), &*file.volume.name), (Some("mm"), "small"));
            assert_eq!(file.space.as_deref(), Some("NIFTI_XFORM_SCANNER_ANAT"));
            // A quarter turn about z, an offset, and, if `sign` is -1, a mirrored third axis.
            let half = 0.5_f64.sqrt();
            let turned = |head: Bytes, sign: f64| match first {
                true => head
                    .i16(codes, &[3, 0])
                    .f32(76, &[sign as f32])
                    .f32(256, &[0.0, 0.0, half as f32, 1.0, 2.0, 3.0]),
                false => head
                    .i32(codes, &[3, 0])
                    .f64(104, &[sign])
                    .f64(352, &[0.0, 0.0, half, 1.0, 2.0, 3.0]),
            };
            for sign in [1.0, -1.0] {
                let file = read(name, &with_numbers(turned(head.clone(), sign))).unwrap();
                let steps = file.volume.placement().steps();
                let expected = [0.0, 2.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 3.0 * sign];
                assert_close(steps.as_flattened(), &expected, name);
                assert_eq!(file.volume.placement().origin(), [1.0, 2.0, 3.0]);
                assert_eq!(file.space.as_deref(), Some("NIFTI_XFORM_TALAIRACH"));
            }
            let none = match first {
                true => head.i16(codes, &[0, 0]),
                false => head.i32(codes, &[0, 0]),
            };
            let file = read(name, &with_numbers(none)).unwrap();
            assert_eq!(file.volume.placement().spacing(), [2.0, 0.5, 3.0]);
            assert_eq!(file.volume.placement().origin(), [0.0; 3]);
            assert_eq!((file.volume.frame, file.space), (None, None));
        }
    }
}

#[test]
fn mgh_places_voxels_around_their_center() {
    let file = read("a.mgh", &with_numbers(mgh_head())).unwrap();
    let place = *file.volume.placement();
    assert_eq!(place.origin(), [10.0, 20.0, 30.0]);
    assert_eq!(place.steps(), [[-2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.75, 3.0]]);
    assert_eq!((file.volume.units.as_deref(), file.stated_spacing), (Some("mm"), [true; 3]));
    assert_eq!(file.volume.orientation().as_deref(), Some("LAS"));
    // Without a placement, the slices are coronal and around the origin.
    let file = read("a.mgh", &with_numbers(mgh_head().i16(28, &[0]))).unwrap();
    let place = *file.volume.placement();
    assert_eq!(place.origin(), [1.5, -1.0, 2.0]);
    assert_eq!(place.steps(), [[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    assert_eq!((file.volume.frame, file.stated_spacing), (None, [false; 3]));
}

#[test]
fn mgh_files_hold_several_volumes_or_values_per_vertex() {
    // Two volumes of 3 x 4 x 1 voxels.
    let bytes = with_numbers(mgh_head().i32(4, &[3, 4, 1, 2]));
    assert!(refused("a.mgz", &bytes).contains("the file holds 2 volumes"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lh.thickness.fwhm5.mgh");
    std::fs::write(&path, &bytes).unwrap();
    let options = VolumeOptions::default().volume_index(Some(1));
    let file = read_volume(&path, &options).unwrap();
    assert_eq!(file.volume.samples(), &Samples::from(numbers()[12..].to_vec()));
    let error = read_data(&path).unwrap_err().to_string();
    assert!(error.contains("3 x 4 x 1 voxels, expected one value per vertex"), "{error}");
    // The same numbers as two values for each of twelve vertices.
    std::fs::write(&path, with_numbers(mgh_head().i32(4, &[12, 1, 1, 2]))).unwrap();
    let arrays = read_data(&path).unwrap().arrays;
    let (array, all) = (&arrays[0], numbers());
    assert_eq!((&*array.name, array.components), ("thickness.fwhm5", 2));
    let rows: Vec<f64> = (0..24).map(|k| f64::from(all[k / 2 + 12 * (k % 2)])).collect();
    assert_eq!(array.values.to_f64(), rows);
    let unknown = refused("a.mgh", &with_numbers(mgh_head().i32(20, &[7])));
    assert!(unknown.contains("number type 7") && unknown.contains("mri_convert"), "{unknown}");
}

#[test]
fn nifti_forms_that_differ_are_doubtful() {
    let warned = |head: Bytes| read("a.nii", &with_numbers(head)).unwrap().warnings;
    let quaternion = |codes: [i16; 2], shift: [f32; 3]| {
        let form = [&[0.0, 0.0, 0.0][..], &shift].concat();
        nifti1_head(false).i16(252, &codes).f32(256, &form)
    };
    let sform = [2.0, 0.0, 0.0, 10.0, 0.0, 0.5, 0.0, 20.0, 0.0, 0.0, 3.0, 30.0];
    let same = |shift| quaternion([1, 1], shift).f32(280, &sform);
    assert_eq!(warned(same([10.0, 20.0, 30.0])), [""; 0]);
    assert_eq!(warned(same([10.0, 20.004, 30.0])), [""; 0]);
    let said = warned(same([13.0, 24.0, 30.0]));
    assert!(said[0].contains("by up to 5.000 mm at its corners; the sform is used"), "{said:?}");
    // The sform mirrors x, so corners at 2.5 voxels of 2 mm are 10 mm apart. Its shear moves them
    // by 1.5 voxels of 0.25 mm.
    let said = warned(quaternion([2, 1], [10.0, 20.0, 30.0]));
    let most = (10.0_f64.powi(2) + 0.375_f64.powi(2)).sqrt();
    assert!(said[0].contains(&format!("by up to {most:.3} mm")), "{said:?}");
    // A qform or sform with the code 0 is not used.
    assert_eq!(warned(quaternion([0, 1], [0.0; 3])), [""; 0]);
    assert_eq!(warned(quaternion([1, 0], [0.0; 3])), [""; 0]);
}

#[test]
fn nifti_scales_values() {
    let scaled = |slope: f32, intercept: f32| {
        let head = nifti1_head(false).f32(112, &[slope, intercept]);
        read("a.nii", &with_numbers(head)).unwrap()
    };
    assert_eq!(scaled(0.5, 100.0).volume.value(1, 2, 1), 0.5 * 71.0 + 100.0);
    assert_eq!(scaled(0.0, 100.0).volume.value(1, 2, 1), 71.0);
    assert_eq!(scaled(f32::NAN, f32::NAN).volume.value(1, 2, 1), 71.0);
    let odd = scaled(2.0, f32::INFINITY);
    assert_eq!((odd.volume.value(1, 2, 1), odd.warnings.len()), (71.0, 1));
}

#[test]
fn nifti_pairs_are_found_by_either_name() {
    let folder = tempfile::tempdir().unwrap();
    let head = nifti1_head(true).u8(344, b"ni1\0").f32(108, &[0.0]);
    std::fs::write(folder.path().join("a.hdr"), &head.raw[..348]).unwrap();
    let image = folder.path().join("a.img");
    let named = |name: &str| read_volume(&folder.path().join(name), &VolumeOptions::default());
    let error = named("a.hdr").unwrap_err().to_string();
    assert!(error.contains("no .img file beside it"), "{error}");
    std::fs::write(&image, bytes(true)).unwrap();
    for name in ["a.hdr", "a.img"] {
        assert_numbers(&named(name).unwrap().volume, name);
    }
    std::fs::rename(&image, folder.path().join("b.img")).unwrap();
    std::fs::write(folder.path().join("a.img.gz"), gzip(&bytes(true))).unwrap();
    for name in ["a.hdr", "a.img.gz"] {
        assert_numbers(&named(name).unwrap().volume, name);
    }
    let error = named("b.img").unwrap_err().to_string();
    assert!(error.contains("no .hdr file beside it"), "{error}");
}

#[test]
fn nifti_headers_that_cannot_serve_are_refused() {
    let head = || nifti1_head(false);
    let sform = |row: usize, numbers: &[f32]| head().f32(280 + 16 * row, numbers);
    for (head, found) in [
        (head().i16(40, &[4, 3, 4, 1, 2]), "holds 2 volumes; choose one with --volume N"),
        (head().i16(40, &[5, 3, 4, 1, 1, 2]), "holds 2 channels; choose one with --channel N"),
        (head().i16(40, &[6, 3, 4, 1, 1, 1, 2]), "along more than five axes"),
        (head().i16(40, &[9]), "9 dimensions"),
        (head().i16(40, &[3, 3, -4]), "size -4 along dimension 2"),
        (head().i16(40, &[3, 300, 4]), "300 x 4 x 2 voxels of int16 need 4800 bytes, found 48"),
        (head().i16(70, &[128]), "holds 3 channels: 0 red, 1 green, 2 blue"),
        (head().i16(70, &[32]), "complex"),
        (head().i16(70, &[1]), "one bit"),
        (head().i16(70, &[77]), "number type 77"),
        (sform(2, &[0.0; 3]), "singular"),
        (sform(1, &[0.0, 0.0, 0.0]), "the spacing along axis y is zero"),
        (sform(0, &[f32::NAN]), "finite numbers expected"),
        (sform(0, &[1.0, 1.0]).f32(296, &[1.0, 1.0]).f32(312, &[0.0, 0.0]), "singular"),
        (head().i16(252, &[1, 0]).f32(80, &[0.0]), "the spacing along axis x is 0: zero"),
        (head().i16(252, &[0, 0]).f32(84, &[-0.5]), "the spacing along axis y is -0.5"),
        (head().f32(108, &[-8.0]), "begin at byte -8"),
        (head().f32(108, &[f32::NAN]), "begin at byte NaN"),
        (head().f32(108, &[3e9]), "found 0 bytes"),
        (head().u8(344, b"\0\0\0\0"), "ANALYZE 7.5"),
        (head().i32(0, &[349]), "the header size is 349"),
    ] {
        let error = refused("a.nii", &with_numbers(head));
        assert!(error.contains(found), "{error}");
    }
    // A single frame in four dimensions is a volume.
    let one = with_numbers(head().i16(40, &[4, 3, 4, 2, 1]));
    assert_numbers(&read("a.nii", &one).unwrap().volume, "one frame");
}

#[test]
fn nrrd_places_voxels_and_names_the_frame() {
    let raw =
        |fields: &str| nrrd(&format!("encoding: raw\nendian: little\n{fields}"), &bytes(false));
    let file = read(
        "a.nrrd",
        &raw("space: left-posterior-superior\nspace directions: (0,2,0) (-0.5, 0, 0) (0,0,3)\n\
              space origin: (1,2,-3)\nspace units: \"mm\" \"mm\" \"mm\"\ncontent: a head"),
    )
    .unwrap();
    let volume = &file.volume;
    assert_eq!(volume.placement().steps(), [[0.0, 2.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.0, 3.0]]);
    assert_eq!(volume.placement().origin(), [1.0, 2.0, -3.0]);
    assert_eq!(volume.frame.as_deref(), Some("LPS"));
    assert_eq!(volume.orientation().as_deref(), Some("PRS"));
    assert_eq!((volume.units.as_deref(), volume.name.as_str()), (Some("mm"), "a head"));
    let place = |fields: &str| *read("a.nrrd", &raw(fields)).unwrap().volume.placement();
    let spaced = place("spacings: 2 0.5 NaN\naxis mins: 1 NaN -3");
    assert_eq!((spaced.spacing(), spaced.origin()), ([2.0, 0.5, 1.0], [1.0, 0.0, -3.0]));
    let cells = place("axis mins: 0 0 0\naxis maxs: 6 2 6\ncenterings: cell cell node");
    assert_eq!((cells.spacing(), cells.origin()), ([2.0, 0.5, 6.0], [1.0, 0.25, 0.0]));
    let scanner = read("a.nrrd", &raw("space: scanner-xyz")).unwrap().volume;
    assert_eq!((scanner.frame.as_deref(), scanner.orientation()), (Some("scanner-xyz"), None));
    // Axes for the components of a voxel or for a single frame are not spatial.
    let axes = "dimension: 4\nsizes: 1 3 4 2\nkinds: vector space space space\n\
                space dimension: 3\nspace directions: none (2,0,0) (0,2,0) (0,0,2)";
    let file = read("a.nrrd", &raw(axes)).unwrap();
    assert_numbers(&file.volume, "vector of one");
    assert_eq!(file.volume.placement().spacing(), [2.0; 3]);
    let last = read("a.nrrd", &raw("dimension: 4\nsizes: 3 4 2 1")).unwrap();
    assert_numbers(&last.volume, "one frame");
}

#[test]
fn nrrd_headers_that_cannot_serve_are_refused() {
    let raw =
        |fields: &str| nrrd(&format!("encoding: raw\nendian: little\n{fields}"), &bytes(false));
    for (fields, found) in [
        ("encoding: bzip2", "the encoding \"bzip2\" is not supported; write it with encoding gzip"),
        ("endian: middle", "the byte order is \"middle\""),
        ("type: block", "\"block\" is not a number type"),
        ("sizes: 3 4", "3 numbers expected"),
        ("sizes: 3 0 8", "no voxel"),
        ("sizes: 3 4 3", "3 x 4 x 3 voxels of int16 need 72 bytes, found 48 bytes"),
        ("sizes: 3 4 -2", "3 numbers expected"),
        ("dimension: 0", "dimension 0"),
        ("kinds: RGB-color domain domain", "holds 3 channels: 0 red, 1 green, 2 blue"),
        ("kinds: domain domain time", "holds 2 volumes; choose one with --volume N, from 0 to 1"),
        ("dimension: 4\nsizes: 3 2 2 2", "holds 2 volumes"),
        ("spacings: 1 0 1", "the spacing along axis y is 0"),
        ("spacings: 1 1 -2", "the spacing along axis z is -2"),
        ("space directions: (1,0,0) (2,0,0) (0,0,1)", "singular"),
        ("space directions: (1,0,0) (0,1,0)", "3 vectors expected"),
        ("space directions: (1,0,0,0) (0,1,0,0) (0,0,1,0)", "more than 3 numbers"),
        ("space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: (1,2", "expected a vector"),
        ("byte skip: -2", "byte skip is -2"),
        ("byte skip: 9223372036854775807", "need 48 bytes"),
        ("line skip: 99", "99 lines are to be skipped"),
        ("no field", "is not of the form \"field: value\""),
        ("data file: ../a.raw", "is not a file beside the header"),
        ("data file: missing.raw", "which does not exist; put the file beside the header"),
        ("data file: a.%d 1 2 0", "not a list of slices"),
        ("data file: a.%d 1 99999999 1", "not a list of slices"),
        ("data file: a.%d 1 7 1", "cannot be split evenly over 7 files"),
    ] {
        let error = refused("a.nrrd", &raw(fields));
        assert!(error.contains(found), "{fields}: {error}");
    }
    let error = refused("a.nrrd", &nrrd("encoding: raw", &bytes(false)));
    assert!(error.contains("write `endian: little`"), "{error}");
    let cut = gzip(&bytes(false));
    let error = refused("a.nrrd", &nrrd("encoding: gzip\nendian: little", &cut[..cut.len() - 9]));
    assert!(error.contains("gzip stream is damaged or ends early"), "{error}");
    let more = gzip(&[bytes(false), vec![0]].concat());
    let error = refused("a.nrrd", &nrrd("encoding: gzip\nendian: little", &more));
    assert!(error.contains("more than the expected 48 bytes"), "{error}");
    let error = refused("a.nrrd", &nrrd("encoding: text", b"1 2 3 4.5"));
    assert!(error.contains("need 48 bytes"), "{error}");
}

#[test]
fn headers_find_their_numbers_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let open = |name: &str| read_volume(&folder.path().join(name), &VolumeOptions::default());
    let little = bytes(false);
    write("a.raw", &little);
    write("skip.raw", &[b"line\nline\n12345", &little[..]].concat());
    write("a.raw.gz", &gzip(&little));
    write("z.raw", &zlib(&little));
    write("s.7", &little[..24]);
    write("s.9", &little[24..]);
    let head = "NRRD0005\ntype: int16\ndimension: 3\nsizes: 3 4 2\nendian: little\n";
    for fields in [
        "encoding: raw\ndata file: a.raw\n",
        "encoding: raw\ndatafile: ./skip.raw\nline skip: 2\nbyte skip: 5\n",
        "encoding: raw\ndata file: skip.raw\nbyte skip: -1\n",
        "encoding: gzip\ndata file: a.raw.gz\n",
        "encoding: raw\ndata file: s.%d 7 9 2\n",
        "encoding: raw\ndata file: LIST\ns.7\ns.9\n",
    ] {
        write("a.nhdr", format!("{head}{fields}").as_bytes());
        assert_numbers(&open("a.nhdr").unwrap_or_else(|e| panic!("{fields}: {e}")).volume, fields);
    }
    let head = "NDims = 3\nDimSize = 3 4 2\nElementType = MET_SHORT\n";
    for keys in [
        "ElementDataFile = a.raw\n",
        "HeaderSize = 15\nElementDataFile = skip.raw\n",
        "HeaderSize = -1\nElementDataFile = skip.raw\n",
        "CompressedData = True\nElementDataFile = z.raw\n",
        "ElementDataFile = LIST\ns.7\ns.9\n",
        "ElementDataFile = LIST 2\r\ns.7\r\ns.9\r\n",
        "ElementDataFile = s.%d 7 9 2\n",
    ] {
        write("a.mhd", format!("{head}{keys}").as_bytes());
        assert_numbers(&open("a.mhd").unwrap_or_else(|e| panic!("{keys}: {e}")).volume, keys);
    }
    write("a.mhd", format!("{head}ElementDataFile = LIST\ns.7\n./s.7\n").as_bytes());
    let error = open("a.mhd").unwrap_err().to_string();
    assert!(error.contains("\"./s.7\" is named twice"), "{error}");
    write("a.mhd", format!("{head}ElementDataFile = skip.raw\n").as_bytes());
    let warnings = open("a.mhd").unwrap().warnings;
    assert_eq!(warnings, ["15 bytes after the last voxel are ignored"]);
}

#[test]
fn metaimage_places_voxels_and_refuses_the_rest() {
    let file = read(
        "a.mha",
        &mha(
            "TransformMatrix = 0 1 0 -1 0 0 0 0 1\nOffset = 1 2 3\nElementSpacing = 2 0.5 3\n\
             AnatomicalOrientation = RAI\nDistanceUnits = mm\n\
             ElementToIntensityFunctionSlope = 2\nElementToIntensityFunctionOffset = 1\n",
            &bytes(false),
        ),
    )
    .unwrap();
    let volume = &file.volume;
    assert_eq!(volume.placement().steps(), [[0.0, 2.0, 0.0], [-0.5, 0.0, 0.0], [0.0, 0.0, 3.0]]);
    assert_eq!(volume.placement().origin(), [1.0, 2.0, 3.0]);
    assert_eq!(volume.frame.as_deref(), Some("LPS"));
    assert_eq!(volume.value(0, 0, 0), -99.0);
    for (keys, found) in [
        ("ElementNumberOfChannels = 3\n", "holds 3 channels"),
        ("ElementSpacing = 1 0 1\n", "the spacing along axis y is 0"),
        ("ElementSpacing = 1 -1 1\n", "the spacing along axis y is -1"),
        ("TransformMatrix = 1 0 0 1 0 0 0 0 1\n", "singular"),
        ("TransformMatrix = 1 0 0\n", "9 numbers expected"),
        ("NDims = 4\n", "4 numbers expected"),
        ("NDims = 99\n", "99 dimensions"),
        ("HeaderSize = -2\n", "HeaderSize is -2"),
        ("ElementToIntensityFunctionSlope = 0\n", "a slope that is not zero"),
        ("BinaryData = False\n", "expected int16, found"),
        ("CompressedData = True\n", "zlib stream is damaged"),
        ("no key\n", "is not of the form \"key = value\""),
    ] {
        let error = refused("a.mha", &mha(keys, &bytes(false)));
        assert!(error.contains(found), "{keys}: {error}");
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let mine = text(mha("", b""));
    for (from, to, found) in [
        ("3 4 2", "3 4 2 7", "3 numbers expected"),
        ("MET_SHORT", "MET_SHORT_ARRAY", "several numbers in each voxel"),
        ("MET_SHORT", "MET_OTHER", "is not a number type"),
        ("ElementDataFile", "Element", "ElementDataFile is missing"),
        ("NDims = 3\n", "NDims = 4\n", "4 numbers expected"),
    ] {
        let error = refused("a.mha", mine.replace(from, to).as_bytes());
        assert!(error.contains(found), "{to}: {error}");
    }
    let four = mine.replace("NDims = 3", "NDims = 4").replace("3 4 2", "3 4 2 2");
    assert!(refused("a.mha", four.as_bytes()).contains("holds 2 volumes"));
}

#[test]
fn npy_arrays_are_indexed_x_y_z() {
    let c = npy(1, "'|u1'", false, "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    let volume = read("a.npy", &c).unwrap().volume;
    assert_eq!(volume.shape(), [2, 3, 1]);
    assert_eq!((volume.value(0, 1, 0), volume.value(1, 0, 0)), (2.0, 4.0));
    let line = read("a.npy", &npy(1, "'|b1'", false, "(3,)", &[1, 0, 1])).unwrap().volume;
    assert_eq!((line.shape(), line.to_f64()), ([3, 1, 1], vec![1.0, 0.0, 1.0]));
    for (descr, shape, found) in [
        ("'<f2'", "(3, 4, 2)", "numbers of type \"<f2\" are not supported; convert them first"),
        ("'<c8'", "(3, 4, 2)", "numbers of type \"<c8\""),
        ("[('a', '<i2')]", "(3, 4, 2)", "an array of records"),
        ("'<i2'", "(2, 3, 2, 2)", "holds 2 channels; choose one with --channel N"),
        ("'<i2'", "(2, 3, 4, 2, 2)", "expected at most 4 dimensions; write one volume"),
        ("'<i2'", "()", "no voxel"),
        ("'<i2'", "(3, 0)", "no voxel"),
        ("'<i2'", "(3, 4, 3)", "need 72 bytes, found 48"),
        ("'<i2'", "(4611686018427387904, 8)", "more bytes than any memory"),
        ("'<i2'", "(3 4)", "not a dictionary"),
    ] {
        let error = refused("a.npy", &npy(1, descr, false, shape, &bytes(false)));
        assert!(error.contains(found), "{error}");
    }
    assert!(refused("a.npy", &npy(9, "'<i2'", false, "(3,)", &[])).contains("version 9.0"));
}

#[test]
fn vtk_images_give_one_array_and_its_place() {
    let array = |name: &str, kind: &str, n: usize, numbers: &str| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{n}\" \
             format=\"ascii\">{numbers}</DataArray>"
        )
    };
    let image = "Origin=\"1 2 3\" Spacing=\"2 0.5 1\" Direction=\"0 -1 0 1 0 0 0 0 1\"";
    let arrays = format!(
        "<PointData Scalars=\"b\">{}{}{}</PointData><CellData>{}</CellData>",
        array("v", "Float32", 2, "1 2 3 4 5 6 7 8"),
        array("a", "UInt8", 1, "1 2 3 4"),
        array("b", "Float64", 1, "1 2 3 nan"),
        array("c", "Int8", 1, "-7")
    );
    let bytes = vti(image, "5 6 0 1 0 0", &arrays);
    let file = read("a.vti", &bytes).unwrap();
    assert_eq!((file.volume.name.as_str(), file.volume.shape()), ("b", [2, 2, 1]));
    assert_eq!(file.volume.statistics().nan, 1);
    // Index 5 along x is 5 steps of length 2 along y.
    assert_eq!(file.volume.placement().origin(), [1.0, 12.0, 3.0]);
    assert_eq!(file.volume.placement().steps()[1], [-0.5, 0.0, 0.0]);
    assert_eq!(file.warnings, ["array 'b' is read, the others are ignored: v, a, c"]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vti");
    std::fs::write(&path, &bytes).unwrap();
    let named =
        |name: &str| read_volume(&path, &VolumeOptions::default().array(Some(name.to_string())));
    assert_eq!(named("a").unwrap().volume.samples(), &Samples::from(vec![1_u8, 2, 3, 4]));
    let cells = named("c").unwrap().volume;
    assert_eq!((cells.shape(), cells.value(0, 0, 0)), ([1, 1, 1], -7.0));
    assert_eq!(cells.placement().origin(), [0.75, 13.0, 3.0]);
    let error = named("v").unwrap_err().to_string();
    assert!(error.contains("'v' has 2 numbers in each voxel"), "{error}");
    let error = named("bb").unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains("there is no array \"bb\""), "{error}");
    let only = |section: &str| refused("a.vti", &vti("", "0 1 0 1 0 0", section));
    let colors = array("rgb", "UInt8", 3, "1 2 3 1 2 3 1 2 3 1 2 3");
    assert!(only(&format!("<PointData>{colors}</PointData>")).contains("'rgb' has 3 numbers"));
    assert!(only("<PointData/>").contains("no data"));
    let short = array("a", "UInt8", 1, "1 2 3");
    assert!(only(&format!("<PointData>{short}</PointData>")).contains("3 numbers found"));
    let beyond = array("a", "UInt8", 1, "1 2 3 256");
    assert!(only(&format!("<PointData>{beyond}</PointData>")).contains("number 4 exceeds"));
    let good = array("a", "UInt8", 1, "1 2 3 4");
    let good = format!("<PointData>{good}</PointData>");
    for (image, found) in [
        ("Spacing=\"1 0 1\"", "the spacing along axis y is 0"),
        ("Spacing=\"-1 1 1\"", "the spacing along axis x is -1"),
        ("Direction=\"1 0 0 1 0 0 0 0 1\"", "the spacing"),
        ("Origin=\"1 2\"", "expected 3 numbers"),
    ] {
        let error = refused("a.vti", &vti(image, "0 1 0 1 0 0", &good));
        assert!(error.contains(found) || error.contains("singular"), "{image}: {error}");
    }
    let huge = "0 9223372036854775806 0 9223372036854775806 0 0";
    assert!(refused("a.vti", &vti("", huge, &good)).contains("cannot have"));
}

#[test]
fn legacy_images_keep_types_and_place() {
    let head = "# vtk DataFile Version 4.2\nx\nASCII\nDATASET STRUCTURED_POINTS\n\
                DIMENSIONS 2 2 2\nASPECT_RATIO 2 3 4\nORIGIN 1 1 1\n";
    let file = |rest: &str| read("a.vtk", format!("{head}{rest}").as_bytes());
    let cells = file("CELL_DATA 1\nSCALARS c unsigned_short\nLOOKUP_TABLE default\n65535\n");
    let cells = cells.unwrap().volume;
    assert_eq!(cells.samples(), &Samples::from(vec![65535_u16]));
    assert_eq!(cells.placement().origin(), [2.0, 2.5, 3.0]);
    let field = file(
        "POINT_DATA 8\nVECTORS v float\n1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3 1 2 3\n\
         FIELD f 2\nother 1 3 int\n1 2 3\na 1 8 unsigned_char\n1 2 3 4 5 6 7 8\n",
    )
    .unwrap();
    assert_eq!(field.volume.samples(), &Samples::from(vec![1_u8, 2, 3, 4, 5, 6, 7, 8]));
    assert_eq!(field.volume.placement().spacing(), [2.0, 3.0, 4.0]);
    assert_eq!(field.warnings.len(), 2, "{:?}", field.warnings);
    for (rest, found) in [
        ("POINT_DATA 7\nSCALARS a int\nLOOKUP_TABLE default\n1 2 3 4 5 6 7\n", "its grid needs 8"),
        ("POINT_DATA 8\nSCALARS a int 3\nLOOKUP_TABLE t\n1 2 3\n", "24 numbers"),
        ("POINT_DATA 8\nSCALARS a char\nLOOKUP_TABLE t\n1 2 3 4 5 6 7 999\n", "exceeds the range"),
        ("POINT_DATA 8\nCOLOR_SCALARS c 1\n0 0 0 0 0 0 0 1\n", "numbers in each voxel"),
        ("", "no data"),
    ] {
        let error = file(rest).unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
}

#[test]
fn raw_numbers_need_their_layout() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.raw");
    std::fs::write(&path, [b"head", &bytes(true)[..]].concat()).unwrap();
    let error = read_volume(&path, &VolumeOptions::default()).unwrap_err().to_string();
    assert!(error.contains("state it: --raw"), "{error}");
    let layout = "3x4x2:int16be:2x0.5x3:4".parse().unwrap();
    let file = read_volume(&path, &VolumeOptions::default().raw(Some(layout))).unwrap();
    assert_numbers(&file.volume, "raw");
    assert_eq!(file.volume.placement().spacing(), [2.0, 0.5, 3.0]);
}

#[test]
fn meshes_are_no_volumes() {
    let off = b"OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert!(refused("a.off", off).contains("holds no volume"));
    let vtk = b"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n";
    assert!(refused("a.vtk", vtk).contains("holds no volume"));
    let missing = read_volume(Path::new("none.nii"), &VolumeOptions::default());
    assert!(missing.unwrap_err().to_string().contains("none.nii: cannot be read"));
}
