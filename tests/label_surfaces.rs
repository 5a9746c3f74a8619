//! Tests the distance from the surface of a region of cells, vertices or voxels.

#[path = "support/place.rs"]
mod place;

use assert_cmd::assert::OutputAssertExt;
use place::Place;
use predicates::str::contains;
use zeroset::io::{VolumeOptions, WriteOptions, read_mesh, read_volume, write_mesh, write_volume};
use zeroset::mesh::generate::{Cube, Generate, Square, generate};
use zeroset::mesh::{DataArray, Group, Members, Mesh, Values};
use zeroset::volume::{Placement, Samples, Volume};

/// The half width of the region, a square or a cube centered at (0.5, 0.5, 0.5).
const HALF: f64 = 0.25;

/// Returns the signed distance of a point from the boundary of the region, in `n` dimensions.
fn exact(x: &[f64; 3], n: usize) -> f64 {
    let d: Vec<f64> = (0..n).map(|k| (x[k] - 0.5).abs() - HALF).collect();
    let most = d.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let out: f64 = d.iter().map(|d| d.max(0.0).powi(2)).sum();
    if most <= 0.0 { most } else { out.sqrt() }
}

/// Labels the cells of the region with 2 and all others with 1, and puts the cells of the region
/// into the group "7". The vertex array `part` is 1 at the vertices of the region and 0 elsewhere.
fn labeled(mut mesh: Mesh, n: usize) -> Mesh {
    let inside: Vec<bool> = mesh.centroids().iter().map(|x| exact(x, n) < 0.0).collect();
    let labels = inside.iter().map(|&inside| if inside { 2 } else { 1 }).collect();
    let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
    mesh.cell_data.push(array("label", Values::Int(labels)));
    let part = mesh.vertices.iter().map(|x| i64::from(exact(x, n) < 1e-9)).collect();
    mesh.vertex_data.push(array("part", Values::Int(part)));
    let members = (0..inside.len() as u32).filter(|&cell| inside[cell as usize]).collect();
    mesh.groups.push(Group { name: "7".into(), members: Members::Cells(members) });
    mesh
}

fn meshes() -> Place {
    let place = Place::new();
    let (mut square, mut cube) = (Square::default(), Cube::default());
    square.cells = [16, 16];
    cube.cells = [8, 8, 8];
    let square = labeled(generate(&Generate::Square(square)).unwrap(), 2);
    let cube = labeled(generate(&Generate::Cube(cube)).unwrap(), 3);
    write_mesh(&place.path("square.vtu"), &square, &WriteOptions::default()).unwrap();
    write_mesh(&place.path("cube.vtu"), &cube, &WriteOptions::default()).unwrap();
    place
}

fn distances(place: &Place, line: &str) -> Vec<([f64; 3], f64)> {
    place.command(line).assert().success();
    let mesh = read_mesh(&place.path("d.vtu")).unwrap().mesh;
    let values = mesh.vertex_array("distance").unwrap().values.to_f64();
    mesh.vertices.into_iter().zip(values).collect()
}

#[test]
fn cells_of_a_label_or_group_have_a_surface() {
    let place = meshes();
    for (name, n) in [("square", 2), ("cube", 3)] {
        for region in ["7", "label==2", "{label}>1.5", "{7}"] {
            for signed in ["", " --signed"] {
                let line = format!("distance {name}.vtu --from surface:{region}{signed} -o d.vtu");
                for (x, found) in distances(&place, &line) {
                    let exact = exact(&x, n);
                    let expected = if signed.is_empty() { exact.abs() } else { exact };
                    // Near corners, plane fronts are only first-order accurate.
                    let beside = (0..n).filter(|&k| (x[k] - 0.5).abs() > HALF).count() > 1;
                    let bound = if beside { 0.07 } else { 1e-12 };
                    assert!((found - expected).abs() < bound, "{line} {x:?}: {found} {expected}");
                }
            }
        }
    }
}

#[test]
fn the_surface_of_vertices_runs_through_the_middle_of_edges() {
    let place = meshes();
    let line = "distance square.vtu --from surface:part==1 --signed -o d.vtu";
    for (x, found) in distances(&place, line) {
        let side = exact(&x, 2) < 1e-9;
        assert_eq!(found < 0.0, side, "{x:?}: {found}");
        // Far from the corners of the region, the surface is half an edge beyond its last vertex.
        if (x[1] - 0.5).abs() < 0.1 && (x[0] - 0.5).abs() > 0.2 {
            let expected = (x[0] - 0.5).abs() - HALF - 1.0 / 32.0;
            assert!((found - expected).abs() < 1e-6, "{x:?}: {found} {expected}");
        }
    }
}

