//! Tests pictures that commands draw: masks, labels, sources, paths, data from other files, and
//! captions.

use std::collections::HashMap;
use std::fmt::Write;

#[path = "support/place.rs"]
mod place;
use place::Place;

/// The gray of places without a value.
const GRAY: [u8; 3] = [186; 3];

struct Picture {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn open(place: &Place, name: &str) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(place.path(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let pixels = bytes[..info.buffer_size()].chunks_exact(3).map(|p| [p[0], p[1], p[2]]);
        Picture { width: info.width as usize, pixels: pixels.collect() }
    }

    fn count(&self, wanted: impl Fn([u8; 3]) -> bool) -> usize {
        self.pixels.iter().filter(|p| wanted(**p)).count()
    }

    fn gray(&self) -> f64 {
        self.count(|p| p == GRAY) as f64 / self.pixels.len() as f64
    }

    /// Returns the colors that fill at least `least` pixels, without white and gray.
    fn large(&self, least: usize) -> Vec<[u8; 3]> {
        let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
        self.pixels.iter().for_each(|p| *counts.entry(*p).or_default() += 1);
        let large = counts.into_iter().filter(|(p, n)| *n >= least && *p != [255; 3] && *p != GRAY);
        let mut large: Vec<[u8; 3]> = large.map(|(p, _)| p).collect();
        large.sort_unstable();
        large
    }
}

#[track_caller]
fn run(place: &Place, line: &str) {
    let output = place.command(line).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
}

#[track_caller]
fn fails(place: &Place, line: &str, message: &str) {
    let output = place.command(line).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains(message), "{line}: {said}");
}

/// Returns a folder with a square of 21 x 21 vertices.
fn square() -> Place {
    let place = Place::new();
    run(&place, "generate square --cells 20,20 -o square.vtp");
    place
}

fn magenta([r, g, b]: [u8; 3]) -> bool {
    r > 180 && g < 90 && (50..160).contains(&b)
}

#[test]
fn a_mask_is_gray_on_every_command() {
    let place = square();
    let distance = "distance square.vtp --from vertex:0 --mask x<0.51 -o d.vtp --picture";
    run(&place, &format!("{distance} a.png"));
    let masked = Picture::open(&place, "a.png");
    assert!(masked.gray() > 0.2, "{}", masked.gray());
    run(&place, "render d.vtp -o b.png");
    assert!((Picture::open(&place, "b.png").gray() - masked.gray()).abs() < 0.01);
    place.put(
        "case.toml",
        "version = 1\ndomain.mesh.path = \"square.vtp\"\nevolve = { normal_speed = 1, \
         max_steps = 2, mask = \"x < 0.51\" }\n\
         initial.ball = { center = [0, 0, 0], radius = 0.3 }\noutput.picture = {}\n",
    );
    run(&place, "run case.toml -o r");
    let of_run = Picture::open(&place, "r/case.png");
    assert!((of_run.gray() - masked.gray()).abs() < 0.01, "{}", of_run.gray());
}

#[test]
fn sources_and_paths_are_drawn() {
    let place = square();
    let distance = "distance square.vtp --from vertex:0 -o d.vtp --picture";
    run(&place, &format!("{distance} a.png"));
    run(&place, &format!("{distance} b.png --path-from vertex:440"));
    let [plain, path] = ["a.png", "b.png"].map(|name| Picture::open(&place, name));
    assert_eq!(plain.count(magenta), 0);
    assert!(path.count(magenta) > 500, "{}", path.count(magenta));
    // The corner of the square has a black dot.
    let black = |picture: &Picture| {
        let left = picture.pixels.iter().enumerate();
        left.filter(|(k, p)| k % picture.width < 300 && p.iter().all(|&c| c < 40)).count()
    };
    assert!(black(&plain) > 40, "{}", black(&plain));
    place.put("curve.txt", "0.1 0.5 0\n0.9 0.5 0\n");
    run(&place, "distance square.vtp --from curve:curve.txt -o d.vtp --picture c.png");
    let dark = Picture::open(&place, "c.png").count(|p| p.iter().all(|&c| c < 40));
    assert!(dark > 1000, "the curve is a black line: {dark}");
}

#[test]
fn labels_of_a_distance_have_one_color_each() {
    let place = square();
    let from = "distance square.vtp --from vertex:0 --from vertex:20 --from vertex:440";
    run(&place, &format!("{from} --labels -o d.vtp --picture a.png"));
    let labels = Picture::open(&place, "a.png").large(5_000);
    assert_eq!(labels.len(), 3, "{labels:?}");
    run(&place, "render d.vtp --colors label -o b.png");
    assert_eq!(Picture::open(&place, "b.png").large(5_000), labels);
    let inside = from.replace(" --from vertex:440", "");
    run(&place, &format!("{inside} --labels --mask y<0.51 -o d.vtp --picture c.png"));
    assert!(Picture::open(&place, "c.png").gray() > 0.2);
    run(&place, &format!("{from} -o d.vtp --picture d.png"));
    assert!(Picture::open(&place, "d.png").large(20_000).is_empty(), "no labels were asked for");
}

