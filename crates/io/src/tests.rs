//! Tests of the errors that callers match on, for whole files.

use std::error::Error as _;
use std::io::{self, Write};

use zeroset_core::error::{Error, FlawKind, Position};

use super::*;

/// Returns the kind of the I/O error that caused this error, if there is one.
fn cause(error: &Error) -> Option<io::ErrorKind> {
    error.source().and_then(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind)
}

fn flaw(error: Error) -> Flaw {
    match error {
        Error::Input { flaw, .. } => flaw,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_is_missing_is_told_from_one_that_is_cut_or_of_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply");
    let error = read_mesh(&path).unwrap_err();
    assert_eq!(cause(&error), Some(io::ErrorKind::NotFound));
    assert_eq!(flaw(error).kind(), FlawKind::Unreadable);

    let mut packed = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    packed.write_all(&[b'7'; 5000]).unwrap();
    let packed = packed.finish().unwrap();
    std::fs::write(&path, &packed[..packed.len() - 9]).unwrap();
    let error = read_mesh(&path).unwrap_err();
    assert_eq!(cause(&error), Some(io::ErrorKind::UnexpectedEof));
    assert_eq!(flaw(error).kind(), FlawKind::Damaged);

    std::fs::write(folder.path().join("a.q"), "hello").unwrap();
    let error = read_mesh(&folder.path().join("a.q")).unwrap_err();
    assert_eq!(flaw(error).kind(), FlawKind::Unsupported);
}

#[test]
fn a_word_out_of_place_is_found_by_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.off");
    std::fs::write(&path, "OFF\n3 1 0\n0 0 zero\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    let flaw = flaw(read_mesh(&path).unwrap_err());
    assert_eq!(*flaw.position(), Position::Line(3));
    assert_eq!(flaw.found(), Some("\"zero\""), "{flaw}");
    std::fs::write(&path, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    let error = read_volume(&path, &VolumeOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Input { flaw, .. } if flaw.kind() == FlawKind::Unfit));
}
