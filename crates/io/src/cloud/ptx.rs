//! Reader of PTX, Leica's text format for scans: two counts, the scanner's position and axes, a 4 x
//! 4 matrix, and rows of x, y, z, an intensity, and possibly red, green and blue. The matrix of
//! each scan transforms its points to the common frame, in which all scans of a file are merged.

use super::CloudReport;
use super::gather::{Depth, Gather};
use super::stream::Stream;
use super::wanted::{Chosen, Wanted};
use crate::text::{Lines, Row, real, without_mark, words};
use zeroset_core::cloud::{NumberType, PointCloud};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::words::counted;

/// The number of values in each line before the points. The lines hold two counts, the position and
/// the axes of the scanner, and the rows of the matrix.
const HEAD: [usize; 10] = [1, 1, 3, 3, 3, 3, 4, 4, 4, 4];

/// Returns true if the text `head` begins with the header of a scan.
pub(crate) fn is_header(head: &[u8]) -> bool {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty());
    HEAD.iter().all(|&n| {
        let line = lines.next().unwrap_or_default();
        let numbers: Option<Vec<f64>> = words(line).take(5).map(real).collect();
        let count = |x: &f64| x.fract() == 0.0 && *x >= 0.0;
        numbers.is_some_and(|found| found.len() == n && (n > 1 || found.iter().all(count)))
    })
}

/// Reads all scans.
///
/// # Errors
/// Returns a [`Flaw`] that names the line if a scan has fewer points than its counts state, or if a
/// word is not a number.
pub(super) fn read(stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    let chosen = wanted.choose([("intensity".to_string(), NumberType::F32, ())]);
    let loaded = stream.rest()?;
    let mut lines = Lines::new(without_mark(&loaded.bytes));
    let mut all: Option<Gather> = None;
    let mut scans = 0;
    let mut peeked = lines.clone();
    while peeked.next_row().is_some() {
        scan(&mut lines, &chosen, &mut all)?;
        scans += 1;
        peeked = lines.clone();
    }
    let Some(all) = all else {
        return Err(Flaw::whole("the scans hold no points", "export the scans again"));
    };
    all.finish("ptx", counted(scans, ["scan", "scans"]))
}

/// Reads a scan. The first point in the file decides whether points have colors.
fn scan(lines: &mut Lines, chosen: &Chosen<()>, all: &mut Option<Gather>) -> Result<(), Flaw> {
    let mut counts = [0_u64; 2];
    for (count, what) in counts.iter_mut().zip(["columns", "rows"]) {
        let what = format!("the number of {what} of a scan");
        *count = lines.row(format_args!("{what}"))?.number(&what)?;
    }
    for _ in 0..4 {
        numbers::<3>(&mut lines.row(format_args!("the scanner's position and axes"))?)?;
    }
    let mut matrix = [[0.0; 4]; 4];
    for row in &mut matrix {
        *row = numbers(&mut lines.row(format_args!("a row of the scan's matrix"))?)?;
    }
    let n = lines.promised(counts[0].saturating_mul(counts[1]), 4, "points")?;
    for i in 0..n {
        let mut row = lines.row(format_args!("point {i} of {n}"))?;
        let x = numbers::<3>(&mut row)?;
        let [intensity] = numbers(&mut row)?;
        let colored = !row.rest().trim_ascii().is_empty();
        let all = all.get_or_insert_with(|| {
            let mut all = Gather::new(false, colored.then_some(Depth::Byte), n);
            chosen.add_to(&mut all);
            all
        });
        let color = if all.has_colors() { numbers::<3>(&mut row)? } else { [0.0; 3] };
        // The scanner writes zeros where its ray did not return.
        let place = match x == [0.0; 3] {
            true => [f64::NAN; 3],
            false => std::array::from_fn(|k| {
                x[0] * matrix[0][k] + x[1] * matrix[1][k] + x[2] * matrix[2][k] + matrix[3][k]
            }),
        };
        all.push(place, || [0.0; 3], || color, |_| intensity);
    }
    Ok(())
}

/// Reads the next `N` numbers of a row.
fn numbers<const N: usize>(row: &mut Row) -> Result<[f64; N], Flaw> {
    let mut found = [0.0; N];
    for value in &mut found {
        *value = row.real()?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::budget::Budget;

    fn read_text(text: &str) -> Result<(PointCloud, CloudReport), Flaw> {
        let stream = Stream::of(Path::new("a.ptx"), text.as_bytes(), Budget::of(0));
        read(stream, &Wanted::default())
    }

    /// Returns a scan with one column. Its matrix rotates the x axis to the y axis and shifts by
    /// (10, 20, 30).
    fn scan(points: &[&str]) -> String {
        let n = points.len();
        let points = points.join("\n");
        format!(
            "1\r\n{n}\r\n10 20 30\n1 0 0\n0 1 0\n0 0 1\n0 1 0 0\n-1 0 0 0\n0 0 1 0\n10 20 30 1\n\
             {points}\n"
        )
    }

    #[test]
    fn scans_are_merged_in_the_frame_of_their_matrices() {
        let text = scan(&["1 0 0 0.5 255 0 7", "0 0 0 0.5 0 0 0"]) + &scan(&["0 2 0 0 1 2 3"]);
        assert!(is_header(text.as_bytes()));
        let (cloud, report) = read_text(&text).unwrap();
        assert_eq!(cloud.points, [[10.0, 21.0, 30.0], [8.0, 20.0, 30.0]]);
        assert_eq!(cloud.colors.unwrap(), [[255, 0, 7], [1, 2, 3]]);
        assert_eq!((report.stored, report.not_finite, report.version.as_str()), (3, 1, "2 scans"));
        let (cloud, _) = read_text(&scan(&["1 0 0 0.5"])).unwrap();
        assert!(cloud.colors.is_none());
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let good = scan(&["1 0 0 0.5", "2 0 0 0.5"]);
        for (text, said) in [
            (good.replace("2 0 0 0.5", ""), "2 points declared, but only"),
            (good.replace("2 0 0 0.5", "2 x 0 0.5"), "line 12: a number expected"),
            (good.replace("\r\n2\r\n", "\r\n4000000000\r\n"), "4000000000 points declared"),
            (scan(&[]), "the scans hold no points"),
        ] {
            let error = read_text(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        for other in ["1\n2\n0 0 0\n1 1 1\n", "1 2 3\n", ""] {
            assert!(!is_header(other.as_bytes()), "{other}");
        }
    }
}
