//! Tests of the voxels inside a mesh and of the voxels that its surface passes through.

use super::*;
use crate::mesh::generate::{Cube, Generate, Sphere, Torus, generate};

fn surface(generated: Generate) -> Mesh {
    generate(&generated).unwrap()
}

#[test]
fn a_torus_has_the_voxels_of_its_formula() {
    let mesh = surface(Generate::Torus(Torus::default()));
    let (voxels, orientation) = Voxels::inside(&mesh, 0.04, 2).unwrap();
    assert_eq!(orientation.open_edges, 0);
    let [nx, ny, _] = voxels.shape;
    for (n, &inside) in voxels.marks.iter().enumerate() {
        let index = [n % nx, n / nx % ny, n / (nx * ny)];
        let [x, y, z] = [0, 1, 2].map(|k| voxels.center(k, index[k]));
        let distance = (x.hypot(y) - 1.0).hypot(z) - 0.4;
        // The polyhedron lies slightly inside the smooth torus.
        if distance.abs() > 0.02 {
            assert_eq!(inside == 1, distance < 0.0, "{index:?}");
        }
    }
}

#[test]
fn rows_and_winding_numbers_agree() {
    for generated in [Generate::Sphere(Sphere::default()), Generate::Torus(Torus::default())] {
        let mesh = surface(generated);
        let (by_rows, _) = Voxels::inside(&mesh, 0.11, 1).unwrap();
        let mut others = by_rows.clone();
        others.one_by_one(&TriangleIndex::new(&mesh.vertices, &mesh.cells));
        assert_eq!(others.marks, by_rows.marks);
    }
}

/// Creates a box with its faces cut along diagonals.
fn brick(low: [f64; 3], high: [f64; 3]) -> (Vec<[f64; 3]>, Vec<u32>) {
    let corner = |c: usize| std::array::from_fn(|k| if c >> k & 1 == 1 { high[k] } else { low[k] });
    let sides =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cut = |[a, b, c, d]: [u32; 4]| [a, b, c, a, c, d];
    ((0..8).map(corner).collect(), sides.into_iter().flat_map(cut).collect())
}

#[test]
fn rows_through_edges_and_vertices_count_once() {
    // Rows of voxels run along edges, along diagonals and through corners of this box.
    let (vertices, cells) = brick([-1.5; 3], [1.5, 2.5, 3.5]);
    let mesh = Mesh::new(Kind::Surface, vertices, cells);
    for (spacing, margin) in [(1.0, 2), (0.5, 1), (0.25, 0), (0.3, 2)] {
        let (voxels, _) = Voxels::inside(&mesh, spacing, margin).unwrap();
        let volume = voxels.count() as f64 * spacing.powi(3);
        let [nx, ny, nz] = voxels.shape;
        let row = |j: usize, k: usize| &voxels.marks[nx * (j + ny * k)..][..nx];
        for (j, k) in (0..nz).flat_map(|k| (0..ny).map(move |j| (j, k))) {
            let changes = row(j, k).windows(2).filter(|w| w[0] != w[1]).count();
            assert!(changes <= 2 && (margin == 0 || row(j, k)[0] == 0), "{spacing} {j} {k}");
        }
        assert!((volume - 60.0).abs() <= 60.0 * 2.0 * spacing, "{spacing}: {volume}");
    }
    assert_eq!(Voxels::inside(&mesh, 1.0, 0).unwrap().0.count(), 60);
    assert_eq!(Voxels::inside(&mesh, 0.5, 3).unwrap().0.count(), 480);
}

#[test]
fn nested_and_turned_parts_are_solid() {
    let (mut vertices, mut cells) = brick([0.0; 3], [8.0; 3]);
    let (inner, mut of_inner) = brick([2.0; 3], [6.0; 3]);
    let solid = |cells: &[u32], vertices: &[[f64; 3]]| {
        let mesh = Mesh::new(Kind::Surface, vertices.to_vec(), cells.to_vec());
        Voxels::inside(&mesh, 1.0, 1).unwrap().0.count()
    };
    assert_eq!(solid(&cells, &vertices), 512);
    of_inner.iter_mut().for_each(|v| *v += 8);
    vertices.extend(inner);
    cells.extend(&of_inner);
    assert_eq!(solid(&cells, &vertices), 512);
    // A component oriented inward is a cavity.
    for t in cells[36..].chunks_exact_mut(3) {
        t.swap(0, 1);
    }
    assert_eq!(solid(&cells, &vertices), 512 - 64);
}

