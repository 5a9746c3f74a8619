//! Tests that labels, sources and paths appear in pictures, and that the view and the canvas suit
//! the content.

use std::collections::BTreeSet;

use zeroset_core::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset_core::mesh::{Kind, Mesh, Places};
use zeroset_view::picture::{ColorMap, Image, Labels, Lines, Marks, Options, Subject, draw};

fn square() -> Mesh {
    generate(&Generate::Square(Square::default())).unwrap()
}

fn sphere() -> Mesh {
    generate(&Generate::Sphere(Sphere::default())).unwrap()
}

fn plain(side: u32) -> Options {
    // Small pictures have no text.
    Options::default().with_size(side, side)
}

fn colors(image: &Image) -> BTreeSet<[u8; 3]> {
    image.pixels.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect()
}

fn count(image: &Image, color: [u8; 3]) -> usize {
    image.pixels.chunks_exact(3).filter(|p| **p == color).count()
}

/// Labels the vertices or cells of a mesh by their angle around a point.
fn sectors(mesh: &Mesh, places: Places, n: i64) -> Labels {
    let at = match places {
        Places::Vertices => mesh.vertices.clone(),
        Places::Cells => mesh.centroids(),
    };
    let number = |x: &[f64; 3]| {
        let angle = (x[1] - 0.47).atan2(x[0] - 0.52) / std::f64::consts::TAU + 0.5;
        Some(((angle * n as f64) as i64).min(n - 1))
    };
    let numbers: Vec<Option<i64>> = at.iter().map(number).collect();
    Labels::new(places, &numbers, |k| Some(format!("sector {k}")))
}

#[test]
fn a_pixel_has_the_color_of_one_label() {
    let mesh = square();
    let zero = vec![0.0; mesh.n_vertices()];
    for places in [Places::Vertices, Places::Cells] {
        let labels = sectors(&mesh, places, 5);
        let subject = Subject::new(&mesh, &zero).with_lines(Lines::None).labeled("s", &labels);
        let image = draw(&subject, &plain(200)).unwrap();
        let known: BTreeSet<[u8; 3]> = labels.labels.iter().map(|label| label.color).collect();
        assert_eq!(known.len(), 5);
        // The boundary of the square is a line that is blended with the colors.
        let inner = |k: usize| (10..190).contains(&(k % 200)) && (10..190).contains(&(k / 200));
        let pixels = image.pixels.chunks_exact(3).enumerate().filter(|(k, _)| inner(*k));
        let found: BTreeSet<[u8; 3]> = pixels.map(|(_, p)| [p[0], p[1], p[2]]).collect();
        assert_eq!(found, known);
        for &color in &known {
            assert!(count(&image, color) > 3000, "every sector is about a fifth of the square");
        }
    }
}

#[test]
fn a_border_runs_halfway_between_vertices() {
    let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3]);
    let numbers = [Some(1), Some(2), Some(2), Some(1)];
    let labels = Labels::new(Places::Vertices, &numbers, |k| Some(k.to_string()));
    let subject = Subject::new(&mesh, &[0.0; 4]).with_lines(Lines::None).labeled("n", &labels);
    let image = draw(&subject, &plain(200)).unwrap();
    let at = |x: usize, y: usize| &image.pixels[3 * (y * 200 + x)..][..3];
    for y in [9, 190] {
        assert_eq!(at(96, y), labels.labels[0].color, "{y}");
        assert_eq!(at(103, y), labels.labels[1].color, "{y}");
    }
}

#[test]
fn places_without_a_label_are_gray_and_the_legend_has_a_box_for_each_label() {
    let mesh = square();
    let zero = vec![0.0; mesh.n_vertices()];
    let number = |x: &[f64; 3]| (x[0] < 0.5).then_some(i64::from(x[1] < 0.5));
    let numbers: Vec<Option<i64>> = mesh.vertices.iter().map(number).collect();
    let labels = Labels::new(Places::Vertices, &numbers, |k| Some(format!("part {k}")));
    let subject = Subject::new(&mesh, &zero).with_lines(Lines::None).labeled("part", &labels);
    let image = draw(&subject, &Options::default().with_size(800, 600)).unwrap();
    let right = |color: [u8; 3]| {
        let pixels = image.pixels.chunks_exact(3).enumerate();
        pixels.filter(|(k, p)| k % 800 > 640 && **p == color).count()
    };
    for label in &labels.labels {
        assert!(right(label.color) > 100 && count(&image, label.color) > 20_000, "{label:?}");
    }
    let gray = [186; 3];
    assert!(right(gray) > 100 && count(&image, gray) > 40_000);
    let wrong = Labels::new(Places::Cells, &numbers, |_| None);
    let error = draw(&subject.labeled("part", &wrong), &plain(100)).unwrap_err().to_string();
    assert!(error.contains("one label per cell"), "{error}");
}

