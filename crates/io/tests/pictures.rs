//! Tests of grayscale pictures as volumes: PNG, PGM, TIFF.

use zeroset_core::volume::Samples;
use zeroset_io::{VolumeFile, VolumeOptions, read_volume};

fn read(name: &str, bytes: &[u8]) -> zeroset_core::Result<VolumeFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_volume(&path, &VolumeOptions::default())
}

fn refused(name: &str, bytes: &[u8]) -> String {
    read(name, bytes).expect_err(name).to_string()
}

#[test]
fn gray_pictures_are_volumes_of_one_slice() {
    let png = |color, depth, data: &[u8]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![0; 6]);
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    };
    use png::{BitDepth, ColorType};
    let eight: Samples = vec![1_u8, 2, 3, 4, 5, 255].into();
    let sixteen: Samples = vec![1_u16, 2, 3, 4, 5, 65535].into();
    let wide: Vec<u8> = [1_u16, 2, 3, 4, 5, 65535].iter().flat_map(|x| x.to_be_bytes()).collect();
    let pgm = |head: &str, data: &[u8]| [head.as_bytes(), data].concat();
    for (name, bytes, expected) in [
        ("a.png", png(ColorType::Grayscale, BitDepth::Eight, &[1, 2, 3, 4, 5, 255]), &eight),
        ("b.png", png(ColorType::Grayscale, BitDepth::Sixteen, &wide), &sixteen),
        ("a.pgm", pgm("P5\n# made\n3 2\n255\n", &[1, 2, 3, 4, 5, 255]), &eight),
        ("b.pgm", pgm("P5 3 2 65535 ", &wide), &sixteen),
        ("c.pgm", pgm("P2 3 2 255\n", b"1 2 3\n4 5 255\n"), &eight),
        ("d.pgm", pgm("P2 3 2 65535\n", b"1 2 3\n4 5 65535\n"), &sixteen),
    ] {
        let volume = read(name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}")).volume;
        assert_eq!((volume.shape(), volume.samples()), ([3, 2, 1], expected), "{name}");
        assert_eq!(volume.value(2, 1, 0), expected.get(5), "rows go down along y");
    }
    let bits = read("a.png", &png(ColorType::Grayscale, BitDepth::One, &[0xa0, 0x40])).unwrap();
    assert_eq!(bits.volume.to_f64(), [255.0, 0.0, 255.0, 0.0, 255.0, 0.0]);
    for (name, bytes) in [
        ("rgb.png", png(ColorType::Rgb, BitDepth::Eight, &[0; 18])),
        ("alpha.png", png(ColorType::GrayscaleAlpha, BitDepth::Eight, &[0; 12])),
        ("palette.png", png(ColorType::Indexed, BitDepth::Eight, &[0; 6])),
        ("a.ppm", pgm("P6 3 2 255 ", &[0; 18])),
    ] {
        let error = refused(name, &bytes);
        assert!(error.contains("colors") && error.contains("convert it to gray"), "{error}");
    }
    assert!(refused("a.pgm", b"P5 3 2 255 12345").contains("need 6 bytes, found 5"));
    assert!(refused("a.pgm", b"P5 3 0 255 ").contains("3 x 0 pixels"));
    assert!(refused("a.jpg", b"\xff\xd8\xff\xe0").contains("JPEG"));
}

#[test]
fn tiff_pages_are_slices() {
    use tiff::encoder::{TiffEncoder, colortype};
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    for page in 0..2_u16 {
        let pixels: Vec<u16> = (0..6).map(|n| 1000 * page + n).collect();
        encoder.write_image::<colortype::Gray16>(3, 2, &pixels).unwrap();
    }
    let two = file.into_inner();
    let volume = read("a.tif", &two).unwrap().volume;
    assert_eq!((volume.shape(), volume.value(2, 1, 1)), ([3, 2, 2], 1005.0));
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::Gray32Float>(3, 2, &[0.5; 6]).unwrap();
    encoder.write_image::<colortype::Gray32Float>(2, 2, &[0.5; 4]).unwrap();
    assert!(refused("a.tif", &file.into_inner()).contains("page 2 has 2 x 2 pixels"));
    let mut file = std::io::Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::RGB8>(3, 2, &[0; 18]).unwrap();
    assert!(refused("a.tif", &file.into_inner()).contains("expected gray"));
}
