//! Tests of mesh statistics and cleaning, on meshes small enough to count by hand and on random
//! ones.

use proptest::prelude::*;
use zeroset_core::Error;
use zeroset_core::mesh::statistics::{Statistics, inspect};
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values, clean};

/// Returns the corners of the unit cube, with x varying fastest.
fn corners() -> Vec<[f64; 3]> {
    (0..8_u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(f64::from)).collect()
}

/// Returns two positively oriented tetrahedra, one on each side of a face.
fn two_tets() -> Mesh {
    let vertices = vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [0., 0., -1.]];
    Mesh::new(Kind::Volume, vertices, vec![0, 1, 2, 3, 0, 2, 1, 4])
}

/// Returns two right triangles that form the unit square.
fn square() -> Mesh {
    Mesh::new(Kind::Planar, corners()[..4].to_vec(), vec![0, 1, 3, 0, 3, 2])
}

fn ints(values: &[i64]) -> DataArray {
    DataArray { name: "label".into(), components: 1, values: Values::Int(values.to_vec()) }
}

#[test]
fn square_is_counted_by_hand() {
    let s = inspect(&square());
    assert_eq!((s.components, s.euler, s.boundary, s.nonmanifold, s.inconsistent), (1, 1, 4, 0, 0));
    assert_eq!((s.degenerate, s.duplicate, s.inverted, s.unreferenced), (0, 0, 0, 0));
    assert_eq!((s.max_valence, s.obtuse_share), (3, Some(0.0)));
    assert_eq!((s.edge_min, s.edge_max), (Some(1.0), Some(2.0_f64.sqrt())));
    assert!((s.edge_mean.unwrap() - (4.0 + 2.0_f64.sqrt()) / 5.0).abs() < 1e-15);
}

#[test]
fn two_tets_are_counted_by_hand() {
    let mut mesh = two_tets();
    let s = inspect(&mesh);
    // 5 vertices - 9 edges + 7 faces - 2 cells.
    assert_eq!((s.components, s.euler, s.boundary, s.nonmanifold, s.inconsistent), (1, 1, 6, 0, 0));
    assert_eq!((s.inverted, s.degenerate, s.max_valence, s.obtuse_share), (0, 0, 2, None));
    mesh.cells.swap(0, 1);
    let s = inspect(&mesh);
    assert_eq!((s.inverted, s.inconsistent, s.boundary), (1, 1, 6));
}

#[test]
fn three_sheets_on_an_edge_and_a_repeated_vertex() {
    let mut vertices = corners();
    vertices.push([5.0; 3]);
    vertices.push([0.0; 3]);
    let cells = vec![0, 1, 2, 0, 1, 4, 1, 0, 6, 3, 3, 3];
    let s = inspect(&Mesh::new(Kind::Surface, vertices, cells));
    // Edge 0-1 belongs to three triangles, two of which traverse it in the same direction. The edge
    // 3-3 of the last triangle is counted in the same way.
    assert_eq!((s.nonmanifold, s.inconsistent, s.boundary), (2, 2, 6));
    assert_eq!((s.repeating, s.degenerate, s.duplicate_points), (1, 1, 1));
    assert_eq!((s.components, s.unreferenced), (2, 4));
    // 6 vertices - 8 edges + 4 triangles.
    assert_eq!((s.euler, s.edge_min, s.max_valence), (2, Some(0.0), 4));
}

#[test]
fn obtuse_means_clearly_more_than_a_right_angle() {
    let share = |x: f64| {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [x, 1., 0.]];
        inspect(&Mesh::new(Kind::Planar, vertices, vec![0, 1, 2])).obtuse_share
    };
    assert_eq!([0.5, 0.0, -1e-12].map(share), [Some(0.0); 3]);
    assert_eq!([-1e-6, 1.1, 7.0].map(share), [Some(1.0); 3]);
}

