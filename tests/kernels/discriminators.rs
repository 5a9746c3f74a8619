//! Discriminators in the kernels that ask them, against those of the processor: bits, and pyramids straight from values.

use std::sync::LazyLock;

use zeroset::expression::{Expression, Predicate};
use zeroset::gpu::definitions::Code;
use zeroset::primitives::{
    Bits, Discriminator, Edge, Grid, HistoPyramid, Order, Stored, Template, Threshold, Within,
};
use zeroset::volume::{Condition, Placement, Samples, Volume};

use super::histopyramid::{BASE, ask, build, defines, find_library, level_library};
use super::layouts::discriminator::{
    BitsArgument, EdgeArgument, TemplateArgument, Variant, WithinArgument,
};
use super::layouts::histopyramid::Split;
use super::layouts::points::ConditionArgument;
use super::library::{Arg, Launch, Library, arg};

/// Pictures and volumes round the sizes of words, rows of no whole number of words, and none.
const PICTURES: [[u32; 3]; 5] = [[1, 1, 1], [64, 2, 1], [130, 1, 1], [37, 19, 1], [0, 5, 1]];
const VOLUMES: [[u32; 3]; 4] = [[65, 3, 2], [7, 5, 9], [1, 9, 4], [3, 0, 4]];

/// Pyramids of pictures, volumes and lines, ...
const KINDS: [(Split, Order, Stored); 3] = [
    (Split::Squares, Order::Blocks, Stored::Sums),
    (Split::Cubes, Order::Blocks, Stored::PartialSums),
    (Split::Lines, Order::Lines, Stored::PartialSums),
];

/// ... what makes their levels above the lowest, and what answers for them.
static LEVEL: LazyLock<[Library; 3]> =
    LazyLock::new(|| KINDS.map(|(split, _, stored)| level_library(split, stored)));
static FIND: LazyLock<[Library; 3]> =
    LazyLock::new(|| KINDS.map(|(split, _, stored)| find_library(split, stored)));

/// Kernels that ask one discriminator: for bits, and for bases of pyramids.
struct Asking {
    bits: Library,
    bases: [Library; 3],
}

impl Asking {
    fn new(variant: Variant, value: &str, header: Option<(&str, &str)>) -> Self {
        let own = [format!("DISCRIMINATOR={}", variant.code()), format!("VALUE={value}")];
        let compile = |file: &str, defines: &[String], kernels: &[&str]| {
            let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
            Library::with_header(file, &defines, kernels, header)
        };
        Asking {
            bits: compile("kernels/primitives/bits.cu", &own, &["bits_of_cells"]),
            bases: KINDS.map(|(split, _, stored)| {
                compile(BASE, &defines(split, stored, &own), &["histopyramid_base"])
            }),
        }
    }

    /// Compares bits and pyramids; `asked` is the first argument of the kernels.
    fn check(&self, shape: [u32; 3], asked: &dyn Fn() -> Arg, expected: &impl Discriminator) {
        let bits = Bits::new(expected).unwrap();
        let n = bits.words().len();
        let mut words = vec![77_u64; n];
        let args = [asked(), arg(n as u64), arg(words.as_mut_ptr())];
        let how = Launch { seed: 3, ..Launch::new((n as u32).div_ceil(256), 256) };
        if n > 0 {
            // SAFETY: as many words as are stated.
            unsafe { self.bits.launch("bits_of_cells", &how, &args) }.unwrap();
        }
        assert!(words == bits.words(), "{shape:?}");
        for (k, (split, order, stored)) in KINDS.into_iter().enumerate() {
            let is_volume = shape[2] > 1;
            if matches!((split, is_volume), (Split::Squares, true) | (Split::Cubes, false)) {
                continue;
            }
            let expected = HistoPyramid::new(expected, order, stored).unwrap();
            let shape = if shape.contains(&0) { [0; 3] } else { shape };
            let pyramid = build([&self.bases[k], &LEVEL[k]], split, shape, asked);
            ask(&FIND[k], &pyramid, &expected);
        }
    }
}

/// Numbers from 0 to 85 without order, one of them none.
fn values(shape: [u32; 3]) -> Vec<f32> {
    let scattered = |k: u32| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k;
    let n = shape.iter().product::<u32>();
    let mut values: Vec<f32> = (0..n).map(|k| (scattered(k) >> 24) as f32 / 3.0).collect();
    if let Some(value) = values.get_mut(n as usize / 2) {
        *value = f32::NAN;
    }
    values
}

fn shapes() -> impl Iterator<Item = [u32; 3]> {
    PICTURES.into_iter().chain(VOLUMES)
}

fn grid(shape: [u32; 3], values: &[f32]) -> Grid<'_, f32> {
    Grid::new(shape.map(|n| n as usize), values)
}

#[test]
fn ranges_are_asked_as_by_the_processor() {
    let asking = Asking::new(Variant::Within, "float", None);
    for shape in shapes() {
        let given = values(shape);
        let grid = grid(shape, &given);
        let asked =
            |low, high| arg(WithinArgument { values: given.as_ptr() as u64, shape, low, high });
        let within = Within { values: grid, low: 20.0, high: 45.0 };
        asking.check(shape, &|| asked(20.0, 45.0), &within);
        let above = Threshold { values: grid, low: 30.0 };
        asking.check(shape, &|| asked(30.0, f64::INFINITY), &above);
    }
}

