//! Tests `zeroset batch`: rows, the table of results, failures, continuation and shards.

#[path = "support/place.rs"]
mod place;
use place::Place;
use serde_json::Value;

/// A growing circle. The table gives its name, radius and speed.
const CASE: &str = "\
version = 1
domain.mesh.generate.square = { cells = [12, 12], min = [-1, -1], max = [1, 1] }
initial.ball = { center = [0, 0, 0], radius = {{radius}} }
evolve = { end_time = 0.1, normal_speed = \"{{speed}} + 0*x\" }
expect.enclosed_area = { at_least = 0.2 }
";
const TABLE: &str = "\
subject,radius,speed
# a comment
a,0.3,1
b,0.4,0.5
c,0.5,1
d,0.25,0
e,-1,1
";

impl Place {
    fn batch() -> Self {
        let place = Place::new();
        place.put("case.toml", CASE);
        place.put("table.csv", TABLE);
        place
    }

    fn list(&self, file: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(file)).unwrap()).unwrap()
    }

    /// Returns the table of results, without the column of seconds.
    fn table(&self, folder: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.path(folder).join("batch.csv")).unwrap();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut rows: Vec<Vec<String>> = Vec::new();
        for record in reader.records() {
            rows.push(record.unwrap().iter().map(Into::into).collect());
        }
        let seconds = rows[0].iter().position(|title| title == "seconds").unwrap();
        rows.iter_mut().for_each(|row| drop(row.remove(seconds)));
        rows
    }
}

#[test]
fn rows_run_and_failures_do_not_stop_the_others() {
    let place = Place::batch();
    let (code, text) = place.outcome("batch case.toml --table table.csv --name subject -o out");
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("3 finished, 1 not within their bounds, 1 failed"), "{text}");
    let table = place.table("out");
    let titles = "row name status exit_code warnings subject radius speed enclosed_area";
    assert!(table[0].join(" ").starts_with(titles), "{table:?}");
    let column = |name: &str| table[0].iter().position(|title| title == name).unwrap();
    let of = |name: &str| -> Vec<&str> {
        table[1..].iter().map(|row| row[column(name)].as_str()).collect()
    };
    assert_eq!(of("name"), ["a", "b", "c", "d", "e"]);
    assert_eq!(of("status"), ["finished", "finished", "finished", "not-met", "failed"]);
    assert_eq!(of("exit_code"), ["0", "0", "0", "1", "2"]);
    let area: f64 = of("enclosed_area")[0].parse().unwrap();
    assert!((area - std::f64::consts::PI * 0.16).abs() < 0.04, "{area}");
    let error = of("error")[4];
    assert!(error.contains("case.toml:3") && error.contains("radius"), "{error}");
    assert!(!place.path("out/e/report.json").exists());
    // A row is an ordinary run.
    place.put("a.toml", &CASE.replace("{{radius}}", "0.3").replace("{{speed}}", "1"));
    place.good("run a.toml -o alone");
    place.good("compare out/a/interface.pvd alone/interface.pvd");
}

#[test]
fn results_are_the_same_for_any_number_of_jobs_and_shards() {
    let place = Place::batch();
    place.outcome("batch case.toml --table table.csv -o one --jobs 1");
    place.outcome("batch case.toml --table table.csv -o three --jobs 3");
    assert_eq!(place.table("one"), place.table("three"));
    let part = |k: usize| {
        let line = format!("batch case.toml --table table.csv -o parts --shard {k}/3");
        place.outcome(&line)
    };
    let (_, text) = part(2);
    assert!(text.contains("2 shards are not complete"), "{text}");
    let (_, text) = part(3);
    assert!(text.contains("1 shard is not complete"), "{text}");
    assert!(!place.path("parts/batch.csv").exists());
    part(1);
    assert_eq!(place.table("one"), place.table("parts"));
    for name in ["row1", "row2", "row3", "row4"] {
        place.good(&format!("compare one/{name}/interface.pvd parts/{name}/interface.pvd"));
    }
}

