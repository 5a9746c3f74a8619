//! Tests the repair of meshes: coincident vertices, caps, needles, groups and materials.

use zeroset_core::geometry::Vec3;
use zeroset_core::mesh::generate::{Cube, Generate, generate};
use zeroset_core::mesh::repair::{Repair, Repairs, Thinness, Weld, repair};
use zeroset_core::mesh::statistics::inspect;
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values, clean_repaired};
use zeroset_testing::cell_geometry::measures;
use zeroset_testing::slivers::cubes_with_slivers;

const THIN: Repairs = Repairs { weld: Weld::Auto, degenerate: Some(Thinness::Thin) };

/// Returns two triangles that touch along an edge, each with its own vertices.
fn torn() -> Mesh {
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let vertices = corners.map(|[x, y]| [x, y, 0.0]).to_vec();
    Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 3, 4, 5])
}

fn repaired(mesh: &Mesh) -> (Mesh, Repair) {
    repair(mesh.clone(), Repairs::default()).unwrap()
}

#[test]
fn a_torn_edge_is_joined_and_cells_remember_their_copies() {
    let (mesh, repair) = repaired(&torn());
    assert_eq!(mesh.cells, [0, 1, 2, 1, 4, 2]);
    assert_eq!(repair.representative, [0, 1, 2, 1, 4, 2]);
    assert_eq!(repair.own_corners, [0, 1, 2, 3, 4, 5]);
    assert_eq!((repair.join.vertices, repair.join.facets, repair.join.slit_facets), (2, 2, 0));
    let (clean, cleaning) = clean_repaired(mesh, &repair).unwrap();
    assert_eq!((clean.n_vertices(), cleaning.unreferenced), (4, 0));
    assert_eq!(cleaning.kept_vertices, [0, 1, 2, 4]);
}

#[test]
fn groups_and_materials_keep_edges_apart() {
    let mut grouped = torn();
    let members = Members::Simplices { dimension: 1, vertices: vec![1, 2] };
    grouped.groups.push(Group { name: "crack".into(), members });
    let mut pieces = torn();
    pieces.groups.push(Group { name: "steel".into(), members: Members::Cells(vec![0]) });
    let mut tagged = torn();
    let values = Values::Int(vec![1, 2]);
    tagged.cell_data.push(DataArray { name: "MaterialIds".into(), components: 1, values });
    for mesh in [grouped, pieces, tagged] {
        let (same, repair) = repaired(&mesh);
        assert_eq!(same.cells, mesh.cells);
        assert_eq!((repair.join.vertices, repair.join.kept_apart), (0, 2));
        assert!(repair.is_nothing() && repair.summary().is_none());
        assert!(repair.doubts()[0].contains("2 edges of the boundary coincide"));
        let weld = Repairs { weld: Weld::Within(1e-9), degenerate: None };
        assert_eq!(inspect(&zeroset_core::mesh::repair::repair(mesh, weld).unwrap().0).boundary, 4);
    }
}

#[test]
fn one_corner_in_common_joins_loose_cells_only() {
    let bow = |shared: [f64; 2]| {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], shared, [2.0, 0.0], [2.0, 1.0]];
        let vertices = corners.map(|[x, y]| [x, y, 0.0]).to_vec();
        Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 3, 4, 5])
    };
    assert_eq!(repaired(&bow([1.0, 0.0])).1.join.vertices, 1);
    assert_eq!(repaired(&bow([1.0, 1e-3])).1.join.vertices, 0);
    // With another triangle attached to one of its edges, the cell on the left is not loose.
    let mut mesh = bow([1.0, 0.0]);
    mesh.vertices.push([0.0, -1.0, 0.0]);
    mesh.cells.extend([0, 6, 1]);
    assert_eq!(repaired(&mesh).1.join.vertices, 0);
}

