//! Compares the ray kernels with the CPU. Every rule must give bitwise identical hits.

use zeroset::Cpu;
use zeroset::point_distance::Edt;
use zeroset::render::{Camera, Frame, Hit, Rule, Solid, SpaceSkipping, march};
use zeroset::volume::{Placement, Samples, Volume};

use super::layouts::render::{FrameArgument, PYRAMID_LEVELS, SolidArgument, SpaceSkippingArgument};
use super::library::{Launch, Library, arg};

type V = [f64; 3];

const PIXELS: u32 = 37;
const SAMPLES: u32 = 2;
const EYE: V = [20.0, -31.0, 25.0];

/// Returns a volume that contains a ball with a bump. The number of voxels differs from axis to
/// axis.
fn volume() -> Volume {
    let shape = [19, 14, 17];
    let at = |n: usize| [n % 19, n / 19 % 14, n / 19 / 14].map(|i| i as f64);
    let value = |n: usize| {
        let [x, y, z] = at(n);
        let ball = ((x - 8.0).powi(2) + (y - 7.0).powi(2) + (z - 9.0).powi(2)).sqrt() - 5.0;
        ball.min((x - 15.0).abs() + (y - 3.0).abs() + (z - 4.0).abs() - 2.0) as f32
    };
    let values: Vec<f32> = (0..19 * 14 * 17).map(value).collect();
    Volume::new(shape, Samples::from(values), Placement::identity()).unwrap()
}

/// Returns the box of the occupied cubes as the smallest and the largest index along each axis.
fn bounds(solid: &Solid<'_>, offset: f64) -> [[u32; 3]; 2] {
    let corners = solid.corners();
    let index = |x: V, half: f64| x.map(|x| (x - offset + half) as u32);
    [index(corners[0], 0.5), index(corners[7], -0.5)]
}

/// Builds the levels of the pyramid with the kernel. A cell covers 2 x 2 x 2 cells of the level
/// below. Returns the concatenated levels, and the start of each level.
fn pyramid(inside: &[u8], shape: [usize; 3]) -> (Vec<u8>, Vec<u64>) {
    let library = Library::compile("kernels/render/pyramid.cu", &[], &["pyramid_level"]);
    let (mut all, mut starts) = (Vec::new(), Vec::new());
    let (mut below, mut shape) = (inside.to_vec(), shape);
    while shape != [1; 3] {
        let of_above = shape.map(|n| n.div_ceil(2));
        let mut above = vec![7_u8; of_above.iter().product()];
        let [bx, by, bz] = shape.map(|n| n as u32);
        let args = [arg(below.as_ptr()), arg(bx), arg(by), arg(bz), arg(above.as_mut_ptr())];
        // SAFETY: both arrays hold one byte per cell of their level.
        unsafe { library.launch("pyramid_level", &Launch::new(3, 32), &args) }.unwrap();
        for (n, &any) in above.iter().enumerate() {
            let [nx, ny, _] = of_above;
            let at = [n % nx, n / nx % ny, n / nx / ny];
            let cubes = (0..8).filter_map(|k| {
                let cube = [0, 1, 2].map(|axis| 2 * at[axis] + (k >> axis & 1));
                let there = (0..3).all(|axis| cube[axis] < shape[axis]);
                there.then(|| below[cube[0] + shape[0] * (cube[1] + shape[1] * cube[2])])
            });
            assert_eq!(any, cubes.max().unwrap());
        }
        starts.push(all.len() as u64);
        all.extend(&above);
        (below, shape) = (above, of_above);
    }
    (all, starts)
}

fn hits_of(solid: &Solid<'_>, level: Option<f64>, frame: &FrameArgument) {
    let offset = if level.is_some() { 0.5 } else { 0.0 };
    let shape = solid.shape();
    let inside: Vec<u8> = solid.inside().iter().map(|&inside| inside.into()).collect();
    let Samples::F32(values) = solid.volume().samples() else { panic!("floats") };
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let [low, high] = bounds(solid, offset);
    let argument = SolidArgument {
        origin: [0.0; 3],
        inverse: unit,
        offset,
        level: level.unwrap_or(0.0),
        slope: 1.0,
        intercept: 0.0,
        inside: inside.as_ptr() as u64,
        values: values.as_ptr() as u64,
        stored: 8,
        scaled: 0,
        shape: shape.map(|n| n as u32),
        low,
        high,
        holds: 1,
    };
    let cpu = Cpu::current();
    let distances = Edt::default().transform(&cpu, solid.inside(), shape).unwrap();
    let (pyramid, found) = pyramid(&inside, shape);
    let mut starts = [0; PYRAMID_LEVELS];
    starts[..found.len()].copy_from_slice(&found);
    let place = |n: usize| [n % shape[0], n / shape[0] % shape[1], n / shape[0] / shape[1]];
    let sites: Vec<u32> = (0..inside.len())
        .filter(|&n| inside[n] != 0)
        .flat_map(|n| place(n).map(|i| i as u32))
        .collect();
    let of_level = format!("LEVEL={}", u32::from(level.is_some()));
    let size = [PIXELS; 2];
    let view = Frame::from_eye(EYE, &Camera::new(TO_EYE), 40.0, size);
    let cone = 0.5_f64;
    let rules = [
        ("RULE=0", Rule::Walk),
        ("RULE=1", Rule::Isotropic),
        ("RULE=2", Rule::Directional { cone: 0.0 }),
        ("RULE=2", Rule::Directional { cone }),
        ("RULE=3", Rule::PointWise { cone: None }),
        ("RULE=3", Rule::PointWise { cone: Some(cone) }),
    ];
    for (define, rule) in rules {
        let library =
            Library::compile("kernels/render/march.cu", &[&of_level, define], &["march_rays"]);
        let opening = match rule {
            Rule::Directional { cone } => Some(cone),
            Rule::PointWise { cone } => cone,
            _ => None,
        };
        let guide = SpaceSkippingArgument {
            distances: distances.as_ptr() as u64,
            pyramid: pyramid.as_ptr() as u64,
            sites: sites.as_ptr() as u64,
            n_sites: (sites.len() / 3) as u64,
            starts,
            cosine: opening.map_or(0.0, libm::cos),
            sine: opening.map_or(0.0, libm::sin),
            levels: found.len() as u32,
            all: opening.is_none().into(),
        };
        let n = (frame.wide * frame.tall) as usize;
        let (mut t, mut cubes, mut steps) = (vec![0.0_f64; n], vec![0_u32; n], vec![9_u32; n]);
        let args = [
            arg(argument),
            arg(guide),
            arg(*frame),
            arg(t.as_mut_ptr()),
            arg(cubes.as_mut_ptr()),
            arg(steps.as_mut_ptr()),
        ];
        let grid = frame.wide.div_ceil(16) * frame.tall.div_ceil(8);
        // SAFETY: the arrays have room for every ray, and the arrays of the solid match its shape.
        unsafe { library.launch("march_rays", &Launch::new(grid, 128), &args) }.unwrap();
        let expected =
            march(solid, &SpaceSkipping::new(rule, solid, &cpu).unwrap(), &view, size, SAMPLES)
                .unwrap();
        for (k, Hit { t: there, cube, steps: looks, .. }) in expected.iter().enumerate() {
            assert_eq!((t[k], cubes[k], steps[k]), (*there, *cube, *looks), "{rule:?}, ray {k}");
        }
        let met = t.iter().filter(|t| t.is_finite()).count();
        assert!(met > 200 && met < n, "{met} of {n}");
        if rule == Rule::Walk {
            let lights = [t.as_ptr().cast(), cubes.as_ptr().cast()];
            light_on(solid, argument, frame, (&view, &expected), &of_level, lights);
        }
    }
}

