//! Tests every file of the shared data against its row in the README of the data: the contents, or
//! the reason for its rejection.
//!
//! The rows are parsed, not copied. A fact is checked if the row states it. Faults that a row does
//! not mention must be absent.

use std::collections::BTreeMap;

use zeroset::io::{Content, MeshFile, VolumeOptions, read, read_data, read_mesh, read_volume};
use zeroset::mesh::statistics::inspect;
use zeroset::mesh::{Kind, assess};

/// Rows that do not match exactly, and the reasons.
const EXCEPTIONS: &[(&str, Exception)] = &[
    // The README counts only the 8 triangles. Here, the 4 quads are split into fans, so that no
    // vertex is unreferenced and the diagonals change all shape statistics.
    (
        "sim/msh/compass_v22.msh",
        Exception::Instead("13 v, 16 tri, 8 boundary edges, 1 comp., chi 1"),
    ),
    // The README splits polygons into fans around their first corner, which gives four degenerate
    // triangles. Here, a polygon with a corner in the middle of an edge is split without degenerate
    // triangles.
    (
        "sim/ply/shark_polygons.ply",
        Exception::Instead("2,560 v, 5,116 tri; CLOSED, 1 comp., chi 2, genus 0; 0 degenerate tri"),
    ),
    // VTK split these polygons along their shortest diagonals, not into the fans that the
    // introduction of the README describes. If quads are split in the same way, the angles and
    // edges match the README.
    ("sim/vtk/cow.vtp", Exception::OtherDiagonals),
    ("sim/vtk/disk_out_ref_surface.vtp", Exception::OtherDiagonals),
    // The README counts only the tetrahedron. Here, the hexahedron and the voxel are split into six
    // tetrahedra each.
    (
        "sim/vtk/VTKCellTypes.vtk",
        Exception::Instead("27 v, 13 tet; 0 negative, 0 zero volume, 14 unreferenced v"),
    ),
    // The indices start at one, although the format counts from zero.
    ("sim/sci/SquareMesh_size16_crlf.ply", Exception::Refused("256")),
    ("sim/sci/SquareMesh_size16_levelset.ply", Exception::Refused("256")),
    ("sim/medit/cube.meshb", Exception::Refused("binary MEDIT")),
    // The points are in a format that is not supported.
    ("scans/chameleon.pts", Exception::Refused("Expe points")),
    // Volumes whose layout is stated elsewhere, whose data file is missing, or that have several
    // frames.
    ("volumes/HeadMRVolume.raw", Exception::Refused("state it: --raw")),
    ("volumes/headsq_raw/quarter.nhdr", Exception::Refused("\"quarter.1\", which does not exist")),
    ("volumes/nibabel_nifti2_4d.nii.gz", Exception::Refused("the file holds 2 volumes")),
];

enum Exception {
    /// The row matches except for valence, angles and edges.
    OtherDiagonals,
    /// The file must be rejected with a message that contains this text.
    Refused(&'static str),
    /// The row of the README is wrong. It should have this text.
    Instead(&'static str),
}

/// Returns the exception for a file or its folder, if there is one.
fn exception(path: &str) -> Option<&'static Exception> {
    let of = |name: &str| name == path || (name.ends_with('/') && path.starts_with(name));
    EXCEPTIONS.iter().find(|(name, _)| of(name)).map(|(_, exception)| exception)
}

/// Returns the path and the findings of each row in the README, or `None` if the README is missing.
fn rows() -> Option<Vec<(String, String)>> {
    let text = std::fs::read_to_string(zeroset_testing::data("README.md")?).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| `")?.split(" | ").collect();
        // The findings are in the third column of the long tables and in the second column of the
        // short one.
        let found = if cells.len() > 4 { cells[2] } else { cells[1] };
        Some((cells[0].trim_end_matches('`').to_string(), found.to_string()))
    });
    Some(rows.collect())
}

fn is_bad(path: &str) -> bool {
    path.starts_with("bad/")
}

/// Returns whether the file is a volume or an image.
fn is_volume(path: &str) -> bool {
    path.starts_with("volumes/") || path.starts_with("images/")
}

/// Returns whether a row describes values without a mesh.
fn is_data(found: &str) -> bool {
    found.contains("SHAPE") || found.contains(" values, ") || found.contains("scalars at vertices")
}

/// Splits text that begins with a number at the first space: "10,242 v" gives 10242 and "v".
/// Returns `None` for any other text.
fn leading_number(text: &str) -> Option<(i64, &str)> {
    let (number, rest) = text.split_once(' ')?;
    Some((number.replace(',', "").parse().ok()?, rest))
}