#[test]
fn single_precision_in_a_far_frame_separates_nothing() {
    let far = |x: f64| f64::from((x + 1e5) as f32);
    let mut mesh = torn();
    for x in &mut mesh.vertices {
        *x = x.map(far);
    }
    // One unit in the last place of a single-precision number near 1e5.
    mesh.vertices[3][0] += 0.0078125;
    assert_eq!(repaired(&mesh).1.join.vertices, 2);
    mesh.vertices[3][0] += 0.1;
    mesh.vertices[5][0] += 0.1;
    assert_eq!(repaired(&mesh).1.join.vertices, 0);
}

/// Returns the sum of the volumes of the tetrahedra, after asserting that each volume is positive.
fn volume(mesh: &Mesh) -> f64 {
    let volumes = measures(mesh);
    assert!(volumes.iter().all(|&volume| volume > 0.0), "{volumes:?}");
    volumes.iter().sum()
}

#[test]
fn tetrahedra_around_a_cap_are_split_at_its_apex() {
    // Vertex 4 lies in face 0 1 2. The degenerate cell separates the upper cell from the three
    // cells below.
    let vertices = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.25, 0.25, 0.0],
        [0.0, 0.0, -1.0],
    ];
    let below = [[1, 0, 4, 5], [2, 1, 4, 5], [0, 2, 4, 5]].concat();
    let cells = [vec![0, 1, 2, 3, 0, 1, 2, 4], below].concat();
    let mut mesh = Mesh::new(Kind::Volume, vertices, cells);
    let members = Members::Simplices { dimension: 2, vertices: vec![0, 1, 2] };
    mesh.groups.push(Group { name: "interface".into(), members });
    mesh.groups.push(Group { name: "upper".into(), members: Members::Cells(vec![0]) });
    mesh.cell_data.push(DataArray {
        name: "k".into(),
        components: 1,
        values: Values::Float(vec![7.0, 1.0, 2.0, 3.0, 4.0]),
    });
    let (mesh, repair) = repaired(&mesh);
    assert_eq!((repair.degenerate.left_out, repair.hanging.cells, mesh.n_cells()), (1, 1, 6));
    assert_eq!(repair.parents, [0, 0, 0, 2, 3, 4]);
    let (clean, _) = clean_repaired(mesh, &repair).unwrap();
    assert!((volume(&clean) - 2.0 / 6.0).abs() < 1e-15);
    let found = inspect(&clean);
    assert_eq!((found.boundary, found.components), (6, 1));
    let Members::Simplices { vertices, .. } = &clean.groups[0].members else { panic!() };
    assert_eq!(vertices.len(), 9);
    assert_eq!(clean.groups[1].members, Members::Cells(vec![0, 1, 2]));
    let expected = Values::Float(vec![7.0, 7.0, 7.0, 2.0, 3.0, 4.0]);
    assert_eq!(clean.cell_data[0].values, expected);
}

#[test]
fn thin_cells_of_a_cube_disappear_without_a_trace() {
    let cube = Cube { cells: [4, 4, 4], ..Cube::default() };
    let mut mesh = generate(&Generate::Cube(cube)).unwrap();
    let (n, whole) = (mesh.n_cells(), volume(&mesh));
    // A vertex just inside a face of a cell in the middle of the cube splits this cell into a cap
    // and three others.
    let at = n / 2 * 4;
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| mesh.cells[at + k]);
    let x = |v: u32| Vec3::from(mesh.vertices[v as usize]);
    let middle = (x(a) + x(b) + x(c)) / 3.0;
    let inside = middle + (x(d) - middle) * 1e-5;
    let apex = mesh.n_vertices() as u32;
    mesh.vertices.push(inside.into());
    mesh.cells[at..at + 4].copy_from_slice(&[a, b, c, apex]);
    mesh.cells.extend([a, b, apex, d, b, c, apex, d, c, a, apex, d]);
    assert!((volume(&mesh) - whole).abs() < 1e-12);
    let (mesh, repair) = repair(mesh, THIN).unwrap();
    assert_eq!((repair.degenerate.caps, repair.degenerate.left), (1, 0));
    let (clean, _) = clean_repaired(mesh, &repair).unwrap();
    assert!(clean.n_cells() > n && (volume(&clean) - whole).abs() < 1e-12);
    assert_eq!(inspect(&clean).components, 1);
}

