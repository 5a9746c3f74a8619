//! Tests for splitting cells at hanging nodes, in the plane, on surfaces and in tetrahedral meshes.

use std::collections::HashMap;

use nalgebra::{Rotation3, Vector3};
use zeroset_core::mesh::repair::{Hanging, Repair, Repairs, Weld, repair};
use zeroset_core::mesh::statistics::inspect;
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values};
use zeroset_testing::cell_geometry::measures;

/// A mesh under construction. Vertices with equal coordinates are shared by all cells.
#[derive(Default)]
struct Build {
    vertices: Vec<[f64; 3]>,
    numbers: HashMap<[u64; 3], u32>,
    cells: Vec<u32>,
}

impl Build {
    fn vertex(&mut self, x: [f64; 3]) -> u32 {
        let next = self.vertices.len() as u32;
        let number = *self.numbers.entry(x.map(f64::to_bits)).or_insert(next);
        if number == next {
            self.vertices.push(x);
        }
        number
    }

    /// Adds a rectangle of `n[0]` by `n[1]` quads with its lower corner at `low`.
    fn quads(&mut self, low: [f64; 2], size: [f64; 2], n: [u32; 2]) {
        for k in 0..n[0] * n[1] {
            let [i, j] = [k % n[0], k / n[0]];
            let x = |a: u32, b: u32| {
                let at = |axis: usize, k: u32| {
                    low[axis] + size[axis] * f64::from(k) / f64::from(n[axis])
                };
                [at(0, i + a), at(1, j + b), 0.0]
            };
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(p, q)| self.vertex(x(p, q)));
            self.cells.extend([a, b, c, a, c, d]);
        }
    }

    /// Adds a unit cube of n by n by n hexahedra with its lower corner at `low`. Each hexahedron is
    /// split into tetrahedra around its vertex with the lowest index.
    fn hexahedra(&mut self, low: [f64; 3], n: u32) {
        const FACES: [[usize; 4]; 6] =
            [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
        for k in 0..n * n * n {
            let at = |axis: usize, i: u32| low[axis] + f64::from(i) / f64::from(n);
            let [i, j, l] = [k % n, k / n % n, k / n / n];
            let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]].map(|[a, b, _]| [a, b]);
            let corner = |k: usize| {
                let [a, b] = corners[k % 4];
                [at(0, i + a), at(1, j + b), at(2, l + k as u32 / 4)]
            };
            let hex: Vec<u32> = (0..8).map(|k| self.vertex(corner(k))).collect();
            let hub = (0..8).min_by_key(|&k| hex[k]).unwrap();
            for face in FACES.iter().filter(|face| !face.contains(&hub)) {
                let first = (0..4).min_by_key(|&k| hex[face[k]]).unwrap();
                let at = |k: usize| hex[face[(first + k) % 4]];
                self.cells.extend([hex[hub], at(0), at(1), at(2), hex[hub], at(0), at(2), at(3)]);
            }
        }
    }

    fn mesh(self, kind: Kind) -> Mesh {
        Mesh::new(kind, self.vertices, self.cells)
    }
}

/// Splits a mesh at its hanging nodes, with the default repairs.
fn split(mesh: Mesh) -> (Mesh, Repair) {
    repair(mesh, Repairs::default()).unwrap()
}

/// Splits a mesh, returns the result, and checks that it keeps its size, that no part is flat, and
/// that no hanging node remains.
fn checked(mesh: &Mesh) -> (Mesh, Repair) {
    checked_up_to(mesh, 1e-6)
}