#[test]
fn a_case_may_start_at_the_surface_of_a_region() {
    let place = meshes();
    let case = |keys: &str| {
        format!(
            "version = 1\n[domain.mesh]\npath = \"square.vtu\"\n[distance]\n{keys}\n[expect]\n\
             distance_max = {{ at_most = 0.4 }}\nphi_min = {{ value = -0.25, tolerance = 1e-9 }}\n"
        )
    };
    place.put("good.toml", &case("from = [\"surface:7\"]\nsigned = true"));
    place.command("run good.toml -o good").assert().success();
    for from in ["[\"vertex:0\"]", "[\"surface:7@0.5\"]", "[\"surface:7\", \"vertex:0\"]"] {
        place.put("bad.toml", &case(&format!("from = {from}\nsigned = true")));
        place.command("run bad.toml -o bad").assert().code(2).stderr(contains("have no inside"));
    }
}

#[test]
fn regions_without_a_surface_are_refused() {
    let place = meshes();
    for (from, message) in [
        ("surface:8", "8"),
        ("surface:label==9", "none of the 512 cells belongs to the region"),
        ("surface:part>=0", "all 289 vertices belong to the region"),
        ("surface:lable==2", "did you mean `label`?"),
        ("surface:t>1", "must not depend on the time t"),
    ] {
        let line = format!("distance square.vtu --from {from} -o d.vtu");
        place.command(&line).assert().code(2).stderr(contains(message));
    }
    // The boundary of the mesh belongs to the surface of a region that reaches it.
    let line = "distance square.vtu --from surface:label>0 -o d.vtu";
    let found = distances(&place, line);
    let middle = found.iter().map(|(_, d)| *d).fold(0.0, f64::max);
    assert!((middle - 0.5).abs() < 1e-12, "{middle}");
}

/// Writes a volume of 9 x 8 x 7 voxels with spacings 1, 2 and 3. Its voxels have the label 3 in a
/// box and 5 elsewhere.
fn volume(place: &Place, name: &str) {
    let label = |n: usize| {
        let at = [n % 9, n / 9 % 8, n / 72];
        if (3..6).contains(&at[0]) && (2..6).contains(&at[1]) && (2..5).contains(&at[2]) {
            3
        } else {
            5
        }
    };
    let labels: Vec<u8> = (0..9 * 8 * 7).map(label).collect();
    let volume = Volume::new([9, 8, 7], Samples::U8(labels), Placement::identity()).unwrap();
    let steps = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
    let volume = volume.placed([0.0; 3], steps).unwrap();
    write_volume(&place.path(name), &volume, &WriteOptions::default()).unwrap();
}

/// Returns the signed distance of the center of a voxel from the box of [`volume`].
fn exact_of_voxel(at: [usize; 3]) -> f64 {
    let (low, high) = ([2.5, 1.5, 1.5], [5.5, 5.5, 4.5]);
    let d = |k: usize| {
        let x = at[k] as f64;
        (low[k] - x).max(x - high[k]) * [1.0, 2.0, 3.0][k]
    };
    let most = (0..3).map(d).fold(f64::NEG_INFINITY, f64::max);
    if most < 0.0 { most } else { (0..3).map(|k| d(k).max(0.0).powi(2)).sum::<f64>().sqrt() }
}

#[test]
fn voxels_are_measured_from_the_faces_of_a_label() {
    let place = Place::new();
    volume(&place, "v.nii");
    volume(&place, "v.vti");
    for (line, signed) in [
        ("distance v.nii --from surface:3 --signed -o d.nii", true),
        ("distance v.vti --from surface:v<4 --signed -o d.nii", true),
        ("distance v.nii --from surface:3 -o d.nii", false),
        ("edt v.nii --where v==3 --signed -o d.nii", true),
    ] {
        place.command(line).assert().success();
        let found = read_volume(&place.path("d.nii"), &VolumeOptions::default()).unwrap().volume;
        for n in 0..9 * 8 * 7 {
            let at = [n % 9, n / 9 % 8, n / 72];
            let exact = exact_of_voxel(at);
            let expected = if signed { exact } else { exact.abs() };
            let value = found.value(at[0], at[1], at[2]);
            assert!((value - expected).abs() < 1e-6, "{line} {at:?}: {value} {expected}");
        }
        // Next to a flat face, the distance is half a voxel.
        let sign = if signed { -1.0 } else { 1.0 };
        assert_eq!([found.value(2, 4, 3), found.value(3, 4, 3)], [0.5, sign * 0.5]);
        assert_eq!([found.value(4, 3, 1), found.value(4, 3, 2)], [1.5, sign * 1.5]);
    }
}

#[test]
fn what_does_not_apply_to_voxels_is_refused() {
    let place = Place::new();
    volume(&place, "v.nii");
    for (options, message) in [
        ("--from surface:3 --width 4 -o d.nii", "--width is for meshes"),
        ("--from surface:3@1 -o d.nii", "@START"),
        ("--from surface:3 -o d.vtp", "d.vtp"),
        ("--from surface:3 -o v.nii", "v.nii"),
        ("--from surface:4 -o d.nii", "--from surface:4: no voxel of v.nii satisfies it"),
        ("--from surface:v>0 -o d.nii", "all 504 voxels satisfy it"),
        ("--from vertex:0 --signed -o d.vtu", "have no inside"),
    ] {
        let refused = place.command(&format!("distance v.nii {options}")).assert().code(2);
        refused.stderr(contains(message));
    }
}
