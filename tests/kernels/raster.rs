//! Tests the kernels that draw triangles: they leave no gaps, the nearest triangle hides the
//! others, and the first of several equal triangles wins.

use super::layouts::picture::DrawingArgument;
use super::layouts::render::FrameArgument;
use super::library::{Arg, Launch, Library, arg};

const KERNELS: [&str; 6] = [
    "raster_extent",
    "raster_corners",
    "raster_triangles",
    "raster_wide",
    "raster_paint",
    "raster_heights",
];
const WIDE: usize = 24;
const TALL: usize = 18;

/// Draws triangles as seen along z, with one pixel per mesh unit. Returns the heights of the
/// samples and the pixels.
fn drawn(points: &[[f64; 3]], triangles: &[[u32; 3]], values: &[f64]) -> (Vec<f32>, Vec<[f32; 4]>) {
    let library = Library::compile("kernels/render/raster.cu", &[], &KERNELS);
    // A color map from black to white, and a linear tone curve.
    let map: Vec<f32> = (0..512).flat_map(|k| [k as f32 / 511.0; 3]).collect();
    let screen: Vec<f32> = (0..4098).map(|k| 255.0 * k as f32 / 4096.0).collect();
    let drawing = DrawingArgument {
        points: points.as_ptr() as u64,
        triangles: triangles.as_ptr() as u64,
        values: values.as_ptr() as u64,
        normals: 0,
        map: map.as_ptr() as u64,
        screen: screen.as_ptr() as u64,
        low: 0.0,
        high: 1.0,
        solid: [0.25; 3],
        no_value: [0.5; 3],
        n_points: points.len() as u32,
        n_triangles: triangles.len() as u32,
        n_colored: triangles.len() as u32 - 1,
        open: 0,
        transparent: 0,
        padding: 0,
    };
    let frame = FrameArgument {
        right: [1.0, 0.0, 0.0],
        up: [0.0, 1.0, 0.0],
        toward: [0.0, 0.0, 1.0],
        lamp: [-0.36, 0.48, 0.8],
        scale: 1.0,
        origin: [0.0, TALL as f64],
        front: 0.0,
        middle: [0.0; 3],
        distance: 0.0,
        perspective: 0,
        wide: 3 * WIDE as u32,
        tall: 3 * TALL as u32,
        samples: 3,
    };
    let launch = |kernel: &str, grid: u32, args: &[Arg]| {
        let how = Launch { resident: grid, ..Launch::new(grid, 128) };
        // SAFETY: the arrays have room for all points, samples and pixels.
        unsafe { library.launch(kernel, &how, args) }.unwrap();
    };
    let mut extent = [0_u64; 5];
    launch("raster_extent", 2, &[arg(drawing), arg(frame), arg(extent.as_mut_ptr())]);
    let number = |bits: u64| f64::from_bits(if bits >> 63 == 1 { bits ^ 1 << 63 } else { !bits });
    let most =
        |k: usize, sign: f64| points.iter().map(|x| sign * x[k]).fold(f64::NEG_INFINITY, f64::max);
    let expected = [most(0, -1.0), most(1, -1.0), most(0, 1.0), most(1, 1.0), most(2, 1.0)];
    assert_eq!(extent.map(number), expected);
    let mut corners = vec![[0_u32; 3]; points.len()];
    let mut samples = vec![0_u64; 9 * WIDE * TALL];
    let (mut large, mut n_large) = (vec![0_u32; triangles.len()], 0_u32);
    launch("raster_corners", 2, &[arg(drawing), arg(frame), arg(corners.as_mut_ptr())]);
    for kernel in ["raster_triangles", "raster_wide"] {
        let args = [
            arg(drawing),
            arg(frame),
            arg(corners.as_mut_ptr()),
            arg(samples.as_mut_ptr()),
            arg(large.as_mut_ptr()),
            arg(&raw mut n_large),
        ];
        launch(kernel, 3, &args);
    }
    let mut heights = vec![0.0_f32; samples.len()];
    let n = samples.len() as u64;
    launch("raster_heights", 2, &[arg(samples.as_ptr()), arg(n), arg(heights.as_mut_ptr())]);
    let mut pixels = vec![[0_u128; 1]; WIDE * TALL];
    let args = [
        arg(drawing),
        arg(frame),
        arg(corners.as_ptr()),
        arg(samples.as_ptr()),
        arg(pixels.as_mut_ptr()),
    ];
    launch("raster_paint", (WIDE.div_ceil(16) * TALL.div_ceil(8)) as u32, &args);
    // SAFETY: a u128 holds four 32-bit numbers.
    let pixels = pixels.iter().map(|x| unsafe { std::mem::transmute::<[u128; 1], [f32; 4]>(*x) });
    (heights, pixels.collect())
}

