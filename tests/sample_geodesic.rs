//! Tests of vertices that are far from one another: `zeroset::api::farthest_points` and `zeroset
//! sample --geodesic`.

#[path = "support/place.rs"]
mod place;
use place::Place;

use zeroset::api::{DistanceOptions, farthest_points};
use zeroset::{Mesh, Source};

const CORTEX: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");

/// Chooses vertices by complete solves from each of them.
fn by_complete_solves(mesh: &Mesh, n: usize, first: u32) -> (Vec<u32>, Vec<f64>) {
    let mut values = vec![f64::INFINITY; mesh.n_vertices()];
    let mut vertices = vec![first];
    loop {
        let last = *vertices.last().unwrap();
        let found = zeroset::distance(mesh, &[Source::Vertex(last)]).unwrap();
        values.iter_mut().zip(&found.values).for_each(|(value, new)| *value = value.min(*new));
        if vertices.len() == n {
            return (vertices, values);
        }
        let largest = values.iter().copied().fold(0.0, f64::max);
        vertices.push(values.iter().position(|&value| value == largest).unwrap() as u32);
    }
}

#[test]
fn fronts_that_stop_choose_the_same_vertices() {
    let mesh = zeroset::read(CORTEX).unwrap();
    let (vertices, values) = by_complete_solves(&mesh, 12, 100);
    let found = farthest_points(&mesh, 12, 100, &DistanceOptions::default()).unwrap();
    assert_eq!(found.vertices, vertices);
    for (k, (found, expected)) in found.values.iter().zip(&values).enumerate() {
        assert!((found - expected).abs() <= 1e-9 * expected, "{k}: {found} instead of {expected}");
    }
    // Each vertex has the value of the vertex that its label names.
    for (label, &vertex) in vertices.iter().enumerate() {
        assert_eq!(found.labels[vertex as usize], label as i32);
        let alone = zeroset::distance(&mesh, &[Source::Vertex(vertex)]).unwrap();
        for (k, &of) in found.labels.iter().enumerate() {
            let is_near = (found.values[k] - alone.values[k]).abs() <= 1e-9 * found.values[k];
            assert!(of != label as i32 || is_near, "{k}");
        }
    }
}

#[test]
fn the_corners_of_a_square_come_first() {
    let place = Place::new();
    place.good("generate square --cells 20,20 -o square.vtp");
    place.good("sample square.vtp --geodesic 5 -o far.csv");
    let text = std::fs::read_to_string(place.path("far.csv")).unwrap();
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("x,y,z,vertex,distance"));
    let rows: Vec<Vec<f64>> =
        rows.map(|r| r.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let expected = [
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 2.0_f64.sqrt()],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [0.5, 0.5, 0.5_f64.sqrt()],
    ];
    assert_eq!(rows.len(), 5);
    for (row, [x, y, distance]) in rows.iter().zip(expected) {
        assert_eq!(row[..3], [x, y, 0.0]);
        assert!((row[4] - distance).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let place = Place::new();
    place.good("generate square --cells 2,2 -o square.vtp");
    for (line, code, words) in [
        (
            "sample square.vtp --geodesic 10 -o a.csv",
            2,
            "10 points are requested, but only 9 differ",
        ),
        ("sample square.vtp --geodesic 2 --first 9 -o a.csv", 2, "vertex 9"),
        ("sample square.vtp --geodesic 2 --normals -o a.csv", 2, "--normals"),
        ("sample square.vtp --first 2 -n 5 -o a.csv", 2, "--points"),
        ("sample square.vtp -o a.csv", 2, "--points"),
    ] {
        let (found, text) = place.outcome(line);
        assert!(found == code && text.contains(words), "{line}: {found} {text}");
        assert!(!place.path("a.csv").exists());
    }
    let mesh = zeroset::read(place.path("square.vtp")).unwrap();
    let within = DistanceOptions::default().within(1.0);
    assert!(farthest_points(&mesh, 2, 0, &within).unwrap_err().to_string().contains("within"));
    assert_eq!(
        farthest_points(&mesh, 0, 0, &DistanceOptions::default()).unwrap_err().exit_code(),
        2
    );
}
