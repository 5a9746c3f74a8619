//! Tests that lists and pyramids built directly from values match those computed on the CPU.

use zeroset::gpu::Cuda;
use zeroset::gpu::primitives::{
    DeviceBits, DeviceDiscriminator, DeviceGrid, DeviceHistoPyramid, Value, compact,
};
use zeroset::primitives::{
    All, Bits, Discriminator, Edge, Grid, HistoPyramid, Order, Stored, Template, Threshold, Within,
};

use crate::primitives::ask;
use crate::support;

/// Compares bits, their list, and pyramids of both orders and both kinds of records.
fn check(cuda: &Cuda, found: &impl DeviceDiscriminator, expected: &impl Discriminator) {
    let shape = expected.shape();
    let bits = DeviceBits::new(cuda, found).unwrap();
    assert_eq!(bits.shape(), shape.map(|n| n as u32));
    let numbers = cuda.download(&compact(cuda, bits.set()).unwrap()).unwrap();
    let cells = Bits::new(expected).unwrap().list().unwrap();
    let [nx, ny, _] = shape.map(|n| n as u32);
    assert!(numbers.iter().copied().eq(cells.iter().map(|[x, y, z]| x + nx * (y + ny * z))));
    let flags = cuda.download(&bits.flags(cuda).unwrap()).unwrap();
    let set: Vec<u32> = (0..).zip(&flags).filter(|(_, f)| **f == 1).map(|(k, _)| k).collect();
    assert!(flags.iter().all(|f| *f < 2) && set == numbers);
    for order in [Order::Blocks, Order::Lines] {
        for stored in [Stored::Sums, Stored::PartialSums] {
            let expected = HistoPyramid::new(expected, order, stored).unwrap();
            ask(cuda, &DeviceHistoPyramid::new(cuda, found, order, stored).unwrap(), &expected);
            ask(cuda, &DeviceHistoPyramid::new(cuda, &bits, order, stored).unwrap(), &expected);
        }
    }
}

/// Checks all discriminators on values of one type.
fn all<T: Value + Into<f64>>(cuda: &Cuda, shape: [usize; 3], values: &[T]) {
    let on_gpu = cuda.upload(values).unwrap();
    let grid = Grid::new(shape, values);
    let device = DeviceGrid::new(shape.map(|n| n as u32), &on_gpu);
    for low in [30.0, 29.2, -1.0, 300.0, f64::NAN] {
        let above = Threshold { values: grid, low };
        check(cuda, &Threshold { values: device, low }, &above);
    }
    let (low, high) = (20.0, 45.0);
    check(cuda, &Within { values: device, low, high }, &Within { values: grid, low, high });
    let (low, spacing) = (30.01, [1.0, 0.7, 2.1]);
    check(cuda, &Edge { values: device, low, spacing }, &Edge { values: grid, low, spacing });
    let mut both = DeviceBits::new(cuda, &Threshold { values: device, low: 30.0 }).unwrap();
    both.keep(cuda, &Edge { values: device, low, spacing }).unwrap();
    let above: Box<dyn Discriminator> = Box::new(Threshold { values: grid, low: 30.0 });
    let edge = Box::new(Edge { values: grid, low, spacing });
    check(cuda, &both, &All::new(vec![above, edge]).unwrap());
    for size in [[1, 1, 1], [3, 3, 1], [2, 2, 2], [0, 3, 1]] {
        let wanted: Vec<f64> =
            (0..size.iter().product::<usize>()).map(|k| 13.3 * k as f64).collect();
        let (template, most) = (Grid::new(size, &wanted), 20.0 * wanted.len() as f64);
        let fits = Template { values: device, template, most };
        check(cuda, &fits, &Template { values: grid, template, most });
    }
}

/// Returns scattered numbers from 0 to 85.
fn numbers(shape: [usize; 3]) -> Vec<f32> {
    let scattered = |k: u32| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k;
    let n = shape.iter().product::<usize>() as u32;
    (0..n).map(|k| (scattered(k) >> 24) as f32 / 3.0).collect()
}

fn real(cuda: &Cuda, shape: [usize; 3]) {
    let mut values = numbers(shape);
    let middle = values.len() / 2;
    if let Some(value) = values.get_mut(middle) {
        *value = f32::NAN;
    }
    all(cuda, shape, &values);
}

#[test]
fn lists_and_pyramids_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for shape in [[1, 1, 1], [65, 3, 2], [130, 1, 1], [61, 37, 1], [1, 9, 4], [0, 3, 2]] {
        real(&cuda, shape);
        let bytes: Vec<u8> = numbers(shape).into_iter().map(|x| x as u8).collect();
        all(&cuda, shape, &bytes);
    }
    real(&cuda, [101, 67, 13]);
    real(&cuda, [303, 201, 1]);
    let shape = [33, 17, 5];
    let whole = |x: f32| x as i16 - 20;
    all(&cuda, shape, &numbers(shape).into_iter().map(whole).collect::<Vec<i16>>());
    all(&cuda, shape, &numbers(shape).into_iter().map(f64::from).collect::<Vec<f64>>());
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run_of_each() {
    let Some(cuda) = support::cuda() else { return };
    real(&cuda, [9, 16, 17]);
    all(&cuda, [37, 9, 1], &numbers([37, 9, 1]).into_iter().map(|x| x as u8).collect::<Vec<u8>>());
}
