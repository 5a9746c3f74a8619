//! Tests of volumes truncated at every length or with flipped bits. They are read or rejected with
//! a one-line message. They never cause a panic.

#[path = "support/volumes.rs"]
mod volumes;

use std::path::Path;

use volumes::all;
use zeroset_io::{VolumeOptions, read_volume};

/// Writes the bytes to `path` and reads them as a volume. Returns true if reading succeeded.
fn is_read(path: &Path, bytes: &[u8], what: &str) -> bool {
    std::fs::write(path, bytes).unwrap();
    match read_volume(path, &VolumeOptions::default()) {
        Ok(file) => {
            let [x, y, z] = file.volume.shape();
            assert_eq!(file.volume.samples().len(), x * y * z, "{what}");
            let (low, high) = file.volume.bounds();
            assert!(low.iter().chain(&high).all(|x| x.is_finite()), "{what}");
            true
        }
        Err(error) => {
            assert_eq!(error.exit_code(), 3, "{what}: {error}");
            let text = error.to_string();
            assert!(!text.contains('\n') && text.len() < 1_500, "{what}: {text}");
            false
        }
    }
}

/// Returns the small volume in every format, and a picture of each kind.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = all();
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 5, 3);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(&[7; 15]).unwrap();
    files.push(("a.png", png));
    let mut tiff = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut tiff).unwrap();
    let pixels: Vec<u8> = (0..15).collect();
    encoder.write_image::<tiff::encoder::colortype::Gray8>(5, 3, &pixels).unwrap();
    files.push(("a.tif", tiff.into_inner()));
    files.push(("a.pgm", b"P5\n5 3\n255\n123456789012345".to_vec()));
    files
}

#[test]
fn files_cut_at_every_length_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files() {
        let path = folder.path().join(name);
        // Nothing needs to follow the last number of a text file or the pixels of a TIFF file.
        let may_end = name.starts_with("text") || name == "a.tif";
        let whole = bytes.trim_ascii_end().len();
        for length in 0..whole {
            let found = is_read(&path, &bytes[..length], &format!("{name} cut at {length}"));
            assert!(!found || may_end, "{name} cut at byte {length} of {whole}: read");
        }
        assert!(is_read(&path, &bytes, name), "{name}");
    }
}

#[test]
fn files_with_flipped_bits_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    // A linear congruential generator (Knuth, MMIX) makes the damage the same in every run.
    let mut state: u64 = 20_261_122;
    let mut random = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for (name, bytes) in files() {
        let path = folder.path().join(name);
        // One bit in each of the first 600 bytes, which include the header, is flipped in turn.
        // Then one to four bytes at random positions are replaced.
        for at in 0..bytes.len().min(600) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << random(8);
            is_read(&path, &damaged, &format!("{name}, byte {at}"));
        }
        for round in 0..200 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                damaged[at] = random(256) as u8;
            }
            is_read(&path, &damaged, &format!("{name}, damage {round}"));
        }
    }
}
