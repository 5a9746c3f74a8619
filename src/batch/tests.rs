use std::path::Path;

use super::shard::Shard;
use super::template::Template;
use crate::table::{Row, Table};

const FILE: &str = "case.toml";

fn table(titles: &[&str], cells: &[&str]) -> Table {
    let row = Row { number: 1, line: 2, cells: cells.iter().map(|cell| (*cell).into()).collect() };
    let titles = titles.iter().map(|title| (*title).into()).collect();
    Table { file: "table.csv".into(), titles, title_line: 1, rows: vec![row], hash: String::new() }
}

fn filled(text: &str, titles: &[&str], cells: &[&str]) -> Result<String, String> {
    let (file, table) = (Path::new(FILE), table(titles, cells));
    let template = Template::of_case(file, text).map_err(|e| e.to_string())?;
    template.check(file, &table).map_err(|e| e.to_string())?;
    template.fill(file, &table, &table.rows[0]).map_err(|e| e.to_string())
}

#[test]
fn cells_are_written_as_their_places_require() {
    let titles = ["id", "v", "odd"];
    let cells = ["007", "0.5", r#"a\b"c"#];
    let text = "# {{nothing}}\nfile = \"{{id}}/{{ id }}.ply\" # {{id\nspeed = {{v}}\n\
                other = 'x{{id}}' # '\nodd = \"{{odd}}\"\nlong = \"\"\"\n\"{{id}}\n\"\"\"\n";
    let expected = "# {{nothing}}\nfile = \"007/007.ply\" # {{id\nspeed = 0.5\n\
                    other = 'x007' # '\nodd = \"a\\\\b\\\"c\"\nlong = \"\"\"\n\"007\n\"\"\"\n";
    let found = filled(text, &titles, &cells).unwrap();
    assert_eq!(found, expected);
    let parsed: toml::Table = toml::from_str(&found).unwrap();
    assert_eq!(parsed["odd"].as_str(), Some(cells[2]));
}

#[test]
fn places_that_cannot_be_filled_are_named() {
    for (text, cell, part) in [
        ("a = 1\nv = {{v}}", "fast", "case.toml:2: row 1, column `v`: `fast` is neither a number"),
        ("v = {{v}}", "1\nb", "more than one line"),
        ("v = {{v}}", "1 # b\u{0}", "more than one line"),
        ("v = {{v}}", "", "neither a number"),
        ("v = '{{v}}'", "it's", "single quotation mark"),
        ("\nv = {{w}}", "1", "case.toml:2: {{w}}: the table has no column `w`"),
        ("v = {{v", "1", "without `}}`"),
    ] {
        let error = filled(text, &["v"], &[cell]).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn no_cell_can_leave_its_place() {
    // A cell with an end of a string or a second key stays within its string, or is refused.
    for cell in ["\"\nb = 2", "1\nb = 2", "x\" # ", "\\", "\\u0041", "'''", "\"\"\""] {
        for text in ["a = \"{{v}}\"", "a = '{{v}}'", "a = {{v}}", "a = \"\"\"{{v}}\"\"\""] {
            if let Ok(found) = filled(text, &["v"], &[cell]) {
                let parsed: toml::Table = toml::from_str(&found).unwrap();
                assert_eq!(parsed.len(), 1, "{text}: {found}");
            }
        }
    }
}

#[test]
fn every_row_belongs_to_one_shard() {
    for n in 1..=5 {
        for row in 0..20 {
            let shards = (1..=n).map(|i| format!("{i}/{n}").parse::<Shard>().unwrap());
            assert_eq!(shards.filter(|shard| shard.contains(row)).count(), 1);
        }
    }
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/2/3"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

/// Records that are kept from an earlier batch do not change.
#[test]
fn numbers_of_records_keep_their_bits() {
    for x in [0.090_920_465_339_625_33_f64, 1.0 / 3.0, 5e-324, f64::MAX, 0.1 + 0.2] {
        let text = serde_json::to_string(&x).unwrap();
        assert_eq!(serde_json::from_str::<f64>(&text).unwrap().to_bits(), x.to_bits(), "{text}");
    }
}
