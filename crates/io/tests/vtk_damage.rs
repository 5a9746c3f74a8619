//! Tests of damaged and hostile VTK files. Errors name the position. Such files never cause a
//! panic, and no memory is allocated for data that a file does not hold.

#[path = "support/vtk.rs"]
mod files;

use std::path::Path;

use files::{assert_sound, fixture, fixtures, read_text};
use zeroset_io::vtk::read;
use zeroset_testing::data;

#[test]
fn cut_off_files_give_errors() {
    let check = |bytes: &[u8], length: usize, name: &str| {
        let what = format!("{name} cut to {length} bytes");
        match read(&bytes[..length]) {
            Ok(file) => assert_sound(&file, &what),
            Err(flaw) => assert_eq!(flaw.in_file(Path::new(name)).exit_code(), 3, "{what}"),
        }
    };
    for path in fixtures() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        (0..bytes.len()).step_by(13).for_each(|length| check(&bytes, length, &name));
        if !name.ends_with(".vtk") {
            // Nothing needs to follow the last tag of an XML file.
            assert!(read(bytes[..bytes.len() - 1].trim_ascii_end()).is_ok(), "{name}");
            assert!(read(&bytes[..bytes.len() - 20]).is_err(), "{name}");
        }
    }
    for name in ["CylinderLinear.vtk", "cow.vtp", "fluid_250_particles.vtu", "escher-p2.vtk"] {
        let Some(path) = data(&format!("sim/vtk/{name}")) else { return };
        let bytes = std::fs::read(&path).unwrap();
        (0..60).for_each(|k| check(&bytes, bytes.len() * k / 60, name));
    }
}

#[test]
fn flipped_bytes_never_panic() {
    // A simple pseudorandom generator makes the damage the same in every run.
    let mut state = 20_240_229u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for path in fixtures() {
        let original = std::fs::read(&path).unwrap();
        for _ in 0..150 {
            let mut bytes = original.clone();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                bytes[at] = match random(3) {
                    0 => random(256) as u8,
                    1 => b"0123456789-"[random(11)],
                    _ => bytes[at] ^ 1 << random(8),
                };
            }
            if let Ok(file) = read(&bytes) {
                assert_sound(&file, &path.display().to_string());
            }
        }
    }
}

/// Checks that declared counts are limited by the bytes present.
#[test]
fn promises_of_terabytes_are_refused_at_once() {
    let start = std::time::Instant::now();
    let legacy = |encoding: &str, body: &str| {
        format!("# vtk DataFile Version 3.0\nx\n{encoding}\nDATASET UNSTRUCTURED_GRID\n{body}")
    };
    let points = "POINTS 1 double\n0 0 0\n";
    let mut texts = Vec::new();
    for encoding in ["ASCII", "BINARY"] {
        for body in [
            "POINTS 4000000000 double\n0 0 0\n",
            "POINTS 99999999999999999999 double\n0 0 0\n",
            "POINTS 9223372036854775807 double\n0 0 0\n",
            "POINTS -5 double\n0 0 0\n",
        ] {
            texts.push(legacy(encoding, body));
        }
    }
    for body in [
        "CELLS 4000000000 4000000000\n1 0\n",
        "CELLS 1000000000000 2\n1 0\n",
        "CELLS 1 2\n4000000000 0\n",
        "CELLS 1 2\n1 0\nCELL_TYPES 1000000000000\n1\n",
        "CELLS 18446744073709551615 1\nOFFSETS vtktypeint64\n0\n",
        "POINT_DATA 1\nSCALARS a double 18446744073709551615\nLOOKUP_TABLE default\n1\n",
        "POINT_DATA 1000000000000\nFIELD f 1000000000000\na 1000000000000 1000000000000 int\n1\n",
        "POINT_DATA 1\nLOOKUP_TABLE t 1000000000000\n1\n",
        "POINT_DATA 1\nFIELD f 1\na 1 1000000000000 string\nx\n",
    ] {
        texts.push(legacy("ASCII", &format!("{points}{body}")));
    }
    let xml = |attributes: &str, n: &str, array: &str, rest: &str| {
        format!(
            "<VTKFile type='PolyData' header_type='UInt64' {attributes}><PolyData>\
             <Piece NumberOfPoints='{n}' NumberOfPolys='1'><Points>\
             <DataArray type='Float64' NumberOfComponents='3' {array}</DataArray></Points>\
             </Piece></PolyData>{rest}</VTKFile>"
        )
    };
    let appended = |data: &str| {
        let data = data.replace('!', "\0").replace('?', "\u{7f}");
        format!("<AppendedData encoding='raw'>_{data}</AppendedData>")
    };
    for n in ["1000000000000", "18446744073709551615", "6148914691236517206", "-1", "1e9"] {
        texts.push(xml("", n, "format='ascii'>0 0 0", ""));
        texts.push(xml("", n, "format='binary'>GAAAAAAAAAAAAAAAAAAAAA==", ""));
        texts.push(xml("", n, "format='appended' offset='0'>", &appended("!!!!!!!?")));
    }
    let zlib = "compressor='vtkZLibDataCompressor'";
    for data in ["!!!!!!!?", "?!!!!!!!", "!!!!!?!!!!!!!?!!!!!!!!!!!!!!!!!!", "x"] {
        texts.push(xml("", "1", "format='appended' offset='0'>", &appended(data)));
        texts.push(xml(zlib, "1", "format='appended' offset='0'>", &appended(data)));
    }
    for offset in ["1000000000000", "18446744073709551615", "18446744073709551616", "-1", "7"] {
        let array = format!("format='appended' offset='{offset}'>");
        texts.push(xml("", "1", &array, &appended("!!!")));
    }
    for text in &texts {
        let error = read_text(text).expect_err(text);
        assert_eq!(error.exit_code(), 3, "{text}");
        assert!(!error.to_string().contains('\n'), "{error}");
    }
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}