#[test]
fn needles_collapse_and_their_vertices_share_a_value() {
    // A strip of triangles in which two needles share the edge between vertices 1 and 4.
    let vertices: Vec<[f64; 3]> =
        vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 1e-14, 0.0]];
    let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 1, 4, 2, 1, 3, 4, 4, 3, 2]);
    let (mesh, repair) = repaired(&mesh);
    assert_eq!((repair.degenerate.needles, repair.representative), (2, vec![0, 1, 2, 3, 1]));
    assert_eq!(mesh.cells, [0, 1, 2, 1, 3, 2]);
    assert_eq!(repair.own_corners, [0, 1, 2, 4, 3, 2]);
}

#[test]
fn a_cell_that_repeats_a_vertex_is_no_needle() {
    let mut mesh = torn();
    mesh.cells.extend([0, 0, 1]);
    let (mesh, repair) = repaired(&mesh);
    assert_eq!((repair.degenerate.needles, mesh.n_cells()), (0, 3));
    let (clean, cleaning) = clean_repaired(mesh, &repair).unwrap();
    assert_eq!((clean.n_cells(), cleaning.repeating), (2, 1));
}

#[test]
fn a_mesh_of_needles_is_not_dissolved() {
    // Sectors of a disk, and triangles that share only one vertex.
    for (n, is_disk) in [(150_000, true), (100_000, false)] {
        let rim = |angle: f64| [angle.cos(), angle.sin(), 0.0];
        let angle = |k: usize| k as f64 / n as f64 * std::f64::consts::TAU;
        let (mut vertices, mut cells) = (vec![[0.0; 3]], Vec::new());
        for k in 0..n {
            let first = vertices.len() as u32;
            vertices.push(rim(angle(k)));
            if is_disk {
                cells.extend([0, first, if k + 1 == n { 1 } else { first + 1 }]);
            } else {
                vertices.push(rim(angle(k) + 3e-5));
                cells.extend([0, first, first + 1]);
            }
        }
        let mesh = Mesh::new(Kind::Planar, vertices, cells);
        let (found, repair) = repair(mesh.clone(), THIN).unwrap();
        assert_eq!((repair.degenerate.needles, repair.degenerate.kept), (0, n), "{is_disk}");
        assert_eq!(found.cells, mesh.cells);
        let doubts = repair.doubts().join(" ");
        assert!(doubts.contains(&format!("{n} needles are kept, because")), "{doubts}");
    }
}

#[test]
fn many_thin_needles_are_a_boundary_layer_and_stay() {
    let columns = 200_u32;
    let mut mesh = Mesh::new(Kind::Planar, Vec::new(), Vec::new());
    for row in [0.0, 1e-4, 1.0] {
        mesh.vertices.extend((0..=columns).map(|k| [f64::from(k), row, 0.0]));
    }
    for row in 0..2 {
        for k in 0..columns {
            let a = row * (columns + 1) + k;
            let above = a + columns + 1;
            mesh.cells.extend([a, a + 1, above, a + 1, above + 1, above]);
        }
    }
    let (same, repair) = repair(mesh.clone(), THIN).unwrap();
    assert!(repair.is_nothing());
    assert_eq!(same.cells, mesh.cells);
}

