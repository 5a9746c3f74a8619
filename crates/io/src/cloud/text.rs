//! Reader of points in text form (`.xyz`, `.pts`, `.csv`, `.txt`, ...). The meaning of the columns
//! follows from their names, or else from their number and the values in the first rows.

use super::CloudReport;
use super::gather::{Decided, Depth, Gather};
use super::stream::Stream;
use super::table::{self, Paint, Roles, is_comment};
use super::wanted::{Chosen, Wanted};
use crate::columns::{cells, no_number};
use crate::text::{real, without_mark};
use zeroset_core::cloud::{NumberType, PointCloud};
use zeroset_core::error::{Flaw, Position, Result};

/// The number of leading bytes from which the first rows are taken.
const HEAD: usize = 64 << 10;
/// The largest number of rows that are examined.
const ROWS: usize = 200;
/// The largest supported number of columns.
const MOST: usize = 1_000;

/// Reads points from rows of numbers.
///
/// # Errors
/// Returns a [`Flaw`] if there are fewer than three columns or if the number of column names
/// differs from the number of columns, and the errors of [`table::read`].
pub(super) fn read(mut stream: Stream, wanted: &Wanted) -> Result<(PointCloud, CloudReport), Flaw> {
    if stream.fill(3)?.len() != without_mark(stream.fill(3)?).len() {
        stream.take(3);
    }
    let head = Head::of(stream.fill(HEAD)?);
    let Some(mut taken) = head.taken() else {
        if let Some((line, what, remedy)) = head.flaw {
            return Err(Flaw::at(Position::Line(line), what, remedy));
        }
        let what = match head.columns {
            0 => "no row of numbers".to_string(),
            n => format!("{n} columns, at least three are needed for points"),
        };
        let remedy = "give x, y and z in every row, and write decimals with a point";
        return Err(Flaw::whole(what, remedy));
    };
    if let Some(names) = head.names.as_ref().filter(|names| names.len() != head.columns) {
        let what = format!("{} column names, but {} columns", names.len(), head.columns);
        let remedy = "name every column in the first row, or remove the names";
        return Err(Flaw::whole(what, remedy));
    }
    // Every number takes at least two bytes, including its separator, which limits the number of
    // rows.
    let most = stream.left().map_or(0, |left| left / (2 * head.columns as u64));
    // Without a count, the number of rows is estimated from the length of the first rows, plus a
    // margin.
    let alike = stream.left().map_or(0, |left| left / head.row_bytes.max(1) * 65 / 64 + 1);
    let room = head.count.unwrap_or(alike).min(most) as usize;
    let depth = taken.roles.color.map(|_| Depth::Real);
    let mut all = Gather::new(taken.roles.normal.is_some(), depth, room);
    let chosen = head.choose(&taken.roles, wanted);
    chosen.add_to(&mut all);
    taken.roles.attributes = chosen.places;
    stream.take(head.skip);
    table::read(&mut stream, &taken.roles, None, head.lines, &mut all)?;
    let mut found = Vec::new();
    if taken.is_undecided {
        match all.decide_colors() {
            Decided::Colors => {}
            Decided::Normals => {
                taken.how = taken.how.replacen("r g b", "nx ny nz", 1);
                found.push("columns 4 to 6 are read as normals, because they are no colors".into());
            }
            Decided::Neither => {
                taken.how = taken.how.replacen("r g b", "zeros that are left out", 1);
                found.push(
                    "columns 4 to 6 are zero in every row, so they are neither normals nor colors"
                        .into(),
                );
            }
        }
    }
    if let Some(n) = head.count.filter(|n| *n != all.stored) {
        found.push(format!("the first line declares {n} points, but {} follow", all.stored));
    }
    let (cloud, mut report) = all.finish("text", "ascii")?;
    report.columns = Some(taken.how);
    report.units = taken.is_geographic.then(|| "degrees".to_string());
    report.warnings.extend(found);
    Ok((cloud, report))
}

