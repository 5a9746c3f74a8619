//! Shows the parallel primitives: scan, sort, reduce, unique, and a HistoPyramid, which finds
//! selected cells of a grid without listing them.
//!
//!     cargo run --release --example 04_primitives

use zeroset::primitives::{
    Grid, HistoPyramid, Order, Stored, Threshold, exclusive_scan, reduce, sort, unique,
};

fn main() -> zeroset::Result<()> {
    // The labels and weights of 24 cells.
    let labels: Vec<u32> = (0..24_u32).map(|n| n * 7 % 5).collect();
    let weights: Vec<u32> = (0..24_u32).map(|n| n % 4 + 1).collect();

    // Group the cells by label. The sort is stable. If no values are given, it returns the indices
    // of the keys.
    let sorted = sort(&labels, None, 3);
    let groups = unique(&sorted.keys);
    for (label, ends) in groups.items.iter().zip(groups.offsets.windows(2)) {
        println!("label {label}: cells {:?}", &sorted.values[ends[0] as usize..ends[1] as usize]);
    }

    // The position at which the items of each cell begin if all items are stored one after another,
    // and the total number of items.
    let first = exclusive_scan(&weights);
    println!("items begin at {:?}, {} in all", &first[..6], first[24]);
    println!(
        "heaviest: {}, sum: {}",
        reduce(&weights, 0, u32::max),
        reduce(&weights, 0, |a, b| a + b)
    );

    // The pyramid finds the cells of a picture with a value of at least 3 without listing them.
    let picture = Grid::new([6, 4, 1], &labels);
    let active = Threshold { values: picture, low: 3.0 };
    let pyramid = HistoPyramid::new(&active, Order::Blocks, Stored::PartialSums)?;
    println!(
        "{} active cells, {} of them on the left",
        pyramid.len(),
        pyramid.count([0; 3], [3, 4, 1])
    );
    for (number, cell) in (3..5).zip(pyramid.cells(3..5)) {
        assert_eq!((pyramid.cell(number), pyramid.key(cell)), (Some(cell), Some(number)));
    }
    println!("numbers 2 to 5: {:?}", pyramid.cells(2..6).collect::<Vec<_>>());
    if let Some((cell, copy)) = pyramid.entry(14, 3) {
        println!("of three entries for each, number 14 is copy {copy} of {cell:?}");
    }
    Ok(())
}