#[test]
fn points_without_cells_and_wild_indices_are_inspected() {
    let s = inspect(&Mesh::new(Kind::Surface, corners(), vec![]));
    assert_eq!((s.components, s.euler, s.unreferenced, s.max_valence), (0, 0, 8, 0));
    assert_eq!((s.edge_min, s.edge_mean, s.edge_max, s.obtuse_share), (None, None, None, None));
    let s = inspect(&Mesh::new(Kind::Surface, corners(), vec![0, 1, 2, 0, 1, 8, 7, 6, u32::MAX]));
    assert_eq!((s.components, s.boundary), (1, 3));
    inspect(&Mesh::new(Kind::Volume, vec![], vec![]));
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    const N: u32 = 150;
    let vertices = (0..N * N).map(|i| {
        let (x, y) = (f64::from(i % N), f64::from(i / N));
        [x + 0.3 * (7.0 * x + y).sin(), y + 0.3 * (x - 3.0 * y).cos(), 0.0]
    });
    let corners = (0..N * (N - 1)).filter(|i| i % N + 1 < N);
    let cells = corners.flat_map(|i| [i, i + 1, i + N + 1, i, i + N + 1, i + N]);
    let mesh = Mesh::new(Kind::Planar, vertices.collect(), cells.collect());
    let bits = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let s = pool.install(|| inspect(&mesh));
        (s.edge_mean.map(f64::to_bits), s)
    };
    assert_eq!(bits(1), bits(2));
    assert_eq!(bits(1), bits(5));
    assert_eq!((bits(1).1.euler, bits(1).1.boundary), (1, 4 * (N as usize - 1)));
}

#[test]
fn a_sound_mesh_passes_untouched() {
    let (mesh, cleaning) = clean(two_tets()).unwrap();
    assert_eq!((mesh.cells, mesh.vertices), (two_tets().cells, two_tets().vertices));
    assert!(cleaning.is_nothing());
    assert_eq!(cleaning.summary(), None);
    assert_eq!((cleaning.kept_vertices, cleaning.kept_cells), (vec![0, 1, 2, 3, 4], vec![0, 1]));
}

#[test]
fn everything_follows_the_cells_that_stay() {
    // No cell uses vertex 0, and only a degenerate cell uses vertex 3. In order, the cells are
    // repeating, sound, duplicate, degenerate and sound.
    let vertices =
        vec![[9., 9., 9.], [0., 0., 0.], [1., 0., 0.], [2., 0., 0.], [0., 1., 0.], [1., 1., 0.]];
    let mut mesh =
        Mesh::new(Kind::Planar, vertices, vec![1, 1, 2, 1, 2, 4, 4, 2, 1, 1, 2, 3, 5, 4, 2]);
    mesh.vertex_data = vec![ints(&[0, 1, 2, 3, 4, 5])];
    mesh.cell_data = vec![DataArray {
        name: "pair".into(),
        components: 2,
        values: Values::Float((0..10).map(f64::from).collect()),
    }];
    mesh.groups = vec![
        Group { name: "cells".into(), members: Members::Cells(vec![0, 2, 4]) },
        Group { name: "gone".into(), members: Members::Cells(vec![3]) },
        Group {
            name: "line".into(),
            members: Members::Simplices { dimension: 1, vertices: vec![1, 2, 2, 3, 5, 4] },
        },
    ];
    let (mesh, c) = clean(mesh).unwrap();
    assert_eq!((c.kept_vertices.clone(), c.kept_cells.clone()), (vec![1, 2, 4, 5], vec![1, 4]));
    assert_eq!(mesh.cells, [0, 1, 2, 3, 2, 1]);
    assert_eq!(mesh.vertices[2], [0., 1., 0.]);
    assert_eq!(mesh.vertex_data, [ints(&[1, 2, 4, 5])]);
    assert_eq!(mesh.cell_data[0].values, Values::Float(vec![2., 3., 8., 9.]));
    assert_eq!(mesh.groups[0].members, Members::Cells(vec![1]));
    assert_eq!(mesh.groups[1].members, Members::Cells(vec![]));
    let line = Members::Simplices { dimension: 1, vertices: vec![0, 1, 3, 2] };
    assert_eq!(mesh.groups[2].members, line);
    assert_eq!((c.repeating, c.duplicate, c.degenerate, c.inverted), (1, 1, 1, 0));
    assert_eq!((c.unreferenced, c.group_members, c.nonmanifold), (2, 1, 0));
    assert_eq!(
        c.summary().unwrap(),
        "1 cell that repeats a vertex dropped, 1 duplicate cell dropped, 1 degenerate cell \
         dropped, 2 unreferenced vertices left out, 1 group member left out"
    );
}

#[test]
fn inverted_tets_are_turned_and_triangles_never() {
    let mut mesh = two_tets();
    mesh.cells.swap(4, 5);
    let (mesh, c) = clean(mesh).unwrap();
    assert_eq!((c.inverted, inspect(&mesh).inverted), (1, 0));
    assert_eq!(mesh.cells, [0, 1, 2, 3, 2, 0, 4, 1]);
    let mut mesh = square();
    mesh.cells.swap(0, 1);
    let cells = mesh.cells.clone();
    assert_eq!(clean(mesh).unwrap().0.cells, cells);
}