#[test]
fn a_batch_continues_with_the_rows_that_are_not_done() {
    let place = Place::batch();
    let line = "batch case.toml --table table.csv -o out";
    place.outcome(line);
    let first = place.list("out/batch.json");
    let (code, text) = place.outcome(line);
    assert!(code == 6 && text.contains("--resume"), "{code}: {text}");
    // A corrected row, a lost folder and a changed cell run again. The others stay.
    place.put("table.csv", &TABLE.replace("e,-1,1", "e,0.3,1").replace("b,0.4,0.5", "b,0.45,0.5"));
    std::fs::remove_dir_all(place.path("out/row3")).unwrap();
    let (code, text) = place.outcome(&format!("{line} --resume"));
    let said = "4 finished, 1 not within their bounds; 2 done before";
    assert!(code == 1 && text.contains(said), "{code}: {text}");
    let second = place.list("out/batch.json");
    for (k, is_same) in [(0, true), (1, false), (2, false), (3, true), (4, false)] {
        assert_eq!(first["rows"][k] == second["rows"][k], is_same, "row {}", k + 1);
    }
    place.outcome("batch case.toml --table table.csv -o fresh");
    assert_eq!(place.table("out"), place.table("fresh"));
    let (_, text) = place.outcome(&format!("{line} --overwrite"));
    assert!(!text.contains("done before"), "{text}");
}

/// A killed batch has replaced its list, but not yet the table of the batch before it.
#[test]
fn a_killed_batch_continues_beside_the_table_of_an_earlier_one() {
    let place = Place::batch();
    place.outcome("batch case.toml --table table.csv -o out");
    let before = place.table("out");
    let line = "batch case.toml --table table.csv -o out --jobs 1 --overwrite";
    let mut child = place.command(line).spawn().unwrap();
    // The list is written when the first row begins, and then at most once a second.
    while !place.list("out/batch.json")["rows"].as_array().unwrap().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "the batch ended before it was killed");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (code, text) = place.outcome("batch case.toml --table table.csv -o out --resume");
    assert_eq!(code, 1, "{text}");
    assert_eq!(place.table("out"), before);
}

#[test]
fn files_of_the_user_are_never_replaced() {
    let place = Place::batch();
    std::fs::create_dir_all(place.path("out/row1")).unwrap();
    for name in ["out/batch.csv", "out/batch.json", "out/row1/interface.pvd"] {
        place.put(name, "mine");
        for option in ["", " --overwrite", " --resume"] {
            place.outcome(&format!("batch case.toml --table table.csv -o out{option}"));
            let kept = std::fs::read_to_string(place.path(name)).unwrap();
            assert_eq!(kept, "mine", "{name}{option}");
        }
        std::fs::remove_file(place.path(name)).unwrap();
    }
}

#[test]
fn unusable_tables_and_cases_are_refused() {
    let place = Place::batch();
    let refused = |line: &str, expected: i32, part: &str| {
        let (code, text) = place.outcome(&format!("batch {line} -o out"));
        assert!(code == expected && text.contains(part), "{line}: {code}: {text}");
        assert!(!place.path("out").exists(), "{line}");
    };
    for (name, text) in [
        ("twice.csv", "radius,radius,speed\n1,2,3\n"),
        ("short.csv", "subject,radius,speed\na,1\n"),
        ("empty.csv", "subject,radius,speed\n"),
        ("nameless.csv", "radius,,speed\n1,2,3\n"),
        ("other.csv", "subject,radii,speed\na,0.3,1\n"),
        ("same.csv", "subject,radius,speed\na,0.3,1\nA,0.4,1\n"),
        ("folder.csv", "subject,radius,speed\n../up,0.3,1\n"),
    ] {
        place.put(name, text);
    }
    refused("case.toml --table none.csv", 3, "none.csv");
    refused("case.toml --table twice.csv", 3, "two columns have the title `radius`");
    refused("case.toml --table short.csv", 3, "short.csv");
    refused("case.toml --table empty.csv", 3, "no rows");
    refused("case.toml --table nameless.csv", 3, "no title");
    refused("case.toml --table other.csv", 2, "the table has no column `radius`");
    refused("case.toml --table same.csv --name subject", 2, "names two rows");
    refused("case.toml --table folder.csv --name subject", 2, "cannot name a folder");
    refused("case.toml --table table.csv --name person", 2, "no such column");
    refused("case.toml --table table.csv --shard 4/3", 2, "i from 1 to n");
    place.put("constant.toml", "version = 1\n");
    refused("constant.toml --table table.csv", 2, "no column");
    let (code, text) = place.outcome("check case.toml");
    assert!(code == 2 && text.contains("`zeroset batch` fills in"), "{code}: {text}");
}
