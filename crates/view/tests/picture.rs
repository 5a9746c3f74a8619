//! Tests that pictures have the expected content and are bitwise identical on all machines.

use zeroset_core::mesh::Mesh;
use zeroset_core::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset_view::picture::{Camera, Image, Lines, Options, Subject, View, draw};

fn square() -> Mesh {
    generate(&Generate::Square(Square::default())).unwrap()
}

fn sphere() -> Mesh {
    generate(&Generate::Sphere(Sphere::default())).unwrap()
}

/// Returns, for each vertex, the signed distance to a circle or sphere around a point.
fn around(mesh: &Mesh, center: [f64; 3], radius: f64) -> Vec<f64> {
    let square =
        |x: &[f64; 3]| (0..3).map(|k| (x[k] - center[k]) * (x[k] - center[k])).sum::<f64>();
    mesh.vertices.iter().map(|x| square(x).sqrt() - radius).collect()
}

fn small() -> Options {
    Options::default().with_size(320, 240)
}

fn hash(image: &Image) -> String {
    blake3::hash(&image.pixels).to_hex()[..16].to_string()
}

fn pixels(image: &Image) -> impl Iterator<Item = [u8; 3]> + '_ {
    image.pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]])
}

/// Returns the fraction of the pixels that satisfy a condition.
fn share(image: &Image, wanted: impl Fn([i32; 3]) -> bool) -> f64 {
    let n = pixels(image).filter(|p| wanted(p.map(i32::from))).count();
    n as f64 / f64::from(image.width * image.height)
}

fn blue([r, _, b]: [i32; 3]) -> bool {
    b - r > 60
}

fn warm([r, _, b]: [i32; 3]) -> bool {
    r - b > 60
}

fn dark([r, g, b]: [i32; 3]) -> bool {
    r.max(g).max(b) < 60
}

/// Returns options for a picture without a color bar or title, so that all ink belongs to the mesh.
fn tiny() -> Options {
    Options::default().with_size(200, 200)
}

#[test]
fn pictures_have_the_same_bits_on_every_machine() {
    let mesh = square();
    let phi = around(&mesh, [0.45, 0.55, 0.0], 0.3);
    let subject = Subject::new(&mesh, &phi).with_title("square", "t = 0.25   step 12");
    let flat = draw(&subject, &small()).unwrap();
    let mesh = sphere();
    let far = around(&mesh, [0.3, -0.9, 0.3], 0.0);
    let subject = Subject::new(&mesh, &far).with_lines(Lines::Round).with_name("distance");
    let round = draw(&subject, &small()).unwrap();
    let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
    let phi = around(&mesh, [0.5, 0.5, 0.5], 0.35);
    let solid = draw(&Subject::new(&mesh, &phi), &small()).unwrap();
    let found = [hash(&flat), hash(&round), hash(&solid)];
    assert_eq!(found, ["ec50bacfc8cacc3e", "52ae9a6349cf2d23", "0783b2fec164d497"]);
}

/// Checks that vertex colors appear in the picture, mixed in linear light, and that there is no
/// color bar.
#[test]
fn vertices_with_colors_of_their_own_show_them() {
    let mesh = square();
    let zero = vec![0.0; mesh.n_vertices()];
    let plain = Subject::new(&mesh, &zero).with_lines(Lines::None);
    let halves: Vec<[u8; 3]> = mesh
        .vertices
        .iter()
        .map(|x| if x[0] < 0.5 { [200, 30, 40] } else { [10, 90, 160] })
        .collect();
    let image = draw(&plain.painted(&halves), &tiny()).unwrap();
    let at = |x: usize, y: usize| {
        let k = 3 * (y * 200 + x);
        [image.pixels[k], image.pixels[k + 1], image.pixels[k + 2]]
    };
    for (x, expected) in [(30, [200, 30, 40]), (170, [10, 90, 160])] {
        for y in [20, 100, 180] {
            let found = at(x, y);
            assert!((0..3).all(|c| found[c].abs_diff(expected[c]) <= 1), "{x} {y}: {found:?}");
        }
    }
    // A mixture of screen values would be too dark. Colors are mixed in linear light instead.
    let edge = (0..200).map(|x| at(x, 100)).find(|c| (50..160).contains(&c[0])).unwrap();
    assert!(edge[1] > 30 && edge[1] < 90 && edge[2] > 40 && edge[2] < 160, "{edge:?}");
    // A larger picture has a bar for values, but none for vertex colors.
    let right = |subject: &Subject<'_>| {
        let image = draw(subject, &small()).unwrap();
        let wide = image.width as usize;
        let ink = |k: usize| image.pixels[3 * k..3 * k + 3] != [255; 3];
        (0..wide * image.height as usize).filter(|k| k % wide > wide - 40 && ink(*k)).count()
    };
    assert!(right(&plain) > 0);
    assert_eq!(right(&plain.painted(&halves)), 0);
    let short = draw(&plain.painted(&halves[1..]), &small()).unwrap_err();
    assert!(short.to_string().contains("one color per vertex"), "{short}");
}