/// The facts in a row: counts with the words that follow them, the range of edge lengths, the names
/// of arrays, and the numbers of cells before the split.
#[derive(Default, Debug)]
struct Facts {
    counts: BTreeMap<String, i64>,
    edge: Option<(f64, f64)>,
    arrays: Vec<String>,
    stored: Vec<(String, i64)>,
}

impl Facts {
    fn parse(found: &str) -> Self {
        let mut facts = Facts::default();
        let mut plain = String::new();
        for (index, part) in found.split(['(', ')']).enumerate() {
            if index % 2 == 0 {
                plain += part;
            } else {
                // Numbers of cells by type before the fan split, such as "83 poly5, 2,253 quad".
                facts.stored.extend(
                    part.split(", ").filter_map(leading_number).map(|(n, of)| (of.to_string(), n)),
                );
            }
        }
        for token in plain.split("; ").flat_map(|part| part.split(", ")) {
            facts.take(token.trim());
        }
        facts
    }

    fn take(&mut self, token: &str) {
        let token = token.strip_prefix("OPEN or non-manifold: ").unwrap_or(token);
        if token == "CLOSED" {
            self.count("boundary edges", 0);
            self.count("non-manifold edges", 0);
        } else if token == "no faces" {
            self.count("tri", 0);
        } else if let Some(names) = token.strip_prefix("point data ") {
            self.arrays = names.split(' ').map(String::from).collect();
        } else if let Some(range) = token.strip_prefix("edge ") {
            let (min, max) = range.split_once("..").unwrap();
            self.edge = Some((min.parse().unwrap(), max.parse().unwrap()));
        } else if let Some((word, number)) = token.rsplit_once(' ')
            && let Ok(number) = number.parse()
            && ["chi", "genus", "valence <="].contains(&word)
        {
            self.count(word, number);
        } else if let Some(n) = token.strip_prefix("columns [").and_then(|n| n.strip_suffix(']')) {
            self.count("columns", n.parse().unwrap());
        } else if let Some((number, words)) = leading_number(token) {
            let words = words.trim_end().trim_end_matches(" after split");
            self.count(words.trim_end_matches(" after fan split"), number);
        }
    }

    /// Notes a count. If a row has two counts of the same thing, the first one is used.
    fn count(&mut self, words: &str, number: i64) {
        self.counts.entry(words.to_string()).or_insert(number);
    }

    fn get(&self, words: &str) -> Option<i64> {
        self.counts.get(words).copied()
    }
}

/// Compares facts and counts the comparisons. The count reveals a parser that finds nothing.
#[derive(Default)]
struct Check {
    path: String,
    compared: usize,
    wrong: Vec<String>,
}

impl Check {
    fn fail(&mut self, message: String) {
        self.wrong.push(format!("{}: {message}", self.path));
    }

    fn equal(&mut self, what: &str, found: i64, expected: Option<i64>) {
        let Some(expected) = expected else { return };
        self.compared += 1;
        if found != expected {
            self.fail(format!("{what} {found}, README {expected}"));
        }
    }

    /// Compares a value with a number that the README rounds to `digits` significant digits.
    fn close(&mut self, what: &str, found: f64, expected: f64, digits: i32) {
        self.compared += 1;
        let unit = 10_f64.powi(expected.abs().max(1e-300).log10().floor() as i32 + 1 - digits);
        if (found - expected).abs() > 0.5001 * unit {
            self.fail(format!("{what} {found}, README {expected}"));
        }
    }

