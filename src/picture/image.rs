//! Pixels, and how they become a PNG file.

use std::path::Path;

use crate::error::{Error, Result};
use crate::io::atomic::{self, check_folder};

/// A picture: rows from the top, pixels from the left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel in sRGB, `[height * width * 3]`.
    pub pixels: Vec<u8>,
}

impl Image {
    /// Writes the picture as PNG with 8 bits per color; the file appears whole or not at all.
    ///
    /// The encoder's settings are fixed: the same pixels make the same file.
    ///
    /// # Errors
    /// [`Error::Output`]: folder missing or not writable, disk full.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        atomic::write(path, |file| {
            let mut encoder = png::Encoder::new(file, self.width, self.height);
            encoder.set_color(png::ColorType::Rgb);
            encoder.set_depth(png::BitDepth::Eight);
            encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
            encoder.set_filter(png::Filter::Adaptive);
            encoder.set_deflate_compression(png::DeflateCompression::Level(6));
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.pixels)?;
            Ok(writer.finish()?)
        })
    }
}

/// Says before a long run whether [`Image::write_png`] can write there, as far as can be told.
///
/// # Errors
/// [`Error::Case`] if the name does not end in `.png`; [`Error::Output`] for a folder that is not
/// there or cannot be written.
pub fn check_path(path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str());
    if !ending.is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        let what = format!("{}: pictures are PNG files", path.display());
        return Err(Error::usage(what, "end the name in .png"));
    }
    if path.is_dir() {
        return Err(Error::output(path, "is a folder", "give the name of a file"));
    }
    check_folder(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_the_pixels() {
        let pixels: Vec<u8> = (0..5 * 3 * 3).map(|k| (k * 37 % 251) as u8).collect();
        let image = Image { width: 5, height: 3, pixels: pixels.clone() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        image.write_png(&path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut found = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut found).unwrap();
        assert_eq!((info.width, info.height), (5, 3));
        assert_eq!(found, pixels);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_refused_before() {
        let folder = tempfile::tempdir().unwrap();
        check_path(&folder.path().join("a.PNG")).unwrap();
        let message = |name: &str| check_path(&folder.path().join(name)).unwrap_err();
        assert!(message("a.jpg").to_string().contains("end the name in .png"));
        assert!(message("a").to_string().contains("end the name in .png"));
        assert_eq!(message("none/a.png").exit_code(), 6);
        std::fs::create_dir(folder.path().join("b.png")).unwrap();
        assert_eq!(message("b.png").exit_code(), 6);
        let image = Image { width: 1, height: 1, pixels: vec![0; 3] };
        assert_eq!(image.write_png(&folder.path().join("none/a.png")).unwrap_err().exit_code(), 6);
    }
}
