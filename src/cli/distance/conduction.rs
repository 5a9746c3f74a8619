//! Speeds that depend on the direction, on the command line: `along=0.6,across=0.24`, `tensor=D`,
//! and directions.

use crate::config::{Direction, Fibers, Quantity, Speed, Tensor};
use crate::expression::Expression;

/// The names of the values of a speed that depends on the direction.
const NAMES: [&str; 4] = ["along", "across", "sheet", "tensor"];

/// Reads a speed that depends on the direction. Returns `None` for any other text.
///
/// # Errors
/// Returns what is wrong with the text.
pub(super) fn speed(text: &str) -> Option<Result<Speed, String>> {
    name_and_value(text).map(|_| of_parts(text))
}

fn of_parts(text: &str) -> Result<Speed, String> {
    let mut values: [Option<&str>; 4] = [None; 4];
    for part in parts(text) {
        let Some((k, value)) = name_and_value(part) else {
            return Err(format!("{part:?} has no name; expected along, across, sheet or tensor"));
        };
        if values[k].replace(value).is_some() {
            return Err(format!("{} is given twice", NAMES[k]));
        }
    }
    match values {
        [Some(along), Some(across), sheet, None] => {
            let sheet = sheet.map(quantity).transpose()?;
            Ok(Speed::Fibers(Fibers::new(quantity(along)?, quantity(across)?).sheet(sheet)))
        }
        [None, None, None, Some(tensor)] => {
            Ok(Speed::Tensor { tensor: Tensor::Data(tensor.into()) })
        }
        _ => Err("expected along=..,across=.. (optionally with sheet=..), or tensor=ARRAY".into()),
    }
}

/// Reads a direction: `x,y,z`, as numbers or expressions, or the name of a cell array.
///
/// # Errors
/// Returns what is wrong with the text.
pub(super) fn direction(text: &str) -> Result<Direction, String> {
    match parts(text)[..] {
        [x, y, z] => Ok(Direction::Components([quantity(x)?, quantity(y)?, quantity(z)?])),
        [name] if !name.trim().is_empty() => Ok(Direction::Data(name.trim().into())),
        _ => Err("expected the name of a cell array, or three components x,y,z".into()),
    }
}

fn quantity(text: &str) -> Result<Quantity, String> {
    match text.trim().parse::<f64>() {
        Ok(x) => Ok(Quantity::Number(x)),
        Err(_) => {
            Expression::parse(text).map(Quantity::Expression).map_err(|flaw| flaw.to_string())
        }
    }
}

/// Returns the keys of a speed that depends on the direction and of its directions, each with the
/// option that sets it, for messages.
pub(super) fn flags(
    speed: Option<&Speed>,
    fiber: Option<&Direction>,
    sheet: Option<&Direction>,
) -> Vec<(String, String)> {
    let mut flags = Vec::new();
    let mut add = |key: &str, flag: String| flags.push((format!("distance.{key}"), flag));
    match speed {
        Some(Speed::Fibers(fibers)) => {
            add("speed", "--speed".into());
            add("speed.along", format!("--speed along={}", shown(&fibers.along)));
            add("speed.across", format!("--speed across={}", shown(&fibers.across)));
            if let Some(sheet) = &fibers.sheet {
                add("speed.sheet", format!("--speed sheet={}", shown(sheet)));
            }
            // By default, the arrays `fiber` and `sheet` give the directions.
            add("fiber", "--fiber".into());
            add("sheet", "--sheet".into());
        }
        Some(Speed::Tensor { tensor: Tensor::Data(name) }) => {
            add("speed.tensor", format!("--speed tensor={name}"));
        }
        _ => {
            fiber.into_iter().for_each(|_| add("fiber", "--fiber".into()));
            sheet.into_iter().for_each(|_| add("sheet", "--sheet".into()));
        }
    }
    flags
}

fn shown(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Number(x) => x.to_string(),
        Quantity::Expression(expression) => expression.to_string(),
    }
}

/// Splits a text at the commas outside parentheses and braces.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c: char| {
        depth += i32::from(matches!(c, '(' | '{')) - i32::from(matches!(c, ')' | '}'));
        c == ',' && depth == 0
    })
    .collect()
}

/// Returns the index of the name in `NAME=VALUE`, and the value.
fn name_and_value(text: &str) -> Option<(usize, &str)> {
    let (name, value) = text.split_once('=')?;
    let k = NAMES.iter().position(|known| *known == name.trim())?;
    (!value.starts_with('=')).then_some((k, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_with_names_depend_on_the_direction() {
        let Some(Ok(Speed::Fibers(fibers))) = speed("along=if(x > 0, 0.6, 0.3), across = 0.24")
        else {
            panic!("no speeds along and across fibers");
        };
        assert_eq!(fibers.across, Quantity::Number(0.24));
        assert!(fibers.along.expression().is_some() && fibers.sheet.is_none());
        let tensor = Speed::Tensor { tensor: Tensor::Data("D".into()) };
        assert_eq!(speed("tensor=D"), Some(Ok(tensor)));
        for other in ["0.6", "conductivity", "if(tag == 2, 1, 2)", "along", "along == 2"] {
            assert_eq!(speed(other), None, "{other}");
        }
        for wrong in ["along=1", "along=1,across=2,along=3", "along=1,2", "tensor=D,along=1"] {
            assert!(speed(wrong).unwrap().is_err(), "{wrong}");
        }
    }

    #[test]
    fn directions_are_names_or_components() {
        assert_eq!(direction("fiber"), Ok(Direction::Data("fiber".into())));
        let [x, y, z] = [1.0, 0.0, -2.0].map(Quantity::Number);
        assert_eq!(direction("1, 0,-2"), Ok(Direction::Components([x, y, z])));
        assert!(matches!(direction("-y,x,atan2(y,x)"), Ok(Direction::Components(_))));
        assert!(direction("1,0").is_err() && direction("").is_err());
    }
}