/// The lines before the first row of numbers, and the first rows.
struct Head {
    names: Option<Vec<String>>,
    /// The number of rows, if the first line declares it.
    count: Option<u64>,
    /// The number of bytes (`skip`) and of lines (`lines`) up to the end of the column names and
    /// the count.
    skip: usize,
    lines: usize,
    columns: usize,
    rows: Vec<Vec<f64>>,
    /// Mean number of bytes per row of `rows`.
    row_bytes: u64,
    /// Line, problem and remedy of the row at which the search stopped, if no row of numbers was
    /// found before it.
    flaw: Option<(usize, String, &'static str)>,
}

/// The interpretation of the columns, and its description.
struct Taken {
    roles: Roles,
    how: String,
    /// Whether the color columns are zero in all rows that were examined. Later rows decide whether
    /// they hold colors.
    is_undecided: bool,
    /// Whether the names state that the first two coordinates are a longitude and a latitude.
    is_geographic: bool,
}

impl Head {
    fn of(text: &[u8]) -> Self {
        let mut head = Head {
            names: None,
            count: None,
            skip: 0,
            lines: 0,
            columns: 0,
            rows: Vec::new(),
            row_bytes: 0,
            flaw: None,
        };
        let mut remark: Option<Vec<String>> = None;
        // The last line may be incomplete.
        let n = table::lines(text).count();
        let (mut at, mut number) = (0, 0);
        for line in table::lines(text).take(if text.len() < HEAD { n } else { n - 1 }) {
            at += line.len() + 1;
            number += 1;
            let line = line.trim_ascii();
            if is_comment(line) {
                let text = line.trim_ascii_start();
                let text = text.strip_prefix(b"//").or(text.strip_prefix(b"#")).unwrap_or(text);
                remark = head.rows.is_empty().then(|| names(text)).or(remark);
                continue;
            }
            let row: Option<Vec<f64>> = cells(line).take(MOST).map(real).collect();
            match row {
                Some(row) if head.rows.is_empty() && row.len() == 1 && head.count.is_none() => {
                    let whole = row[0].fract() == 0.0 && (0.0..1e18).contains(&row[0]);
                    head.count = whole.then_some(row[0] as u64);
                    (head.skip, head.lines) = (at, number);
                    head.columns = 1;
                }
                Some(row) => head.rows.push(row),
                None if head.rows.is_empty() && head.names.is_none() => {
                    head.names = Some(names(line));
                    (head.skip, head.lines) = (at, number);
                }
                // If rows of numbers precede this row, its error is reported when the row is read.
                None => {
                    let is_number = |word: &&[u8]| real(word).is_some();
                    let wrong = cells(line).enumerate().find(|(_, word)| !is_number(word));
                    let wrong = wrong.filter(|_| head.rows.is_empty());
                    head.flaw = wrong.map(|(column, word)| {
                        let (what, remedy) = no_number(column, Some(word));
                        (number, what, remedy)
                    });
                    break;
                }
            }
            if head.rows.len() == ROWS {
                break;
            }
        }
        head.columns = head.rows.first().map_or(head.columns, Vec::len);
        head.row_bytes = (at.saturating_sub(head.skip) / head.rows.len().max(1)) as u64;
        // Some programs write the names in a comment.
        let known =
            remark.filter(|names| names.len() == head.columns && find(names, &AXES).is_some());
        head.names = head.names.or(known);
        head.skip = head.skip.min(text.len());
        head
    }