/// Returns tetrahedra around a sliver whose edges 0-1 and 2-3 pass each other at the distance `h`.
/// Below the sliver are `n_below` vertices (1 or 2) and `n_below` + 1 tetrahedra with the edge 0-1.
fn sliver(h: f64, n_below: usize) -> Mesh {
    let mut vertices =
        vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, h], [0.0, 1.0, h], [0.0, 0.0, 1.0]];
    let below: &[[u32; 2]] =
        if n_below == 1 { &[[2, 5], [5, 3]] } else { &[[2, 5], [5, 6], [6, 3]] };
    match n_below {
        1 => vertices.push([0.0, 0.0, -1.0]),
        _ => vertices.extend([[0.0, -0.7, -0.8], [0.0, 0.7, -0.8]]),
    }
    let mut cells = vec![0, 1, 2, 3, 0, 2, 3, 4, 1, 3, 2, 4];
    cells.extend(below.iter().flat_map(|&[p, q]| [0, 1, p, q]));
    Mesh::new(Kind::Volume, vertices, cells)
}

#[test]
fn slivers_with_crossing_edges_are_flipped() {
    for (h, n_below) in [(5e-4, 1), (1e-5, 1), (5e-4, 2), (-5e-4, 2)] {
        // With h < 0, the cells above and below would overlap.
        let mesh = if h > 0.0 { sliver(h, n_below) } else { mirrored(sliver(-h, n_below)) };
        let before = inspect(&mesh);
        let (found, repair) = repair(mesh.clone(), THIN).unwrap();
        assert_eq!((repair.degenerate.flips, repair.degenerate.left), (1, 0), "{repair:?}");
        assert!(repair.summary().unwrap().contains("1 thin tetrahedron flipped"));
        let volume = |mesh: &Mesh| measures(mesh).iter().map(|v| v.abs()).sum::<f64>();
        assert!((volume(&found) - volume(&mesh)).abs() < 1e-14 * volume(&mesh));
        assert_eq!(inspect(&found).boundary, before.boundary);
        assert!(measures(&found).iter().all(|v| v.abs() > 0.01), "no thin cell is left");
        assert_eq!(found.vertices, mesh.vertices);
        if n_below == 1 {
            // The remaining cells are those of the mesh without the sliver, so the sliver has no
            // effect on distances.
            let mut cells: Vec<Vec<u32>> = found.iter_cells().map(<[u32]>::to_vec).collect();
            cells.iter_mut().for_each(|cell| cell.sort_unstable());
            cells.sort();
            assert_eq!(cells, [[0, 2, 3, 4], [0, 2, 3, 5], [1, 2, 3, 4], [1, 2, 3, 5]]);
        }
        assert_eq!(clean_repaired(found, &repair).unwrap().1.degenerate, 0);
    }
}

/// Returns a mesh with x and y exchanged and z reversed.
fn mirrored(mut mesh: Mesh) -> Mesh {
    mesh.vertices.iter_mut().for_each(|x| *x = [x[1], x[0], -x[2]]);
    mesh
}

#[test]
fn slivers_are_left_out_where_groups_and_materials_forbid_a_flip() {
    let mut faces = sliver(5e-4, 1);
    let members = Members::Simplices { dimension: 2, vertices: vec![0, 1, 5, 2, 3, 4] };
    faces.groups.push(Group { name: "walls".into(), members });
    let mut halves = sliver(5e-4, 1);
    halves.groups.push(Group { name: "top".into(), members: Members::Cells(vec![1, 3]) });
    let mut data = sliver(5e-4, 1);
    let values = Values::Float(vec![0.0, 1.0, 2.0, 3.0, 4.0]);
    data.cell_data.push(DataArray { name: "speed".into(), components: 1, values });
    for mesh in [faces, halves, data] {
        let (found, repair) = repair(mesh.clone(), THIN).unwrap();
        assert_eq!((repair.degenerate.flips, repair.degenerate.left_out), (0, 1));
        assert_eq!(found.cells, mesh.cells[4..]);
        assert!(repair.summary().unwrap().contains("1 flat tetrahedron left out"));
        assert!(repair.doubts().is_empty());
    }
    // Without the sliver, its vertices would belong to no cell.
    let mut alone = sliver(5e-4, 1);
    alone.cells.truncate(4);
    let (same, done) = repair(alone.clone(), THIN).unwrap();
    assert_eq!((done.degenerate.left_out, done.degenerate.left), (0, 1));
    assert_eq!(same.cells, alone.cells);
    assert!(done.doubts().iter().any(|doubt| doubt.contains("could not be repaired")));
    let mut whole = sliver(5e-4, 1);
    whole.groups.push(Group { name: "all".into(), members: Members::Cells(vec![0, 1, 2, 3, 4]) });
    let (found, repair) = repair(whole, THIN).unwrap();
    assert_eq!((repair.degenerate.flips, found.n_cells()), (1, 4));
    assert_eq!(found.groups[0].members, Members::Cells(vec![0, 1, 2, 3]));
}

