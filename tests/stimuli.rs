//! Tests files of stimuli, and the seeds that list the vertices in a sphere, box or file.

#[path = "support/place.rs"]
mod place;

use place::Place;
use serde_json::Value;

/// Returns the numbers of an `.npy` file.
fn numbers(place: &Place, name: &str) -> Vec<f64> {
    let bytes = std::fs::read(place.path(name)).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..].chunks_exact(8).map(|row| f64::from_le_bytes(row.try_into().unwrap())).collect()
}

/// Returns the distances that `zeroset distance m.vtu` computes with these options.
#[track_caller]
fn distances(place: &Place, options: &str) -> Vec<f64> {
    place.good(&format!("distance m.vtu {options} --device cpu -o d.npy"));
    numbers(place, "d.npy")
}

/// Returns the columns of distances and labels.
#[track_caller]
fn labeled(place: &Place, options: &str) -> String {
    place.good(&format!("distance m.vtu {options} --labels --device cpu -o d.csv"));
    std::fs::read_to_string(place.path("d.csv")).unwrap()
}

/// A folder with a square of 20 x 20 cells between 0 and 10 as `m.vtu`. Vertex 21 * j + i is at
/// (i / 2, j / 2).
fn place() -> Place {
    let place = Place::new();
    place.good("generate square --cells 20,20 --max 10,10 -o m.vtu");
    place
}