    fn mesh(&mut self, file: &MeshFile, facts: &Facts) {
        let s = inspect(&file.mesh);
        let count = |n: usize| n as i64;
        let is_tet = file.mesh.kind == Kind::Volume;
        for words in ["v", "nodes", "points", "lines"] {
            self.equal("vertices", count(file.mesh.n_vertices()), facts.get(words));
        }
        let cells = count(file.mesh.n_cells());
        self.equal("triangles", if is_tet { 0 } else { cells }, facts.get("tri"));
        self.equal("triangles", cells, facts.get("triangles"));
        let columns = count(3 + file.mesh.vertex_data.len());
        self.equal("columns", columns, facts.get("columns"));
        self.equal("tetrahedra", if is_tet { cells } else { 0 }, facts.get("tet"));
        self.equal("components", count(s.components), facts.get("comp."));
        self.equal("euler", s.euler, facts.get("chi"));
        self.equal("boundary", count(s.boundary), facts.get("boundary edges"));
        self.equal("nonmanifold", count(s.nonmanifold), facts.get("non-manifold edges"));
        self.equal("max_valence", count(s.max_valence), facts.get("valence <="));
        self.equal("inverted", count(s.inverted), facts.get("negative"));
        self.equal("degenerate", count(s.degenerate), facts.get("zero volume"));
        let genus = facts.get("genus");
        self.equal("2 comp. - chi", 2 * count(s.components) - s.euler, genus.map(|g| 2 * g));
        if facts.get("chi").or(facts.get("negative")).is_some() {
            let or_none = |words| Some(facts.get(words).unwrap_or(0));
            self.equal("unreferenced", count(s.unreferenced), or_none("unreferenced v"));
            if !is_tet {
                self.equal("inconsistent", count(s.inconsistent), or_none("inconsistent edges"));
                self.equal("degenerate", count(s.degenerate), or_none("degenerate tri"));
                let repeating = or_none("tri repeating a vertex");
                self.equal("repeating", count(s.repeating), repeating);
                self.equal("duplicate", count(s.duplicate), or_none("duplicate tri"));
                let points = or_none("duplicate points");
                self.equal("duplicate_points", count(s.duplicate_points), points);
            }
        }
        if let Some(percent) = facts.get("% obtuse") {
            self.compared += 1;
            let found = 100.0 * s.obtuse_share.unwrap();
            // The percentages in the README were rounded twice: first to tenths, then half to even.
            // Only this explains 14 for 14.532, 48 for 47.456 and 34 for 33.508.
            let rounded = ((10.0 * found).round() / 10.0).round_ties_even();
            if rounded != percent as f64 {
                self.fail(format!("obtuse {found} %, README {percent}"));
            }
        }
        if let Some((min, max)) = facts.edge {
            self.close("edge_min", s.edge_min.unwrap(), min, 3);
            self.close("edge_max", s.edge_max.unwrap(), max, 4);
            let mean = s.edge_mean.unwrap();
            assert!(s.edge_min.unwrap() <= mean && mean <= s.edge_max.unwrap());
        }
        for name in &facts.arrays {
            self.compared += 1;
            if file.mesh.vertex_array(name).is_none() {
                self.fail(format!("no point data {name}"));
            }
        }
    }

    /// Compares `info --json` of a volume with a row such as "175x248x58 uint8, spacing
    /// 0.8x0.8x2.4, range 0..255, RAS", "264x264 L", or "ImageData [64, 64, 64]; 262,144 points;
    /// point data NAME".
    fn volume(&mut self, volume: &serde_json::Value, found: &str) {
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let shape: Vec<i64> =
            volume["shape"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
        if found.starts_with("ImageData ") {
            self.compared += 1;
            if !found.starts_with(&format!("ImageData {shape:?}")) {
                self.fail(format!("{shape:?}, README {found}"));
            }
            let facts = Facts::parse(found);
            self.equal("points", shape.iter().product(), facts.get("points"));
            self.word("array", volume["name"].as_str().unwrap(), &facts.arrays[0]);
            return;
        }
        let (sizes, rest) = found.split_once(' ').unwrap();
        let sizes: Vec<i64> = sizes.split('x').map(|n| n.parse().unwrap()).collect();
        let sizes = sizes.into_iter().chain(std::iter::repeat(1));
        for (&found, size) in shape.iter().zip(sizes) {
            self.equal("size", found, Some(size));
        }
        let mut facts = rest.split(", ");
        let kind = match facts.next().unwrap() {
            "8-bit unsigned integer" | "L" => "uint8",
            "16-bit unsigned integer" | "I;16" => "uint16",
            "16-bit signed integer" | ">i2" => "int16",
            other => other,
        };
        self.word("type", volume["type"].as_str().unwrap(), kind);
        for fact in facts {
            if let Some(spacing) = fact.strip_prefix("spacing ") {
                for (k, x) in spacing.split('x').enumerate() {
                    self.close("spacing", number(&volume["spacing"][k]), x.parse().unwrap(), 4);
                }
            } else if let Some(range) = fact.strip_prefix("range ") {
                let (min, max) = range.split_once("..").unwrap();
                self.equal("min", number(&volume["min"]) as i64, min.parse().ok());
                self.equal("max", number(&volume["max"]) as i64, max.parse().ok());
            } else {
                self.word("orientation", volume["orientation"].as_str().unwrap(), fact);
            }
        }
    }

    fn word(&mut self, what: &str, found: &str, expected: &str) {
        self.compared += 1;
        if found != expected {
            self.fail(format!("{what} {found}, README {expected}"));
        }
    }

    fn stored(&mut self, file: &MeshFile, facts: &Facts) {
        let named = facts.counts.iter().map(|(words, &n)| (words, n));
        let mut expected: BTreeMap<&str, i64> = BTreeMap::new();
        for (words, n) in named.chain(facts.stored.iter().map(|(words, n)| (words, *n))) {
            if let Some(name) = type_name(words) {
                *expected.entry(name).or_default() += n;
            }
        }
        for (name, n) in expected {
            let found = file.cells_by_type.get(name).copied().unwrap_or(0);
            self.equal(&format!("stored {name}"), found as i64, Some(n));
        }
    }
}

/// Returns the zeroset name of a cell type, given the words in the README.
fn type_name(words: &str) -> Option<&'static str> {
    Some(match words {
        "Line 2" | "LINE" | "line" => "line",
        "Triangle 3" | "TRIANGLE" | "triangle" => "triangle",
        "Quadrilateral 4" | "QUAD" | "quad" => "quad",
        "Tetrahedron 4" | "TETRA" | "tetra" => "tetra",
        "Tetrahedron 10" | "QUADRATIC_TETRA" => "tetra10",
        "QUADRATIC_TRIANGLE" => "triangle6",
        "Triangle 10" => "triangle10",
        "Hexahedron 8" | "HEXAHEDRON" => "hexahedron",
        "VERTEX" | "Point" => "vertex",
        _ => return words.strip_prefix("poly").and(Some("polygon")),
    })
}

