//! Tests of decompression bombs: small files that unpack to more than 200 times their size. Each is
//! rejected with a message that states a remedy. If a header states the size, the file is rejected
//! before it is unpacked.

use std::io::Write as _;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use zeroset_io as io;
use zeroset_testing::heap::Meter;

#[global_allocator]
static METER: Meter = Meter::new();

/// Tests all bombs in turn in a single test, because the meter counts the memory of all threads.
#[test]
fn bombs_are_refused_within_the_memory_that_every_file_may_take() {
    gzip_streams();
    volumes_with_headers();
    pictures();
    arrays_of_vtk_and_gifti();
    clouds();
}

/// The unpacked size, in bytes, that is allowed for any file, however small it is.
const SMALL: u64 = 256 << 20;
/// The size, in bytes, to which the bombs unpack.
const LARGE: usize = 400 << 20;

fn zeros(n: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..n >> 20).map(|_| vec![0; 1 << 20])
}

/// Returns `head`, followed by `n` zero bytes, compressed with gzip.
fn gzip(head: &[u8], n: usize) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(head).unwrap();
    zeros(n).for_each(|piece| out.write_all(&piece).unwrap());
    out.finish().unwrap()
}

fn zlib(n: usize) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    zeros(n).for_each(|piece| out.write_all(&piece).unwrap());
    out.finish().unwrap()
}

/// Reads a file with each of the five readers. Returns the errors and the largest number of bytes
/// allocated by the readers at one time.
fn read(path: &Path) -> (Vec<String>, u64) {
    let held = METER.held();
    let (errors, most) = METER.peak_during(|| {
        [
            io::read_mesh(path).err(),
            io::read_data(path).err(),
            io::read_curves(path).err(),
            io::read_volume(path, &io::VolumeOptions::default()).err(),
            io::read_cloud(path).err(),
        ]
    });
    (errors.into_iter().flatten().map(|error| error.to_string()).collect(), most - held)
}

/// Writes the files and checks that all readers reject the first one, that one of their messages
/// contains `said`, and that they take at most `limit` bytes of memory.
fn check(name: &str, files: &[(&str, &[u8])], said: &str, limit: u64) {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        assert!(bytes.len() < 3 << 20, "{name} has {} bytes", bytes.len());
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let (errors, taken) = read(&folder.path().join(files[0].0));
    assert_eq!(errors.len(), 5, "{name}: {errors:?}");
    assert!(errors.iter().any(|error| error.contains(said)), "{name}: {errors:?}");
    assert!(taken <= limit, "{name}: {taken} bytes, at most {limit} expected");
}

/// The largest memory use, in bytes, for a file whose header states the unpacked size.
const FEW: u64 = 24 << 20;
/// The largest memory use, in bytes, for a file that must be unpacked to find its unpacked size.
/// The factor 2 accounts for a vector whose capacity doubles as it grows.
const MANY: u64 = 2 * SMALL + FEW;
const LIMIT: &str = "bytes, the limit for a file of this size; if the file is genuine, write it";
const GZIP_LIMIT: &str = "unpacks to more than 268435456 bytes; if it is genuine, decompress";

fn nifti(shape: [i16; 3]) -> Vec<u8> {
    let mut bytes = vec![0; 352];
    let mut put = |at: usize, raw: &[u8]| bytes[at..at + raw.len()].copy_from_slice(raw);
    put(0, &348_i32.to_le_bytes());
    let dim = [3, shape[0], shape[1], shape[2], 1, 1, 1, 1];
    put(40, &dim.map(i16::to_le_bytes).concat());
    put(70, &[2, 0, 8, 0]);
    put(76, &[1.0_f32; 8].map(f32::to_le_bytes).concat());
    put(108, &352_f32.to_le_bytes());
    put(344, b"n+1\0");
    bytes
}

/// The shape of a volume of `LARGE` bytes.
const SHAPE: [usize; 3] = [1024, 1024, 400];