#[test]
fn flatness_is_the_same_at_every_scale_and_from_every_vertex() {
    let thin = |height: f64, scale: f64, turn: usize| {
        let mut vertices =
            vec![[0., 0., 0.], [1., 0., 0.], [0.5, height, 0.], [0., 0., 1.], [1., 0., 1.]];
        vertices.iter_mut().flatten().for_each(|c| *c *= scale);
        let mut cells = vec![0, 1, 2, 0, 3, 4];
        cells[..3].rotate_left(turn);
        clean(Mesh::new(Kind::Surface, vertices, cells)).unwrap().1.degenerate
    };
    for turn in 0..3 {
        for scale in [1e-160, 1e-3, 1.0, 1e120] {
            assert_eq!(thin(1e-13, scale, turn), 0, "scale {scale}, turn {turn}");
            assert_eq!(thin(1e-15, scale, turn), 1, "scale {scale}, turn {turn}");
        }
    }
    // A needle is degenerate at only one end.
    let needle = |turn: usize| {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [1., 1e-15, 0.], [0., 1., 0.]];
        let mut cells = vec![0, 1, 2, 0, 1, 3];
        cells[..3].rotate_left(turn);
        clean(Mesh::new(Kind::Surface, vertices, cells)).unwrap().1.degenerate
    };
    assert_eq!([0, 1, 2].map(needle), [1; 3]);
}

fn refusal(mesh: Mesh) -> String {
    match clean(mesh) {
        Err(error @ Error::Mesh { .. }) => error.to_string(),
        other => panic!("not refused as a mesh: {other:?}"),
    }
}

#[test]
fn unfit_meshes_are_refused_with_place_and_remedy() {
    let spoiled = |spoil: fn(&mut Mesh)| {
        let mut mesh = square();
        spoil(&mut mesh);
        refusal(mesh)
    };
    let text = spoiled(|m| m.cells[4] = 4);
    assert!(text.contains("cell 1: refers to vertex 4") && text.contains("start at 1"), "{text}");
    let text = spoiled(|m| m.vertices[3][1] = f64::NAN);
    assert!(
        text.contains("vertex 3: the coordinates (1, NaN, 0)") && text.contains("cell 0"),
        "{text}"
    );
    let text = spoiled(|m| m.vertices[2][0] = f64::NEG_INFINITY);
    assert!(text.contains("vertex 2: the coordinates (-inf, 1, 0)"), "{text}");
    let text = spoiled(|m| m.cells.clear());
    assert!(text.contains("no triangles or tetrahedra, only 4 points"), "{text}");
    let text = spoiled(|m| m.cells.truncate(4));
    assert!(text.contains("4 vertex indices, which is not a multiple of 3"), "{text}");
    let text = spoiled(|m| m.cells = vec![0, 0, 1, 3, 3, 3]);
    assert!(text.contains("none of its 2 triangles") && text.contains("repeat"), "{text}");
    let text = spoiled(|m| m.vertex_data = vec![ints(&[1, 2, 3])]);
    assert!(text.contains("array \"label\": 3 numbers for 4 vertices"), "{text}");
    let text = spoiled(|m| m.cell_data = vec![ints(&[1, 2, 3])]);
    assert!(text.contains("3 numbers for 2 cells"), "{text}");
    let text = spoiled(|m| {
        m.groups = vec![Group { name: "g".into(), members: Members::Cells(vec![2]) }];
    });
    assert!(text.contains("group \"g\": refers to cell 2, but there are 2 cells"), "{text}");
    let text = spoiled(|m| {
        let members = Members::Simplices { dimension: 0, vertices: vec![9] };
        m.groups = vec![Group { name: "g".into(), members }];
    });
    assert!(text.contains("group \"g\": refers to vertex 9"), "{text}");
    // Vertices that no cell uses never reach a solver.
    let mut mesh = square();
    mesh.vertices.push([f64::NAN; 3]);
    assert_eq!(clean(mesh).unwrap().1.unreferenced, 1);
}

/// Generates random cells, sound and defective, on a few random points.
fn any_mesh() -> impl Strategy<Value = Mesh> {
    let coordinate = prop_oneof![-1.0..1.0, (-2..3_i32).prop_map(f64::from)];
    let points = prop::collection::vec(prop::array::uniform3(coordinate), 4..12);
    (prop::bool::ANY, points).prop_flat_map(|(volume, points)| {
        let kind = if volume { Kind::Volume } else { Kind::Surface };
        let cell = prop::collection::vec(0..points.len() as u32, kind.arity());
        prop::collection::vec(cell, 1..25)
            .prop_map(move |cells| Mesh::new(kind, points.clone(), cells.concat()))
    })
}

