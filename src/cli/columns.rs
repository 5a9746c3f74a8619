//! Aligned columns of text.

/// Returns rows of cells as lines with aligned columns. `left` states which columns are
/// left-aligned. The others are right-aligned.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]], left: [bool; N]) -> String {
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let cell = |row: &[String; N], k: usize| match left[k] {
        true => format!("{:<1$}", row[k], widths[k]),
        false => format!("{:>1$}", row[k], widths[k]),
    };
    let line = |row: &[String; N]| {
        let cells: Vec<String> = (0..N).map(|k| cell(row, k)).collect();
        format!("  {}", cells.join("  ")).trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "1", "x"], ["long", "100", ""]].map(|row| row.map(String::from));
        let expected = "  a       1  x\n  long  100\n";
        assert_eq!(aligned(&rows, [true, false, true]), expected);
    }
}
