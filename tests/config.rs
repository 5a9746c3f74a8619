//! Tests how case files are read. Messages about faulty files name the file, the line, the mistake
//! and the allowed values.

use std::path::Path;

use zeroset::Error;
use zeroset::config::{
    Bounds, Coefficient, Component, Config, Drawn, HalfWidth, Initial, Partition, Precision, Rule,
    Speed, Velocity,
};
use zeroset::geometry::shape::Shape;
use zeroset::picture::View;

const SMALL: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [8, 8] }
[initial]
ball = { center = [0.5, 0.5, 0], radius = 0.3 }
[evolve]
end_time = 0.1
";

fn parse(text: &str, set: &[&str]) -> Result<Config, Error> {
    let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
    Config::parse(text, Path::new("cases/small.toml"), &set)
}

/// Returns the error message of a case that must be refused.
fn refusal(text: &str, set: &[&str]) -> String {
    let error = parse(text, set).expect_err("the case must be refused");
    assert_eq!(error.exit_code(), 2);
    error.to_string()
}

/// Returns `SMALL` with `[evolve]` extended by `line`, which becomes line 8.
fn with(line: &str) -> String {
    format!("{SMALL}{line}\n")
}

#[track_caller]
fn assert_has(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn a_small_case_gets_all_defaults() {
    let config = parse(SMALL, &[]).unwrap();
    assert_eq!(config.name(), "small");
    assert_eq!(config.precision(), Precision::F64);
    assert_eq!(config.device.threads, 0);
    assert!(config.device.reproducible);
    assert_eq!(config.mesh().unwrap().patch_size, 64);
    assert_eq!(config.mesh().unwrap().partition, None);
    assert_eq!(config.rule(), Rule::Displacement);
    assert_eq!(config.half_width(), HalfWidth::Edges(5.0));
    assert_eq!(config.cfl(), 1.0);
    assert!(config.output.interface && !config.output.gifti);
    assert_eq!(config.output.picture, None);
    assert_eq!(config.check().map_err(|e| e.to_string()), Ok(()));
}

#[test]
fn a_full_case_is_read() {
    let text = r#"
version = 1
precision = "f32"
device = { use = "cpu", ordinal = 1, threads = 2, reproducible = false }
[domain.mesh]
path = "mesh.vtu"
refine = 1
patch_size = 32
partition = "blocks"
data = [{ path = "lh.curv", name = "curv" }, { path = "b.gii" }]
[initial]
union = [{ ball = { center = [0, 0, 0], radius = 1 } },
         { difference = [{ plane = { point = [0, 0, 0], normal = [1, 0, 0] } },
                         { box = { min = [0, 0, -inf], max = [1, 1, inf] } }] }]
[evolve]
max_steps = 7
steady = 1e-3
velocity = { rotation = { axis = [0, 0, 1], period = 2 } }
normal_speed = { data = "curv" }
curvature = 1
[reinitialize]
rule = { every = 10 }
half_width = { length = 2 }
[output]
folder = "../out"
interval = 0.01
compression = "none"
fields = ["band", "patch"]
gifti = true
checkpoint = { minutes = 2 }
[expect]
enclosed_area = 0.5
components = { value = 1, tolerance = 0 }
interface_error_mean = { at_most = 1e-3 }
exact.ball = { center = [0, 0, 0], radius = 0.4 }
"#;
    let config = parse(text, &[]).unwrap();
    let evolve = config.evolve.as_ref().unwrap();
    assert_eq!(evolve.normal_speed, Some(Coefficient::Data { data: "curv".into() }));
    assert_eq!(evolve.curvature, Some(Coefficient::Number(1.0)));
    assert!(matches!(&evolve.velocity, Some(Velocity::Rotation(turn)) if turn.period == 2.0));
    assert!(matches!(&config.initial, Some(Initial::Shape(Shape::Union(two))) if two.len() == 2));
    assert_eq!(config.rule(), Rule::Every(10));
    assert_eq!(config.half_width(), HalfWidth::Length { length: 2.0 });
    let expected = config.expect.bounds();
    assert_eq!(expected.len(), 3);
    assert_eq!(expected[0].0, "enclosed_area");
    assert_eq!(config.resolve("../out").unwrap(), Path::new("cases/../out"));
    // The library can read what it writes.
    let again = toml::to_string(&config).unwrap();
    let mut again = parse(&again, &[]).unwrap_or_else(|e| panic!("{e}\n{again}"));
    again.origin = config.origin.clone();
    assert_eq!(again, config);
}

#[test]
fn regions_are_read_at_any_depth_and_mistakes_are_located() {
    let text = |initial: &str| {
        format!(
            "version = 1\n[domain.tiled]\ndx = 0.1\n[initial]\n{initial}\n[evolve]\nend_time = 1\n"
        )
    };
    let parse = |initial: &str| Config::parse(&text(initial), "case.toml".as_ref(), &[]);
    let config = parse(
        "difference = [ { union = [ { mesh = { path = \"a.stl\", thickness = 1 } }, \
         { ball = { center = [0, 0, 0], radius = 1 } } ] }, { expression = \"x\" } ]",
    );
    assert!(matches!(config.unwrap().initial, Some(Initial::Region(_))));
    for (initial, what) in [
        (
            "union = [ { mesh = { path = \"a.stl\", thickness = -1 } } ]",
            "initial.union.0.mesh.thickness",
        ),
        ("union = [ { mesch = { path = \"a.stl\" } } ]", "mesch"),
        (
            "intersection = [ { expression = \"x + t\" }, { mesh = { path = \"a.stl\" } } ]",
            "initial.intersection.0.expression",
        ),
        ("intersection = [ { expression = \"x\" }, { expression = \"y\" } ]", "unbounded"),
        (
            "union = [ { ball = { center = [0, 0, 0], radius = -1 } }, { mesh = { path = \"a.stl\" } } ]",
            "radius",
        ),
    ] {
        let error = parse(initial).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn unknown_keys_name_line_table_and_nearest_key() {
    assert_has(
        &refusal(&with("clf = 0.5"), &[]),
        &[
            "cases/small.toml:8: unknown key `clf` in [evolve]",
            "did you mean `cfl`?",
            "allowed: start_time, end_time, max_steps, steady, cfl, max_step, velocity, normal_speed, curvature",
        ],
    );
    let text = SMALL.replace("[evolve]", "[evolv]");
    assert_has(
        &refusal(&text, &[]),
        &["cases/small.toml:6: unknown key `evolv` at top level", "did you mean `evolve`?"],
    );
    let text = SMALL.replace("radius", "radios");
    assert_has(&refusal(&text, &[]), &["small.toml:5: ", "`radios`", "did you mean `radius`?"]);
    let text = SMALL.replace("ball", "sphere");
    assert_has(
        &refusal(&text, &[]),
        &["small.toml:5: ", "`sphere`", "allowed: ball, box,", "data"],
    );
    let text = format!("{SMALL}[expect]\nenclosed_aera = 1\n");
    assert_has(&refusal(&text, &[]), &["small.toml:9: ", "did you mean `enclosed_area`?"]);
}

#[test]
fn wrong_types_and_words_name_line_and_what_is_allowed() {
    for (line, parts) in [
        ("cfl = \"big\"", ["small.toml:8: ", "expected a number"]),
        ("max_steps = -3", ["small.toml:8: ", "integer >= 0"]),
        ("curvature = true", ["small.toml:8: ", "a number, \"an expression\", { data ="]),
        ("velocity = [1, true, 0]", ["small.toml:8: ", "a number, \"an expression\" or {"]),
        ("curvature = { date = \"x\" }", ["small.toml:8: ", "did you mean `data`?"]),
        ("velocity = [1, 2]", ["small.toml:8: ", "[x, y, z]"]),
        ("velocity = [1, 2, 3, 4]", ["small.toml:8: ", "[x, y, z]"]),
        (
            "velocity = { rotation = { axis = [0, 0, 1] } }",
            ["small.toml:8: ", "`period` is missing"],
        ),
        ("velocity = {}", ["small.toml:8: ", "exactly one of `data` and `rotation`"]),
        ("cfl = ", ["small.toml:8: ", "not TOML"]),
    ] {
        assert_has(&refusal(&with(line), &[]), &parts);
    }
    let text = format!("{SMALL}[reinitialize]\nrule = \"displacment\"\n");
    assert_has(
        &refusal(&text, &[]),
        &["small.toml:9: ", "did you mean `displacement`?", "published, every, never"],
    );
    let text = format!("{SMALL}[reinitialize]\n\nhalf_width = \"hole\"\n");
    assert_has(&refusal(&text, &[]), &["small.toml:10: ", "did you mean `whole`?"]);
    let text = SMALL.replace("ball =", "plane = { point = [0,0,0], normal = [1,0,0] }\nball =");
    assert_has(&refusal(&text, &[]), &["small.toml:4: ", "exactly one entry", "[initial]"]);
}

#[test]
fn values_out_of_range_name_their_line() {
    for (line, parts) in [
        ("cfl = 0", ["small.toml:8: evolve.cfl must be in (0, 2], but is 0"].as_slice()),
        ("cfl = 2.5", &["small.toml:8: evolve.cfl", "is 2.5"]),
        ("curvature = -1", &["small.toml:8: evolve.curvature must be >= 0", "no solution"]),
        ("normal_speed = nan", &["small.toml:8: evolve.normal_speed must be finite"]),
        ("[output]\nevery = 5\ninterval = 0.1", &["small.toml:10: ", "conflicts with `every`"]),
        (
            "[output]\ncheckpoint = { every = 0 }",
            &["small.toml:9: output.checkpoint.every must be at least 1"],
        ),
        (
            "[output]\ncheckpoint.minutes = -1",
            &["small.toml:9: output.checkpoint.minutes must be > 0"],
        ),
        ("[output]\ncheckpoint = \"nevr\"", &["small.toml:9: ", "did you mean `never`?"]),
        ("[reinitialize]\nrule = \"never\"", &["small.toml:9: ", "half_width = \"whole\""]),
        (
            "[reinitialize]\nhalf_width = 0.5",
            &["small.toml:9: ", "between 2 and 1e6 mean edge lengths"],
        ),
        ("[distance]\nfrom = [\"vertex:1\"]", &["small.toml:8: ", "one task"]),
        (
            "[output.picture]\nwidth = 9",
            &["small.toml:9: output.picture.width must be between 16 and 8192"],
        ),
        ("[output.picture]\nheight = 9000", &["small.toml:9: output.picture.height", "is 9000"]),
        ("[output.picture]\nrange = [1, 0]", &["small.toml:9: ", "the smaller first"]),
        (
            "[output.picture]\nperspective = 150",
            &[
                "small.toml:9: output.picture.perspective must be between 1 and 120 degrees, but is 150",
            ],
        ),
        (
            "[output.picture]\ncamera = { from = [0, 0, 0] }",
            &["small.toml:9: output.picture.camera.from must be finite and not zero"],
        ),
        (
            "[output.picture]\nview = \"+x\"\ncamera = { from = [1, 0, 0] }",
            &["small.toml:10: output.picture.camera conflicts with `view`"],
        ),
        ("[expect]\nphi_max = {}", &["small.toml:9: expect.phi_max has no bound"]),
        ("[expect]\ninterface_error_max = 1", &["small.toml:9: ", "exact.ball"]),
        ("[expect]\ndistance_max = 1", &["small.toml:9: ", "task distance"]),
        ("[expect]\nexact.ball = { center = [0,0,0], radius = -1 }", &["small.toml:9: ", "> 0"]),
    ] {
        assert_has(&refusal(&with(line), &[]), parts);
    }
    let text = SMALL.replace("radius = 0.3", "radius = -0.3");
    assert_has(
        &refusal(&text, &[]),
        &["small.toml:5: initial.ball.radius must be > 0, but is -0.3"],
    );
    let text = SMALL.replace("end_time = 0.1\n", "");
    assert_has(&refusal(&text, &[]), &["small.toml:6: evolve has no end", "`end_time`"]);
    let text = SMALL.replace("end_time = 0.1", "max_steps = 3");
    assert_has(&refusal(&text, &[]), &["small.toml:6: evolve moves nothing", "`curvature`"]);
    let text = SMALL.replace("[evolve]\nend_time = 0.1\n", "");
    assert_has(&refusal(&text, &[]), &["the case has no task", "[evolve] or [distance]"]);
    let text = SMALL.replace("generate.square = { cells = [8, 8] }", "patch_size = 8");
    assert_has(&refusal(&text, &[]), &["small.toml:2: domain.mesh has no mesh", "`path`"]);
    let text = SMALL.replace("[initial]", "path = \"m.vtu\"\npatch_size = 3\n[initial]");
    assert_has(&refusal(&text, &[]), &["small.toml:3: domain.mesh.generate conflicts with `path`"]);
}

#[test]
fn a_table_of_pictures_is_read() {
    let text = with("[output.picture]");
    let picture = parse(&text, &[]).unwrap().output.picture.unwrap();
    assert_eq!((picture.width, picture.height, picture.every), (1200, 900, Drawn::Last));
    let text = with("[output.picture]\nview = \"-x\"\nevery = \"state\"\narray = \"curv\"");
    let picture = parse(&text, &[]).unwrap().output.picture.unwrap();
    assert_eq!((picture.view, picture.every), (View::MinusX, Drawn::State));
    assert_eq!(picture.array.as_deref(), Some("curv"));
    let text = with("[output.picture]\ncamera = { from = [1, 2, 3], up = [0, 1, 0], zoom = 2 }");
    let camera = parse(&text, &[]).unwrap().output.picture.unwrap().camera.unwrap();
    assert_eq!((camera.from, camera.up, camera.zoom), ([1., 2., 3.], Some([0., 1., 0.]), 2.0));
    let text = with("[output.picture]\nperspective = 30\ntransparent = true");
    let options = parse(&text, &[]).unwrap().output.picture.unwrap().options(String::new());
    assert_eq!((options.perspective, options.transparent), (Some(30.0), true));
    let text = with("[output.picture]\nview = \"above\"");
    assert_has(&refusal(&text, &[]), &["small.toml:9: ", "above", "auto"]);
    let text = with("[output.picture]\nfile = \"a.png\"");
    assert_has(&refusal(&text, &[]), &["small.toml:9: ", "`file`", "width"]);
}

#[test]
fn the_version_is_required_and_known() {
    let text = SMALL.replace("version = 1\n", "");
    assert_has(&refusal(&text, &[]), &["`version` is missing", "start the file with version = 1"]);
    let text = SMALL.replace("version = 1", "\nversion = 2");
    assert_has(&refusal(&text, &[]), &["small.toml:2: ", "this program reads version = 1"]);
}

#[test]
fn distance_cases_need_one_start() {
    let head = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\n[distance]\n";
    let config = parse(&format!("{head}from = [\"vertex:0,17@0.5\", \"group:a\"]\n"), &[]).unwrap();
    assert_eq!(config.distance.unwrap().from.len(), 2);
    assert_has(&refusal(head, &[]), &["small.toml:4: distance needs exactly one source"]);
    let text = format!("{head}from = [\"vertex:x\"]\n");
    assert_has(&refusal(&text, &[]), &["small.toml:5: ", "`x` is not a vertex number", "allowed:"]);
    let text = format!("{head}from = [\"vertex:0\"]\nsigned = true\n");
    assert_has(&refusal(&text, &[]), &["small.toml:6: distance.signed", "no inside"]);
    let text = format!("{head}from = [\"vertex:0\"]\nspeed = 0\n");
    assert_has(
        &refusal(&text, &[]),
        &["small.toml:6: distance.speed must be between 1e-15 and 1e15"],
    );
}

#[test]
fn environment_variables_stand_in_paths() {
    let case = |name: &str| {
        let mesh = format!("path = \"${{{name}}}/m.vtu\"");
        SMALL.replace("generate.square = { cells = [8, 8] }", &mesh)
    };
    assert_has(
        &refusal(&case("ZEROSET_TEST_UNSET"), &[]),
        &["small.toml:3: ", "environment variable ZEROSET_TEST_UNSET in the path"],
    );
    // Cargo sets this variable in every test run.
    let config = parse(&case("CARGO_MANIFEST_DIR"), &[]).unwrap();
    let path = config.resolve(config.mesh().unwrap().path.as_ref().unwrap()).unwrap();
    assert_eq!(path, Path::new(env!("CARGO_MANIFEST_DIR")).join("m.vtu"));
}

#[test]
fn options_replace_and_add_keys() {
    let set = [
        "evolve.end_time=0.25",
        "precision=f32",
        "initial.ball.radius=0.1",
        "evolve.curvature.data=curv",
        "output.fields=[\"band\"]",
        "domain.mesh.partition=hilbert",
        "expect.components=1",
    ];
    let config = parse(SMALL, &set).unwrap();
    let evolve = config.evolve.as_ref().unwrap();
    assert_eq!(evolve.end_time, Some(0.25));
    assert_eq!(evolve.curvature, Some(Coefficient::Data { data: "curv".into() }));
    assert_eq!(config.precision(), Precision::F32);
    assert_eq!(config.mesh().unwrap().partition, Some(Partition::Hilbert));
    let Some(Initial::Shape(Shape::Ball { radius, .. })) = config.initial else { panic!() };
    assert_eq!(radius, 0.1);
    assert_eq!(config.expect.components.unwrap().value, Some(1.0));
    assert_ne!(config.origin.hash, parse(SMALL, &[]).unwrap().origin.hash);
    // A later option wins, and a table replaces a number.
    let twice =
        ["evolve.cfl=0.5", "evolve.cfl=0.25", "evolve.curvature=1", "evolve.curvature.data=c"];
    assert_eq!(parse(SMALL, &twice).unwrap().cfl(), 0.25);
}

#[test]
fn wrong_options_are_named() {
    for (set, parts) in [
        ("evolve.clf=0.5", ["--set evolve.clf=0.5: unknown key `clf` in [evolve]", "`cfl`?"]),
        ("evolve.cfl=3", ["--set evolve.cfl=3: evolve.cfl must be in (0, 2]", ""]),
        ("evolve.cfl=big", ["--set evolve.cfl=big: wrong type", "expected a number"]),
        ("evolve.cfl", ["--set evolve.cfl: there is no `=`", "--set key=value"]),
        ("evolve..cfl=1", ["part of the key is empty", ""]),
        ("version=2", ["--set version=2: ", "version = 1"]),
        ("reinitialize.rule=newer", ["--set reinitialize.rule=newer: ", "`never`?"]),
        ("initial.ball.radius=-1", ["--set initial.ball.radius=-1: ", "must be > 0"]),
    ] {
        let message = refusal(SMALL, &["evolve.max_steps=3", set]);
        assert_has(&message, &parts);
        assert!(!message.contains("small.toml"), "{message}");
    }
}

#[test]
fn bounds_are_relative_to_the_value() {
    let bounds = |text: &str| {
        parse(&format!("{SMALL}[expect]\nphi_max = {text}\n"), &[]).unwrap().expect.phi_max.unwrap()
    };
    assert!(bounds("-2").met_by(-2.019) && !bounds("-2").met_by(-2.021));
    assert!(bounds("{ value = 0, tolerance = 1e-3 }").met_by(-1e-3));
    assert!(!bounds("{ value = 3, tolerance = 0 }").met_by(3.0001));
    assert!(bounds("{ at_most = 1 }").met_by(-9.0) && !bounds("{ at_most = 1 }").met_by(1.1));
    assert!(!bounds("{ at_least = 1 }").met_by(f64::NAN));
    assert_eq!(Bounds::default().range(), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn a_missing_file_is_named() {
    let error = Config::load(Path::new("no/such.toml"), &[]).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert_has(&error.to_string(), &["no/such.toml: cannot read the case file"]);
}

#[test]
fn expressions_stand_where_numbers_do() {
    let lines = "velocity = [\"-y\", 2, \"x*t\"]\nnormal_speed = \"curv\"\ncurvature = \"2*3\"";
    let text = with(lines).replace("ball =", "expression = \"x - 0.5\" #");
    let config = parse(&text, &["evolve.normal_speed=0.1*(1+sin(x)*y)"]).unwrap();
    let evolve = config.evolve.as_ref().unwrap();
    let Some(Velocity::Components([x, y, z])) = &evolve.velocity else { panic!() };
    assert!(matches!(x, Component::Expression(x) if x.to_string() == "-y"));
    assert_eq!(y, &Component::Number(2.0));
    assert!(matches!(z, Component::Expression(z) if z.uses_time()));
    let Some(Coefficient::Expression(speed)) = &evolve.normal_speed else { panic!() };
    assert_eq!(speed.text(), "0.1*(1+sin(x)*y)");
    assert_eq!(evolve.curvature.as_ref().unwrap().number(), Some(6.0));
    assert!(matches!(&config.initial, Some(Initial::Expression { .. })));
    // A case does not change when it is written and read back.
    let again = parse(&toml::to_string(&config).unwrap(), &[]).unwrap();
    assert_eq!(again.evolve, config.evolve);
    assert_eq!(again.initial, config.initial);
    let text = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\n[distance]\nfrom = [\"vertex:0\"]\n\
                speed = \"1 + depth\"\n";
    let speed = parse(text, &[]).unwrap().distance.unwrap().speed;
    assert!(matches!(speed, Some(Speed::Expression(speed)) if speed.names() == ["depth"]));
}

#[test]
fn flaws_of_expressions_name_the_line_and_point_into_the_text() {
    for (line, parts) in [
        (
            "curvature = \"2*(x + 1\"",
            ["small.toml:8: this `(` is never closed; add a `)`", "\n    | 2*(x + 1\n    |   ^"],
        ),
        (
            "normal_speed = \"1 + squrt(x)\"",
            [
                "small.toml:8: unknown function `squrt`; did you mean `sqrt`?",
                "(x)\n    |     ^^^^^",
            ],
        ),
        (
            "velocity = [\n  \"-y\",\n  \"x +\",\n  0,\n]",
            ["small.toml:10: expected a value, found the end", "\n    | x +\n    |    ^"],
        ),
        ("normal_speed = \"\"", ["small.toml:8: the expression is empty", "\n    | ^"]),
        ("curvature = \"1/0\"", ["small.toml:8: evolve.curvature must be finite", "inf"]),
        ("curvature = \"1 - 2\"", ["small.toml:8: evolve.curvature must be >= 0", "is -1"]),
        ("velocity = [\n0,\n\"0/0\", 0]", ["small.toml:10: evolve.velocity.1 must be", "NaN"]),
    ] {
        assert_has(&refusal(&with(line), &[]), &parts);
    }
    let text = SMALL.replace("ball =", "expression = \"x - 0.5*t\" #");
    assert_has(&refusal(&text, &[]), &["small.toml:5: initial.expression must not depend on the"]);
    let text = SMALL.replace("ball =", "expression = 3 #");
    assert_has(&refusal(&text, &[]), &["small.toml:5: ", "an expression as a string"]);
    let text = SMALL.replace("end_time = 0.1", "max_steps = 3\nvelocity = [\"1-1\", 0, 0]");
    assert_has(&refusal(&text, &[]), &["small.toml:6: evolve moves nothing"]);
    let message = refusal(SMALL, &["evolve.curvature=1 +"]);
    assert_has(
        &message,
        &["--set evolve.curvature=1 +: expected a value", "\n    | 1 +\n    |    ^"],
    );
    let head = "version = 1\n[domain.mesh]\npath = \"m.vtu\"\n[distance]\nfrom = [\"vertex:0\"]\n";
    let message = refusal(&format!("{head}speed = \"1 + t\"\n"), &[]);
    assert_has(&message, &["small.toml:6: distance.speed must not depend on the time t", "{t}"]);
    let message = refusal(&format!("{head}speed = \"2 - 2\"\n"), &[]);
    assert_has(
        &message,
        &["small.toml:6: distance.speed must be between 1e-15 and 1e15, but is 0"],
    );
}

#[test]
fn surfaces_and_curves_to_begin_with_are_read_and_checked() {
    let case = |initial: &str| {
        format!(
            "version = 1\n[domain.mesh]\npath = \"m\"\n[evolve]\nend_time = 1\n[initial]\n{initial}\n"
        )
    };
    for initial in [
        "mesh = { path = \"a.ply\", scale = 2.5, translate = [0, 1, -2] }",
        "curve = { path = \"a.vtp\", inside = \"left\" }",
        "curve.path = \"a.vtp\"",
    ] {
        let config = parse(&case(initial), &[]).unwrap();
        let again = toml::to_string(&config).unwrap();
        let again = parse(&again, &[]).unwrap_or_else(|e| panic!("{e}\n{again}"));
        assert_eq!(again.initial, config.initial);
    }
    for (initial, expected) in [
        (
            "mesh = { path = \"a\", scale = -1 }",
            "cases/small.toml:7: initial.mesh.scale must be > 0",
        ),
        ("mesh = { path = \"a\", scael = 2 }", "unknown key `scael` in [initial.mesh]"),
        ("mesh = { scale = 2 }", "`path`"),
        ("curve = { path = \"a\", inside = \"outside\" }", "left, right, smaller, enclosed"),
        ("crve = { path = \"a\" }", "did you mean `curve`?"),
        ("mesh.path = \"a\"\ncurve.path = \"b\"", "cases/small.toml:"),
        ("mesh.path = \"${NOT_SET_ANYWHERE}\"", "initial.mesh.path is not usable"),
    ] {
        assert_has(&refusal(&case(initial), &[]), &[expected]);
    }
}

#[test]
fn a_velocity_alone_is_reinitialized_less_often_on_tiles() {
    let rule = |evolve: &str, set: &[&str]| {
        let text = format!(
            "version = 1\n[domain.tiled]\ndx = 0.1\n\
             [initial]\nball = {{ center = [0, 0, 0], radius = 1 }}\n\
             [evolve]\nend_time = 1\n{evolve}\n"
        );
        parse(&text, set).unwrap().rule()
    };
    let velocity = "velocity = [1, 0, 0]";
    assert_eq!(rule(velocity, &[]), Rule::Every(20));
    assert_eq!(rule(velocity, &["defaults='0.1'"]), Rule::Every(5));
    assert_eq!(rule(velocity, &["evolve.scheme=first-order"]), Rule::Every(5));
    assert_eq!(rule("velocity = [1, 0, 0]\ncurvature = 1", &[]), Rule::Every(5));
    assert_eq!(rule("normal_speed = 1", &[]), Rule::Every(5));
}