/// Generates a mesh and the same mesh with renumbered vertices and reordered cells.
fn renumbered() -> impl Strategy<Value = (Mesh, Mesh)> {
    any_mesh().prop_flat_map(|mesh| {
        let names = Just((0..mesh.n_vertices() as u32).collect::<Vec<_>>()).prop_shuffle();
        let order = Just((0..mesh.n_cells()).collect::<Vec<_>>()).prop_shuffle();
        (Just(mesh), names, order).prop_map(|(mesh, names, order)| {
            let mut other = mesh.clone();
            for (old, &new) in names.iter().enumerate() {
                other.vertices[new as usize] = mesh.vertices[old];
            }
            let cells: Vec<&[u32]> = mesh.iter_cells().collect();
            other.cells =
                order.iter().flat_map(|&c| cells[c]).map(|&v| names[v as usize]).collect();
            (mesh, other)
        })
    })
}

/// Separates the mean edge length and the quality, whose rounding depends on the numbering, from
/// the counts. The index of the worst cell is removed.
fn split(mut s: Statistics) -> (Statistics, [f64; 2]) {
    let numbers = [s.edge_mean.take(), s.quality_min.take()].map(|x| x.unwrap_or(0.0));
    s.worst_cell = None;
    (s, numbers)
}

proptest! {
    #[test]
    fn statistics_do_not_depend_on_numbering((one, other) in renumbered()) {
        let (one, numbers) = split(inspect(&one));
        let (other, others) = split(inspect(&other));
        prop_assert_eq!(one, other);
        prop_assert!((numbers[0] - others[0]).abs() <= 1e-14 * numbers[0]);
        prop_assert!((numbers[1] - others[1]).abs() <= 1e-9 * numbers[1]);
    }

    #[test]
    fn cleaning_counts_do_not_depend_on_numbering((one, other) in renumbered()) {
        match (clean(one), clean(other)) {
            (Ok((_, one)), Ok((_, other))) => {
                prop_assert_eq!(one.kept_cells.len(), other.kept_cells.len());
                prop_assert_eq!(one.kept_vertices.len(), other.kept_vertices.len());
                prop_assert_eq!(one.repeating, other.repeating);
                prop_assert_eq!(one.duplicate, other.duplicate);
                prop_assert_eq!(one.degenerate, other.degenerate);
                prop_assert_eq!(one.nonmanifold, other.nonmanifold);
            }
            (one, other) => prop_assert_eq!(one.is_err(), other.is_err()),
        }
    }

    #[test]
    fn cleaning_twice_is_cleaning_once(mesh in any_mesh()) {
        let Ok((once, _)) = clean(mesh) else { return Ok(()) };
        let (twice, cleaning) = clean(once.clone()).unwrap();
        prop_assert!(cleaning.is_nothing(), "{:?}", cleaning);
        prop_assert_eq!(once.cells, twice.cells);
        prop_assert_eq!(once.vertices, twice.vertices);
    }

    #[test]
    fn a_clean_mesh_has_none_of_the_faults(mesh in any_mesh()) {
        let Ok((mesh, _)) = clean(mesh) else { return Ok(()) };
        let s = inspect(&mesh);
        prop_assert_eq!((s.repeating, s.duplicate, s.inverted, s.unreferenced), (0, 0, 0, 0));
        prop_assert!(s.edge_min.unwrap() > 0.0);
    }

    #[test]
    fn the_map_leads_back_to_the_stored_mesh(mesh in any_mesh()) {
        let Ok((cleaned, cleaning)) = clean(mesh.clone()) else { return Ok(()) };
        let stored: Vec<&[u32]> = mesh.iter_cells().collect();
        for (cell, &from) in cleaned.iter_cells().zip(&cleaning.kept_cells) {
            let mut back: Vec<u32> =
                cell.iter().map(|&v| cleaning.kept_vertices[v as usize]).collect();
            let mut expected = stored[from as usize].to_vec();
            back.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(back, expected);
        }
        for (x, &from) in cleaned.vertices.iter().zip(&cleaning.kept_vertices) {
            prop_assert_eq!(*x, mesh.vertices[from as usize]);
        }
    }
}
