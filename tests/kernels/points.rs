//! Conditions on voxels, with printed code, by the kernel of bits against the processor's list.

use zeroset::expression::{Expression, Predicate};
use zeroset::gpu::definitions::Code;
use zeroset::primitives::Bits;
use zeroset::volume::{Condition, Placement, Samples, Scaling, Volume};

use super::layouts::discriminator::Variant;
use super::layouts::points::ConditionArgument;
use super::library::{Launch, Library, arg};

#[test]
fn conditions_hold_where_they_do_on_the_processor() {
    let shape = [37, 5, 4];
    let n = shape.iter().product::<usize>();
    let numbers: Vec<i16> = (0..n).map(|k| (k * 7919 % 1000) as i16 - 500).collect();
    let volume = Volume::new(shape, Samples::from(numbers.clone()), Placement::identity()).unwrap();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
    let volume = volume.placed([10.0, -3.0, 2.0], steps).unwrap();
    let volume = volume.with_scaling(Scaling { slope: 0.3, intercept: 1.7 }).unwrap();
    let conditions = [
        "v > 100",
        "i + 10*j - 3*k == 7 || sqrt(v) < 4",
        "x > 5 && y < 40 && z > 3",
        "if(k > 1, v^2 < 400, x - y)",
        "log(v)",
    ];
    for text in conditions {
        let expression: Expression = text.parse().unwrap();
        let printed = Predicate::new(&expression, &["v", "i", "j", "k"]);
        let library = Library::with_header(
            "kernels/primitives/bits.cu",
            &[&format!("DISCRIMINATOR={}", Variant::Condition.code()), "VALUE=i16"],
            &["bits_of_cells"],
            Some((Predicate::NAME, printed.text())),
        );
        let mut words = vec![7_u64; n.div_ceil(64)];
        let argument = ConditionArgument {
            values: numbers.as_ptr() as u64,
            shape: shape.map(|n| n as u32),
            origin: volume.placement().origin(),
            steps: volume.placement().steps(),
            slope: 0.3,
            intercept: 1.7,
        };
        let args = [arg(argument), arg(words.len() as u64), arg(words.as_mut_ptr())];
        // SAFETY: a sample for each voxel, and a word for 64 of them.
        unsafe { library.launch("bits_of_cells", &Launch::new(1, 256), &args) }.unwrap();
        let expected = Bits::new(&Condition::new(&volume, &expression).unwrap()).unwrap();
        assert!(expected.count() > 0 && words == expected.words(), "{text}");
    }
}