#[test]
fn gradients_are_asked_as_by_the_processor() {
    let asking = Asking::new(Variant::Edge, "float", None);
    let (low, spacing) = (30.01, [1.0, 0.7, 2.1]);
    for shape in shapes() {
        let given = values(shape);
        let asked = || arg(EdgeArgument { values: given.as_ptr() as u64, shape, low, spacing });
        asking.check(shape, &asked, &Edge { values: grid(shape, &given), low, spacing });
    }
}

#[test]
fn templates_are_asked_as_by_the_processor() {
    let asking = Asking::new(Variant::Template, "float", None);
    for shape in shapes() {
        let given = values(shape);
        for size in [[1, 1, 1], [3, 1, 1], [3, 3, 1], [2, 2, 2], [0, 3, 1]] {
            let n = size.iter().product::<usize>();
            let wanted: Vec<f64> = (0..n).map(|k| 13.3 * k as f64).collect();
            let most = 20.0 * n as f64;
            let asked = || {
                arg(TemplateArgument {
                    values: given.as_ptr() as u64,
                    shape,
                    wanted: wanted.as_ptr() as u64,
                    size: size.map(|n| n as u32),
                    most,
                })
            };
            let template = Grid::new(size, &wanted);
            asking.check(shape, &asked, &Template { values: grid(shape, &given), template, most });
        }
    }
}

#[test]
fn expressions_are_asked_as_by_the_processor() {
    let expression: Expression = "if(k > 0, v > 40, v < 50) && x != 2*i || j == 3".parse().unwrap();
    let printed = Predicate::new(&expression, &["v", "i", "j", "k"]);
    let header = Some((Predicate::NAME, printed.text()));
    let asking = Asking::new(Variant::Condition, "float", header);
    // A volume has voxels.
    for shape in shapes().filter(|shape| !shape.contains(&0)) {
        let given = values(shape);
        let samples = Samples::from(given.clone());
        let volume = Volume::new(shape.map(|n| n as usize), samples, Placement::identity());
        let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
        let volume = volume.unwrap().placed([10.0, -3.0, 2.0], steps).unwrap();
        let asked = || {
            arg(ConditionArgument {
                values: given.as_ptr() as u64,
                shape,
                origin: volume.placement().origin(),
                steps: volume.placement().steps(),
                slope: 1.0,
                intercept: 0.0,
            })
        };
        asking.check(shape, &asked, &Condition::new(&volume, &expression).unwrap());
    }
}

#[test]
fn bits_are_asked_as_by_the_processor() {
    let asking = Asking::new(Variant::Bits, "u32", None);
    for shape in shapes() {
        let given = values(shape);
        for [low, high] in [[20.0, 45.0], [100.0, 200.0], [f64::NEG_INFINITY, f64::INFINITY]] {
            let bits = Bits::new(&Within { values: grid(shape, &given), low, high }).unwrap();
            let words = bits.words().as_ptr() as u64;
            asking.check(shape, &|| arg(BitsArgument { words, shape }), &bits);
        }
    }
}

#[test]
fn bits_are_kept_where_another_question_is_answered_by_yes() {
    let number = Variant::Within.code();
    let defines = [&format!("DISCRIMINATOR={number}"), "VALUE=float", "KEEP=1"];
    let keeping = Library::compile("kernels/primitives/bits.cu", &defines, &["bits_of_cells"]);
    let flags = Library::compile("kernels/primitives/flags.cu", &[], &["flags_of_bits"]);
    for shape in shapes() {
        let given = values(shape);
        let grid = grid(shape, &given);
        let n = given.len();
        let first = Bits::new(&Within { values: grid, low: 20.0, high: 45.0 }).unwrap();
        let second = Bits::new(&Within { values: grid, low: 40.0, high: 70.0 }).unwrap();
        let mut words = first.words().to_vec();
        let (low, high) = (40.0, 70.0);
        let asked = WithinArgument { values: given.as_ptr() as u64, shape, low, high };
        let args = [arg(asked), arg(words.len() as u64), arg(words.as_mut_ptr())];
        let how = Launch { seed: 5, ..Launch::new(words.len().div_ceil(256) as u32, 256) };
        if n > 0 {
            // SAFETY: as many words as are stated.
            unsafe { keeping.launch("bits_of_cells", &how, &args) }.unwrap();
        }
        let both = first.words().iter().zip(second.words()).map(|(a, b)| a & b);
        assert!(both.eq(words.iter().copied()), "{shape:?}");
        let mut found = vec![7_u8; n];
        let args = [arg(words.as_ptr()), arg(n as u64), arg(found.as_mut_ptr())];
        // SAFETY: a bit and a byte for each cell.
        unsafe { flags.launch("flags_of_bits", &Launch::new(2, 256), &args) }.unwrap();
        let bit = |k: usize| (words[k / 64] >> (k % 64) & 1) as u8;
        assert!(found.iter().copied().eq((0..n).map(bit)), "{shape:?}");
    }
}