/// Returns an annotation with the regions "left" and "right" of a square with 21 x 21 vertices.
fn annotation() -> Vec<u8> {
    let number = |n: i32| n.to_be_bytes();
    let text = |t: &str| [&number(t.len() as i32 + 1)[..], t.as_bytes(), b"\0"].concat();
    let regions = [("left", [10, 20, 30]), ("right", [40, 50, 60])];
    let mut bytes = number(441).to_vec();
    for vertex in 0..441 {
        let [r, g, b] = regions[usize::from(vertex % 21 > 10)].1;
        bytes.extend([number(vertex), number(r + 256 * g + 65_536 * b)].concat());
    }
    bytes.extend([number(1), number(-2), number(2)].concat());
    bytes.extend([&text("table")[..], &number(2)].concat());
    for (index, (name, color)) in (0..).zip(regions) {
        bytes.extend([&number(index)[..], &text(name)].concat());
        bytes.extend(color.into_iter().chain([0]).flat_map(number));
    }
    bytes
}

#[test]
fn data_of_another_file_is_drawn() {
    let place = square();
    std::fs::write(place.path("lh.halves.annot"), annotation()).unwrap();
    run(&place, "render square.vtp --data lh.halves.annot -o a.png");
    assert_eq!(Picture::open(&place, "a.png").large(50_000).len(), 2);
    // Groups of the file are sources.
    run(&place, "distance square.vtp --data lh.halves.annot --from group:left -o d.vtp");
    let mut label = "#!ascii label\n100\n".to_string();
    (0..100).for_each(|v| writeln!(label, "{v} 0 0 0 0").unwrap());
    place.put("lh.V1.label", &label);
    run(&place, "render square.vtp --data lh.V1.label -o b.png");
    let picture = Picture::open(&place, "b.png");
    assert!(picture.large(20_000).len() == 1 && picture.gray() > 0.3);
    let values: String = (0..441).map(|v| format!("{v}.5\n")).collect();
    place.put("heat.txt", &values);
    run(&place, "render square.vtp --data heat.txt=heat --unit K -o c.png");
    let picture = Picture::open(&place, "c.png");
    assert!(picture.large(20_000).is_empty() && picture.gray() == 0.0);
    place.put("short.txt", "1\n2\n");
    fails(&place, "render square.vtp --data short.txt -o d.png", "2 values for a mesh of 441");
    fails(&place, "render square.vtp --data lh.V1.label -o lh.V1.label", "");
}

#[test]
fn captions_and_colors_are_chosen() {
    let place = square();
    let distance = "distance square.vtp --from vertex:0 -o d.vtp --picture";
    run(&place, &format!("{distance} a.png"));
    let usual = std::fs::read(place.path("a.png")).unwrap();
    let options =
        ["--title T", "--unit mm", "--colormap magma", "--range 0,9", "--speed 2"].map(|option| {
            run(&place, &format!("{distance} b.png {option}"));
            std::fs::read(place.path("b.png")).unwrap()
        });
    for (k, file) in options.iter().enumerate() {
        assert!(*file != usual && !options[..k].contains(file), "option {k}");
    }
    run(&place, "render d.vtp -o c.png --title T --unit mm --colormap magma --range 0,9");
    fails(&place, "distance square.vtp --from vertex:0 -o d.vtp --unit mm", "add --picture FILE");
    fails(&place, &format!("{distance} a.png --range 9,0"), "the smaller first");
    fails(&place, &format!("{distance} a.png --colormap rainbow"), "rainbow");
}

#[test]
fn the_measures_of_a_run_are_plotted() {
    let place = square();
    place.put(
        "case.toml",
        "version = 1\ndomain.mesh.path = \"square.vtp\"\nevolve = { normal_speed = 1, \
         max_steps = 5 }\ninitial.ball = { center = [0, 0, 0], radius = 0.3 }\n",
    );
    run(&place, "run case.toml -o r");
    run(&place, "render r/measures.csv -o a.svg --title Growth");
    run(&place, "render r -o b.svg --title Growth");
    let [a, b] = ["a.svg", "b.svg"].map(|name| std::fs::read_to_string(place.path(name)).unwrap());
    assert!(a.starts_with("<svg") && a.contains("enclosed area") && a.contains("Growth"));
    assert_eq!(a, b);
    fails(&place, "render square.vtp -o c.svg", "plots of the measures of a run");
    fails(&place, "render r/measures.csv -o c.pdf", "end the name in .svg");
    fails(&place, "render r -o c.svg --unit mm", "--unit is for pictures");
    place.put("bad.csv", "step,time\n1,x\n");
    fails(&place, "render bad.csv -o c.svg", "line 2: expected numbers");
}

#[test]
fn a_wide_domain_gets_a_wide_picture() {
    let place = Place::new();
    run(&place, "generate square --cells 100,10 --max 10,1 -o wide.vtp");
    run(&place, "distance wide.vtp --from vertex:0 -o d.vtp --picture a.png");
    let picture = Picture::open(&place, "a.png");
    let height = picture.pixels.len() / picture.width;
    assert!(picture.width > 5 * height, "{} x {height}", picture.width);
    assert!(picture.count(|p| p != [255; 3]) * 2 > picture.pixels.len(), "it is filled");
    run(&place, "render d.vtp --size 400x300 -o b.png");
    assert_eq!(Picture::open(&place, "b.png").width, 400);
}
