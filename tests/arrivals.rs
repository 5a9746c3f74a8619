//! Tests the results of arrival times: velocities, isochrones, regions and CARP files.

#[path = "support/place.rs"]
mod place;

use std::process::Command;

use place::Place;
use serde_json::Value;
use zeroset::io::{read_curves, read_mesh};
use zeroset::mesh::Mesh;

/// A plane front that starts at x = 0 at time 1 and moves at speed 2.
const FRONT: &str = "--from box:0,0,0,0,10,0@1 --speed 2 --device cpu";

/// A folder with a square of 20 x 20 cells between 0 and 10 as `m.vtu`, and its mesh.
fn place() -> (Place, Mesh) {
    let place = Place::new();
    place.good("generate square --cells 20,20 --max 10,10 -o m.vtu");
    let mesh = read_mesh(&place.path("m.vtu")).unwrap().mesh;
    (place, mesh)
}

/// Writes the array `region` of the cells: 1 where x < 5, and 2 elsewhere.
fn put_regions(place: &Place, mesh: &Mesh) {
    let region = |cell: &[u32]| {
        let x: f64 = cell.iter().map(|&v| mesh.vertices[v as usize][0]).sum();
        if x < 15.0 { "1\n" } else { "2\n" }
    };
    let rows: String = mesh.iter_cells().map(region).collect();
    place.put("r.csv", &format!("region\n{rows}"));
}

fn json(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.path(name)).unwrap()).unwrap()
}

#[test]
fn velocities_are_normal_to_the_front() {
    let (place, mesh) = place();
    place.good(&format!("distance m.vtu {FRONT} --velocity --width 4.01 -o d.vtu"));
    let written = read_mesh(&place.path("d.vtu")).unwrap().mesh;
    let velocity = written.cell_array("velocity").unwrap().values.to_f64();
    assert_eq!(velocity.len(), 3 * mesh.n_cells());
    for (cell, v) in mesh.iter_cells().zip(velocity.chunks(3)) {
        // The front arrives at x = 6 within the width.
        match cell.iter().all(|&v| mesh.vertices[v as usize][0] <= 6.0) {
            true => assert!((v[0] - 2.0).abs() < 1e-9 && v[1].abs() < 1e-9 && v[2] == 0.0),
            false => assert!(v.iter().all(|x| x.is_nan()), "{v:?}"),
        }
    }
    let (code, text) = place.outcome("distance m.vtu --from vertex:0 --velocity -o d.csv");
    assert!(code == 2 && text.contains("no gradients or velocities"), "{text}");
}

#[test]
fn widths_and_start_times_are_those_of_the_result() {
    let (place, mesh) = place();
    for start in [-3.0, 3.0] {
        let options = "--width 10 --speed 1 --isochrones 1 --velocity --device cpu -o s.vtu";
        place.good(&format!("distance m.vtu --from vertex:0@{start} {options}"));
        let written = read_mesh(&place.path("s.vtu")).unwrap().mesh;
        let times = written.vertex_array("distance").unwrap().values.to_f64();
        let velocity = written.cell_array("velocity").unwrap().values.to_f64();
        for (cell, v) in mesh.iter_cells().zip(velocity.chunks(3)) {
            let is_reached = cell.iter().all(|&v| times[v as usize] < 10.0);
            assert_eq!(v.iter().all(|x| x.is_finite()), is_reached, "{start}: {v:?}");
        }
        let lines = read_curves(&place.path("s_isochrones.vtp")).unwrap();
        let last = lines.segments().0.iter().map(|x| start + x[0].hypot(x[1])).fold(0.0, f64::max);
        assert!((last - 9.0).abs() < 0.1, "{start}: {last}");
        std::fs::remove_file(place.path("s_isochrones.vtp")).unwrap();
        std::fs::remove_file(place.path("s.vtu")).unwrap();
    }
}

