//! Malicious point cloud files and the error messages that they must cause.

/// Returns a PCD file of `n` points with the header lines `fields`. `data` is the storage of the
/// points, such as "ascii", and `body` holds the points.
fn pcd(n: &str, fields: &str, data: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "# .PCD v0.7\nVERSION 0.7\n{fields}\nWIDTH {n}\nHEIGHT 1\nPOINTS {n}\nDATA {data}\n"
    );
    [head.as_bytes(), body].concat()
}

/// The fields of a LAS 1.2 header that tests change.
pub struct Las {
    /// Byte at which the points begin.
    pub begin: u32,
    /// Number of records between the header and the points.
    pub records: u32,
    /// Point format.
    pub format: u8,
    /// Bytes per point.
    pub length: u16,
    /// Number of points.
    pub n: u32,
    /// Step of the integer coordinates along each axis.
    pub scale: f64,
}

/// The header fields of a file that has one point of format 0 directly after the header.
pub const LAS: Las = Las { begin: 227, records: 0, format: 0, length: 20, n: 1, scale: 0.01 };

impl Las {
    /// Returns the header, followed by `behind`.
    pub fn bytes(&self, behind: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; 227];
        bytes[..4].copy_from_slice(b"LASF");
        (bytes[24], bytes[25]) = (1, 2);
        bytes[94..96].copy_from_slice(&227_u16.to_le_bytes());
        bytes[96..100].copy_from_slice(&self.begin.to_le_bytes());
        bytes[100..104].copy_from_slice(&self.records.to_le_bytes());
        bytes[104] = self.format;
        bytes[105..107].copy_from_slice(&self.length.to_le_bytes());
        bytes[107..111].copy_from_slice(&self.n.to_le_bytes());
        for k in 0..3 {
            bytes[131 + 8 * k..139 + 8 * k].copy_from_slice(&self.scale.to_le_bytes());
        }
        bytes.extend(behind);
        bytes
    }
}

/// Returns the LASzip record for points of format 0 (format 6 if `compressor` is 3), followed by
/// `behind`.
fn laszip(compressor: u16, behind: &[u8]) -> Vec<u8> {
    let mut record = vec![0; 54];
    record[2..16].copy_from_slice(b"laszip encoded");
    record[18..20].copy_from_slice(&22204_u16.to_le_bytes());
    record[20..22].copy_from_slice(&40_u16.to_le_bytes());
    let mut body = Vec::new();
    body.extend(compressor.to_le_bytes());
    body.extend([0, 0, 2, 2]);
    body.extend([0; 6]);
    body.extend(50_000_u32.to_le_bytes());
    body.extend([0xff; 16]);
    body.extend(1_u16.to_le_bytes());
    // One item: 20 bytes of format 0 in version 2, or, for layered compression, 30 bytes of format
    // 6 in version 3.
    let item: [u16; 3] = if compressor == 3 { [10, 30, 3] } else { [6, 20, 2] };
    item.iter().for_each(|x| body.extend(x.to_le_bytes()));
    [record, body, behind.to_vec()].concat()
}