/// Splits and checks a mesh like [`checked`], but its size may change by the given fraction,
/// because nodes with rounded coordinates do not lie exactly on their edges.
fn checked_up_to(mesh: &Mesh, rounding: f64) -> (Mesh, Repair) {
    let (whole, repair) = split(mesh.clone());
    assert_eq!(whole.vertices, mesh.vertices);
    let (before, after) = (measures(mesh), measures(&whole));
    let (size, sum) = (before.iter().sum::<f64>(), after.iter().sum::<f64>());
    assert!((size - sum).abs() < rounding * size, "{size} {sum}");
    let least = before.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(after.iter().all(|&m| m > 1e-3 * least), "{after:?}");
    assert_eq!(repair.hanging.left, 0);
    assert_eq!(repair.parents.len(), whole.n_cells());
    assert!(repair.parents.is_sorted());
    let (_, again) = split(whole.clone());
    assert!(again.is_nothing() && again.hanging == Hanging::default(), "{again:?}");
    (whole, repair)
}

#[test]
fn meshes_without_hanging_nodes_stay_the_same() {
    let mut build = Build::default();
    build.quads([0.0, 0.0], [1.0, 1.0], [7, 5]);
    let mesh = build.mesh(Kind::Planar);
    let (same, repair) = split(mesh.clone());
    assert_eq!((same.cells, repair.hanging), (mesh.cells, Hanging::default()));
    let mut build = Build::default();
    build.hexahedra([0.0; 3], 3);
    let mesh = build.mesh(Kind::Volume);
    let (same, repair) = split(mesh.clone());
    assert_eq!((same.cells, repair.hanging), (mesh.cells, Hanging::default()));
}

#[test]
fn quadtrees_of_every_ratio_become_closed() {
    for ratio in 2..6 {
        let mut build = Build::default();
        build.quads([0.0, 0.0], [1.0, 1.0], [4, 4]);
        build.quads([1.0, 0.0], [1.0, 1.0], [4 * ratio, 4 * ratio]);
        build.quads([0.0, 1.0], [1.0, 1.0], [8, 4]);
        let mesh = build.mesh(Kind::Planar);
        let (split, repair) = checked(&mesh);
        // The parts form a disk without gaps.
        assert_eq!(inspect(&split).euler, 1, "{ratio}: not a disk");
        assert_eq!(repair.hanging.nodes as u32, 4 * (ratio - 1) + 4);
    }
}

#[test]
fn nonmatching_grids_and_rotated_surfaces_become_closed() {
    let mut build = Build::default();
    build.quads([0.0, 0.0], [1.0, 1.0], [2, 2]);
    build.quads([1.0, 0.0], [1.0, 1.0], [3, 3]);
    let mut mesh = build.mesh(Kind::Surface);
    let turn = Rotation3::from_euler_angles(0.4, -0.9, 1.3);
    for x in &mut mesh.vertices {
        let moved = turn * Vector3::from(*x) * 30.0 + Vector3::new(100.0, 20.0, -5.0);
        // Coordinates with seven digits, as in many files.
        *x = moved.map(|c| f64::from(c as f32)).into();
    }
    let (split, repair) = checked(&mesh);
    assert_eq!(inspect(&split).euler, 1, "not a disk");
    assert_eq!(repair.hanging.nodes, 3);
}

#[test]
fn rounded_coordinates_hide_no_hanging_node() {
    let turn = Rotation3::from_euler_angles(0.0, 0.0, 0.4);
    let rounded = |kind: Kind, round: &dyn Fn(f64) -> f64| {
        let mut build = Build::default();
        match kind {
            Kind::Volume => {
                build.hexahedra([0.0; 3], 2);
                build.hexahedra([1.0, 0.0, 0.0], 4);
            }
            _ => {
                build.quads([0.0; 2], [1.0, 1.0], [4, 4]);
                build.quads([1.0, 0.0], [1.0, 1.0], [8, 8]);
            }
        }
        let mut mesh = build.mesh(kind);
        for x in &mut mesh.vertices {
            *x = (turn * Vector3::from(*x)).map(round).into();
        }
        let (whole, repair) = checked_up_to(&mesh, 1e-2);
        let nodes = if kind == Kind::Volume { 16 } else { 4 };
        assert_eq!(repair.hanging.nodes, nodes, "{kind:?}");
        assert_eq!(inspect(&whole).components, 1);
    };
    for kind in [Kind::Planar, Kind::Volume] {
        for decimals in 3..8 {
            let scale = 10.0_f64.powi(decimals);
            rounded(kind, &|c| (c * scale).round() / scale);
        }
        for far in [0.0, 1.0, 300.0, 3000.0] {
            rounded(kind, &|c| f64::from((c + far) as f32));
        }
    }
}