#[test]
fn spheres_boxes_and_lists_are_groups_of_vertices() {
    let place = place();
    let inside = (0..21 * 21).filter(|v| (v % 21) <= 4 && (4..=6).contains(&(v / 21)));
    let rows: Vec<String> = inside.map(|v| format!("{v}\n")).collect();
    place.put("a.vtx", &format!("{}\nintra\n{}", rows.len(), rows.concat()));
    for options in ["", " --speed 0.7", " --front exact"] {
        let of_group = distances(&place, &format!("--data a.vtx --from group:a@1{options}"));
        assert_eq!(of_group, distances(&place, &format!("--from vtx:a.vtx@1{options}")));
        // The corners may be given in any order, and the boundary belongs to the box.
        assert_eq!(of_group, distances(&place, &format!("--from box:2,3,0,0,2,0@1{options}")));
        assert_eq!(of_group.iter().filter(|&&u| u == 1.0).count(), 15);
    }
    let of_sphere = distances(&place, "--from sphere:5,5,0,0.5");
    let expected = distances(&place, "--from vertex:220,219,221,199,241 --front plane");
    assert_eq!(of_sphere.iter().filter(|&&u| u == 0.0).count(), 5);
    assert!(of_sphere.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
    // With a mask, only vertices inside count.
    let masked = distances(&place, "--from sphere:5,5,0,0.5 --mask x>=5");
    assert_eq!(masked.iter().filter(|&&u| u == 0.0).count(), 4);
}

#[test]
fn every_kind_of_file_gives_the_same_times_as_from() {
    let place = place();
    let from = "--from vertex:0@0.5 --from sphere:5,5,0,1.2 --from point:9.1,8.7,0@-1 --speed 0.7";
    let expected = labeled(&place, from);
    place.put(
        "s.toml",
        "[[stimulus]]\nname = \"corner\"\nat = \"vertex:0\"\ntime = 0.5\nduration = 2\n\
         [[stimulus]]\nat = \"sphere:5,5,0,1.2\"\n\
         [[stimulus]]\nat = \"point:9.1,8.7,0\"\ntime = -1\n",
    );
    place.put(
        "s.csv",
        "at,time,duration\nvertex:0,0.5,2\n\"sphere:5,5,0,1.2\",,\n\"point:9.1,8.7,0\",-1,1\n",
    );
    assert_eq!(labeled(&place, "--stimuli s.toml --speed 0.7"), expected);
    assert_eq!(labeled(&place, "--stimuli s.csv --speed 0.7"), expected);
    // Stimuli follow the sources of --from.
    place.put("p.csv", "x,y,z,radius,time\n5,5,0,1.2,0\n9.1,8.7,0,,-1\n");
    assert_eq!(labeled(&place, "--from vertex:0@0.5 --stimuli p.csv --speed 0.7"), expected);
    for threads in ["1", "2"] {
        let options = format!("--stimuli s.csv --speed 0.7 --threads {threads}");
        assert_eq!(labeled(&place, &options), expected);
    }
    place.put("list.vtx", "3\nintra\n0\n1\n21\n");
    let of_list = distances(&place, "--stimuli list.vtx");
    assert_eq!(of_list, distances(&place, "--from vtx:list.vtx"));
}

#[test]
fn runs_report_their_stimuli() {
    let place = place();
    std::fs::create_dir(place.path("sub")).unwrap();
    place.put("sub/list.vtx", "2\nintra\n0\n1\n");
    place.put(
        "sub/s.toml",
        "[[stimulus]]\nname = \"first\"\nat = \"vtx:list.vtx\"\ntime = 1\nduration = 2\n\
         [[stimulus]]\nname = \"late\"\nat = \"vertex:440\"\ntime = 100\n",
    );
    let case = "version = 1\ndomain.mesh.path = \"m.vtu\"\ndevice.use = \"cpu\"\n\
                [distance]\nstimuli = \"sub/s.toml\"\nlabels = true\nspeed = 1\n\
                [output.picture]\nwidth = 300\n";
    place.put("case.toml", case);
    let (code, text) = place.outcome("check case.toml");
    assert_eq!(code, 0, "{text}");
    let (code, text) = place.outcome("run case.toml -o out");
    assert_eq!(code, 0, "{text}");
    let report = std::fs::read(place.path("out/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let is_late = |text: &str| text.starts_with("stimulus 1 \"late\" excites no vertex: ");
    assert!(warnings.iter().any(|warning| is_late(warning.as_str().unwrap())), "{warnings:?}");
    let stimuli = &report["distances"]["stimuli"];
    let expected = serde_json::json!([
        { "name": "first", "at": "vtx:sub/list.vtx", "time": 1.0, "duration": 2.0, "vertices": 441 },
        { "name": "late", "at": "vertex:440", "time": 100.0, "duration": null, "vertices": 0 },
    ]);
    assert_eq!(*stimuli, expected);
    assert_eq!(report["distances"]["labeled"], serde_json::json!([441, 0]));
    // The case in the report is the one that was given.
    assert_eq!(report["config"]["distance"]["from"], serde_json::json!([]));
    assert_eq!(report["config"]["distance"]["stimuli"], "sub/s.toml");
}

#[test]
fn wrong_stimuli_name_their_file_and_line() {
    let place = place();
    let refused = |text: &str, parts: &[&str]| {
        place.put("s.toml", text);
        let (code, said) = place.outcome("distance m.vtu --stimuli s.toml -o d.npy");
        assert!(code == 2 || code == 3, "{code}: {said}");
        parts.iter().for_each(|part| assert!(said.contains(part), "`{part}` is not in: {said}"));
        place.put("case.toml", CASE);
        let (_, checked) = place.outcome("check case.toml");
        parts.iter().for_each(|part| assert!(checked.contains(part), "`{part}`: {checked}"));
    };
    const CASE: &str = "version = 1\ndomain.mesh.path = \"m.vtu\"\ndistance.stimuli = \"s.toml\"\n";
    let first = "[[stimulus]]\nat = \"vertex:0\"\n";
    refused(
        &format!("{first}[[stimulus]]\nname = \"far\"\nat = \"vertex:441\"\n"),
        &["s.toml:3: stimulus 1 \"far\": there is no vertex 441", "numbered 0 to 440"],
    );
    refused(
        &format!("{first}[[stimulus]]\nat = \"sphere:5.2,5.2,0,0.1\"\n"),
        &["s.toml:3: stimulus 1: sphere:5.2,5.2,0,0.1: no vertex lies in it", "larger"],
    );
    refused(
        "[[stimulus]]\nat = \"box:0,0,1,1,1,2\"\n",
        &["s.toml:1: stimulus 0: box:", "no vertex"],
    );
    refused("[[stimulus]]\nat = \"group:apex\"\n", &["s.toml:1: stimulus 0: there is no group"]);
    refused("[[stimulus]]\nat = \"point:5,5,9\"\n", &["s.toml:1: stimulus 0: point:5,5,9 is 9"]);
    refused("[[stimulus]]\nat = \"vtx:no.vtx\"\n", &["no.vtx", "cannot"]);
    refused("[[stimulus]]\nat = \"surface:t > 1\"\n", &["s.toml:1: stimulus 0", "t"]);
    refused("[[stimulus]]\nat = \"vertex:0\"\ntime = nan\n", &["s.toml:3: stimulus 0: the time"]);
    place.put("far.vtx", "2\nintra\n1\n441\n");
    refused("[[stimulus]]\nat = \"vtx:far.vtx\"\n", &["far.vtx: there is no vertex 441"]);
    place.put("list.csv", "vertex\n1\n");
    refused("[[stimulus]]\nat = \"vtx:list.csv\"\n", &["list.csv: is not a CARP list of vertices"]);
    for (options, part) in [
        ("--stimuli no.toml", "no.toml"),
        ("--stimuli no.vtx", "no.vtx: cannot be read"),
        ("--stimuli m.vtu", "m.vtu: is not a file of stimuli"),
        ("--from sphere:0,0,0,-1", "the radius must be > 0"),
        ("--labels", "--from"),
    ] {
        let (code, said) = place.outcome(&format!("distance m.vtu {options} -o d.npy"));
        assert!(code != 0 && said.contains(part), "`{part}` is not in: {said}");
    }
}