fn gzip_streams() {
    let text = gzip(b"# points\n", LARGE);
    check("text", &[("a.xyz", &text)], GZIP_LIMIT, MANY);
    let head = nifti(SHAPE.map(|n| n as i16));
    check("nii.gz", &[("a.nii.gz", &gzip(&head, LARGE))], GZIP_LIMIT, FEW);
    // A header that states a smaller size than the stream holds.
    check("lying nii.gz", &[("a.nii.gz", &gzip(&nifti([4; 3]), LARGE))], GZIP_LIMIT, MANY);
    check("two", &[("a.ele", b"1 4 0\n1 1 2 3 4\n"), ("a.node.gz", &text)], GZIP_LIMIT, MANY);
}

fn volumes_with_headers() {
    let sizes = "sizes: 1024 1024 400\ndimension: 3\ntype: uint8\n";
    let (stream, zlib) = (gzip(&[], LARGE), zlib(LARGE));
    let nrrd = format!("NRRD0004\n{sizes}encoding: gzip\n\n");
    let whole = [nrrd.as_bytes(), &stream].concat();
    check("nrrd", &[("a.nrrd", &whole)], LIMIT, FEW);
    for skip in ["byte skip: 352", "byte skip: -1"] {
        let head = format!("NRRD0004\n{sizes}encoding: gzip\n{skip}\ndata file: a.gz\n");
        check(skip, &[("a.nhdr", head.as_bytes()), ("a.gz", &stream)], LIMIT, FEW);
    }
    // The part at the end of the stream is small, but the stream is not.
    let head = "NRRD0004\nsizes: 4 4 4\ndimension: 3\ntype: uint8\nencoding: gzip\n\
                byte skip: -1\ndata file: a.gz\n";
    check("end", &[("a.nhdr", head.as_bytes()), ("a.gz", &stream)], LIMIT, MANY);
    let mha = "ObjectType = Image\nNDims = 3\nDimSize = 1024 1024 400\nElementType = MET_UCHAR\n\
               CompressedData = True\n";
    let whole = [format!("{mha}ElementDataFile = LOCAL\n").as_bytes(), &zlib].concat();
    check("mha", &[("a.mha", &whole)], LIMIT, FEW);
    // Many files, each of which is small.
    let part = gzip(&[], 4 << 20);
    let names: Vec<String> = (0..100).map(|k| format!("{k}.gz")).collect();
    let head = format!("{mha}ElementDataFile = LIST\n{}\n", names.join("\n"));
    let mut files = vec![("a.mhd", head.as_bytes())];
    files.extend(names.iter().map(|name| (name.as_str(), part.as_slice())));
    check("list", &files, LIMIT, FEW);
}

fn png(width: u32, height: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend([8, 0, 0, 0, 0]);
    for (name, data) in [(b"IHDR", head.as_slice()), (b"IDAT", data), (b"IEND", &[])] {
        let mut crc = flate2::Crc::new();
        crc.update(name);
        crc.update(data);
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(name.iter().chain(data));
        bytes.extend(crc.sum().to_be_bytes());
    }
    bytes
}

/// Creates a TIFF file of grayscale pages in deflate strips. All pages share the same strip.
fn tiff(pages: u32, [width, height]: [u32; 2], strip: &[u8]) -> Vec<u8> {
    let mut bytes = [&b"II*\0"[..], &(8 + strip.len() as u32).to_le_bytes(), strip].concat();
    for page in 0..pages {
        let length = strip.len() as u32;
        let entries: [(u16, u32); 9] = [
            (256, width),
            (257, height),
            (258, 8),
            (259, 8),
            (262, 1),
            (273, 8),
            (277, 1),
            (278, height),
            (279, length),
        ];
        bytes.extend((entries.len() as u16).to_le_bytes());
        for (tag, value) in entries {
            bytes.extend([tag, 4].map(u16::to_le_bytes).concat());
            bytes.extend([1, value].map(u32::to_le_bytes).concat());
        }
        let next = if page + 1 < pages { bytes.len() as u32 + 4 } else { 0 };
        bytes.extend(next.to_le_bytes());
    }
    bytes
}

