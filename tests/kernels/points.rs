//! The kernel of conditions on voxels, with printed code, against the processor's list.

use zeroset::expression::{Expression, Predicate};
use zeroset::points::find;
use zeroset::primitives::Order;
use zeroset::volume::{Condition, Placement, Samples, Scaling, Volume};

use super::layouts::points::VolumeArgument;
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
            "kernels/primitives/predicate.cu",
            &["SAMPLE=i16"],
            &["predicate_mark"],
            Some((Predicate::NAME, printed.text())),
        );
        let mut marks = vec![2_u8; n];
        let argument = VolumeArgument {
            samples: numbers.as_ptr() as u64,
            shape: [shape[0] as u32, shape[1] as u32],
            n: n as u64,
            origin: volume.placement().origin(),
            steps: volume.placement().steps(),
            slope: 0.3,
            intercept: 1.7,
        };
        let args = [arg(argument), arg(marks.as_mut_ptr())];
        // SAFETY: a sample and a mark for each voxel.
        unsafe { library.launch("predicate_mark", &Launch::new(2, 256), &args) }.unwrap();
        let condition = Condition::new(&volume, &expression).unwrap();
        let mut expected = vec![0_u8; n];
        for [i, j, k] in find(&volume, &condition, Order::Lines).unwrap().voxels {
            expected[(i + 37 * (j + 5 * k)) as usize] = 1;
        }
        assert!(expected.contains(&1) && marks == expected, "{text}");
    }
}
