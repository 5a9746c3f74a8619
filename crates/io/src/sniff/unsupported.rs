//! Recognition of unsupported files, with a description and a remedy for each.

use std::path::Path;

use super::{Format, by_content, by_name, extension};
use crate::{cloud, freesurfer};

/// Returns a description and a remedy if the content is in a known but unsupported format.
pub(super) fn foreign(extension: &str, bytes: &[u8]) -> Option<(String, &'static str)> {
    if is_utf16(extension, bytes) {
        return Some(("is text in UTF-16".into(), "save it as text in UTF-8"));
    }
    super::foreign::find(extension, bytes)
        .map(|format| (format!("is {}", format.name), format.remedy))
}

/// Returns true if the bytes are text in UTF-16: they begin with a byte-order mark, or every other
/// byte is zero and the others are text.
fn is_utf16(extension: &str, bytes: &[u8]) -> bool {
    let (pairs, _) = bytes.get(..512).unwrap_or(bytes).as_chunks::<2>();
    let is_text = |&b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    let is_one = |zero: usize| move |pair: &&[u8; 2]| pair[zero] == 0 && is_text(&pair[1 - zero]);
    match pairs {
        // 16-bit numbers can look like UTF-16 text.
        _ if matches!(by_name(extension), Some(Format::Raw | Format::Nifti)) => false,
        [[0xff, 0xfe], second, ..] => second[1] == 0,
        [[0xfe, 0xff], second, ..] => second[0] == 0 && second[1] != 0,
        _ if by_content(bytes).is_some() || freesurfer::old_count(bytes).is_some() => false,
        // Up to a quarter of the pairs need not consist of a zero and an ASCII character, because
        // text may contain other letters.
        _ => (0..2)
            .any(|zero| 4 * pairs.iter().filter(is_one(zero)).count() >= 3 * pairs.len().max(4)),
    }
}

/// Returns a description and a remedy for a file that was given as a case file but is something
/// else. The content takes precedence. The name counts only if the content identifies no format and
/// is not text. Returns `None` for a pipe, and if no format is recognized.
pub fn instead_of_a_case(path: &Path, is_text: bool) -> Option<(String, String)> {
    // A pipe has already been read, and opening it again would block forever.
    let head = cloud::head(path.metadata().ok()?.is_file().then_some(path)?).ok()?;
    let extension = extension(path);
    if let Some((what, remedy)) = foreign(&extension, &head) {
        return Some((what, remedy.into()));
    }
    let format = by_content(&head).or_else(|| by_name(&extension).filter(|_| !is_text))?;
    let takes = match format.kind() {
        "numbers" => "a case needs a mesh",
        _ if format.is_volume() => {
            "edt, points, isosurface, render and convert accept it, and a case as initial.volume"
        }
        _ => {
            "distance, render, convert and, if it holds points, reconstruct accept it, and a case as \
             domain.mesh.path"
        }
    };
    let what = format!("is not a case file but {} ({})", format.kind(), format.name());
    Some((what, format!("`zeroset info` describes it; {takes}")))
}

#[cfg(test)]
mod tests {
    use super::super::format;
    use super::*;

    #[test]
    fn utf16_is_told_with_a_mark_and_without() {
        let wide = |text: &str, big: bool| -> Vec<u8> {
            let bytes = |c: u16| if big { c.to_be_bytes() } else { c.to_le_bytes() };
            text.encode_utf16().flat_map(bytes).collect()
        };
        for (name, text) in [
            ("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
            ("x.stl", "solid \u{3b1}\r\n facet normal 0 0 1\r\n"),
            ("x.csv", "x,y\n1,2\n"),
            ("x", "\u{feff}1 2\n"),
        ] {
            for big in [false, true] {
                let error = format(Path::new(name), &wide(text, big)).unwrap_err().to_string();
                assert!(error.contains("is text in UTF-16; save it as text in UTF-8"), "{error}");
            }
        }
        let numbers = wide(&"a".repeat(100), false);
        assert_eq!(format(Path::new("x.raw"), &numbers).unwrap().0, Format::Raw);
        let tiff = [b"II*\0\x08\0\0\0", numbers.as_slice()].concat();
        assert_eq!(format(Path::new("x"), &tiff).unwrap().0, Format::Tiff);
        assert_eq!(format(Path::new("x.txt"), b"0 0").unwrap().0, Format::Columns);
        assert_eq!(format(Path::new("x.ply"), &[0; 600]).unwrap().0, Format::Ply);
    }

    #[test]
    fn what_is_no_mesh_is_called_by_its_name() {
        for (bytes, found) in [
            (&b"\xff\xd8\xff\xe0"[..], "JPEG"),
            (b"[Expe/PointSet/Binary/0.1]", "binary layout"),
            (b"\0\0\0\x01\0\0\0\x02\0\0\0\x03", "binary MEDIT file, but only text"),
            (b"\x01\0\0\0\x01\0\0\0\x03\0\0\0", "gmsh in.meshb"),
        ] {
            let error = format(Path::new("x.ply"), bytes).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn what_is_taken_for_a_case_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let said = |name: &str, bytes: &[u8], is_text| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            instead_of_a_case(&path, is_text).map(|(what, remedy)| format!("{what}; {remedy}"))
        };
        for (name, bytes, is_text, found) in [
            ("a.nii", &b"\x1c\x02\0\0n+2\0\r\n\x1a\n"[..], true, "but a volume (NIfTI)"),
            ("a", b"ply\nformat binary", false, "but a mesh (PLY)"),
            ("a", b"LASF\xff", false, "but a point cloud (LAS)"),
            ("lh.pial", b"\xff\0", false, "but a mesh (FreeSurfer)"),
            ("a.obj", b"v 0 0 0\nf 1 1 1\n", true, "a case as domain.mesh.path"),
            ("a.toml", b"v\0e\0r\0s\0i\0o\0n\0", true, "is text in UTF-16"),
            ("a.jpg", b"\xff\xd8\xff\xe0", false, "is a JPEG picture"),
        ] {
            let said = said(name, bytes, is_text).unwrap();
            assert!(said.contains(found), "{said}");
        }
        assert_eq!(said("a.mesh", b"version 1", true), None);
        assert_eq!(said("a.toml", b"\xf0\xf1\xf2\xf3", false), None);
    }
}