#[test]
fn triangles_with_nodes_on_all_edges_use_them() {
    // A large triangle in a ring of small ones.
    let mut build = Build::default();
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let [a, b, c] = corners.map(|x| build.vertex(x));
    build.cells.extend([a, b, c]);
    for k in 0..3 {
        let (p, q) = (Vector3::from(corners[k]), Vector3::from(corners[(k + 1) % 3]));
        let far = build.vertex(((p + q) / 2.0 + Vector3::new(q.y - p.y, p.x - q.x, 0.0)).into());
        let on: Vec<u32> = [0.0, 0.2, 0.5, 0.9, 1.0]
            .iter()
            .map(|t| build.vertex((p + (q - p) * *t).into()))
            .collect();
        on.windows(2).for_each(|pair| build.cells.extend([pair[1], pair[0], far]));
    }
    let (split, repair) = checked(&build.mesh(Kind::Planar));
    assert_eq!((repair.hanging.nodes, repair.hanging.cells), (9, 1));
    assert_eq!(split.n_cells(), 12 + 10);
    assert_eq!(repair.hanging.summary().unwrap(), "1 cell split at 9 hanging nodes");
}

#[test]
fn an_edge_may_have_thousands_of_hanging_nodes() {
    let mut build = Build::default();
    build.quads([0.0, 0.0], [1.0, 1.0], [1, 1]);
    build.quads([1.0, 0.0], [0.001, 1.0], [1, 5000]);
    let (whole, repair) = split(build.mesh(Kind::Planar));
    assert_eq!((repair.hanging.nodes, repair.hanging.left), (4999, 0));
    assert_eq!(inspect(&whole).euler, 1, "not a disk");
}

#[test]
fn octrees_use_all_nodes_of_a_face() {
    for n in 2..5 {
        let mut build = Build::default();
        build.hexahedra([0.0, 0.0, 0.0], 1);
        build.hexahedra([1.0, 0.0, 0.0], n);
        let mesh = build.mesh(Kind::Volume);
        let (split, repair) = checked(&mesh);
        assert_eq!(repair.hanging.nodes as u32, (n + 1) * (n + 1) - 4, "{n}");
        // All vertices of the common face belong to cells on both sides.
        let x = |v: u32| mesh.vertices[v as usize][0];
        for v in (0..mesh.n_vertices() as u32).filter(|&v| x(v) == 1.0) {
            let has = |side: f64| {
                let cells = split.iter_cells().filter(|cell| cell.contains(&v));
                cells.into_iter().any(|cell| cell.iter().any(|&w| (x(w) - 1.0) * side > 0.0))
            };
            assert!(has(1.0) && has(-1.0), "{n}: vertex {v}");
        }
    }
}

#[test]
fn inner_cells_at_a_split_edge_are_split_too() {
    // Two coarse cubes side by side. The edge between them belongs to tetrahedra of both.
    let mut build = Build::default();
    build.hexahedra([0.0, 0.0, 0.0], 1);
    build.hexahedra([0.0, 1.0, 0.0], 1);
    build.hexahedra([1.0, 0.0, 0.0], 2);
    build.hexahedra([1.0, 1.0, 0.0], 2);
    let (split, _) = checked(&build.mesh(Kind::Volume));
    // No face belongs to three cells.
    assert_eq!(inspect(&split).nonmanifold, 0);
}