#[test]
fn cells_that_contain_a_source_have_no_velocity() {
    let (place, mesh) = place();
    // In the cells next to a point, the interpolant of the times is too coarse for a bound.
    for (source, expected, bound) in
        [("levelset:x-5.2501", 40, 1e-9), ("point:5.3,5.1,0", 1, f64::INFINITY)]
    {
        place.good(&format!("distance m.vtu --from {source} --speed 1 --velocity -o z.vtu"));
        let written = read_mesh(&place.path("z.vtu")).unwrap().mesh;
        let velocity = written.cell_array("velocity").unwrap().values.to_f64();
        let mut without = 0;
        for (cell, v) in mesh.iter_cells().zip(velocity.chunks(3)) {
            match v[0].is_nan() {
                true => without += 1,
                false => {
                    let speed = v[0].hypot(v[1]);
                    assert!((speed - 1.0).abs() < bound, "{source}, {cell:?}: {speed}");
                }
            }
        }
        assert_eq!(without, expected, "{source}");
    }
}

#[test]
fn isochrones_lie_at_multiples_of_the_step() {
    let (place, _) = place();
    place.good(&format!("distance m.vtu {FRONT} --isochrones 1.25 -o d.vtu"));
    let lines = read_curves(&place.path("d_isochrones.vtp")).unwrap();
    let (points, segments) = lines.segments();
    // At the times 1.25, 2.5, 3.75 and 5: at x = 0.5, 3, 5.5 and 8.
    assert_eq!(segments.len(), 4 * 20);
    for x in points.iter().map(|point| point[0]) {
        assert!([0.5, 3.0, 5.5, 8.0].iter().any(|at| (x - at).abs() < 1e-9), "{x}");
    }
    // Circular fronts start at the time of their source, too.
    let options = "--from vertex:0@3 --speed 1 --isochrones 4 --device cpu -o e.vtu";
    place.good(&format!("distance m.vtu {options}"));
    let lines = read_curves(&place.path("e_isochrones.vtp")).unwrap();
    for [x, y, _] in lines.segments().0 {
        let time = 3.0 + x.hypot(y);
        assert!([4.0, 8.0, 12.0, 16.0].iter().any(|at| (time - at).abs() < 0.1), "{time}");
    }
    let (code, text) = place.outcome(&format!("distance m.vtu {FRONT} --isochrones 1e-6 -o f.vtu"));
    assert!(code == 2 && text.contains("--isochrones") && text.contains("larger step"), "{text}");
    assert!(!place.path("f.vtu").exists());
    let output = Command::new(env!("CARGO_BIN_EXE_zeroset"))
        .current_dir(place.0.path())
        .args(format!("distance m.vtu {FRONT} --isochrones 50 -o h.vtu").split(' '))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("there are no isochrones"), "{text}");
    // A file with other contents is not replaced.
    place.put("g_isochrones.vtp", "mine");
    let (code, text) = place.outcome(&format!("distance m.vtu {FRONT} --isochrones 1 -o g.vtu"));
    assert!(code != 0 && text.contains("g_isochrones.vtp"), "{text}");
}

#[test]
fn isochrones_of_tetrahedra_are_surfaces() {
    let place = Place::new();
    place.good("generate cube --cells 4,4,4 --max 4,4,4 -o m.vtu");
    let front = "--from box:0,0,0,0,4,4 --speed 1 --isochrones 1.5 --device cpu";
    place.good(&format!("distance m.vtu {front} -o d.vtu"));
    let mesh = read_mesh(&place.path("d_isochrones.vtp")).unwrap().mesh;
    let times = mesh.cell_array("time").unwrap().values.to_f64();
    assert!(times.contains(&1.5) && times.contains(&3.0) && times.len() > 64);
    for (cell, time) in mesh.iter_cells().zip(times) {
        assert!(cell.iter().all(|&v| (mesh.vertices[v as usize][0] - time).abs() < 1e-9));
    }
}

