//! Tests of TIFF stacks: ImageJ hyperstacks, OME-TIFF, channels, and rejected files.

use zeroset_io::{VolumeFile, VolumeOptions, read_volume};

fn read(name: &str, bytes: &[u8], options: &VolumeOptions) -> zeroset_core::Result<VolumeFile> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    read_volume(&path, options)
}

fn refused(bytes: &[u8], options: &VolumeOptions) -> String {
    read("a.tif", bytes, options).expect_err("refused").to_string()
}

/// A value of a tag.
enum Value {
    Short(u16),
    Shorts(Vec<u16>),
    Long(u32),
    Quotient(u32, u32),
    Text(String),
}

/// The tags and the pixels of a page of 3 x 2 pixels.
struct Page {
    tags: Vec<(u16, Value)>,
    pixels: Vec<u8>,
}

impl Page {
    /// Creates a page of 16-bit gray values in big-endian order.
    fn gray(values: &[u16]) -> Self {
        let pixels: Vec<u8> = values.iter().flat_map(|x| x.to_be_bytes()).collect();
        let size = pixels.len().min(12) as u32;
        let tags = vec![
            (256, Value::Short(3)),
            (257, Value::Short(2)),
            (258, Value::Short(16)),
            (259, Value::Short(1)),
            (262, Value::Short(1)),
            (277, Value::Short(1)),
            (278, Value::Short(2)),
            (279, Value::Long(size)),
        ];
        Page { tags, pixels }
    }

    /// Replaces or adds a tag.
    fn with(mut self, tag: u16, value: Value) -> Self {
        self.tags.retain(|other| other.0 != tag);
        self.tags.push((tag, value));
        self
    }

    fn described(self, text: &str) -> Self {
        self.with(270, Value::Text(text.to_string()))
    }
}

/// Returns a big-endian TIFF file with these pages.
fn tiff(pages: Vec<Page>) -> Vec<u8> {
    let mut bytes = b"MM\0\x2a\0\0\0\0".to_vec();
    let mut link = 4;
    for page in pages {
        let pixels = bytes.len() as u32;
        bytes.extend(&page.pixels);
        let mut tags = page.with(273, Value::Long(pixels)).tags;
        tags.sort_by_key(|tag| tag.0);
        let mut entries = Vec::new();
        for (tag, value) in &tags {
            let (kind, count, raw): (u16, usize, Vec<u8>) = match value {
                Value::Short(x) => (3, 1, x.to_be_bytes().to_vec()),
                Value::Shorts(all) => {
                    (3, all.len(), all.iter().flat_map(|x| x.to_be_bytes()).collect())
                }
                Value::Long(x) => (4, 1, x.to_be_bytes().to_vec()),
                Value::Quotient(a, b) => (5, 1, [a.to_be_bytes(), b.to_be_bytes()].concat()),
                Value::Text(text) => (2, text.len() + 1, [text.as_bytes(), b"\0"].concat()),
            };
            entries.extend(tag.to_be_bytes());
            entries.extend(kind.to_be_bytes());
            entries.extend((count as u32).to_be_bytes());
            if raw.len() <= 4 {
                entries.extend(raw.iter().chain(&[0; 4]).take(4));
            } else {
                entries.extend((bytes.len() as u32).to_be_bytes());
                bytes.extend(raw);
            }
        }
        let place = (bytes.len() as u32).to_be_bytes();
        bytes[link..link + 4].copy_from_slice(&place);
        bytes.extend((tags.len() as u16).to_be_bytes());
        bytes.extend(entries);
        link = bytes.len();
        bytes.extend([0; 4]);
    }
    bytes
}

/// The values of a stack of `n` pictures: 100 times the picture number plus the pixel number.
fn values(n: u16) -> Vec<u16> {
    (0..n).flat_map(|k| (0..6).map(move |pixel| 100 * k + pixel)).collect()
}

const HYPERSTACK: &str = "ImageJ=1.53t\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n\
                          unit=micron\nspacing=2.5\n";

fn hyperstack() -> Page {
    Page::gray(&values(12))
        .described(HYPERSTACK)
        .with(282, Value::Quotient(4, 1))
        .with(283, Value::Quotient(2_000_000, 1_000_000))
        .with(296, Value::Short(1))
}

#[test]
fn hyperstacks_are_read_from_one_page_or_from_many() {
    let one = tiff(vec![hyperstack()]);
    let all = values(12);
    let pages = all.chunks(6).enumerate().map(|(k, page)| match k {
        0 => Page { pixels: Page::gray(page).pixels, ..hyperstack() },
        _ => Page::gray(page),
    });
    let many = tiff(pages.collect());
    for bytes in [one, many] {
        let options = VolumeOptions::default().channel(Some(1)).volume_index(Some(1));
        let file = read("a.tif", &bytes, &options).unwrap();
        let volume = &file.volume;
        assert_eq!((volume.shape(), volume.samples().type_name()), ([3, 2, 3], "uint16"));
        // Channels run fastest, then slices, then frames.
        let first: Vec<f64> = (0..3).map(|k| volume.value(2, 1, k)).collect();
        assert_eq!(first, [705.0, 905.0, 1105.0]);
        assert_eq!(volume.placement().spacing(), [0.25, 0.5, 2.5]);
        assert_eq!((volume.units.as_deref(), file.warnings.len()), (Some("um"), 0));
        let error = refused(&bytes, &VolumeOptions::default().channel(Some(1)));
        assert!(error.contains("holds 2 volumes") && error.contains("--volume N"), "{error}");
        let error = refused(&bytes, &options.clone().channel(None));
        assert!(error.contains("holds 2 channels"), "{error}");
        let error = refused(&bytes, &options.channel(Some(2)));
        assert!(error.contains("there is no channel 2"), "{error}");
    }
}