/// Returns the name and content of each file, and a part of its error message.
pub fn all() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    const XYZ: &str = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1";
    let huge = u32::MAX.to_le_bytes();
    let sizes =
        |packed: u32, unpacked: u32| [packed.to_le_bytes(), unpacked.to_le_bytes()].concat();
    let many = "a ".repeat(20_000);
    let packed = Las { begin: 227 + 54 + 40, records: 1, format: 0x80, ..LAS };
    // The position of a chunk table, its version, and its number of chunks.
    let table = [&(packed.begin as u64 + 8).to_le_bytes()[..], &[0; 4], &huge].concat();
    let layers =
        [&(-1_i64).to_le_bytes()[..], &[0; 30], &[1, 0, 0, 0], &huge.repeat(9), &[0; 64]].concat();
    let e57 = |size: u64| {
        let numbers: [u64; 4] = [48, 48, size, 1024];
        let numbers = numbers.iter().flat_map(|x| x.to_le_bytes());
        let head = b"ASTM-E57\x01\0\0\0\0\0\0\0".iter().copied().chain(numbers);
        head.chain([0; 976]).collect::<Vec<u8>>()
    };
    vec![
        (
            "a.pcd",
            pcd("4000000000", XYZ, "binary", &[0; 12]),
            "4000000000 points of 12 bytes declared",
        ),
        (
            "a.pcd",
            pcd("18446744073709551615", XYZ, "ascii", b"1 2 3"),
            "points of 6 bytes declared",
        ),
        ("a.pcd", pcd("-3", XYZ, "ascii", b"1 2 3"), "WIDTH expected, found \"-3\""),
        (
            "a.pcd",
            pcd("4000000000", XYZ, "binary_compressed", &sizes(4, 12)),
            "expected compressed data of 48000000000 bytes",
        ),
        (
            "a.pcd",
            pcd("300000000", XYZ, "binary_compressed", &sizes(8, 3_600_000_000)),
            "8 compressed bytes declared, found 0",
        ),
        (
            "a.pcd",
            pcd(
                "300000000",
                XYZ,
                "binary_compressed",
                &[sizes(4, 3_600_000_000), vec![0; 4]].concat(),
            ),
            "4 bytes cannot unpack to 3600000000",
        ),
        ("a.pcd", pcd("1", &format!("FIELDS {many}"), "ascii", b"1"), "10000 FIELDS, but 0 SIZE"),
        (
            "a.pcd",
            pcd("1", &XYZ.replace("COUNT 1", "COUNT 99999999999"), "ascii", b"1"),
            "count of a field expected",
        ),
        (
            "a.pcd",
            pcd("1", &XYZ.replace("COUNT 1", "COUNT 0"), "ascii", b"1"),
            "found a field of 0",
        ),
        (
            "a.las",
            Las { n: u32::MAX, ..LAS }.bytes(&[0; 20]),
            "4294967295 points of 20 bytes declared",
        ),
        (
            "a.las",
            Las { begin: u32::MAX, ..LAS }.bytes(&[0; 20]),
            "file ends where points were expected",
        ),
        (
            "a.las",
            Las { length: 3, ..LAS }.bytes(&[0; 20]),
            "points of 3 bytes, but format 0 needs at least 20",
        ),
        (
            "a.las",
            Las { format: 77, ..LAS }.bytes(&[0; 20]),
            "points of format 13, expected 0 to 10",
        ),
        (
            "a.las",
            Las { begin: 200, ..LAS }.bytes(&[0; 20]),
            "points begin at byte 200, within the 227 bytes of the header",
        ),
        ("a.las", Las { scale: f64::NAN, ..LAS }.bytes(&[0; 20]), "scale [NaN, NaN, NaN]"),
        ("a.las", LAS.bytes(&[])[..90].to_vec(), "2 bytes expected for size of the header"),
        ("a.laz", Las { format: 0x80, ..LAS }.bytes(&[0; 20]), "the LASzip record is missing"),
        (
            "a.laz",
            Las { n: u32::MAX, ..packed }.bytes(&laszip(2, &table)),
            "4294967295 points declared in a file of",
        ),
        (
            "a.laz",
            Las { n: 1_000_000, ..packed }.bytes(&laszip(2, &table)),
            "4294967295 chunks for 1000000 points",
        ),
        (
            "a.laz",
            packed.bytes(&laszip(2, &[])),
            "expected from byte 321 on, but the file ends at 321",
        ),
        ("a.laz", packed.bytes(&laszip(2, &[9; 30])), "compressed points: "),
        (
            "a.laz",
            Las { format: 0x86, length: 30, ..packed }.bytes(&laszip(3, &layers)),
            "a chunk declares 1 points and 38654705",
        ),
        (
            "a.e57",
            e57(u64::MAX),
            "18446744073709551615 bytes of XML declared, but the file has 1024",
        ),
        ("a.e57", e57(50 << 20), "52428800 bytes of XML declared, but the file has 1024"),
        ("a.xyz", b"18446744073709551615\n1 2\n".to_vec(), "2 columns, at least three are needed"),
    ]
}