#[test]
fn arrays_and_groups_follow_the_parts() {
    let mut build = Build::default();
    build.quads([0.0, 0.0], [1.0, 1.0], [1, 1]);
    build.quads([1.0, 0.0], [1.0, 1.0], [2, 2]);
    let mut mesh = build.mesh(Kind::Planar);
    let n = mesh.n_cells();
    let values = Values::Int((0..n as i64).collect());
    mesh.cell_data.push(DataArray { name: "id".into(), components: 1, values });
    mesh.groups.push(Group { name: "left".into(), members: Members::Cells(vec![0, 1]) });
    let edge = |x: [f64; 3]| mesh.vertices.iter().position(|y| *y == x).unwrap() as u32;
    let vertices = vec![edge([1.0, 0.0, 0.0]), edge([1.0, 1.0, 0.0])];
    let middle = edge([1.0, 0.5, 0.0]);
    let members = Members::Simplices { dimension: 1, vertices: vertices.clone() };
    mesh.groups.push(Group { name: "front".into(), members });
    let (split, repair) = checked(&mesh);
    let ids: Vec<i64> = repair.parents.iter().map(|&p| i64::from(p)).collect();
    assert_eq!(split.cell_data[0].values, Values::Int(ids));
    let left: Vec<u32> =
        (0..).zip(&repair.parents).filter(|(_, p)| **p < 2).map(|(c, _)| c).collect();
    assert_eq!(left.len(), 3);
    assert_eq!(split.groups[0].members, Members::Cells(left));
    let Members::Simplices { vertices: chain, .. } = &split.groups[1].members else { panic!() };
    let mut ends = chain.clone();
    ends.sort_unstable();
    let mut expected = vec![vertices[0], vertices[1], middle, middle];
    expected.sort_unstable();
    assert_eq!(ends, expected);
}

#[test]
fn parts_that_do_not_touch_stay_apart() {
    let mut build = Build::default();
    build.quads([0.0, 0.0], [1.0, 1.0], [1, 1]);
    build.quads([1.001, 0.0], [1.0, 1.0], [2, 2]);
    let mesh = build.mesh(Kind::Planar);
    assert_eq!(split(mesh).1.hanging, Hanging::default());
}

/// Returns the mesh with separate vertices for each cell.
fn torn(mesh: &Mesh) -> Mesh {
    let vertices = mesh.cells.iter().map(|&v| mesh.vertices[v as usize]).collect();
    Mesh::new(mesh.kind, vertices, (0..mesh.cells.len() as u32).collect())
}

/// Returns whether the cells of a mesh share one vertex at each place.
fn is_whole(mesh: &Mesh) -> bool {
    let mut used: Vec<u32> = mesh.cells.clone();
    used.sort_unstable();
    used.dedup();
    let mut places: Vec<[u64; 3]> =
        used.iter().map(|&v| mesh.vertices[v as usize].map(|c| (c + 0.0).to_bits())).collect();
    places.sort_unstable();
    places.windows(2).all(|pair| pair[0] != pair[1])
}

#[test]
fn cells_with_separate_vertices_are_joined_at_hanging_nodes() {
    for (kind, ratio) in [2, 3, 4].into_iter().flat_map(|r| [(Kind::Planar, r), (Kind::Volume, r)])
    {
        for is_elementwise in [false, true] {
            let mut build = Build::default();
            let mut add = |low: [f64; 2], n: u32| {
                // Each piece has its own vertices.
                build.numbers.clear();
                match kind {
                    Kind::Volume => build.hexahedra([low[0], low[1], 0.0], n),
                    _ => build.quads(low, [1.0, 1.0], [n, n]),
                }
            };
            add([0.0, 0.0], 2);
            add([1.0, 0.0], 2 * ratio);
            add([0.0, 1.0], 1);
            let mesh = build.mesh(kind);
            let mesh = if is_elementwise { torn(&mesh) } else { mesh };
            let (whole, repair) = checked(&mesh);
            assert!(is_whole(&whole), "{kind:?} {ratio} {is_elementwise}");
            assert!(repair.join.slit_at.is_none(), "{:?}", repair.join);
            // The faces on the two sides may be cut along different diagonals.
            let unmatched = &repair.unmatched;
            assert_eq!((unmatched.partial, unmatched.apart), (0, 0), "{unmatched:?}");
            assert_eq!(repair.doubts().len(), usize::from(unmatched.faces > 0));
            assert!(kind == Kind::Volume || unmatched.faces == 0);
            assert_eq!(inspect(&whole).components, 1);
        }
    }
}