#[test]
fn runs_report_regions_and_the_total_time() {
    let (place, mesh) = place();
    put_regions(&place, &mesh);
    let case = "version = 1\ndevice.use = \"cpu\"\nunits.time = \"ms\"\n[domain.mesh]\npath = \"m.vtu\"\n\
                data = [{ path = \"r.csv\" }]\n[distance]\nfrom = [\"box:0,0,0,0,10,0@1\"]\nspeed = 2\n\
                regions = \"region\"\nisochrones = 1\nvelocity = true\n";
    place.put("case.toml", case);
    let run = |more: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        let words = format!("run case.toml -o out --overwrite{more}");
        command.current_dir(place.0.path()).args(words.split(' '));
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{text:?}");
        text.concat()
    };
    let text = run("");
    assert!(text.contains("in total     5 ms from first to last arrival"), "{text}");
    let report = json(&place, "out/report.json");
    let regions = &report["distances"]["regions"];
    assert_eq!(regions[0]["region"], 1);
    for (k, [first, last]) in [[1.0, 3.5], [3.5, 6.0]].into_iter().enumerate() {
        assert!((regions[k]["first"].as_f64().unwrap() - first).abs() < 1e-9, "{regions}");
        assert!((regions[k]["last"].as_f64().unwrap() - last).abs() < 1e-9, "{regions}");
        assert_eq!(regions[k]["cells_not_reached"], 0);
    }
    assert!((report["distances"]["activation_time"].as_f64().unwrap() - 5.0).abs() < 1e-9);
    assert!(place.path("out/case_isochrones.vtp").exists());
    // The rest of region 2 lies beyond the width.
    run(" --set distance.width=2.26");
    let report = json(&place, "out/report.json");
    let regions = &report["distances"]["regions"];
    assert!(regions[1]["first"].is_null() && regions[1]["cells_not_reached"] == 400, "{regions}");
    assert!((regions[0]["last"].as_f64().unwrap() - 2.25).abs() < 1e-9, "{regions}");
    for (set, part) in [
        ("distance.regions=\"rgion\"", "`region`"),
        ("distance.isochrones=0", "must be > 0"),
        ("output.format=\"vtkhdf\"", "velocity"),
    ] {
        let (code, text) = place.outcome(&format!("run case.toml -o bad --set {set}"));
        assert!(code == 2 && text.contains(part), "`{part}` is not in: {text}");
    }
    place.put("r.csv", &std::fs::read_to_string(place.path("r.csv")).unwrap().replace('2', "2.5"));
    let (code, text) = place.outcome("run case.toml -o bad");
    assert!(code == 2 && text.contains("is 2.5, which is not an integer"), "{text}");
}

#[test]
fn carp_files_mark_vertices_without_an_arrival() {
    let (place, mesh) = place();
    place.good(&format!("distance m.vtu {FRONT} --mask x<=5 -o d.dat"));
    let text = std::fs::read_to_string(place.path("d.dat")).unwrap();
    let times: Vec<f64> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(times.len(), mesh.n_vertices());
    for (x, time) in mesh.vertices.iter().zip(times) {
        let expected = if x[0] <= 5.0 { 1.0 + x[0] / 2.0 } else { -1.0 };
        assert!((time - expected).abs() < 1e-9);
    }
    // CARP files are data of a mesh, too.
    place.good("distance m.vtu --from levelset:d-3 --data d.dat=d --mask d>=0 -o e.npy");
    let early = FRONT.replace("@1", "@-2");
    let (code, text) = place.outcome(&format!("distance m.vtu {early} --mask x<=5 -o f.dat"));
    assert!(code == 6 && text.contains("negative value -2"), "{text}");
    place.good(&format!("distance m.vtu {early} -o f.dat"));
    let (code, text) = place.outcome(&format!("distance m.vtu {FRONT} --labels -o f.dat"));
    assert!(code == 2 && text.contains("holds one array only"), "{text}");
}