#[test]
fn hostile_xml_is_refused() {
    let start = std::time::Instant::now();
    // A document that is valid except for its entities. Nested entities could expand to any size.
    let bomb = "<!DOCTYPE b [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>\
                <VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='&b;'/></PolyData></VTKFile>";
    let deep = "<a>".repeat(100_000);
    let nested = format!("<VTKFile type='PolyData'>{}", "<PolyData>".repeat(100_000));
    let attributes: String = (0..200_000).map(|k| format!(" a{k}='1'")).collect();
    let many = format!("<VTKFile type='PolyData'{attributes}></VTKFile>");
    // Arrays that share their bytes and would take several hundred times the memory of the file.
    let shared = "<DataArray type='UInt8' Name='a' format='appended' offset='0'/>".repeat(1000);
    let (points, bytes) = ("0 ".repeat(3 * 30_000), "0".repeat(30_000));
    let overlap = format!(
        "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='30000'>\
         <Points><DataArray type='Float64'>{points}</DataArray></Points>\
         <PointData>{shared}</PointData></Piece></PolyData>\
         <AppendedData encoding='raw'>_0u\0\0{bytes}</AppendedData></VTKFile>"
    );
    assert!(read_text(&overlap).unwrap_err().to_string().contains("overlap"));
    for text in [bomb, &deep, &nested, &many, &overlap, "<", "<VTKFile", "<a/>", "<VTKFile/>"] {
        let error = read_text(text).unwrap_err();
        assert_eq!(error.exit_code(), 3);
    }
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}

#[test]
fn messages_name_the_place() {
    let volume = String::from_utf8(fixture("volume_ascii.vtu")).unwrap();
    let legacy = String::from_utf8(fixture("volume_42_ascii.vtk")).unwrap();
    let broken = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        read_text(&text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    for (message, parts) in [
        (
            broken(&volume, "phi\" format=\"ascii\"", "phi\" format=\"ebcdic\""),
            vec!["DataArray 'phi' of PointData, line", "'ebcdic'", "ascii, binary or appended"],
        ),
        (
            broken(&volume, "NumberOfPoints=\"9\"", "NumberOfPoints=\"8\""),
            vec!["DataArray 'Points' of Points, line", "27 numbers found, expected 24"],
        ),
        (broken(&volume, "0.5 0.5 0.5\n", "0.5 nan 0.5\n"), vec!["point 8", "NaN", "finite"]),
        (
            broken(&volume, "type=\"UnstructuredGrid\"", "type=\"RectilinearGrid\""),
            vec!["'RectilinearGrid' is not a mesh", "convert"],
        ),
        (broken(&volume, "</Cells>", "</Cell>"), vec!["line", "not well-formed"]),
        (broken(&legacy, "POINTS 9", "POINTS 10"), vec!["line", "expected number 28 of 30"]),
        (
            broken(&legacy, "double\n0 0 0 1", "double\n0 0 0 x"),
            vec!["line 12: POINTS: expected number 4 of 27, found 'x'"],
        ),
        (broken(&legacy, "double\n0 0 0 1", "double\n0 0 0 inf"), vec!["point 1", "inf"]),
        (
            broken(&legacy, "CELL_DATA 17", "CELL_DATA 16"),
            vec!["line", "CELL_DATA has 16 rows, expected 17"],
        ),
        (broken(&legacy, "CELL_TYPES", "CELL_TIPES"), vec!["line", "'CELL_TIPES' is unknown"]),
    ] {
        for part in parts {
            assert!(message.contains(part), "{message} lacks {part}");
        }
        assert!(message.starts_with("test.vtk: ") && !message.contains('\n'), "{message}");
    }
}