#[test]
fn labels_of_tetrahedra_show_on_their_walls() {
    let mesh = generate(&Generate::Cube(Cube::default())).unwrap();
    let zero = vec![0.0; mesh.n_vertices()];
    for places in [Places::Vertices, Places::Cells] {
        let labels = sectors(&mesh, places, 3);
        let subject = Subject::new(&mesh, &zero).with_lines(Lines::None).labeled("s", &labels);
        let image = draw(&subject, &plain(200)).unwrap();
        assert!(colors(&image).len() > 3, "walls are lit");
    }
}

#[test]
fn labels_marks_and_canvas_do_not_depend_on_threads() {
    let mesh = sphere();
    let far: Vec<f64> = mesh.vertices.iter().map(|x| (1.0 - x[2]).max(0.0)).collect();
    let labels = sectors(&mesh, Places::Vertices, 7);
    let path: Vec<[f64; 3]> = mesh.vertices[..40].to_vec();
    let marks = marks(vec![path], vec![mesh.vertices[7]], vec![]);
    let subject =
        Subject::new(&mesh, &far).with_lines(Lines::Round).labeled("s", &labels).with_marks(&marks);
    let images = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| draw(&subject, &Options::default()).unwrap())
    });
    assert!(images[0] == images[1]);
}

fn marks(paths: Vec<Vec<[f64; 3]>>, points: Vec<[f64; 3]>, segments: Vec<[[f64; 3]; 2]>) -> Marks {
    let mut marks = Marks::default();
    (marks.paths, marks.points, marks.segments) = (paths, points, segments);
    marks
}

fn reddish([r, g, b]: [u8; 3]) -> bool {
    r > 180 && g < 90 && (50..160).contains(&b)
}

#[test]
fn sources_and_paths_are_drawn_where_they_are() {
    let mesh = square();
    let far: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    let subject = Subject::new(&mesh, &far).with_lines(Lines::None).with_name("distance");
    let path = vec![vec![[0.8, 0.2, 0.0], [0.5, 0.6, 0.0], [0.2, 0.2, 0.0]]];
    let marks = marks(path, vec![[0.2, 0.2, 0.0]], vec![[[0.1, 0.9, 0.0], [0.9, 0.9, 0.0]]]);
    let image = draw(&subject.with_marks(&marks), &plain(238)).unwrap();
    let bare = draw(&subject, &plain(238)).unwrap();
    // The margin is 3 percent.
    let at = |image: &Image, x: f64, y: f64| {
        let [column, row] = [x, 1.0 - y].map(|k| (238.0 * (0.03 + 0.94 * k)) as usize);
        let k = 3 * (row * 238 + column);
        [image.pixels[k], image.pixels[k + 1], image.pixels[k + 2]]
    };
    // A line covers some pixels only in part.
    let is_red = |image: &Image, x: f64, y: f64| {
        (-2..=2).any(|k| reddish(at(image, x + f64::from(k) / 224.0, y)))
    };
    assert!(is_red(&image, 0.35, 0.4) && is_red(&image, 0.65, 0.4));
    assert!(!is_red(&bare, 0.35, 0.4));
    assert!(at(&image, 0.2, 0.2).iter().all(|&c| c < 40), "the source is a dark dot");
    assert!(at(&image, 0.8, 0.2).iter().all(|&c| c > 240), "the start is a white dot");
    assert!(at(&image, 0.5, 0.9).iter().all(|&c| c < 40), "a source may be a line");
    assert_eq!(at(&image, 0.5, 0.1), at(&bare, 0.5, 0.1));
}

#[test]
fn hidden_marks_are_pale() {
    let mesh = sphere();
    let far: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
    let subject = Subject::new(&mesh, &far).with_lines(Lines::None);
    let view = zeroset_view::picture::View::PlusZ;
    let dark = |z: f64| {
        let marks = marks(vec![], vec![[0.0, 0.0, z]], vec![]);
        let image = draw(&subject.with_marks(&marks), &plain(200).with_view(view)).unwrap();
        let k = 3 * (100 * 200 + 100);
        image.pixels[k..k + 3].iter().map(|&c| u32::from(c)).sum::<u32>()
    };
    let (front, back) = (dark(1.0), dark(-1.0));
    assert!(front < 100 && back > front + 100, "{front} {back}");
}

/// Returns the cosine of the angle between the automatic view and a direction.
fn view_along(subject: &Subject<'_>, direction: [f64; 3]) -> f64 {
    let from = Options::default().settled(subject).unwrap().camera.unwrap().from;
    let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let dot: f64 = (0..3).map(|k| from[k] * direction[k]).sum();
    dot / length(from) / length(direction)
}