#[test]
fn boxes_whose_faces_are_cut_along_different_diagonals_are_joined() {
    let mut build = Build::default();
    build.hexahedra([0.0; 3], 2);
    let first = build.mesh(Kind::Volume);
    // The copy is rotated by 180 degrees about the z direction. On the common face, it has the
    // other diagonals.
    let n = first.n_vertices() as u32;
    let vertices: Vec<[f64; 3]> =
        first.vertices.iter().map(|x| [2.0 - x[0], 1.0 - x[1], x[2]]).collect();
    let cells: Vec<u32> = first.cells.iter().map(|v| v + n).collect();
    let both = [first.vertices, vertices].concat();
    let mesh = Mesh::new(Kind::Volume, both, [first.cells, cells].concat());
    let (whole, done) = split(mesh.clone());
    assert!(is_whole(&whole), "{:?}", done.join);
    assert_eq!((done.join.vertices, inspect(&whole).components), (9, 1));
    let never = Repairs { weld: Weld::Never, ..Repairs::default() };
    assert!(repair(mesh.clone(), never).unwrap().1.is_nothing());
    // Cells of different materials stay apart, and the result reports this.
    let mut materials = mesh;
    let first = materials.n_cells() as u32 / 2;
    let members = Members::Cells((0..first).collect());
    materials.groups.push(Group { name: "left".into(), members });
    let (_, done) = split(materials);
    assert!(done.is_nothing() && done.join.edges_kept_apart > 0, "{:?}", done.join);
    assert!(done.doubts().concat().contains("different materials"), "{:?}", done.doubts());
}

#[test]
fn sides_that_are_kept_apart_are_not_connected_at_hanging_nodes() {
    for kind in [Kind::Planar, Kind::Volume] {
        let mut build = Build::default();
        let mut add = |low: f64, n: u32| {
            build.numbers.clear();
            match kind {
                Kind::Volume => build.hexahedra([low, 0.0, 0.0], n),
                _ => build.quads([low, 0.0], [1.0, 1.0], [n, n]),
            }
            build.cells.len()
        };
        let first = add(0.0, 1) / kind.arity();
        add(1.0, 2);
        let mesh = build.mesh(kind);
        let apart = |mesh: &Mesh, weld: Weld| {
            let repairs = Repairs { weld, ..Repairs::default() };
            let (same, repair) = repair(mesh.clone(), repairs).unwrap();
            assert!(repair.is_nothing() && same.cells == mesh.cells, "{repair:?}");
            assert!(repair.hanging.kept_apart > 0);
            assert!(repair.doubts().concat().contains("kept apart"), "{:?}", repair.doubts());
        };
        apart(&mesh, Weld::Never);
        let mut materials = mesh.clone();
        let members = Members::Cells((0..first as u32).collect());
        materials.groups.push(Group { name: "left".into(), members });
        apart(&materials, Weld::Auto);
        // Cells that share the vertices at the ends are meant to be connected.
        let mut build = Build::default();
        match kind {
            Kind::Volume => {
                build.hexahedra([0.0; 3], 1);
                build.hexahedra([1.0, 0.0, 0.0], 2);
            }
            _ => {
                build.quads([0.0; 2], [1.0, 1.0], [1, 1]);
                build.quads([1.0, 0.0], [1.0, 1.0], [2, 2]);
            }
        }
        let mesh = build.mesh(kind);
        let never = Repairs { weld: Weld::Never, ..Repairs::default() };
        let (_, repair) = repair(mesh.clone(), never).unwrap();
        assert_eq!(repair.hanging, split(mesh).1.hanging);
        assert_eq!(repair.hanging.kept_apart, 0);
    }
}
