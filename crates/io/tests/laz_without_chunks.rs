//! Test of files written by the first versions of LASzip.

use zeroset_core::cloud::PointCloud;
use zeroset_io::{self as io, CloudReport};
use zeroset_testing::checkout::root;

/// Writes bytes to a file in a new folder and reads them as a point cloud.
fn read_bytes(name: &str, bytes: &[u8]) -> zeroset_core::Result<(PointCloud, CloudReport)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    io::read_cloud(&path)
}

/// Checks a LAZ file of one compressed run of points without chunks ("pointwise"), as the first
/// versions of LASzip wrote it.
#[test]
fn laz_without_chunks_is_read() {
    let chunks = std::fs::read(root().join("fuzz/seeds/laz/chunks")).unwrap();
    let (expected, _) = read_bytes("a.laz", &chunks).unwrap();
    let begin = u32::from_le_bytes(chunks[96..100].try_into().unwrap()) as usize;
    let table = i64::from_le_bytes(chunks[begin..begin + 8].try_into().unwrap()) as usize;
    // The points alone, without the position of the chunk table before them and the chunk table
    // after them.
    let mut bytes = [&chunks[..begin], &chunks[begin + 8..table]].concat();
    let record = bytes.windows(14).position(|word| word == b"laszip encoded").unwrap() + 52;
    assert_eq!(bytes[record..record + 2], [2, 0], "the compressor");
    bytes[record] = 1;
    for size in [0_u32, 50_000, 7] {
        bytes[record + 12..record + 16].copy_from_slice(&size.to_le_bytes());
        let (cloud, report) = read_bytes("a.laz", &bytes).unwrap();
        assert_eq!((report.format, &cloud.points), ("laz", &expected.points), "{size}");
    }
}