#[test]
fn a_plane_is_covered_once_and_what_is_nearer_hides_it() {
    let (w, h) = (WIDE as f64, TALL as f64);
    // The first four triangles share a corner, which lies on a sample. A triangle in front of them
    // is given twice.
    let points = [
        [0.0, 0.0, 1.0],
        [w, 0.0, 1.0],
        [w, h, 1.0],
        [0.0, h, 1.0],
        [12.5, 9.5, 1.0],
        [3.0, 3.0, 2.0],
        [6.0, 3.0, 2.0],
        [3.0, 6.0, 2.0],
    ];
    let triangles = [[0, 1, 4], [2, 4, 1], [2, 3, 4], [4, 3, 0], [5, 6, 7], [5, 6, 7]];
    let values = [0.75, 0.75, 0.75, 0.75, 0.75, f64::NAN, f64::NAN, f64::NAN];
    let (heights, pixels) = drawn(&points, &triangles, &values);
    let mut in_front = 0;
    for (k, &height) in heights.iter().enumerate() {
        let [x, y] = [k % (3 * WIDE), k / (3 * WIDE)].map(|k| (k as f64 + 0.5) / 3.0);
        let (x, y) = (x - 3.0, h - y - 3.0);
        let hidden = x > 0.0 && y > 0.0 && x + y < 3.0;
        let on_edge = (x + y - 3.0).abs() < 1e-9;
        assert!(on_edge || height == if hidden { 2.0 } else { 1.0 }, "{x} {y} {height}");
        in_front += usize::from(height == 2.0);
    }
    // The triangle covers half of nine pixels. Samples on one of its edges may count.
    assert!((36..=45).contains(&in_front), "{in_front}");
    let gray = |x: usize, y: usize| pixels[x + WIDE * y];
    // One pixel has the color of the value 0.75. The other has the color of a missing value, which
    // comes from the first of the two equal triangles.
    let of = |c: f32| [c, c, c, 1.0];
    let close = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
    assert!(close(gray(20, 2), of(0.75 * 255.0)), "{:?}", gray(20, 2));
    assert!(close(gray(3, TALL - 4), of(0.5 * 255.0)), "{:?}", gray(3, TALL - 4));
}

#[test]
fn nothing_is_white_and_what_lies_outside_is_left_out() {
    let points = [[2.0, 2.0, -4.0], [9.0, 2.0, -4.0], [2.0, 9.0, -4.0], [-9.0, -9.0, 0.0]];
    let triangles = [[0, 1, 2], [0, 3, 3], [3, 3, 3]];
    let (heights, pixels) = drawn(&points, &triangles, &[1.0, 1.0, 1.0, 1.0]);
    assert_eq!(heights[0], f32::NEG_INFINITY);
    assert!(heights.iter().all(|&z| z == -4.0 || z == f32::NEG_INFINITY));
    assert_eq!(pixels[0], [255.0, 255.0, 255.0, 1.0]);
    assert!(heights.contains(&-4.0));
}

#[test]
fn what_has_a_corner_that_is_no_place_is_not_seen() {
    let (w, h) = (WIDE as f64, TALL as f64);
    let points = [[0.0, 0.0, 1.0], [w, 0.0, 1.0], [0.0, h, 1.0], [f64::NAN; 3]];
    let values = [1.0; 4];
    let behind = drawn(&points, &[[0, 1, 2], [0, 0, 0]], &values);
    let alone = drawn(&points, &[[0, 1, 2], [1, 2, 3]], &values);
    assert_eq!(alone, behind);
}