    fn taken(&self) -> Option<Taken> {
        let n = self.columns;
        if n < 3 {
            return None;
        }
        let roles = |position, normal, color: Option<[usize; 3]>| Roles {
            columns: n,
            position,
            normal,
            color: color.map(Paint::Three),
            attributes: Vec::new(),
            counts: self.count.is_some(),
        };
        if let Some(names) = &self.names {
            let geographic = find(names, &AXES).is_none().then(|| geographic(names)).flatten();
            let position = find(names, &AXES).or(geographic).unwrap_or([0, 1, 2]);
            let (normal, color) = (find(names, &NORMALS), find(names, &COLORS));
            let (normal, color) =
                (normal.or(find(names, &LONG_NORMALS)), color.or(find(names, &RGB)));
            let used = position.iter().chain(normal.iter().flatten()).chain(color.iter().flatten());
            let used: Vec<&str> = used.filter_map(|k| names.get(*k)).map(String::as_str).collect();
            let how = format!("by name: {}", used.join(" "));
            let roles = roles(position, normal, color);
            let is_geographic = geographic.is_some();
            return Some(Taken { roles, how, is_undecided: false, is_geographic });
        }
        let all = |k: usize, holds: &dyn Fn([f64; 3]) -> bool| {
            self.rows.iter().all(|row| match row.get(k..k + 3) {
                Some(&[a, b, c]) => holds([a, b, c]),
                _ => false,
            })
        };
        let is_unit = |x: [f64; 3]| (x.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 0.02;
        let zeros = |k: usize| all(k, &|x| x == [0.0; 3]);
        // Some programs write zeros for a normal that they could not estimate. Colors from 0 to 1
        // have neither length 1 nor negative components.
        let is_short = |x: [f64; 3]| x.iter().all(|c| (-1.0..=1.0).contains(c));
        let directions = |k: usize| {
            let any = |holds: &dyn Fn(&f64) -> bool| {
                self.rows.iter().any(|row| row.get(k..k + 3).is_some_and(|x| x.iter().any(holds)))
            };
            let signed = any(&|c| *c < 0.0) && any(&|c| c.fract() != 0.0);
            all(k, &|x| is_unit(x) || x == [0.0; 3]) || (signed && all(k, &is_short))
        };
        let units = |k: usize| !zeros(k) && directions(k);
        let paints = |k: usize| all(k, &|x| x.iter().all(|c| (0.0..=255.0).contains(c)));
        let (normal, color, words) = match n {
            3 => (None, None, "x y z"),
            4 => (None, None, "x y z, an intensity that is left out"),
            7 if paints(4) => {
                (None, Some([4, 5, 6]), "x y z, an intensity that is left out, r g b")
            }
            6.. if units(3) && n >= 9 && paints(6) => {
                (Some([3, 4, 5]), Some([6, 7, 8]), "x y z nx ny nz r g b")
            }
            6.. if units(3) => {
                (Some([3, 4, 5]), None, "x y z nx ny nz, because the last three are directions")
            }
            6.. if n >= 9 && paints(3) && units(6) => {
                (Some([6, 7, 8]), Some([3, 4, 5]), "x y z r g b nx ny nz")
            }
            6.. if paints(3) => {
                (None, Some([3, 4, 5]), "x y z r g b, because the last three are not directions")
            }
            _ => (None, None, "x y z"),
        };
        let used = 3 + 3 * (usize::from(normal.is_some()) + usize::from(color.is_some()));
        let others = match n.saturating_sub(used) {
            0 => String::new(),
            _ if words.contains("left out") => String::new(),
            k => format!("; {k} more columns are left out"),
        };
        let how = format!("by number of columns ({n}): {words}{others}");
        let is_undecided = normal.is_none() && color == Some([3, 4, 5]) && zeros(3);
        let roles = roles([0, 1, 2], normal, color);
        Some(Taken { roles, how, is_undecided, is_geographic: false })
    }

    /// Selects the attributes to read from the columns that have no other meaning. A column without
    /// a name is called `column_4`, `column_5`, ..., or `intensity` where this is its usual
    /// meaning.
    fn choose(&self, roles: &Roles, wanted: &Wanted) -> Chosen<usize> {
        let color = match roles.color {
            Some(Paint::Three(columns)) => columns.to_vec(),
            _ => Vec::new(),
        };
        let used = roles.position.iter().chain(roles.normal.iter().flatten()).chain(&color);
        let used: Vec<usize> = used.copied().collect();
        let others = (0..self.columns).filter(|k| !used.contains(k));
        wanted.choose(others.map(|k| {
            let is_intensity = k == 3 && (self.columns == 4 || self.columns == 7);
            let name = match self.names.as_ref().and_then(|names| names.get(k)) {
                Some(name) if !name.is_empty() => name.clone(),
                _ if is_intensity => "intensity".to_string(),
                _ => format!("column_{}", k + 1),
            };
            (name, NumberType::F64, k)
        }))
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];
const NORMALS: [&str; 3] = ["nx", "ny", "nz"];
const LONG_NORMALS: [&str; 3] = ["normal_x", "normal_y", "normal_z"];
const COLORS: [&str; 3] = ["red", "green", "blue"];
const RGB: [&str; 3] = ["r", "g", "b"];
const LONGITUDES: [&str; 4] = ["lon", "long", "lng", "longitude"];
const LATITUDES: [&str; 2] = ["lat", "latitude"];
const HEIGHTS: [&str; 7] = ["z", "h", "height", "alt", "altitude", "elev", "elevation"];

/// Returns the names of columns in lower case.
fn names(line: &[u8]) -> Vec<String> {
    let word = |word: &[u8]| {
        let word = String::from_utf8_lossy(word).trim_matches(['"', '\'', ' ']).to_lowercase();
        word.chars().take(64).collect::<String>()
    };
    cells(line).take(MOST).map(word).collect()
}

fn find(names: &[String], wanted: &[&str; 3]) -> Option<[usize; 3]> {
    let place = |word: &str| names.iter().position(|name| name == word);
    Some([place(wanted[0])?, place(wanted[1])?, place(wanted[2])?])
}

/// Returns the columns of longitude, latitude and height, if the names state a longitude and a
/// latitude. If none is named as a height, it is the first other column.
fn geographic(names: &[String]) -> Option<[usize; 3]> {
    let place = |of: &[&str]| names.iter().position(|name| of.contains(&name.as_str()));
    let (longitude, latitude) = (place(&LONGITUDES)?, place(&LATITUDES)?);
    let other = || (0..names.len()).find(|k| ![longitude, latitude].contains(k));
    Some([longitude, latitude, place(&HEIGHTS).or_else(other)?])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::budget::Budget;

    fn cloud(text: &str) -> (PointCloud, CloudReport) {
        let stream = Stream::of(Path::new("a.txt"), text.as_bytes(), Budget::of(0));
        read(stream, &Wanted { all: true, names: Vec::new() }).unwrap()
    }

    #[test]
    fn columns_are_told_by_number_and_by_what_they_hold() {
        let (found, report) = cloud("0 0 0 0.6 0 -0.8\n1 2 3 0 1 0\n");
        assert_eq!(found.normals.unwrap()[0], [0.6, 0.0, -0.8]);
        assert!(report.columns.unwrap().contains("nx ny nz"));
        let (found, _) = cloud("0 0 0 255 0 7\n1 2 3 0 1 0\n");
        assert_eq!((found.normals, found.colors.unwrap()[0]), (None, [255, 0, 7]));
        let (found, report) = cloud("2\n0 0 0 -1187 12 0 7\n1 2 3 40 0 1 0\n");
        assert_eq!((found.len(), found.colors.unwrap()[0]), (2, [12, 0, 7]));
        assert!(report.columns.unwrap().contains("intensity") && report.warnings.is_empty());
        let (found, report) = cloud("9\n0 0 0\n1\n1 2 3\n");
        assert_eq!((found.len(), report.warnings.len()), (2, 1));
        let (found, _) = cloud("0 0 0 0 0 1 0.5 1 0\n");
        assert_eq!(
            (found.normals.unwrap()[0], found.colors.unwrap()[0]),
            ([0., 0., 1.], [128, 255, 0])
        );
        let (found, report) = cloud("0 0 0 512\n");
        assert_eq!((found.normals, found.colors), (None, None));
        assert!(report.columns.unwrap().contains("intensity"));
    }

    #[test]
    fn zero_normals_are_no_colors() {
        let (found, _) = cloud("0 0 0 0 0 0\n1 2 3 0 0 1\n1 2 4 0 0 1\n");
        assert_eq!((found.normals.unwrap().len(), found.colors), (2, None));
        let (found, _) = cloud("0 0 0 0.1 0.2 -0.3\n1 2 3 0.5 0.5 0.1\n");
        assert!(found.normals.is_some() && found.colors.is_none());
        let (found, report) = cloud("0 0 0 0 0 0\n1 2 3 0 0 0\n");
        assert_eq!((found.normals, found.colors), (None, None));
        assert!(report.warnings[0].contains("neither normals nor colors"), "{report:?}");
        // The rows that are examined first are all zero.
        let zeros = "1 2 3 0 0 0\n".repeat(300);
        let (found, _) = cloud(&(zeros.clone() + "1 2 3 255 7 0\n"));
        assert_eq!(found.colors.unwrap()[300], [255, 7, 0]);
        let (found, report) = cloud(&(zeros + &"1 2 3 0 -0.6 0.8\n".repeat(400)));
        assert_eq!((found.len(), found.normals.unwrap()[0]), (400, [0.0, -0.6, 0.8]));
        assert!(report.columns.unwrap().contains("nx ny nz") && found.colors.is_none());
    }

    #[test]
    fn other_columns_are_attributes() {
        let (found, report) = cloud("x y z Classification\n1 2 3 2\n1 2 4 6\n1 2 5 2\n");
        assert_eq!(report.classes, [(2, 2), (6, 1)]);
        assert_eq!((found.attributes[0].name.as_str(), found.attributes[0].numbers.get(1)), {
            ("classification", 6.0)
        });
        let (_, report) = cloud("1 2 3 0.5 1.#INF\n1 2 4 0.5 -1.#IND\n");
        assert_eq!(report.attributes, ["column_4", "column_5"]);
        let (found, report) = cloud("1 2 3 7\n1.#QNAN 2 3 8\n1 -1.#INF 4 9\n");
        assert_eq!((found.len(), report.not_finite), (1, 2));
        assert_eq!(report.attributes, ["intensity"]);
    }

    #[test]
    fn columns_are_told_by_their_names() {
        let text = "Red,Green,Blue,Y,X,Z,id\n1,2,3,5,4,6,77\n";
        let (found, report) = cloud(text);
        assert_eq!((found.points[0], found.colors.unwrap()[0]), ([4., 5., 6.], [1, 2, 3]));
        assert_eq!(report.columns.unwrap(), "by name: x y z red green blue");
        // Degrees are no lengths, whatever their order.
        let (found, report) = cloud("Lat,Lon,Height\n47.1,8.2,400\n");
        assert_eq!(
            (found.points[0], report.units.as_deref()),
            ([8.2, 47.1, 400.0], Some("degrees"))
        );
        let (found, _) = cloud("//X Y Z Nx Ny Nz\n1 2 3 2 0 0\n");
        assert_eq!(found.normals.unwrap()[0], [1., 0., 0.]);
        for (text, found) in [
            ("1 2\n", "2 columns, at least three are needed"),
            ("x y z\n", "no row of numbers"),
            ("0,0;1,5;2,5\n1,0;2,5;3,5\n", "line 2: a number expected in column 1, found \"1,0\""),
            ("0,0 1,5 2,5\n1,0 2,5 3,5\n", "line 2: a number expected in column 2, found \"0 2\""),
            ("a b c\n1 e f\n", "line 2: a number expected in column 2, found \"e\""),
        ] {
            let stream = Stream::of(Path::new("a.txt"), text.as_bytes(), Budget::of(0));
            let error = read(stream, &Wanted::default()).unwrap_err().to_string();
            assert!(error.contains(found), "{text:?}: {error}");
        }
        let stream = Stream::of(Path::new("a.txt"), b"x y\n1 2 3\n", Budget::of(0));
        let error = read(stream, &Wanted::default()).unwrap_err().to_string();
        assert!(error.contains("2 column names, but 3 columns"), "{error}");
    }
}
