//! Tests the `.npy` and `.csv` outputs of `zeroset distance`.

#[path = "support/place.rs"]
mod place;

use place::Place;
use zeroset::io;

/// Two triangles with their own copies of the shared edge, and a separate third triangle.
const SOUP: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\n\
                    f 1 2 3\nf 4 5 6\nf 7 8 9\n";

#[test]
fn every_vertex_of_the_file_has_a_value() {
    let place = Place::new();
    place.put("soup.obj", SOUP);
    let line = "distance soup.obj --from vertex:0 --from vertex:4 --labels -o";
    place.good(&format!("{line} d.vtp"));
    let file = io::read_mesh(&place.path("d.vtp")).unwrap();
    let expected = file.mesh.vertex_array("distance").unwrap().values.to_f64();
    place.good("distance soup.obj --from vertex:0 --from vertex:4 -o d.npy");
    let read = io::read_volume(&place.path("d.npy"), &io::VolumeOptions::default()).unwrap();
    assert_eq!(read.volume.samples().type_name(), "float64");
    let found = read.volume.to_f64();
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
    assert!(found.len() == 9 && same(&found, &expected), "{found:?} {expected:?}");
    assert_eq!(found[..6], [0.0, 1.0, 1.0, 1.0, 0.0, 1.0], "both copies of joined vertices");
    assert!(found[6..].iter().all(|x| x.is_nan()), "{found:?}");
    place.good(&format!("{line} d.csv"));
    let text = std::fs::read_to_string(place.path("d.csv")).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[0], "vertex,x,y,z,distance,label");
    assert_eq!((rows[1], rows[5], rows[9]), ("0,0,0,0,0,0", "4,1,1,0,0,1", "8,5,1,0,NaN,-1"));
    place.good("distance soup.obj --from vertex:0 -o plain.csv");
    let text = std::fs::read_to_string(place.path("plain.csv")).unwrap();
    assert!(text.starts_with("vertex,x,y,z,distance\n0,0,0,0,0\n"), "{text}");
}

#[test]
fn arrays_that_a_file_cannot_hold_are_refused() {
    let place = Place::new();
    place.put("soup.obj", SOUP);
    for (more, part) in [
        ("--labels -o d.npy", "such a file holds one array only"),
        ("--gradient -o d.npy", "such a file holds one array only"),
        ("--gradient -o d.csv", "such a file holds no gradients"),
        ("-o d.np", "did you mean .npy?"),
        ("-o soup.obj", "unknown extension"),
    ] {
        let (code, text) = place.outcome(&format!("distance soup.obj --from vertex:0 {more}"));
        assert!(code == 2 && text.contains(part), "{more}: {text}");
    }
    // An input is never replaced.
    place.good("distance soup.obj --from vertex:0 -o values.csv");
    let line = "distance soup.obj --data values.csv --from vertex:0 -o values.csv";
    let (code, text) = place.outcome(line);
    assert!(code == 2 && text.contains("is an input file"), "{text}");
}