#[test]
fn tetrahedra_are_filled_and_planar_meshes_refused() {
    let mesh = surface(Generate::Cube(Cube::default()));
    let (low, high) = mesh.bounds();
    let edge = high[0] - low[0];
    let (voxels, _) = Voxels::inside(&mesh, edge / 10.0, 1).unwrap();
    assert_eq!((voxels.shape, voxels.count()), ([12; 3], 1000));
    let square = surface(Generate::Square(Default::default()));
    assert!(Voxels::inside(&square, 0.1, 0).unwrap_err().to_string().contains("no inside"));
    let sphere = surface(Generate::Sphere(Sphere::default()));
    assert!(Voxels::inside(&sphere, 0.0, 0).is_err());
    assert!(
        Voxels::inside(&sphere, 1e-9, 0).unwrap_err().to_string().contains("not enough memory")
    );
}

#[test]
fn holes_are_closed_by_the_winding_number() {
    let mut mesh = surface(Generate::Sphere(Sphere::default()));
    let (whole, _) = Voxels::inside(&mesh, 0.1, 1).unwrap();
    mesh.cells.truncate(mesh.cells.len() - 3);
    let (open, orientation) = Voxels::inside(&mesh, 0.1, 1).unwrap();
    assert_eq!(orientation.open_edges, 3);
    let differ = whole.marks.iter().zip(&open.marks).filter(|(a, b)| a != b).count();
    assert!(differ < 10, "{differ}");
}

#[test]
fn a_passed_shell_parts_the_inside_from_the_outside() {
    let mesh = surface(Generate::Torus(Torus::default()));
    let (inside, _) = Voxels::inside(&mesh, 0.07, 2).unwrap();
    let shell = Voxels::passed(&mesh, 0.07, 2).unwrap();
    assert_eq!((shell.shape, shell.origin), (inside.shape, inside.origin));
    let [nx, ny, _] = shell.shape;
    for (n, &mark) in shell.marks.iter().enumerate() {
        let index = [n % nx, n / nx % ny, n / (nx * ny)];
        let [x, y, z] = [0, 1, 2].map(|k| shell.center(k, index[k]));
        let distance = ((x.hypot(y) - 1.0).hypot(z) - 0.4).abs();
        // The margins are half the diagonal of a voxel and the distance between the polyhedron and
        // the torus.
        assert!(mark == 0 || distance < 0.07 * 0.75_f64.sqrt() + 0.02, "{index:?}");
        assert!(mark == 1 || distance > 0.07 * 0.5 - 0.02, "{index:?}");
    }
    // No two neighboring voxels outside of the shell lie on different sides of the surface.
    for (stride, n) in
        [1, nx, nx * ny].into_iter().flat_map(|s| (s..shell.marks.len()).map(move |n| (s, n)))
    {
        let both = [n - stride, n];
        let is_free = both.iter().all(|&n| shell.marks[n] == 0);
        assert!(!is_free || inside.marks[both[0]] == inside.marks[both[1]], "{both:?}");
    }
    let mut open = mesh.clone();
    open.cells.truncate(300);
    let part = Voxels::passed(&open, 0.07, 2).unwrap();
    assert!(part.count() > 0 && part.count() < shell.count());
}

#[test]
fn faces_between_voxels_mark_both_sides_and_flat_meshes_one_slice() {
    let (vertices, cells) = brick([0.0; 3], [4.0; 3]);
    let mesh = Mesh::new(Kind::Surface, vertices, cells);
    let shell = Voxels::passed(&mesh, 1.0, 1).unwrap();
    assert_eq!((shell.shape, shell.count()), ([6; 3], 216 - 8));
    let (vertices, cells) = brick([0.0; 3], [4.5, 3.5, 2.5]);
    let mesh = Mesh::new(Kind::Surface, vertices, cells);
    let shell = Voxels::passed(&mesh, 1.0, 0).unwrap();
    assert_eq!((shell.shape, shell.count()), ([5, 4, 3], 5 * 4 * 3 - 3 * 2));
    let square = surface(Generate::Square(Default::default()));
    let (low, high) = square.bounds();
    let flat = Voxels::passed(&square, (high[0] - low[0]) / 8.0, 0).unwrap();
    assert_eq!((flat.shape, flat.count()), ([8, 8, 1], 64));
    let cube = surface(Generate::Cube(Cube::default()));
    let edge = cube.bounds().1[0] - cube.bounds().0[0];
    let skin = Voxels::passed(&cube, edge / 9.5, 0).unwrap();
    assert_eq!((skin.shape, skin.count()), ([10; 3], 1000 - 512));
    let error = |mesh: &Mesh, spacing| Voxels::passed(mesh, spacing, 0).unwrap_err().to_string();
    assert!(error(&square, -1.0).contains("voxels of edge -1"));
    assert!(error(&Mesh::new(Kind::Surface, vec![[0.0; 3]], vec![]), 1.0).contains("no triangles"));
}
