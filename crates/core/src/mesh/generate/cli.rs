//! Parsers for the values of command-line options.

use std::str::FromStr;

/// Parses `N` numbers separated by commas.
pub(super) fn numbers<T: FromStr, const N: usize>(text: &str) -> Result<[T; N], String> {
    let parts = text.split(',').map(|part| part.trim().parse().map_err(|_| part));
    let found = parts.collect::<Result<Vec<T>, &str>>().map_err(|part| {
        format!("expected {N} numbers separated by commas, but \"{part}\" is not a valid number")
    })?;
    let n = found.len();
    found.try_into().map_err(|_| format!("expected {N} numbers separated by commas, found {n}"))
}

/// Parses the seed of a random sequence.
///
/// # Errors
/// Returns the numbers that are allowed if the text is not one of them.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// Parses numbers of cells along `N` axes, or one number for all axes.
pub(super) fn along_axes<const N: usize>(text: &str) -> Result<[u32; N], String> {
    match numbers::<u32, 1>(text) {
        Ok([n]) => Ok([n; N]),
        Err(_) => numbers(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::*;
    use clap::Parser;

    #[derive(clap::Parser)]
    struct Line {
        #[command(subcommand)]
        shape: Generate,
    }

    #[test]
    fn flags_and_case_file_have_the_same_defaults() {
        for (name, expected) in [
            ("square", Generate::Square(Square::default())),
            ("cube", Generate::Cube(Cube::default())),
            ("sphere", Generate::Sphere(Sphere::default())),
            ("cylinder", Generate::Cylinder(Cylinder::default())),
            ("cone", Generate::Cone(Cone::default())),
            ("torus", Generate::Torus(Torus::default())),
        ] {
            assert_eq!(Line::parse_from(["zeroset", name]).shape, expected);
            let table: Generate = toml::from_str(&format!("{name} = {{}}")).unwrap();
            assert_eq!(table, expected);
        }
    }

    #[test]
    fn numbers_are_counted_and_parsed() {
        assert_eq!(numbers::<f64, 2>("-1, 2.5"), Ok([-1.0, 2.5]));
        assert!(numbers::<u32, 2>("1,-2").unwrap_err().contains("\"-2\""));
        assert!(numbers::<u32, 3>("1,2").unwrap_err().contains("expected 3"));
        assert_eq!(along_axes::<3>("4"), Ok([4, 4, 4]));
        assert_eq!(along_axes::<2>("4,5"), Ok([4, 5]));
        assert!(along_axes::<3>("4,5").unwrap_err().contains("expected 3"));
    }
}