#[test]
fn fewer_pictures_than_declared_are_refused() {
    let any = VolumeOptions::default().channel(Some(0)).volume_index(Some(0));
    let text = HYPERSTACK.replace("images=12", "images=120").replace("slices=3", "slices=30");
    let error = refused(&tiff(vec![hyperstack().described(&text)]), &any);
    assert!(error.contains("declares 120 pictures of 12 bytes, but only"), "{error}");
    for (text, found) in [
        ("ImageJ=1\nimages=4\nslices=4\n", "declares 4 pictures, but the file has 2 pages"),
        ("ImageJ=1\nimages=2\nslices=3\n", "declares 2 pictures, but 1 channels x 3 slices"),
        ("ImageJ=1\nimages=0\n", "has images=0"),
        ("{\"shape\": [5, 2, 3]}", "declares 5 pictures, but the file has 2 pages"),
    ] {
        let pages = vec![Page::gray(&values(1)).described(text), Page::gray(&values(1))];
        let error = refused(&tiff(pages), &VolumeOptions::default());
        assert!(error.contains(found), "{text}: {error}");
    }
    let packed = Page::gray(&values(1)).described("ImageJ=1\nimages=4\nslices=4\n");
    let error = refused(&tiff(vec![packed.with(259, Value::Short(5))]), &VolumeOptions::default());
    assert!(error.contains("declares 4 pictures, but has only one page"), "{error}");
}

fn ome(pixels: &str, inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" \
         UUID=\"urn:uuid:a\"><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" Type=\"uint16\" \
         SizeX=\"3\" SizeY=\"2\" {pixels}>{inside}</Pixels></Image></OME>"
    )
}

#[test]
fn ome_descriptions_order_the_pages() {
    let all = values(6);
    let file = |text: String| {
        let pages = all.chunks(6).enumerate().map(|(k, page)| match k {
            0 => Page::gray(page).described(&text),
            _ => Page::gray(page),
        });
        tiff(pages.collect())
    };
    let channels = "<Channel ID=\"Channel:0:0\" Name=\"DAPI\" SamplesPerPixel=\"1\"/>\
                    <Channel ID=\"Channel:0:1\" Name=\"GFP &amp; more\" SamplesPerPixel=\"1\"/>";
    let pixels = "DimensionOrder=\"XYZCT\" SizeC=\"2\" SizeT=\"1\" SizeZ=\"3\" \
                  PhysicalSizeX=\"250\" PhysicalSizeXUnit=\"nm\" PhysicalSizeY=\"0.5\" \
                  PhysicalSizeZ=\"0.002\" PhysicalSizeZUnit=\"mm\"";
    let bytes = file(ome(pixels, &format!("{channels}<TiffData/>")));
    let green = VolumeOptions::default().channel(Some(1));
    let read_green = |bytes: &[u8]| {
        let file = read("a.ome.tif", bytes, &green).unwrap();
        let first = (0..3).map(|k| file.volume.value(0, 0, k)).collect::<Vec<f64>>();
        (file, first)
    };
    let (found, first) = read_green(&bytes);
    assert_eq!(first, [300.0, 400.0, 500.0]);
    assert_eq!(found.volume.placement().spacing(), [0.25, 0.5, 2.0]);
    assert_eq!(found.volume.units.as_deref(), Some("um"));
    assert_eq!(found.volume.name, "GFP & more");
    let error = refused(&bytes, &VolumeOptions::default());
    assert!(error.contains("2 channels: 0 DAPI, 1 GFP & more"), "{error}");
    // The pages of the second channel come first.
    let swapped = "<TiffData FirstC=\"1\" IFD=\"0\" PlaneCount=\"3\"/>\
                   <TiffData FirstC=\"0\" IFD=\"3\" PlaneCount=\"3\"/>";
    let (_, first) = read_green(&file(ome(pixels, &format!("{channels}{swapped}"))));
    assert_eq!(first, [0.0, 100.0, 200.0]);
    let other_order = pixels.replace("XYZCT", "XYCZT");
    let (_, first) = read_green(&file(ome(&other_order, channels)));
    assert_eq!(first, [100.0, 300.0, 500.0]);
    for (pixels, inside, found) in [
        (pixels.replace("SizeZ=\"3\"", "SizeZ=\"4\""), "", "declares 8 pictures"),
        (pixels.replace("XYZCT", "YXZCT"), "", "has the order YXZCT"),
        (pixels.into(), "<TiffData IFD=\"5\"/>", "5 of them have no page"),
        (
            pixels.into(),
            "<TiffData IFD=\"0\"><UUID FileName=\"b.ome.tif\">urn:uuid:b</UUID></TiffData>",
            "an OME-TIFF of several files",
        ),
    ] {
        let error = refused(&file(ome(&pixels, inside)), &green);
        assert!(error.contains(found), "{inside}: {error}");
    }
    let own = "<TiffData><UUID FileName=\"old.ome.tif\">urn:uuid:A</UUID></TiffData>";
    assert!(read("a.ome.tif", &file(ome(pixels, own)), &green).is_ok(), "a renamed file");
    let companion = "<OME><BinaryOnly MetadataFile=\"a.companion.ome\" UUID=\"urn:uuid:a\"/></OME>";
    let error = refused(&file(companion.into()), &green);
    assert!(error.contains("in another file, a.companion.ome"), "{error}");
}

