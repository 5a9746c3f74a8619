//! Tests of headers that refer to a part of a compressed file, such as the numbers of a `.nii.gz`.

use std::io::Write as _;
use std::path::Path;

use zeroset_io as io;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Writes `header` to the file `name`, and returns the first 24 values of the volume or the error
/// message. The compressed file next to it contains 352 other bytes and then the numbers 0 to 23.
fn read(folder: &Path, name: &str, header: &str) -> Result<Vec<f64>, String> {
    let mut bytes = vec![99; 352];
    bytes.extend(0..24);
    std::fs::write(folder.join("scan.nii.gz"), gzip(&bytes)).unwrap();
    std::fs::write(folder.join(name), header).unwrap();
    let file = io::read_volume(&folder.join(name), &io::VolumeOptions::default());
    let volume = file.map_err(|error| error.to_string())?.volume;
    Ok((0..24).map(|k| volume.samples().get(k)).collect())
}

#[test]
fn numbers_inside_a_compressed_file() {
    let folder = tempfile::tempdir().unwrap();
    let numbers: Vec<f64> = (0..24).map(f64::from).collect();
    let nrrd = |rest: &str| {
        let text = format!(
            "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 3 4\n{rest}\ndata file: scan.nii.gz\n"
        );
        read(folder.path(), "scan.nhdr", &text)
    };
    let mhd = |rest: &str| {
        let text = format!(
            "NDims = 3\nDimSize = 2 3 4\nElementType = MET_UCHAR\n{rest}\n\
             ElementDataFile = scan.nii.gz\n"
        );
        read(folder.path(), "scan.mhd", &text)
    };
    for skip in [352, -1] {
        assert_eq!(nrrd(&format!("encoding: gzip\nbyte skip: {skip}")).unwrap(), numbers);
        assert_eq!(mhd(&format!("CompressedData = True\nHeaderSize = {skip}")).unwrap(), numbers);
    }
    let said =
        "scan.nii.gz: data: the numbers are a gzip stream, but the header states raw numbers";
    for found in [nrrd("encoding: raw\nbyte skip: 8"), mhd("HeaderSize = 8")] {
        let error = found.unwrap_err();
        assert!(error.contains(said) && error.contains("`encoding: gzip`"), "{error}");
    }
    let error = nrrd("encoding: gzip\nbyte skip: 1000000000").unwrap_err();
    assert!(error.contains("1000000000 bytes to skip are too many"), "{error}");
}
