//! Tests `zeroset sample` and its pictures, and `zeroset info` of point clouds.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use zeroset::io;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        place.says("generate sphere --subdivisions 4 -o s.ply");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command
    }

    fn says(&self, line: &str) -> String {
        let output = self.run(line).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).unwrap()
    }

    fn refuses(&self, line: &str, code: i32) -> String {
        let output = self.run(line).assert().code(code);
        String::from_utf8(output.get_output().stderr.clone()).unwrap()
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn the_command_writes_every_format_and_says_what() {
    let place = Place::new();
    let said =
        place.says("sample s.ply -n 5000 --normals --noise 0.1% --outliers 7 --seed 3 -o a.ply");
    assert!(
        said.starts_with("a.ply: 5000 points and 7 outliers with normals on a surface"),
        "{said}"
    );
    let (first, report) = io::read_cloud(&place.path("a.ply")).unwrap();
    assert_eq!((first.len(), report.warnings.len()), (5007, 0));
    for name in ["a.pcd", "a.csv", "a.xyz", "a.vtp"] {
        let line =
            format!("sample s.ply -n 5000 --normals --noise 0.1% --outliers 7 --seed 3 -o {name}");
        place.says(&line);
        assert!(io::read_cloud(&place.path(name)).unwrap().0.points == first.points, "{name}");
    }
    place.says("sample s.ply -n 300000 -o one.ply --threads 1");
    place.says("sample s.ply -n 300000 -o two.ply --threads 3");
    assert!(bytes(&place.path("one.ply")) == bytes(&place.path("two.ply")));
    let said = place.says("sample s.ply -n 10 -o b.ply --json");
    let end: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&end["event"], &end["report"]["points"]), (&"end".into(), &10.into()));
    assert!((end["report"]["area"].as_f64().unwrap() - 12.5).abs() < 0.1, "{end}");
    for (line, code, found) in [
        ("sample s.ply -n 10 -o a.gii", 2, "clouds cannot be written with this extension"),
        ("sample a.ply -n 10 -o b.ply", 3, "a.ply: no triangles, only points"),
        ("sample s.ply -n 10 --noise -1 -o b.ply", 2, "expected a length of at least 0"),
        ("sample s.ply -n 10 -o no/b.ply", 6, "create the folder first"),
    ] {
        let said = place.refuses(line, code);
        assert!(said.contains(found), "{line}: {said}");
    }
}

#[test]
fn info_tells_of_clouds_what_reconstruction_needs_to_know() {
    let place = Place::new();
    place.says("sample s.ply -n 20000 --normals -o a.pcd");
    let said = place.says("info a.pcd");
    for part in [
        "pcd 0.7 binary",
        "points    20,000\n",
        "no duplicates",
        "median 0.0",
        "normals   in the file",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = "x,y,z,red,green,blue\n0,0,0,1,2,3\n1,0,0,1,2,3\n0,1,0,1,2,3\n0,1,0,5,5,5\n";
    std::fs::write(place.path("b.xyz"), text.replace("0,0,0,1", "nan,0,0,1")).unwrap();
    let said = place.says("info b.xyz");
    for part in [
        "points    3 of 4, 1 not finite dropped",
        "strays    1 duplicates",
        "columns   by name: x y z red green blue",
        "colors    0 to 255",
        "estimated",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json: serde_json::Value = serde_json::from_str(&place.says("info b.xyz --json")).unwrap();
    assert_eq!(json["cloud"]["not_finite"], 1);
    assert_eq!(json["cloud"]["duplicates"], 1);
    assert_eq!(json["cloud"]["normals"], serde_json::Value::Null);
    let mesh: serde_json::Value = serde_json::from_str(&place.says("info s.ply --json")).unwrap();
    assert_eq!(mesh["cloud"], serde_json::Value::Null);
}