fn pictures() {
    check("png", &[("a.png", &png(20_480, 20_480, &zlib(LARGE)))], LIMIT, FEW);
    check("tiff", &[("a.tif", &tiff(1, [20_480, 20_480], &zlib(LARGE)))], LIMIT, FEW);
    // A hundred pages of 16 MiB.
    let many = tiff(100, [4_096, 4_096], &zlib(16 << 20));
    check("pages", &[("a.tif", &many)], "cannot come from", MANY);
}

/// 128 KiB of zeros, compressed by `xz -9 --check=crc32`. Larger blocks would
/// expand by a larger factor than blocks that VTK writes.
const XZ: &str = "/Td6WFoAAAFpIt42AgAhARwAAAAQz1jM4f//AFhdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6\
                  PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtZ5D8eAAAAzc3o\
                  fgABcICACAAADY7bmj4wDYsCAAAAAAFZWg==";

/// Returns an array of `n` zeros in blocks compressed by `codec`, preceded by the lengths of the
/// blocks.
fn blocks(n: usize, codec: &str) -> Vec<u8> {
    let (size, block) = match codec {
        "vtkLZ4DataCompressor" => (1 << 22, lz4_flex::block::compress(&vec![0; 1 << 22])),
        "vtkLZMADataCompressor" => (128 << 10, STANDARD.decode(XZ).unwrap()),
        _ => (1 << 22, zlib(1 << 22)),
    };
    let blocks = n / size;
    let mut lengths = vec![blocks as u64, size as u64, 0];
    lengths.extend(vec![block.len() as u64; blocks]);
    let mut bytes = lengths.into_iter().flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    (0..blocks).for_each(|_| bytes.extend(&block));
    bytes
}

fn vti(codec: &str, arrays: usize, [x, y, z]: [usize; 3], data: &[u8]) -> Vec<u8> {
    let extent = format!("0 {} 0 {} 0 {}", x - 1, y - 1, z - 1);
    let array = |k| format!("<DataArray type='UInt8' Name='a{k}' format='appended' offset='0'/>");
    let arrays: String = (0..arrays).map(array).collect();
    let head = format!(
        "<VTKFile type='ImageData' version='1.0' byte_order='LittleEndian' header_type='UInt64' \
         compressor='{codec}'><ImageData WholeExtent='{extent}' Origin='0 0 0' Spacing='1 1 1'>\
         <Piece Extent='{extent}'><PointData>{arrays}</PointData></Piece></ImageData>\
         <AppendedData encoding='raw'>_"
    );
    [head.as_bytes(), data, b"</AppendedData></VTKFile>"].concat()
}

fn arrays_of_vtk_and_gifti() {
    for codec in ["vtkZLibDataCompressor", "vtkLZ4DataCompressor", "vtkLZMADataCompressor"] {
        check(codec, &[("a.vti", &vti(codec, 1, SHAPE, &blocks(LARGE, codec)))], LIMIT, FEW);
    }
    // Three arrays of 128 MiB that share their bytes, at the vertices of a mesh.
    let codec = "vtkZLibDataCompressor";
    let n = 128 << 20;
    let data = blocks(n, codec);
    let arrays = ["a", "b", "c"].map(|name| {
        format!("<DataArray type='UInt8' Name='{name}' format='appended' offset='0'/>")
    });
    let head = format!(
        "<VTKFile type='PolyData' version='1.0' byte_order='LittleEndian' header_type='UInt64' \
         compressor='{codec}'><PolyData><Piece NumberOfPoints='{n}'><PointData>{}</PointData>\
         <Points><DataArray type='UInt8' NumberOfComponents='3' format='ascii'/></Points>\
         </Piece></PolyData><AppendedData encoding='raw'>_",
        arrays.concat()
    );
    let file = [head.as_bytes(), &data, b"</AppendedData></VTKFile>"].concat();
    check("vtp", &[("a.vtp", &file)], "numbers found", FEW);
    let text = STANDARD.encode(zlib(LARGE));
    let gii = format!(
        "<GIFTI Version='1.0'><DataArray Intent='NIFTI_INTENT_SHAPE' DataType='NIFTI_TYPE_UINT8' \
         Dimensionality='1' Dim0='{LARGE}' Encoding='GZipBase64Binary' Endian='LittleEndian'>\
         <Data>{text}</Data></DataArray></GIFTI>"
    );
    check("gii", &[("a.gii", gii.as_bytes())], LIMIT, FEW);
    // A gzip stream around compressed arrays.
    let vti = vti(codec, 1, SHAPE, &blocks(LARGE, codec));
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vti).unwrap();
    check("vti.gz", &[("a.vti.gz", &packed.finish().unwrap())], LIMIT, FEW);
}

