//! Tests for cutting convex, concave, degenerate and malformed polyhedra.

use std::f64::consts::TAU;

use super::*;

/// Returns the total volume, after checking that every tetrahedron is positive.
fn volume(vertices: &[[f64; 3]], cut: &CutPolyhedron) -> f64 {
    let at = |v: u32| Vec3::from(vertices[v as usize]);
    let six = |x: Vec3, a: u32, b: u32, c: u32| (at(a) - x).dot(&(at(b) - x).cross(&(at(c) - x)));
    let volumes: Vec<f64> = match cut {
        CutPolyhedron::Pulled(cells) => {
            cells.iter().map(|t| six(at(t[0]), t[1], t[2], t[3])).collect()
        }
        CutPolyhedron::Centered { center, triangles } => {
            triangles.iter().map(|t| six(*center, t[0], t[1], t[2])).collect()
        }
    };
    assert!(volumes.iter().all(|&v| v > 0.0), "{volumes:?}");
    volumes.iter().sum::<f64>() / 6.0
}

/// Returns the vertices and faces of a prism of height 1 over a polygon.
fn prism(base: &[[f64; 2]]) -> (Vec<[f64; 3]>, Vec<Vec<u32>>) {
    let n = base.len() as u32;
    let layer = |z: f64| base.iter().map(move |x| [x[0], x[1], z]);
    let vertices = layer(0.0).chain(layer(1.0)).collect();
    let mut faces = vec![(0..n).collect(), (n..2 * n).collect()];
    faces.extend((0..n).map(|k| vec![k, (k + 1) % n, n + (k + 1) % n, n + k]));
    (vertices, faces)
}

fn cut(vertices: &[[f64; 3]], faces: &[Vec<u32>]) -> Result<CutPolyhedron, PolyhedronFault> {
    let faces: Vec<&[u32]> = faces.iter().map(Vec::as_slice).collect();
    cut_polyhedron(vertices, &faces)
}

#[test]
fn convex_cells_need_no_new_vertex_whatever_the_orientation_of_their_faces() {
    let hexagon: Vec<[f64; 2]> =
        (0..6).map(|k| (f64::from(k) * TAU / 6.0).sin_cos().into()).collect();
    let (vertices, mut faces) = prism(&hexagon);
    for turned in 0..faces.len() {
        faces[turned].reverse();
        let found = cut(&vertices, &faces).unwrap();
        assert!(matches!(found, CutPolyhedron::Pulled(_)));
        assert!((volume(&vertices, &found) - 2.598_08).abs() < 1e-4);
    }
}

#[test]
fn coplanar_faces_and_concave_cells_get_a_center() {
    // A cube whose top consists of two faces, as in a cell next to a finer one.
    let (mut vertices, mut faces) = prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    vertices.extend([[0.5, 0.0, 1.0], [0.5, 1.0, 1.0]]);
    faces[1] = vec![4, 8, 9, 7];
    faces.push(vec![8, 5, 6, 9]);
    faces[2] = vec![0, 1, 5, 8, 4];
    faces[4] = vec![2, 3, 7, 9, 6];
    let found = cut(&vertices, &faces).unwrap();
    assert!((volume(&vertices, &found) - 1.0).abs() < 1e-12);
    let l = [[2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
    let (vertices, faces) = prism(&l);
    let found = cut(&vertices, &faces).unwrap();
    assert!((volume(&vertices, &found) - 3.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn neighbors_cut_their_face_alike() {
    let pentagon: Vec<[f64; 2]> =
        (0..5).map(|k| (f64::from(k) * 1.2566).sin_cos().into()).collect();
    let vertices: Vec<[f64; 3]> = pentagon.iter().map(|x| [x[0], x[1], 0.3 * x[0]]).collect();
    let face = [3, 0, 4, 1, 2].map(|k: usize| k as u32);
    let mut moved = vertices.clone();
    face.iter().zip(&vertices).for_each(|(&v, x)| moved[v as usize] = *x);
    let sorted = |face: &[u32]| {
        let mut all = cut_face(&moved, face).unwrap();
        all.iter_mut().for_each(|t| t.sort_unstable());
        all.sort_unstable();
        all
    };
    for first in 0..5 {
        let mut turned = face;
        turned.rotate_left(first);
        assert_eq!(sorted(&turned), sorted(&face));
        turned.reverse();
        assert_eq!(sorted(&turned), sorted(&face));
    }
    assert_eq!(cut_face(&moved, &[2, 2, 0, 1, 2]).unwrap(), [[0, 1, 2]]);
}

#[test]
fn malformed_cells_are_refused() {
    let (vertices, mut faces) = prism(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let flat: Vec<[f64; 3]> = vertices.iter().map(|x| [x[0], x[1], 0.0]).collect();
    assert_eq!(cut(&flat, &faces), Err(PolyhedronFault::Flat));
    faces[1].swap(0, 1);
    assert_eq!(cut(&vertices, &faces), Err(PolyhedronFault::Face(PolygonFault::Crosses)));
    faces.pop();
    faces[1].swap(0, 1);
    assert_eq!(cut(&vertices, &faces), Err(PolyhedronFault::Open));
    assert_eq!(cut(&vertices, &[]), Err(PolyhedronFault::Flat));
    // A U-shaped prism, with no point from which all faces are visible.
    let u = [
        [0.0, 0.0],
        [9.0, 0.0],
        [9.0, 9.0],
        [8.0, 9.0],
        [8.0, 1.0],
        [1.0, 1.0],
        [1.0, 9.0],
        [0.0, 9.0],
    ];
    let (vertices, faces) = prism(&u);
    assert_eq!(cut(&vertices, &faces), Err(PolyhedronFault::Concave));
}