#[test]
fn meshes_match_the_readme() {
    let Some(rows) = rows() else { return };
    let (mut check, mut files) = (Check::default(), 0);
    let meshes = |path: &str, found: &str| !is_bad(path) && !is_data(found) && !is_volume(path);
    for (path, found) in rows.iter().filter(|(path, found)| meshes(path, found)) {
        files += 1;
        check.path = path.clone();
        let exception = exception(path);
        let file = match (read_mesh(&zeroset_testing::data(path).unwrap()), exception) {
            (Ok(file), Some(Exception::Refused(_))) => {
                check.fail(format!("is read, with {} cells", file.mesh.n_cells()));
                continue;
            }
            (Err(error), Some(Exception::Refused(part))) => {
                if !error.to_string().contains(part) {
                    check.fail(format!("no \"{part}\" in: {error}"));
                }
                continue;
            }
            (Err(error), _) => {
                check.fail(format!("is refused: {error}"));
                continue;
            }
            (Ok(file), _) => file,
        };
        let instead = match exception {
            Some(Exception::Instead(row)) => row,
            _ => found.as_str(),
        };
        let mut facts = Facts::parse(instead);
        if let Some(Exception::OtherDiagonals) = exception {
            facts.counts.retain(|words, _| words != "valence <=" && words != "% obtuse");
            facts.edge = None;
        }
        check.mesh(&file, &facts);
        check.stored(&file, &Facts::parse(found));
    }
    assert!(check.wrong.is_empty(), "{} wrong:\n{}", check.wrong.len(), check.wrong.join("\n"));
    assert!(files >= 107 && check.compared >= 1_070, "{files} files, {} facts", check.compared);
}

/// `info --json` states the facts of the row for every volume and image, and contains no mesh.
#[test]
fn volumes_match_the_readme() {
    let Some(rows) = rows() else { return };
    let (mut check, mut files) = (Check::default(), 0);
    for (path, found) in rows.iter().filter(|(path, _)| is_volume(path)) {
        files += 1;
        check.path = path.clone();
        let place = zeroset_testing::data(path).unwrap();
        let no_mesh = read_mesh(&place).unwrap_err().to_string();
        assert!(no_mesh.contains("not a mesh"), "{no_mesh}");
        let volume = read_volume(&place, &VolumeOptions::default());
        match (volume, exception(path)) {
            (Err(error), Some(Exception::Refused(part))) => {
                assert_eq!(error.exit_code(), 3, "{path}");
                assert!(error.to_string().contains(part), "no \"{part}\" in: {error}");
            }
            (Err(error), _) => check.fail(format!("is refused: {error}")),
            (Ok(_), Some(_)) => check.fail("is read".into()),
            (Ok(_), None) => {
                let (text, code) = info(path, &["--json"]).unwrap();
                assert_eq!(code, 0, "{path}");
                let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                check.volume(&json["volume"], found);
            }
        }
    }
    assert!(check.wrong.is_empty(), "{} wrong:\n{}", check.wrong.len(), check.wrong.join("\n"));
    assert!(files == 17 && check.compared >= 103, "{files} files, {} facts", check.compared);
}