#[test]
fn the_view_faces_a_flat_mesh_in_any_plane() {
    let mut mesh = square();
    // A linear map moves the square into an oblique plane.
    for x in &mut mesh.vertices {
        let [a, b] = [x[0], x[1]];
        *x = [0.8 * a - 0.6 * -0.6 * b, -0.6 * a - 0.8 * 0.6 * b, 0.8 * b];
    }
    mesh.kind = Kind::Surface;
    let [p, q, r] = [0, 1, 2].map(|k| mesh.vertices[mesh.cells[k] as usize]);
    let [u, v] = [q, r].map(|x| [x[0] - p[0], x[1] - p[1], x[2] - p[2]]);
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let values = vec![0.5; mesh.n_vertices()];
    let along = view_along(&Subject::new(&mesh, &values).with_lines(Lines::None), normal);
    assert!(along > 0.999_999, "{along}");
}

#[test]
fn the_view_turns_to_the_part_that_has_values_or_labels() {
    let mesh = sphere();
    for side in [[0.3, -0.4, 0.866], [-0.577; 3], [0.9, 0.3, -0.316]] {
        let height = |x: &[f64; 3]| (0..3).map(|k| x[k] * side[k]).sum::<f64>();
        let part = |x: &[f64; 3]| height(x) > 0.75;
        let values: Vec<f64> =
            mesh.vertices.iter().map(|x| if part(x) { x[0] } else { f64::NAN }).collect();
        let subject = Subject::new(&mesh, &values).with_lines(Lines::Round);
        assert!(view_along(&subject, side) > 0.99, "{side:?}");
        // A distance that is limited to a width has that value everywhere beyond the width.
        let near: Vec<f64> = mesh.vertices.iter().map(|x| (1.0 - height(x)).min(0.3)).collect();
        let subject = Subject::new(&mesh, &near).with_lines(Lines::Round);
        assert!(view_along(&subject, side) > 0.99, "{side:?}");
        let numbers: Vec<_> = mesh.vertices.iter().map(|x| part(x).then_some(1)).collect();
        let labels = Labels::new(Places::Vertices, &numbers, |k| Some(k.to_string()));
        let all = vec![1.0; mesh.n_vertices()];
        let subject = Subject::new(&mesh, &all).with_lines(Lines::None).labeled("n", &labels);
        assert!(view_along(&subject, side) > 0.99, "{side:?}");
    }
}

#[test]
fn a_wide_domain_fills_its_canvas() {
    let mut mesh = square();
    mesh.vertices.iter_mut().for_each(|x| x[0] *= 10.0);
    let values: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    let subject = Subject::new(&mesh, &values).with_lines(Lines::None).with_title("wide", "");
    let image = draw(&subject, &Options::default()).unwrap();
    let (width, height) = (image.width as usize, image.height as usize);
    assert!(width > 5 * height, "{width} x {height}");
    let ink = |x: usize, y: usize| image.pixels[3 * (y * width + x)..][..3] != [255; 3];
    let inside = (0..width * height).filter(|k| ink(k % width, k / width)).count();
    assert!(inside as f64 > 0.45 * (width * height) as f64, "{inside} of {}", width * height);
    // A given size is used. Settled options contain the automatic size and give the same picture.
    let fixed = draw(&subject, &Options::default().with_size(600, 450)).unwrap();
    assert_eq!((fixed.width, fixed.height), (600, 450));
    let settled = Options::default().settled(&subject).unwrap();
    assert_eq!([settled.width, settled.height], [image.width, image.height]);
    assert_eq!(draw(&subject, &settled).unwrap(), image);
}

#[test]
fn color_maps_and_units_change_the_picture() {
    let mesh = square();
    let values: Vec<f64> = mesh.vertices.iter().map(|x| x[0]).collect();
    let subject = Subject::new(&mesh, &values).with_lines(Lines::None).with_name("distance");
    let options = Options::default().with_size(400, 300);
    let usual = draw(&subject, &options).unwrap();
    let other = draw(&subject, &options.clone().with_colormap(ColorMap::Magma)).unwrap();
    assert_ne!(usual, other);
    let same = draw(&subject, &options.clone().with_colormap(ColorMap::Sequential)).unwrap();
    assert_eq!(usual, same);
    let named = draw(&subject, &options.clone().with_unit("mm")).unwrap();
    let differs = |k: usize| named.pixels[3 * k..3 * k + 3] != usual.pixels[3 * k..3 * k + 3];
    let rows: Vec<usize> = (0..400 * 300).filter(|&k| differs(k)).map(|k| k / 400).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| (30..75).contains(row)), "above the bar");
}
