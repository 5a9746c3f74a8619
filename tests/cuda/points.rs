//! Tests that lists of points in volumes match those computed on the CPU.

use zeroset::expression::Expression;
use zeroset::gpu::Cuda;
use zeroset::gpu::points::{counts_on, entries_on, find_on, leaves_on, leaves_where_on, part_on};
use zeroset::points::{
    Blocks, Criterion, Leaves, Points, counts, entries, find, leaves, leaves_where, part,
};
use zeroset::primitives::{Grid, Order};
use zeroset::volume::{Placement, Samples, Scaling, Volume};

use crate::support;

/// Conditions that use no function that GPUs round differently.
const CONDITIONS: [&str; 8] = [
    "v > 100",
    "v",
    "i + 10*j - 3*k == 7",
    "x > 5 && y < 40 && z > 3",
    "v*x",
    "sqrt(v) > 7.5 || abs(v - 30) < 2",
    "if(k > 1, v^2 < 400, x - y)",
    "0",
];

/// Returns scattered integers from -500 to 499.
fn numbers(n: usize) -> impl Iterator<Item = i64> {
    (0..n).map(|k| (k * 7919 % 1000) as i64 - 500)
}

/// Returns two volumes with an oblique placement, one with unscaled and one with scaled values.
fn volumes(shape: [usize; 3], samples: Samples) -> [Volume; 2] {
    let volume = Volume::new(shape, samples, Placement::identity()).unwrap();
    let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
    let volume = volume.placed([10.0, -3.0, 2.0], steps).unwrap();
    let scaled = volume.clone().with_scaling(Scaling { slope: 0.3, intercept: 1.7 }).unwrap();
    [volume, scaled]
}