#[test]
fn threads_and_files_do_not_change_a_picture() {
    let mesh = sphere();
    let phi = around(&mesh, [0.0, -1.0, 0.2], 0.8);
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<Vec<u8>> = [1, 3]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let image = pool.install(|| draw(&Subject::new(&mesh, &phi), &small()).unwrap());
            let path = folder.path().join(format!("{threads}.png"));
            image.write_png(&path).unwrap();
            std::fs::read(path).unwrap()
        })
        .into();
    assert!(files[0] == files[1]);
    assert_eq!(files[0][..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn the_inside_is_blue_the_outside_warm_and_the_interface_a_dark_line() {
    let mesh = square();
    let phi = around(&mesh, [0.5, 0.5, 0.0], 0.3);
    let image = draw(&Subject::new(&mesh, &phi), &tiny()).unwrap();
    // The square fills 188 x 188 of 200 x 200 pixels. The line in it is 1.5 pixels wide.
    let line = 2.0 * std::f64::consts::PI * 0.3 * 188.0 * 1.5 / 40_000.0;
    let found = share(&image, |p| dark(p.map(|c| c - 40)));
    assert!(found > 0.5 * line && found < 1.5 * line, "{found} instead of {line}");
    assert!(share(&image, blue) > 0.04 && share(&image, warm) > 0.04);
    let middle = image.pixels[(100 * 200 + 100) * 3..][..3].to_vec();
    assert!(blue([0, 1, 2].map(|k| i32::from(middle[k]))), "{middle:?}");
    let none = draw(&Subject::new(&mesh, &phi).with_lines(Lines::None), &tiny()).unwrap();
    assert_eq!(share(&none, dark), 0.0);
}

#[test]
fn what_has_no_value_is_grey() {
    let mesh = square();
    let mut far: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    for (value, x) in far.iter_mut().zip(&mesh.vertices) {
        if x[1] > 0.5 {
            *value = if x[0] > 0.5 { f64::NAN } else { f64::INFINITY };
        }
    }
    let subject = Subject::new(&mesh, &far).with_lines(Lines::Round);
    let image = draw(&subject, &tiny()).unwrap();
    let grey = share(&image, |[r, g, b]| r == 186 && g == 186 && b == 186);
    assert!((0.4..0.48).contains(&grey), "{grey}");
    // If the picture has text, the color bar includes the gray of vertices without a value.
    let with_bar = draw(&subject, &small()).unwrap();
    let at_bar = pixels(&with_bar).enumerate().filter(|(k, p)| k % 320 > 270 && *p == [186; 3]);
    assert!(at_bar.count() > 10);
    let nothing = vec![f64::NAN; mesh.n_vertices()];
    draw(&Subject::new(&mesh, &nothing), &small()).unwrap();
}

#[test]
fn a_range_decides_the_colors() {
    let mesh = square();
    let x: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    let subject = Subject::new(&mesh, &x).with_lines(Lines::None);
    let far_off = draw(&subject, &tiny().with_range([10.0, 20.0])).unwrap();
    let colors: std::collections::BTreeSet<_> = pixels(&far_off).collect();
    assert!(colors.len() < 12, "one color, white, and the blends between: {}", colors.len());
    let own = draw(&subject, &tiny()).unwrap();
    assert_eq!(own, draw(&subject, &tiny().with_range([0.0, 1.0])).unwrap());
    assert!(pixels(&own).collect::<std::collections::BTreeSet<_>>().len() > 100);
}

#[test]
fn views_show_their_sides() {
    let mesh = sphere();
    let x: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    let subject = Subject::new(&mesh, &x).with_lines(Lines::None);
    let plus = draw(&subject, &tiny().with_view(View::PlusX)).unwrap();
    let minus = draw(&subject, &tiny().with_view(View::MinusX)).unwrap();
    assert!(share(&plus, warm) > 0.1 && share(&plus, blue) < 0.01);
    assert!(share(&minus, blue) > 0.1 && share(&minus, warm) < 0.01);
    let by_hand = tiny().with_camera(Camera::new([3.0, 0.0, 0.0]));
    assert_eq!(plus, draw(&subject, &by_hand).unwrap());
    // At zoom 1, the sphere fills the picture. At zoom 0.5, it covers a quarter of that area.
    let mut half = Camera::new([1.0, 0.0, 0.0]);
    half.zoom = 0.5;
    let ink = |image: &Image| share(image, |p| p != [255; 3]);
    let smaller = draw(&subject, &tiny().with_camera(half)).unwrap();
    assert!((ink(&plus) / ink(&smaller) - 4.0).abs() < 0.1);
    half.zoom = 50.0;
    let larger = draw(&subject, &tiny().with_camera(half)).unwrap();
    assert_eq!(ink(&larger), 1.0);
}

#[test]
fn series_keep_camera_and_range() {
    let mesh = sphere();
    let first = around(&mesh, [0.0, -1.0, 0.0], 0.8);
    let settled = small().settled(&Subject::new(&mesh, &first)).unwrap();
    assert_eq!(settled.camera.unwrap().from, [0.0, -1.0, 0.0]);
    let [low, high] = settled.range.unwrap();
    assert!(low == -high && (high - 1.2).abs() < 0.01);
    let now = draw(&Subject::new(&mesh, &first), &small()).unwrap();
    assert_eq!(now, draw(&Subject::new(&mesh, &first), &settled).unwrap());
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let mesh = square();
    let phi = around(&mesh, [0.5, 0.5, 0.0], 0.3);
    let message = |options: Options| {
        draw(&Subject::new(&mesh, &phi), &options).map(drop).unwrap_err().to_string()
    };
    assert!(message(small().with_size(0, 100)).contains("width must be between 16 and 8192"));
    assert!(message(small().with_size(100, 8193)).contains("height must be between 16 and 8192"));
    assert!(message(small().with_range([1.0, 1.0])).contains("the smaller first"));
    assert!(message(small().with_range([0.0, f64::NAN])).contains("the smaller first"));
    assert!(message(small().with_camera(Camera::new([0.0; 3]))).contains("camera.from"));
    let short = draw(&Subject::new(&mesh, &phi[1..]), &small()).unwrap_err();
    assert!(short.to_string().contains("one value per vertex"));
    for size in [(16, 16), (16, 2000), (2000, 16)] {
        draw(&Subject::new(&mesh, &phi), &small().with_size(size.0, size.1)).unwrap();
    }
}

#[test]
fn meshes_and_values_at_their_limits_are_drawn() {
    let flat = |vertices: Vec<[f64; 3]>| {
        Mesh::new(zeroset_core::mesh::Kind::Surface, vertices, vec![0, 1, 2])
    };
    for corners in [
        [[0.0, 0.0, 0.0], [1e-200, 0.0, 0.0], [0.0, 1e-200, 0.0]],
        [[0.0, 0.0, 0.0], [1e150, 0.0, 0.0], [0.0, 1e150, 0.0]],
        [[1e9, 1e9, 1e9], [1e9, 1e9, 1e9], [1e9, 1e9, 1e9]],
    ] {
        let mesh = flat(corners.to_vec());
        for values in [[-1.0, 1.0, 2.0], [-1e308, 1e308, 0.0], [5.0; 3], [0.0; 3], [f64::NAN; 3]] {
            for lines in [Lines::Interface, Lines::Round] {
                draw(&Subject::new(&mesh, &values).with_lines(lines), &small()).unwrap();
            }
        }
    }
}

#[test]
fn perspective_shows_what_is_near_larger() {
    let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
    let phi = around(&mesh, [0.5; 3], 9.0);
    let subject = Subject::new(&mesh, &phi).with_lines(Lines::None);
    let seen = |angle: Option<f64>| {
        let options = tiny().with_view(View::PlusZ).with_perspective(angle);
        let image = draw(&subject, &options).unwrap();
        share(&image, |p| p != [255; 3])
    };
    // When a cube is seen straight on, its near side hides the rest. That side is a square that
    // fills the picture.
    let [parallel, near] = [None, Some(60.0)].map(seen);
    assert!((parallel - near).abs() < 0.02, "{parallel} {near}");
    // From a corner, three faces are visible, and the near corner is magnified.
    let camera = Camera::new([1.0, 1.0, 1.0]);
    let image =
        |angle| draw(&subject, &tiny().with_camera(camera).with_perspective(angle)).unwrap();
    assert!(image(Some(60.0)) != image(None));
    let [afar, parallel] = [Some(1.0), None].map(image);
    let same = afar.pixels.iter().zip(&parallel.pixels).filter(|(a, b)| a.abs_diff(**b) < 8);
    assert!(same.count() > 200 * 200 * 3 * 9 / 10, "nearly parallel from a distance");
    let flaw = |angle| tiny().with_perspective(Some(angle)).flaw().unwrap();
    for angle in [0.0, -5.0, 121.0, f64::NAN] {
        assert!(flaw(angle).1.contains("between 1 and 120 degrees"));
    }
}

#[test]
fn colors_are_linear_on_triangles_in_perspective() {
    let mesh = square();
    let x: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    // Here, the square consists of only two triangles. An interpolation that ignores perspective
    // would therefore be far off.
    let coarse = Mesh::new(
        zeroset_core::mesh::Kind::Planar,
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        vec![0, 1, 2, 0, 2, 3],
    );
    let few: Vec<f64> = coarse.vertices.iter().map(|x| x[0]).collect();
    let options = tiny().with_camera(Camera::new([1.0, 0.3, 0.4])).with_perspective(Some(90.0));
    let image = |mesh: &Mesh, values: &[f64]| {
        draw(&Subject::new(mesh, values).with_lines(Lines::None), &options).unwrap()
    };
    let (fine, coarse) = (image(&mesh, &x), image(&coarse, &few));
    let apart = fine.pixels.iter().zip(&coarse.pixels).filter(|(a, b)| a.abs_diff(**b) > 3);
    assert!(apart.count() < 1200, "equal except at the outline");
}

#[test]
fn a_transparent_picture_lies_on_white_as_the_other_does() {
    let mesh = sphere();
    let phi = around(&mesh, [0.3, -0.9, 0.3], 0.6);
    let subject = Subject::new(&mesh, &phi).with_title("ball", "t = 1");
    let opaque = draw(&subject, &small()).unwrap();
    let clear = draw(&subject, &small().with_transparency(true)).unwrap();
    assert!(opaque.alpha.is_empty() && clear.alpha.len() == 320 * 240);
    let (mut nothing, mut all) = (0, 0);
    for (k, &alpha) in clear.alpha.iter().enumerate() {
        let pair = (&opaque.pixels[3 * k..][..3], &clear.pixels[3 * k..][..3]);
        match alpha {
            0 => {
                assert_eq!(pair.0, [255; 3]);
                nothing += 1;
            }
            255 => {
                assert_eq!(pair.0, pair.1);
                all += 1;
            }
            _ => {}
        }
    }
    assert!(nothing > 30_000 && all > 20_000, "{nothing} {all}");
}