/// Checks the lighting of hits against the formula, using the normals from the CPU.
fn light_on(
    solid: &Solid<'_>,
    argument: SolidArgument,
    frame: &FrameArgument,
    (view, hits): (&Frame, &[Hit]),
    of_level: &str,
    [t, cubes]: [*const u8; 2],
) {
    let library = Library::compile("kernels/render/shade.cu", &[of_level], &["shade_hits"]);
    let (mut strength, mut gloss) = (vec![-1.0_f32; hits.len()], vec![-1.0_f32; hits.len()]);
    let args = [
        arg(argument),
        arg(*frame),
        arg(t.cast::<f64>()),
        arg(cubes.cast::<u32>()),
        arg(strength.as_mut_ptr()),
        arg(gloss.as_mut_ptr()),
    ];
    let grid = frame.wide.div_ceil(16) * frame.tall.div_ceil(8);
    // SAFETY: the arrays have room for every ray, and the hits belong to the solid.
    unsafe { library.launch("shade_hits", &Launch::new(grid, 128), &args) }.unwrap();
    let FrameArgument { right, up, toward, .. } = *frame;
    let lamp = [-0.36, 0.48, 0.8];
    let middle = unit([-0.36, 0.48, 1.8]);
    for (k, hit) in hits.iter().enumerate() {
        if !hit.is_some() {
            assert_eq!((strength[k], gloss[k]), (-1.0, -1.0));
            continue;
        }
        let wide = frame.wide as usize;
        let pixel = [k % wide, k / wide].map(|k| (k as f64 + 0.5) / f64::from(SAMPLES));
        let ray = view.ray(pixel);
        let mut normal = unit(solid.normal(&ray, hit));
        if dot(normal, ray.along) > 0.0 {
            normal = scaled(normal, -1.0);
        }
        let n = [right, up, toward].map(|axis| dot(normal, axis));
        let lit = 0.30 - 0.36 * dot(normal, ray.along) + 0.42 * dot(n, lamp).max(0.0);
        let glossy = dot(n, middle).max(0.0).powi(16);
        let close = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-6;
        assert!(close(strength[k], lit) && close(gloss[k], glossy), "ray {k}");
    }
}

/// Direction from the object to the eye.
const TO_EYE: V = [0.3, -1.0, 0.45];

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn scaled(a: V, s: f64) -> V {
    a.map(|x| x * s)
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: V) -> V {
    scaled(a, 1.0 / dot(a, a).sqrt())
}

#[test]
fn rays_have_the_bits_of_the_cpu() {
    let toward = unit(TO_EYE);
    let right = unit(cross([0.0, 0.0, 1.0], toward));
    let half = 0.5 * 40.0_f64.to_radians();
    let frame = FrameArgument {
        right,
        up: cross(toward, right),
        toward,
        lamp: [-0.36, 0.48, 0.8],
        scale: 0.5 * f64::from(PIXELS) * libm::cos(half) / libm::sin(half),
        origin: [0.5 * f64::from(PIXELS); 2],
        front: 0.0,
        middle: [0, 1, 2].map(|k| EYE[k] - toward[k]),
        distance: 1.0,
        perspective: 1,
        wide: PIXELS * SAMPLES,
        tall: PIXELS * SAMPLES,
        samples: SAMPLES,
    };
    let volume = volume();
    let condition = "v < 0".parse().unwrap();
    let voxels = Solid::voxels(&volume, volume.select(&condition).unwrap()).unwrap();
    hits_of(&voxels, None, &frame);
    hits_of(&Solid::level(&volume, 0.25).unwrap(), Some(0.25), &frame);
}