/// Every file of the folder has a row, and therefore a test.
#[test]
fn every_file_has_its_row() {
    let Some(rows) = rows() else { return };
    let readme = zeroset_testing::data("README.md").unwrap();
    let root = readme.parent().unwrap();
    let mut folders = vec![root.to_path_buf()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path != readme {
                files += 1;
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                assert!(rows.iter().any(|(row, _)| *row == name), "{name} has no row");
            }
        }
    }
    assert_eq!(files, rows.len());
}

/// Checks the verdicts in the table of malformed files. Where the table leaves a choice, the mesh
/// is read and its faults are counted. `zeroset info` shows them, and a run prints them as a
/// warning.
#[test]
fn bad_files_get_their_verdict() {
    let Some(rows) = rows() else { return };
    let verdicts = std::fs::read_to_string(zeroset_testing::data("README.md").unwrap()).unwrap();
    let verdict = |path: &str| {
        let line = verdicts.lines().find(|line| line.starts_with(&format!("| `{path}`"))).unwrap();
        line.split(" | ").nth(2).unwrap().trim().to_string()
    };
    let mut seen = 0;
    for (path, _) in rows.iter().filter(|(path, _)| is_bad(path)) {
        seen += 1;
        let file = zeroset_testing::data(path).unwrap();
        let (mesh, data) = (read_mesh(&file), read_data(&file));
        match (verdict(path).as_str(), mesh) {
            // Opening the partner of a bad file also leads to the bad file.
            ("reject" | "(pair)", Err(error)) => {
                assert_eq!(error.exit_code(), 3, "{path}");
                assert!(!error.to_string().contains('\n'), "{path}: {error}");
                assert!(data.is_err(), "{path} is read as data");
                assert!(read(&file, &VolumeOptions::default()).is_err(), "{path}");
            }
            ("choose", Ok(mesh)) => {
                let content = read(&file, &VolumeOptions::default());
                assert!(matches!(content, Ok(Content::Mesh(_))), "{path}");
                let cleaning = assess(&mesh.mesh).unwrap();
                let faults = [
                    ("knot2_three_on_an_edge.off", cleaning.nonmanifold),
                    ("octopus_inverted_and_flat.mesh", cleaning.repeating.min(cleaning.inverted)),
                ];
                let (_, n) = faults.iter().find(|(name, _)| path.ends_with(name)).unwrap();
                assert!(*n > 0, "{path}");
            }
            (verdict, Ok(_)) => panic!("{path} is read, but its verdict is {verdict}"),
            (verdict, Err(error)) => panic!("{path}: verdict {verdict}: {error}"),
        }
    }
    assert_eq!(seen, 16);
}

#[test]
fn data_arrays_match_the_readme() {
    let Some(rows) = rows() else { return };
    let (mut check, mut files) = (Check::default(), 0);
    for (path, found) in rows {
        let (expected, range) = if let Some((n, rest)) = leading_number(&found)
            && let Some(range) = rest.strip_prefix("values, ")
        {
            (n, range.split_once(".."))
        } else if let Some((n, "scalars at vertices")) = leading_number(&found) {
            (n, None)
        } else if let Some((_, shape)) = found.split_once("SHAPE [") {
            (shape.trim_end_matches(']').parse().unwrap(), None)
        } else {
            continue;
        };
        files += 1;
        check.path = path.clone();
        let arrays = read_data(&zeroset_testing::data(&path).unwrap()).unwrap().arrays;
        check.equal("arrays", arrays.len() as i64, Some(1));
        check.equal("rows", arrays[0].rows() as i64, Some(expected));
        if let Some((min, max)) = range {
            let values = arrays[0].values.to_f64();
            let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
            check.close("min", values.iter().copied().fold(low, f64::min), min.parse().unwrap(), 3);
            check.close(
                "max",
                values.iter().copied().fold(high, f64::max),
                max.parse().unwrap(),
                3,
            );
        }
    }
    assert!(check.wrong.is_empty(), "{}", check.wrong.join("\n"));
    assert_eq!(files, 8);
}

/// Returns the standard output and the exit code of `zeroset info` for a shared file, or `None` if
/// the file is missing.
fn info(relative: &str, flags: &[&str]) -> Option<(String, i32)> {
    let path = zeroset_testing::data(relative)?;
    let mut command = assert_cmd::Command::cargo_bin("zeroset").unwrap();
    let output = command.arg("info").args(flags).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    Some((text, output.status.code().unwrap()))
}

