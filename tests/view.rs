//! Tests `zeroset view`, and the pages that runs write.

#[path = "support/place.rs"]
mod place;
use place::Place;

/// A disk that grows in a square.
const CASE: &str = "version = 1\n\
    domain.mesh.generate.square.cells = [12, 12]\n\
    initial.ball = { center = [0.5, 0.5, 0.0], radius = 0.2 }\n\
    evolve = { normal_speed = -1.0, end_time = 0.1 }\n\
    output.interval = 0.05\n\
    expect.time = 0.1\n";

fn prepared() -> Place {
    let place = Place::new();
    run(&place, "generate sphere --subdivisions 3 -o ball.vtp");
    run(&place, "distance ball.vtp --from vertex:0 --labels -o d.vtp");
    place
}

#[track_caller]
fn run(place: &Place, line: &str) {
    let output = place.command(line).output().unwrap();
    assert!(output.status.success(), "{line}: {output:?}");
}

#[track_caller]
fn fails(place: &Place, line: &str, code: i32, message: &str) {
    let output = place.command(line).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    assert!(said.contains(message), "{line}: {said}");
}

/// Returns the description of the view on a page.
fn scene(place: &Place, name: &str) -> serde_json::Value {
    let page = std::fs::read_to_string(place.path(name)).unwrap();
    let (_, scene) = page.split_once("id=\"zv-scene\">").unwrap();
    serde_json::from_str(scene.split_once("</script>").unwrap().0).unwrap()
}

fn fields(scene: &serde_json::Value) -> Vec<&str> {
    let fields = scene["surface"]["fields"].as_array().unwrap();
    fields.iter().map(|field| field["name"].as_str().unwrap()).collect()
}

#[test]
fn a_mesh_shows_its_arrays_and_the_main_one_first() {
    let place = prepared();
    run(&place, "view d.vtp -o a.html --unit mm --title <Title>");
    let found = scene(&place, "a.html");
    assert_eq!(fields(&found), ["distance", "label"]);
    let distance = &found["surface"]["fields"][0];
    assert_eq!(
        (distance["unit"].as_str(), distance["hasLines"].as_bool()),
        (Some("mm"), Some(true))
    );
    assert_eq!(found["surface"]["fields"][1]["kind"], "labels");
    assert_eq!(
        (found["title"].as_str(), found["notes"].as_array().unwrap().len()),
        (Some("<Title>"), 0)
    );
    run(&place, "view d.vtp -o b.html --colors label --range 0,1");
    assert_eq!(fields(&scene(&place, "b.html")), ["label", "distance"]);
    run(&place, "view d.vtp -o c.html --colors 2*distance --view top");
    let found = scene(&place, "c.html");
    assert_eq!(fields(&found)[0], "2*distance");
    assert_eq!(found["view"]["toward"][2], 1.0);
}

#[test]
fn a_large_surface_is_decimated_and_the_view_says_so() {
    let place = prepared();
    run(&place, "view d.vtp -o a.html --triangles 200");
    let found = scene(&place, "a.html");
    let n = found["surface"]["triangles"]["n"].as_u64().unwrap() / 3;
    assert!((150..=200).contains(&n), "{n}");
    assert_eq!(found["notes"][0], format!("shown with {n} of 1280 triangles"));
    assert_eq!(fields(&found), ["distance", "label"]);
    // On a plane, the values determine which triangles are kept, so the values are preserved.
    run(&place, "generate square --cells 30,30 -o square.vtp");
    run(&place, "distance square.vtp --from point:0.5,0.5,0 -o s.vtp");
    run(&place, "view s.vtp -o b.html --triangles 300");
    let found = scene(&place, "b.html");
    let points = &found["surface"]["points"];
    assert_eq!((points["low"][2].as_f64(), points["high"][2].as_f64()), (Some(0.0), Some(0.0)));
    let high = found["surface"]["fields"][0]["range"][1].as_f64().unwrap();
    assert!((high - 0.5_f64.sqrt()).abs() < 0.05, "{high}");
}

#[test]
fn a_run_has_a_report_with_a_view_of_its_states() {
    let place = prepared();
    place.put("case.toml", CASE);
    run(&place, "run case.toml -o r --set output.html=true");
    run(&place, "view r -o film.html");
    for name in ["r/report.html", "r/case_view.html", "film.html"] {
        let found = scene(&place, name);
        let frames = found["frames"].as_array().unwrap();
        let times: Vec<&str> = frames.iter().map(|frame| frame["name"].as_str().unwrap()).collect();
        assert_eq!(times, ["t = 0", "t = 0.05", "t = 0.1"], "{name}");
        assert_eq!(found["surface"]["fields"][0]["states"].as_array().unwrap().len(), 3, "{name}");
    }
    let report = std::fs::read_to_string(place.path("r/report.html")).unwrap();
    for text in ["met: 1 bound", "<h2>Stages</h2>", "reinitialize", "<svg", "enclosed area"] {
        assert!(report.contains(text), "{text}");
    }
    run(&place, "view r --time 0 -o first.html");
    assert_eq!(scene(&place, "first.html")["frames"].as_array().unwrap().len(), 1);
    // The run does not reach the time that this case expects.
    let line = "run case.toml -o s --set expect.time=0.3";
    assert_eq!(place.command(line).output().unwrap().status.code(), Some(1));
    let report = std::fs::read_to_string(place.path("s/report.html")).unwrap();
    assert!(report.contains("verdict bad") && report.contains("not met: 1 of 1 bound"));
    // `report.json` lists the page, so that another run may replace it.
    let json = std::fs::read_to_string(place.path("s/report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["files"]["report.html"]["bytes"], report.len());
    run(&place, "run case.toml -o s --overwrite");
}

#[test]
fn mistakes_are_named() {
    let place = prepared();
    fails(&place, "view d.vtp -o a.png", 2, "end the name in .html");
    fails(&place, "view d.vtp -o a.html --colors none", 2, "none");
    fails(&place, "view d.vtp -o a.html --level 1", 2, "--level is for volumes");
    fails(&place, "view d.vtp -o a.html --triangles 5", 2, "--triangles");
    fails(&place, "view d.vtp -o a.html --range 2,1", 2, "--range must be two numbers");
    run(&place, "voxelize ball.vtp --size 16 -o ball.nrrd");
    fails(&place, "view ball.nrrd -o a.html", 2, "choose the isosurface: --level NUMBER");
    fails(&place, "view ball.nrrd -o a.html --level 7", 2, "has no isosurface at 7");
    assert!(!place.path("a.html").exists());
    run(&place, "view ball.nrrd -o a.html --level 0.5");
    assert!(scene(&place, "a.html")["surface"]["triangles"]["n"].as_u64().unwrap() > 100);
}