#[test]
fn slivers_of_a_delaunay_triangulation_disappear_and_the_mesh_stays_sound() {
    for (noise, thinness) in [
        (0.0, Thinness::Degenerate),
        (1e-9, Thinness::Degenerate),
        (1e-7, Thinness::Degenerate),
        (1e-5, Thinness::Thin),
    ] {
        let (mesh, n_slivers) = cubes_with_slivers(3, noise);
        let repairs = Repairs { degenerate: Some(thinness), ..Repairs::default() };
        let (found, repair) = repair(mesh, repairs).unwrap();
        let removed = repair.degenerate.left_out + repair.degenerate.flips;
        assert_eq!((removed, repair.degenerate.left), (n_slivers, 0), "{noise}: {repair:?}");
        assert!(repair.doubts().is_empty() && repair.hanging.cells == 0, "{:?}", repair.doubts());
        let (clean, cleaning) = clean_repaired(found, &repair).unwrap();
        assert!(cleaning.degenerate == 0 && cleaning.duplicate == 0, "{cleaning:?}");
        assert!((volume(&clean) - 2.0).abs() < 10.0 * noise + 1e-12);
        let found = inspect(&clean);
        assert_eq!((found.components, found.nonmanifold), (1, 0));
    }
}

#[test]
fn edges_just_beyond_the_tolerance_are_refused() {
    // A strip of squares with separate vertices for each square. Every other square is moved a
    // little.
    let torn = |moved: f64| {
        let (mut vertices, mut cells) = (Vec::new(), Vec::new());
        for k in 0..10 {
            let (x, y) = (f64::from(k), if k % 2 == 1 { moved } else { 0.0 });
            let first = vertices.len() as u32;
            vertices.extend([[x, y, 0.1], [x + 1.0, y, 0.1], [x + 1.0, y + 1.0, 0.1]]);
            vertices.push([x, y + 1.0, 0.1]);
            cells.extend([0, 1, 2, 0, 2, 3].map(|v| first + v));
        }
        Mesh::new(Kind::Surface, vertices, cells)
    };
    for (moved, joined, near) in [(1e-5, 18, 0), (3e-4, 0, 18), (0.1, 0, 0)] {
        let (_, repair) = repair(torn(moved), Repairs::default()).unwrap();
        assert_eq!((repair.join.vertices, repair.join.near), (joined, near), "{moved}");
        let doubts = repair.doubts().join(" ");
        assert_eq!(doubts.contains("too far to be joined"), near > 0, "{doubts}");
        let refused = repair.refuse(Weld::Auto, 64).map_err(|error| error.to_string());
        assert_eq!(refused.is_err_and(|text| text.contains("`weld = ")), near > 0, "{doubts}");
        if near > 0 {
            let length = doubts.split("weld = ").nth(1).unwrap().split('`').next().unwrap();
            let repairs =
                Repairs { weld: Weld::Within(length.parse().unwrap()), ..Repairs::default() };
            assert_eq!(repair_count(torn(moved), repairs), 18);
        }
    }
}

fn repair_count(mesh: Mesh, repairs: Repairs) -> usize {
    repair(mesh, repairs).unwrap().1.join.vertices
}