#[test]
fn coincident_vertices_are_counted() {
    // Two parts that touch at two vertices, but share no edge.
    let text = "v 0 0 0\nv 2 0 0\nv 1 1 0\nv 0 0 0\nv 2 0 0\nv 1 -1 0\nv 1 0 0\n\
                f 1 2 3\nf 4 6 7\nf 6 5 7\n";
    let file = tempfile::NamedTempFile::with_suffix(".obj").unwrap();
    std::fs::write(file.path(), text).unwrap();
    let mut command = assert_cmd::Command::cargo_bin("zeroset").unwrap();
    let output = command.arg("info").arg(file.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("vertices  7, 2 at the positions of others"), "{text}");
}

#[test]
fn the_program_says_what_is_in_a_file() {
    let Some((text, code)) = info("cortex/fsaverage5/flat_left.gii.gz", &[]) else { return };
    assert_eq!(code, 0);
    for part in
        ["gifti", "lengths in mm", "18,654 triangles", "777 not in any cell", "boundary: 274"]
    {
        assert!(text.contains(part), "no \"{part}\" in\n{text}");
    }
    let (text, _) = info("sim/vtk/tetraMesh.vtk", &["--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["kind"], &json["cells"]), (&"volume".into(), &160.into()));
    assert_eq!((&json["inverted"], &json["cleaning"]["inverted"]), (&80.into(), &80.into()));
    let (text, _) = info("cortex/fsaverage/lh.curv", &["--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["kind"], &json["arrays"][0]["rows"]), (&().into(), &163842.into()));
    let (text, _) = info("volumes/ironProt.vtk", &["--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["volume"]["shape"], serde_json::json!([68, 68, 68]));
    assert_eq!((&json["vertices"], &json["kind"]), (&().into(), &().into()));
    let (text, _) = info("volumes/CT_pitch.nii.gz", &[]).unwrap();
    for part in ["nifti 1 little-endian sform, lengths in mm", "175 x 248 x 58 voxels of uint8"] {
        assert!(text.contains(part), "no \"{part}\" in\n{text}");
    }
    let raw = ["--raw", "48x62x42:uint8:4x4x4", "--json"];
    let (text, _) = info("volumes/HeadMRVolume.raw", &raw).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!((json["volume"]["mean"].as_f64().unwrap() - 24.46822196620584).abs() < 1e-12);
    let (text, code) = info("bad/3holes_index_beyond.off", &["--json"]).unwrap();
    assert_eq!((text.as_str(), code), ("", 3));
}

/// Every output fits on a terminal of 24 lines, and the JSON has the counts of the README. The
/// large files are left out because they contain nothing that the other files lack.
#[test]
fn the_program_tells_about_every_file() {
    let Some(rows) = rows() else { return };
    let (mut check, mut files) = (Check::default(), 0);
    for (path, found) in rows.iter().filter(|(path, _)| !is_bad(path)) {
        if std::fs::metadata(zeroset_testing::data(path).unwrap()).unwrap().len() > 300_000 {
            continue;
        }
        files += 1;
        let (text, code) = info(path, &[]).unwrap();
        assert!(text.lines().count() <= 24, "{text}");
        let refused = matches!(exception(path), Some(Exception::Refused(_)));
        assert_eq!((code, text.is_empty()), if refused { (3, true) } else { (0, false) }, "{path}");
        let (text, code) = info(path, &["--json"]).unwrap();
        assert_eq!(code == 3, refused, "{path}");
        if refused || is_data(found) || is_volume(path) {
            continue;
        }
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        check.path = path.clone();
        let facts = match exception(path) {
            Some(Exception::Instead(row)) => Facts::parse(row),
            _ => Facts::parse(found),
        };
        let mut compare = |key: &str, words: &str| {
            if let Some(n) = json[key].as_i64() {
                check.equal(key, n, facts.get(words));
            }
        };
        for words in ["v", "nodes", "points", "lines"] {
            compare("vertices", words);
        }
        compare("cells", "tri");
        compare("cells", "tet");
        compare("boundary", "boundary edges");
        compare("components", "comp.");
        compare("inverted", "negative");
    }
    assert!(check.wrong.is_empty(), "{}", check.wrong.join("\n"));
    assert!(files > 80 && check.compared > 200, "{files} files, {} facts", check.compared);
}