/// Returns a LAZ file whose header declares `declared` points, but which holds `n` identical
/// points.
fn laz(declared: u32, n: usize) -> Vec<u8> {
    const HEADER: u16 = 227;
    const POINT: usize = 20;
    let items = laz::LazItemRecordBuilder::default_for_point_format_id(0, 0).unwrap();
    let vlr = laz::LazVlr::from_laz_items(items);
    let mut record = Vec::new();
    vlr.write_to(&mut record).unwrap();
    let begin = usize::from(HEADER) + 54 + record.len();
    let mut bytes = vec![0; begin];
    let mut put = |at: usize, raw: &[u8]| bytes[at..at + raw.len()].copy_from_slice(raw);
    put(0, b"LASF");
    put(24, &[1, 2]);
    put(94, &HEADER.to_le_bytes());
    put(96, &(begin as u32).to_le_bytes());
    put(100, &1_u32.to_le_bytes());
    put(104, &[0x80, POINT as u8, 0]);
    put(107, &declared.to_le_bytes());
    put(131, &[1.0_f64; 3].map(f64::to_le_bytes).concat());
    put(usize::from(HEADER) + 2, b"laszip encoded");
    put(usize::from(HEADER) + 18, &22204_u16.to_le_bytes());
    put(usize::from(HEADER) + 20, &(record.len() as u16).to_le_bytes());
    put(usize::from(HEADER) + 54, &record);
    let mut out = std::io::Cursor::new(bytes);
    out.set_position(begin as u64);
    let mut compressor = laz::LasZipCompressor::new(&mut out, vlr).unwrap();
    let points = vec![0; POINT * 50_000];
    for _ in 0..n / 50_000 {
        compressor.compress_many(&points).unwrap();
    }
    compressor.done().unwrap();
    drop(compressor);
    out.into_inner()
}

/// Returns a PCD file that declares `declared` bytes and holds `n` bytes of zeros (a multiple of
/// 264), compressed by LZF.
fn pcd(declared: usize, n: usize) -> Vec<u8> {
    // A literal zero, followed by copies of it of at most 264 bytes each.
    let mut packed = vec![0, 0];
    (1..n / 264).for_each(|_| packed.extend([0xe0, 255, 0]));
    packed.extend([0xe0, 254, 0]);
    let head = format!(
        "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {0}\nHEIGHT 1\n\
         POINTS {0}\nDATA binary_compressed\n",
        declared / 12
    );
    let sizes = [packed.len() as u32, declared as u32].map(u32::to_le_bytes).concat();
    [head.as_bytes(), &sizes, &packed].concat()
}

fn clouds() {
    const UNPACKS: &str = "more than it may unpack to; if the file is genuine, decompress it";
    let many = laz(21_000_000, 21_000_000);
    check("laz", &[("a.laz", &many)], UNPACKS, FEW);
    check("short laz", &[("a.laz", &laz(u32::MAX, 50_000))], UNPACKS, FEW);
    let n = LARGE / 264 * 264;
    check("short pcd", &[("a.pcd", &pcd(n, 264 * 100))], "cannot unpack to", FEW);
    // LZF alone stays within the limit, but a gzip stream around it does not.
    check("pcd.gz", &[("a.pcd.gz", &gzip(&pcd(n, n), 0))], LIMIT, FEW);
    check("text", &[("a.pts.gz", &gzip(b"3\n", LARGE))], GZIP_LIMIT, MANY);
    check("ptx", &[("a.ptx.gz", &gzip(b"20480\n20480\n0 0 0\n", LARGE))], GZIP_LIMIT, MANY);
}