/// Asserts that two lists are equal. Values are compared by their bits because NaN is not equal to
/// itself.
fn same(found: &Points, expected: &Points, what: &str) {
    assert!(found.voxels == expected.voxels, "{what}");
    assert!(found.positions == expected.positions, "{what}");
    assert!(bits(&found.values) == bits(&expected.values), "{what}");
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Compares the lists in both orders.
fn lists(cuda: &Cuda, volume: &Volume, criteria: &[Criterion], what: &str) {
    for order in [Order::Lines, Order::Blocks] {
        let all = Criterion::all(criteria, volume).unwrap();
        let expected = find(volume, &all, order).unwrap();
        same(&find_on(cuda, volume, criteria, order).unwrap(), &expected, what);
    }
}

fn check(cuda: &Cuda, shape: [usize; 3], samples: Samples) {
    let kind = samples.type_name();
    for volume in volumes(shape, samples) {
        for text in CONDITIONS {
            let expression: Expression = text.parse().unwrap();
            let what = format!("{kind} {shape:?} {text}");
            lists(cuda, &volume, &[Criterion::Holds(&expression)], &what);
        }
    }
}

/// Compares lists, parts, counts, leaves and queries for gradients, templates and expressions,
/// separately and combined.
fn check_criteria(cuda: &Cuda, shape: [usize; 3], samples: Samples) {
    let kind = samples.type_name();
    let holds: Expression = "v > -200 && i != 3".parse().unwrap();
    let size = shape.map(|n| n.min(2));
    for volume in volumes(shape, samples) {
        let n = size.iter().product::<usize>();
        let wanted: Vec<f64> = (0..n).map(|k| 60.0 * k as f64).collect();
        let fits = |most: f64| Criterion::Fits(Grid::new(size, &wanted), most * n as f64);
        let all = [
            vec![Criterion::Edge(300.25)],
            vec![Criterion::Edge(0.0)],
            vec![Criterion::Edge(1e9)],
            vec![fits(250.0)],
            vec![fits(0.0)],
            vec![fits(1e9)],
            vec![Criterion::Holds(&holds), Criterion::Edge(200.5)],
            vec![Criterion::Holds(&holds), Criterion::Edge(200.5), fits(300.0)],
            vec![Criterion::Edge(0.0), Criterion::Edge(1e9)],
        ];
        for criteria in &all {
            let what = format!("{kind} {shape:?} {criteria:?}");
            lists(cuda, &volume, criteria, &what);
            let asked = Criterion::all(criteria, &volume).unwrap();
            for order in [Order::Lines, Order::Blocks] {
                for range in [0..1, 3..9, 7..usize::MAX] {
                    let (expected, total) = part(&volume, &asked, order, range.clone()).unwrap();
                    let (found, n) = part_on(cuda, &volume, criteria, order, range).unwrap();
                    same(&found, &expected, &what);
                    assert_eq!(n, total, "{what}");
                }
            }
            let mut boxes = Blocks::new(&volume, 3).unwrap().boxes().unwrap();
            boxes.push([[0; 3], shape.map(|n| n as u32)]);
            let expected = counts(&asked, &boxes).unwrap();
            assert!(counts_on(cuda, &volume, criteria, &boxes).unwrap() == expected, "{what}");
            let (expected, total) = leaves_where(&volume, &asked).unwrap();
            let (found, n) = leaves_where_on(cuda, &volume, criteria).unwrap();
            same_leaves(&found, &expected, &what);
            assert_eq!(n, total, "{what}");
        }
    }
}

fn same_leaves(found: &Leaves, expected: &Leaves, what: &str) {
    assert!(found.leaves == expected.leaves, "{what}");
    assert!(bits(&found.values) == bits(&expected.values), "{what}");
}

/// Returns samples of each type, all with the given shape.
fn of_all_types(shape: [usize; 3]) -> Vec<Samples> {
    let n = shape.iter().product::<usize>();
    let broken = |x: i64| if x % 7 == 0 { f64::NAN } else { x as f64 / 7.0 };
    vec![
        Samples::from(numbers(n).map(|x| x as u8).collect::<Vec<u8>>()),
        Samples::from(numbers(n).map(|x| x as i8).collect::<Vec<i8>>()),
        Samples::from(numbers(n).map(|x| x as u16).collect::<Vec<u16>>()),
        Samples::from(numbers(n).map(|x| x as i16).collect::<Vec<i16>>()),
        Samples::from(numbers(n).map(|x| x as u32).collect::<Vec<u32>>()),
        Samples::from(numbers(n).map(|x| x as i32).collect::<Vec<i32>>()),
        Samples::from(numbers(n).map(|x| (x as u64) << 20).collect::<Vec<u64>>()),
        Samples::from(numbers(n).collect::<Vec<i64>>()),
        Samples::from(numbers(n).map(|x| x as f32 / 3.0).collect::<Vec<f32>>()),
        Samples::from(numbers(n).map(broken).collect::<Vec<f64>>()),
    ]
}

#[test]
fn lists_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1, 1], [300, 3, 2], [65, 4, 3], [5, 40, 1], [130, 70, 33]] {
        let n = shape.iter().product::<usize>();
        check(&cuda, shape, Samples::from(numbers(n).map(|x| x as i16).collect::<Vec<i16>>()));
        check(&cuda, shape, Samples::from(numbers(n).map(|x| x as u8).collect::<Vec<u8>>()));
    }
    for samples in of_all_types([33, 17, 5]) {
        check(&cuda, [33, 17, 5], samples);
    }
}

#[test]
fn gradients_and_templates_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1, 1], [130, 3, 2], [65, 4, 3], [5, 41, 1], [61, 30, 17]] {
        let n = shape.iter().product::<usize>();
        let samples = numbers(n).map(|x| x as i16).collect::<Vec<i16>>();
        check_criteria(&cuda, shape, Samples::from(samples));
    }
    for samples in of_all_types([33, 7, 5]) {
        check_criteria(&cuda, [33, 7, 5], samples);
    }
}

