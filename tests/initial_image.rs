//! Tests an initial level set from a picture that is extruded along z (`initial.image`).

#[path = "support/place.rs"]
mod place;

use std::path::Path;

use place::Place;
use zeroset::io;

/// Writes an 8-bit gray picture. `value` returns the gray value at a point, in pixels with y
/// pointing up.
fn picture(path: &Path, [width, height]: [u32; 2], value: impl Fn(f64, f64) -> u8) {
    let file = std::fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let at = |k: u32| {
        let (i, j) = (k % width, height - 1 - k / width);
        value(f64::from(i) + 0.5, f64::from(j) + 0.5)
    };
    let pixels: Vec<u8> = (0..width * height).map(at).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

/// Returns the gray value of a pixel whose center is at this signed distance, in pixels, from the
/// edge of a shape.
fn gray(distance: f64) -> u8 {
    (255.0 * (0.5 - distance).clamp(0.0, 1.0)).round() as u8
}

/// Runs a case that computes the distance, and returns the vertices with their values.
fn distances(place: &Place, case: &str) -> Vec<([f64; 3], f64)> {
    place.put("d.toml", case);
    place.good("run d.toml -o d --overwrite");
    let file = io::read_mesh(&place.path("d/d.pvd")).unwrap();
    let values = file.mesh.vertex_array("distance").unwrap().values.to_f64();
    file.mesh.vertices.iter().copied().zip(values).collect()
}

/// Returns the gray value for a disk with a radius of 15 pixels, whose center is not in the middle
/// of the picture.
fn disk(x: f64, y: f64) -> u8 {
    gray(((x - 24.3).powi(2) + (y - 30.6).powi(2)).sqrt() - 15.0)
}

#[test]
fn the_distance_to_a_disk_is_better_than_a_pixel() {
    let place = Place::new();
    picture(&place.path("disk.png"), [64, 48], disk);
    // Pixels have a size of 0.02, so the box of the picture is 1.28 by 0.96.
    let case = "version = 1\ndevice.threads = 1\n\
                domain.mesh.generate.square = { cells = [40, 30], min = [0, 0], max = [1.28, 0.96] }\n\
                [initial.image]\npath = \"disk.png\"\npixel = 0.02\n[distance]\n";
    let exact = |x: [f64; 3]| ((x[0] - 0.486).powi(2) + (x[1] - 0.612).powi(2)).sqrt() - 0.3;
    // The eikonal solver adds its own error away from the disk.
    let near = |x: [f64; 3]| exact(x).abs() < 0.05;
    let found = distances(&place, case);
    let errors = found.iter().filter(|(x, _)| near(*x)).map(|(x, d)| (d - exact(*x)).abs());
    let most = errors.fold(0.0, f64::max);
    assert!(most < 0.004, "{most}");
    // The same picture, placed by the corners of its box, with the dark part as the inside.
    let case = case.replace("pixel = 0.02", "max = [1.28, 0.96]\ninside = \"below\"");
    // The dark part ends at the boundary of the picture.
    let wall = |x: [f64; 3]| x[0].min(1.28 - x[0]).min(x[1]).min(0.96 - x[1]);
    for ((x, d), (_, before)) in distances(&place, &case).iter().zip(&found) {
        let expected = (-before).max(-wall(*x));
        assert!(!near(*x) || (d - expected).abs() < 0.004, "{x:?}: {d} {expected}");
    }
}

#[test]
fn a_mask_on_tiles_has_the_volume_of_its_openings() {
    let place = Place::new();
    picture(&place.path("disk.png"), [64, 48], disk);
    let case = |image: &str| {
        format!(
            "version = 1\ndevice.threads = 1\ndomain.tiled.dx = 0.02\n[initial.image]\n\
             path = \"disk.png\"\npixel = 0.02\n{image}\n[evolve]\nnormal_speed = 0\nend_time = 0.001\n"
        )
    };
    let volume = |image: &str| -> f64 {
        place.put("t.toml", &case(image));
        place.good("run t.toml -o t --overwrite");
        let text = std::fs::read_to_string(place.path("t/measures.csv")).unwrap();
        text.lines().nth(1).unwrap().split(',').nth(4).unwrap().parse().unwrap()
    };
    let area = std::f64::consts::PI * 0.3 * 0.3;
    let found = volume("extrude = [-0.1, 0.3]");
    assert!((found / (0.4 * area) - 1.0).abs() < 0.01, "{found} {}", 0.4 * area);
    // Free space above the mask.
    let union = "extrude = [-0.1, 0.35]\n\
                 union = { box = { min = [0, 0, 0.3], max = [1.28, 0.96, 0.5] } }";
    let expected = 0.4 * area + 0.2 * 1.28 * 0.96;
    let found = volume(union);
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    // The dark part ends at the boundary of the picture.
    let found = volume("extrude = [0, 0.2]\ninside = \"below\"\nmin = [1, -2]");
    let expected = 0.2 * (1.28 * 0.96 - area);
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
}

#[test]
fn what_cannot_be_used_is_refused_with_a_remedy() {
    let place = Place::new();
    picture(&place.path("disk.png"), [64, 48], disk);
    picture(&place.path("dark.png"), [8, 8], |_, _| 0);
    place.good("generate square --cells 4,4 -o m.vtp");
    let mesh = "domain.mesh.path = \"m.vtp\"\n";
    let tiles = "domain.tiled.dx = 0.1\n";
    for (domain, image, parts) in [
        (mesh, "path = \"disk.png\"", ["needs the size of the picture", "`pixel`"]),
        (mesh, "path = \"disk.png\"\npixel = 1\nmax = [1, 1]", ["needs the size", "`max`"]),
        (mesh, "path = \"disk.png\"\npixel = -1", ["initial.image.pixel", "must be > 0"]),
        (mesh, "path = \"disk.png\"\npixel = 1\nextrude = [1, 0]", ["extrude", "lower < upper"]),
        (mesh, "path = \"disk.png\"\nmax = [0, 1]", ["initial.image.max", "exceed min"]),
        (tiles, "path = \"disk.png\"\npixel = 1", ["no ends along z", "add extrude"]),
        (mesh, "path = \"dark.png\"\npixel = 1", ["no pixel of", "choose a level, such as level"]),
        (mesh, "path = \"m.vtp\"\npixel = 1", ["m.vtp", "volume"]),
        (mesh, "path = \"disk.png\"\npixels = 1", ["unknown", "pixel"]),
    ] {
        let case = format!(
            "version = 1\n{domain}[initial.image]\n{image}\n[evolve]\nnormal_speed = 1\nend_time = 1\n"
        );
        place.put("c.toml", &case);
        let (code, text) = place.outcome("check c.toml");
        assert!(code == 2 || code == 3, "{image}: {text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{image}: {text}");
    }
}
