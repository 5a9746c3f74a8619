//! Tests the facade: its values are bitwise identical to those that the program writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use assert_cmd::Command;
use tempfile::TempDir;
use zeroset::api::{Control, DistanceOptions};
use zeroset::{Error, Source, Values};

/// Runs the program and returns the 64-bit numbers of the `.npy` file that it writes.
fn written(folder: &TempDir, args: &[&str]) -> Vec<u64> {
    let output = folder.path().join("out.npy");
    let mut command = Command::cargo_bin("zeroset").unwrap();
    command.args(args).arg("-o").arg(&output).assert().success();
    let bytes = std::fs::read(&output).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..].chunks_exact(8).map(|row| u64::from_le_bytes(row.try_into().unwrap())).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Writes a strip of 20 x 3 squares whose columns do not share vertices, with an unused vertex.
fn torn(folder: &TempDir) -> PathBuf {
    let mut text = String::new();
    let mut n = 0;
    for i in 0..20 {
        for j in 0..3 {
            for [a, b] in [[0, 0], [1, 0], [1, 1], [0, 1]] {
                let [x, y] = [i + a, j + b];
                text += &format!("v {x} {y} {}\n", f64::from(x * x) * 0.01);
            }
            let [a, b, c, d] = [1, 2, 3, 4].map(|k| n + k);
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
            n += 4;
        }
    }
    text += "v 100 100 100\n";
    let path = folder.path().join("torn.obj");
    std::fs::write(&path, text).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn distances_are_those_of_the_program_at_every_vertex_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = torn(&folder);
    let mut mesh = zeroset::read(&path).unwrap();
    let found = zeroset::distance(&mesh, &[Source::Vertex(5)]).unwrap();
    assert_eq!(
        bits(&found.values),
        written(&folder, &["distance", text(&path), "--from", "vertex:5"])
    );
    assert_eq!(found.values.len(), 241);
    assert!(found.values[240].is_nan() && found.used_vertices.len() == 84);
    assert!(found.warnings.iter().any(|warning| warning.contains("repaired")));

    // A second call uses the prepared mesh.
    let sources = [Source::Point([3.2, 1.1, 0.11]), Source::Vertices(vec![200, 210])];
    let mut options = DistanceOptions::default();
    options.starts = vec![0.5, 0.0];
    options.within = Some(6.0);
    options.speed = Some("1 + 0.1*x".into());
    options.labels = true;
    options.gradient = true;
    options.paths_from = vec![Source::Vertex(100)];
    let found = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    let args = [
        "distance",
        text(&path),
        "--from",
        "point:3.2,1.1,0.11@0.5",
        "--from",
        "vertex:200,210",
        "--width",
        "6",
        "--speed",
        "1 + 0.1*x",
    ];
    assert_eq!(bits(&found.values), written(&folder, &args));
    assert!(found.warnings.iter().any(|warning| warning.contains("off the mesh")));
    assert!(found.paths[0].source.is_some());
    assert!(found.labels.unwrap().contains(&1) && found.gradient.unwrap().len() == 241);

    // Arrays give the same values as the expressions that they hold.
    let of = |vertex: &[f64; 3]| 1.0 + 0.1 * vertex[0];
    let speeds: Vec<f64> = mesh.stored().vertices.iter().map(of).collect();
    options.speed = Some(Values::PerVertex(speeds.clone()));
    let given = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    mesh.set_vertex_array("speed", 1, speeds).unwrap();
    options.speed = Some("speed".into());
    let named = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    assert_eq!(bits(&given.values), bits(&named.values));
    options.speed = Some(Values::PerCell(vec![2.0; mesh.n_cells()]));
    let cells = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    options.speed = Some("2 + 0*x".into());
    let same = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    assert_eq!(bits(&cells.values), bits(&same.values));
}

#[test]
fn wrong_inputs_are_refused_and_calls_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = zeroset::read(torn(&folder)).unwrap();
    let refused = |sources: &[Source], options: &DistanceOptions| {
        zeroset::distance_with(&mesh, sources, options).unwrap_err().to_string()
    };
    let mut options = DistanceOptions::default();
    assert!(refused(&[], &options).contains("distance"));
    assert!(refused(&[Source::Vertex(241)], &options).contains("there is no vertex 241"));
    assert!(refused(&[Source::Group("rim".into())], &options).contains("rim"));
    options.starts = vec![1.0, 2.0];
    assert!(refused(&[Source::Vertex(0)], &options).contains("give one for each of 1 sources"));
    options.starts.clear();
    options.speed = Some(Values::PerCell(vec![1.0]));
    assert!(refused(&[Source::Vertex(0)], &options).contains("120 cells"));
    options.speed = Some(Values::Number(-1.0));
    assert!(refused(&[Source::Vertex(0)], &options).contains("speed"));
    options.speed = None;
    options.control = Control::default().interrupt(Arc::new(AtomicBool::new(true)));
    let cancelled = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options);
    assert!(matches!(cancelled, Err(Error::Interrupted)));
}