#[test]
fn trees_and_matrices_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1, 1], [64, 64, 1], [33, 70, 1], [17, 5, 9], [1, 200, 3], [70, 1, 1]] {
        for samples in of_all_types(shape) {
            let what = format!("{} {shape:?}", samples.type_name());
            let flat: Vec<u8> = (0..samples.len()).map(|k| (k % shape[0] / 5) as u8).collect();
            for volume in volumes(shape, samples).into_iter().chain(volumes(shape, flat.into())) {
                same_leaves(&leaves_on(&cuda, &volume).unwrap(), &leaves(&volume).unwrap(), &what);
            }
        }
    }
    for shape in [[1, 1, 1], [61, 30, 1], [200, 1, 1], [1, 200, 1], [33, 64, 1]] {
        for volume in of_all_types(shape).into_iter().flat_map(|s| volumes(shape, s)) {
            for text in [None, Some("v > 100 && i != 2"), Some("j == i"), Some("0"), Some("1")] {
                let condition: Option<Expression> = text.map(|text| text.parse().unwrap());
                for turned in [false, true] {
                    let what = format!("{shape:?} {text:?} {turned}");
                    let expected = entries(&volume, turned, condition.as_ref()).unwrap();
                    let found = entries_on(&cuda, &volume, turned, condition.as_ref()).unwrap();
                    assert!(found.rows == expected.rows, "{what}");
                    assert!(found.columns == expected.columns, "{what}");
                    assert!(bits(&found.values) == bits(&expected.values), "{what}");
                }
            }
        }
    }
    let cube = Volume::new([2; 3], vec![1_u8; 8].into(), Placement::identity()).unwrap();
    let error = entries_on(&cuda, &cube, false, None).unwrap_err();
    assert!(error.to_string().contains("2 x 2 x 2 numbers is not a matrix"), "{error}");
}

#[test]
fn parts_and_counts_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let shape = [130, 70, 33];
    let samples: Vec<i16> = numbers(130 * 70 * 33).map(|x| x as i16).collect();
    let volume = Volume::new(shape, Samples::from(samples), Placement::identity()).unwrap();
    for text in [CONDITIONS[0], CONDITIONS[2], "0"] {
        let expression: Expression = text.parse().unwrap();
        let criteria = [Criterion::Holds(&expression)];
        let condition = Criterion::all(&criteria, &volume).unwrap();
        for order in [Order::Lines, Order::Blocks] {
            let all = find(&volume, &condition, order).unwrap();
            let n = all.len();
            for range in [n / 3..n - n / 4, n / 2..n + 5, n..n + 1] {
                let here = range.start.min(n)..range.end.min(n);
                let part = part_on(&cuda, &volume, &criteria, order, range);
                assert!(part.unwrap() == (Points::of(&volume, all.voxels[here].to_vec()), n));
            }
        }
        let mut boxes = Blocks::new(&volume, 3).unwrap().boxes().unwrap();
        boxes.push([[0; 3], shape.map(|n| n as u32)]);
        let expected = counts(&condition, &boxes).unwrap();
        assert!(counts_on(&cuda, &volume, &criteria, &boxes).unwrap() == expected, "{text}");
    }
}

/// A short test for compute-sanitizer.
#[test]
fn a_short_run() {
    let Some(cuda) = support::cuda() else { return };
    let samples = || Samples::from((0..555).map(|k| k as i16).collect::<Vec<i16>>());
    check(&cuda, [37, 5, 3], samples());
    check_criteria(&cuda, [37, 5, 3], samples());
}

#[test]
fn unknown_names_are_refused_before_anything_is_copied() {
    let Some(cuda) = support::cuda() else { return };
    let volume = Volume::new([2, 1, 1], vec![1_u8, 2].into(), Placement::identity()).unwrap();
    let unknown: Expression = "w > 1".parse().unwrap();
    for criteria in
        [&[Criterion::Holds(&unknown)][..], &[Criterion::Edge(1.0), Criterion::Holds(&unknown)]]
    {
        let error = find_on(&cuda, &volume, criteria, Order::Lines).unwrap_err();
        assert!(error.to_string().contains("unknown name `w`"), "{error}");
    }
    let error = find_on(&cuda, &volume, &[], Order::Blocks).unwrap_err();
    assert!(error.to_string().contains("no criterion"), "{error}");
}
