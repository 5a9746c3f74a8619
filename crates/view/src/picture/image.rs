//! Pixel images and the PNG writer.

use std::io::Write;
use std::path::Path;

use zeroset_core::atomic::{self, check_folder};
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

/// An image. Rows are stored from top to bottom and pixels from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The width: the number of pixels per row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The red, green and blue of each pixel in sRGB, `[height * width * 3]`.
    pub pixels: Vec<u8>,
    /// The opacity of each pixel, 0 to 255, `[height * width]`. Empty if all pixels are opaque.
    pub alpha: Vec<u8>,
}

impl Image {
    /// Returns a white or a transparent image.
    pub(super) fn blank(width: u32, height: u32, transparent: bool) -> Self {
        let n = width as usize * height as usize;
        let alpha = if transparent { vec![0; n] } else { Vec::new() };
        Image { width, height, pixels: vec![255; 3 * n], alpha }
    }

    /// Paints bands of `rows` rows in parallel. `paint` receives the index of the band, its pixels,
    /// and their opacity, which is empty if all pixels are opaque.
    pub(super) fn par_bands(
        &mut self,
        rows: usize,
        paint: impl Fn(usize, &mut [u8], &mut [u8]) + Sync,
    ) {
        let band = self.width as usize * rows;
        let pixels = self.pixels.par_chunks_mut(3 * band).enumerate();
        match self.alpha.is_empty() {
            true => pixels.for_each(|(k, pixels)| paint(k, pixels, &mut [])),
            false => {
                let alpha = self.alpha.par_chunks_mut(band);
                pixels.zip(alpha).for_each(|((k, pixels), alpha)| paint(k, pixels, alpha));
            }
        }
    }

    /// Writes the picture as PNG with 8 bits per color. The write is atomic.
    ///
    /// The settings of the encoder are fixed, so that equal pixels give equal files.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the folder does not exist or is not writable, or if the disk is
    /// full.
    pub fn write_png(&self, path: &Path) -> Result<()> {
        atomic::write(path, |file| Ok(self.encode(file)?))
    }

    /// Returns the bytes that [`Image::write_png`] writes.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if memory runs out.
    pub fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let refused = |error| Error::device(format!("encoding a picture: {error}"), "");
        self.encode(&mut bytes).map_err(refused)?;
        Ok(bytes)
    }

    fn encode(&self, out: impl Write) -> std::result::Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        let opaque = self.alpha.is_empty();
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_filter(png::Filter::Adaptive);
        encoder.set_deflate_compression(png::DeflateCompression::Level(6));
        let mut writer = encoder.write_header()?;
        if opaque {
            writer.write_image_data(&self.pixels)?;
        } else {
            let pixels = self.pixels.chunks_exact(3).zip(&self.alpha);
            let rgba: Vec<u8> = pixels.flat_map(|(p, &a)| [p[0], p[1], p[2], a]).collect();
            writer.write_image_data(&rgba)?;
        }
        writer.finish()
    }
}

/// Checks before a long run, as far as possible, whether [`Image::write_png`] can write to `path`.
///
/// # Errors
/// Returns [`Error::Case`] if the name does not end in `.png`. Returns [`Error::Output`] if `path`
/// is a folder, or if its parent folder does not exist or is not writable.
pub fn check_path(path: &Path) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str());
    if !ending.is_some_and(|e| e.eq_ignore_ascii_case("png")) {
        let what = format!("{}: pictures are PNG files", path.display());
        return Err(Error::usage(what, "end the name in .png"));
    }
    if path.is_dir() {
        return Err(Error::output(path, "is a folder", "give a file name"));
    }
    check_folder(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_the_pixels() {
        let pixels: Vec<u8> = (0..5 * 3 * 3).map(|k| (k * 37 % 251) as u8).collect();
        let image = Image { width: 5, height: 3, pixels: pixels.clone(), alpha: Vec::new() };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        image.write_png(&path).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), image.to_png().unwrap());
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut found = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut found).unwrap();
        assert_eq!((info.width, info.height), (5, 3));
        assert_eq!(found, pixels);
        let alpha: Vec<u8> = (0..15).map(|k| k * 17).collect();
        Image { alpha, ..image }.write_png(&path).unwrap();
        let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut found = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut found).unwrap();
        for (k, pixel) in found.chunks_exact(4).enumerate() {
            assert_eq!(pixel[..3], pixels[3 * k..][..3]);
            assert_eq!(usize::from(pixel[3]), 17 * k);
        }
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
        let image = Image { width: 1, height: 1, pixels: vec![0; 3], alpha: vec![] };
        assert_eq!(image.write_png(&folder.path().join("none/a.png")).unwrap_err().exit_code(), 6);
    }
}
