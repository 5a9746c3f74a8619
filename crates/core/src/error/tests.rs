//! Tests of errors: exit codes, messages and causes.

use std::error::Error as _;
use std::io;
use std::path::Path;

use super::*;

#[test]
fn what_is_quoted_from_a_file_stays_one_line() {
    let name = "a\nb\u{1b}[31m".to_string() + &"x".repeat(5000);
    for error in [
        Error::input(Path::new("a.ply"), name.clone(), name.clone(), ""),
        Error::mesh(name.clone(), name, "").in_file(Path::new("a.ply")),
    ] {
        let text = error.to_string();
        assert!(text.starts_with("a.ply: a b [31mxxx"), "{text}");
        assert!(!text.contains(char::is_control) && text.len() < 1_300, "{}", text.len());
    }
    assert_eq!(plain("as it is".into()), "as it is");
    let error = Error::input(Path::new(STANDARD_INPUT), Position::Line(2), "a number expected", "");
    assert_eq!(error.to_string(), "standard input: line 2: a number expected");
}

#[test]
fn places_are_matched_and_read_as_words() {
    let places = [
        (Position::Whole, ""),
        (Position::Line(12), "line 12"),
        (Position::byte(4096), "byte 4096"),
        (Position::element(Element::Face, 7), "face 7"),
        (Position::from("header"), "header"),
        (Position::from(""), ""),
    ];
    for (place, words) in places {
        assert_eq!(place.to_string(), words);
        let error = Flaw::expected(place.clone(), "a number", "\"x\"", "mend it");
        let Error::Input { file, flaw } = error.in_file(Path::new("a.off")) else { panic!() };
        assert_eq!((flaw.position(), flaw.kind()), (&place, FlawKind::Damaged));
        assert_eq!((flaw.wanted(), flaw.found()), (Some("a number"), Some("\"x\"")));
        let before = if words.is_empty() { String::new() } else { format!("{words}: ") };
        let text = format!("a.off: {before}a number expected, found \"x\"; mend it");
        assert_eq!(Error::Input { file, flaw }.to_string(), text);
    }
}

#[test]
fn causes_are_kept_and_the_nearest_file_is_named() {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let flaw = Flaw::whole("cannot be read", "").kind_of(FlawKind::Unreadable).because(missing());
    let error =
        flaw.of_file(Path::new("a.raw")).of_file(Path::new("b")).in_file(Path::new("a.mhd"));
    assert_eq!(error.to_string(), "a.raw: cannot be read");
    for error in [
        error,
        Error::usage("", "").because(missing()),
        Error::output(Path::new("a"), "", "").because(missing()),
        Error::device("", "").because(missing()),
    ] {
        let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
        assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::NotFound), "{error:?}");
    }
}

#[test]
fn what_is_no_fault_of_the_file_has_an_exit_code_of_its_own() {
    let flaw = |kind| Flaw::whole("no", "yes").kind_of(kind).in_file(Path::new("a"));
    let (full, asked) = (flaw(FlawKind::NoMemory), flaw(FlawKind::Asked));
    assert_eq!((full.exit_code(), full.to_string().as_str()), (5, "device: a: no; yes"));
    assert!(matches!(full, Error::Device { fault, .. } if fault.is_memory()));
    assert_eq!((asked.exit_code(), asked.to_string().as_str()), (2, "a: no; yes"));
    assert_eq!(flaw(FlawKind::Unsupported).exit_code(), 3);
}