#[test]
fn variants_that_are_not_supported_are_named() {
    let page = || Page::gray(&values(1));
    for (page, found) in [
        (page().with(259, Value::Short(7)), "compressed with JPEG"),
        (page().with(259, Value::Short(50_001)), "compressed with WebP"),
        (page().with(259, Value::Short(4)), "compressed with CCITT"),
        (page().with(259, Value::Short(60_000)), "compressed with method 60000"),
        (page().with(262, Value::Short(3)), "colors of a palette, expected gray"),
        (page().with(262, Value::Short(6)), "YCbCr"),
        (page().with(339, Value::Short(3)), "floating-point numbers of 16 bits"),
        (page().with(339, Value::Short(6)), "complex numbers"),
        (page().with(258, Value::Short(12)), "unsigned integers of 12 bits"),
        (page().with(266, Value::Short(2)), "FillOrder 2"),
        (page().with(317, Value::Short(2)), "predictor"),
        (page().with(279, Value::Long(0)), "not stored (a sparse file)"),
        (page().with(279, Value::Long(9)), "has 9 bytes, but its pixels need 12"),
        (page().with(279, Value::Long(900)), "ends beyond the end of the file"),
        (page().with(258, Value::Shorts(vec![8, 16])), "pixels of several types"),
        (page().with(33_629, Value::Long(4)), "MetaMorph"),
        (page().with(34_412, Value::Long(4)), "Zeiss (LSM)"),
    ] {
        let error = refused(&tiff(vec![page]), &VolumeOptions::default());
        assert!(error.contains(found), "{found}: {error}");
    }
    let white = page().with(262, Value::Short(0));
    let file = read("a.tif", &tiff(vec![white]), &VolumeOptions::default()).unwrap();
    assert_eq!(file.volume.to_f64(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "values are as stored");
    assert!(file.warnings[0].contains("0 is white"), "{:?}", file.warnings);
    let copy = page().with(254, Value::Long(1)).with(256, Value::Short(1));
    let file = read("a.tif", &tiff(vec![page(), copy]), &VolumeOptions::default()).unwrap();
    assert_eq!((file.volume.shape(), file.warnings.len()), ([3, 2, 1], 1));
    let print = page()
        .with(282, Value::Quotient(300, 1))
        .with(283, Value::Quotient(300, 1))
        .with(296, Value::Short(2));
    let file = read("a.tif", &tiff(vec![print]), &VolumeOptions::default()).unwrap();
    assert!(file.warnings[0].contains("0.084667 x 0.084667 mm per pixel"), "{:?}", file.warnings);
}

#[test]
fn a_channel_of_several_numbers_per_pixel_is_chosen() {
    let colors: Vec<u16> = (0..18).collect();
    let rgb = || Page::gray(&colors).with(262, Value::Short(2)).with(277, Value::Short(3));
    let chunky = rgb().with(279, Value::Long(36)).with(258, Value::Shorts(vec![16; 3]));
    let bytes = tiff(vec![chunky]);
    let of = |k: usize| VolumeOptions::default().channel(Some(k));
    let green = read("a.tif", &bytes, &of(1)).unwrap().volume.to_f64();
    assert_eq!(green, [1.0, 4.0, 7.0, 10.0, 13.0, 16.0]);
    let error = refused(&bytes, &VolumeOptions::default());
    assert!(error.contains("3 channels: 0 red, 1 green, 2 blue"), "{error}");
}

#[test]
fn damaged_directories_are_errors_and_never_panics() {
    let whole = tiff(vec![hyperstack(), Page::gray(&values(1))]);
    let any = VolumeOptions::default().channel(Some(0)).volume_index(Some(0));
    for n in 0..whole.len() {
        let _ = read("a.tif", &whole[..n], &any);
        let mut changed = whole.clone();
        changed[n] = changed[n].wrapping_add(0x55);
        let _ = read("a.tif", &changed, &any);
    }
    // A directory that names itself as the next one.
    let mut loops = tiff(vec![Page::gray(&values(1))]);
    let place = loops[4..8].to_vec();
    let end = loops.len() - 4;
    loops[end..].copy_from_slice(&place);
    assert!(refused(&loops, &any).contains("repeats an earlier one"));
}
