//! Tests that `zeroset check` reports all problems of a case at once, including those that concern
//! the file itself, and that the first of them is the error of `zeroset run`.

#[path = "support/place.rs"]
mod place;
use place::Place;

/// Checks that a case has exactly the problems that contain these strings, in this order, and that
/// `run` reports the first of them.
#[track_caller]
fn check(case: &str, expected: &[&str]) {
    let place = Place::new();
    place.put("c.toml", case);
    let (code, said) = place.outcome("check c.toml");
    assert_eq!(code, 2, "{said}");
    let found: Vec<&str> = said.split("error: ").skip(1).collect();
    assert_eq!(found.len(), expected.len(), "{said}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{expected}: {said}");
    }
    let (code, said) = place.outcome("run c.toml");
    assert_eq!((code, said), (2, format!("error: {}", found[0])));
}

/// Returns a case on a square with these lines in `[initial]` and `[evolve]`.
fn case(initial: &str, evolve: &str) -> String {
    format!(
        "version = 1\n[domain.mesh.generate.square]\ncells = [4, 4]\n[initial]\n{initial}\n[evolve]\n{evolve}\n"
    )
}

#[test]
fn mistakes_in_several_expressions() {
    let evolve = "normal_speed = \"foo(1) + bar(\"\nmask = \"1 +\"\nend_time = 1";
    let case = case("expression = \"x - 0.5 + (\"", evolve);
    let place = Place::new();
    place.put("c.toml", &case);
    let (_, said) = place.outcome("check c.toml");
    for part in ["c.toml:5", "function `foo`", "function `bar`", "c.toml:8"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.matches("error: ").count(), 5, "{said}");
    // A vector has several expressions, and each is checked.
    let evolve = "velocity = [\"y +\", \"sin(1, 2)\", 0]\nend_time = 1";
    check(&self::case("expression = \"x - 0.5\"", evolve), &["expected a value", "`sin` takes"]);
}

#[test]
fn a_volume_whose_change_is_unknown() {
    let ball = "ball = { center = [0.5, 0.5, 0], radius = 0.3 }";
    for term in ["normal_speed = 1", "curvature = 1", "weighted_curvature = \"1 + x\""] {
        let evolve = format!("{term}\nvolume_correction = \"global\"\nend_time = 1");
        check(&case(ball, &evolve), &["volume_correction is \"global\", but the change in volume"]);
    }
    let evolve = "curvature = 1\nvolume_correction = \"local\"\nend_time = 1";
    let never = "[reinitialize]\nrule = \"never\"\nhalf_width = \"whole\"\n";
    check(
        &(case(ball, evolve) + never),
        &["volume_correction is \"local\", but reinitialize.rule"],
    );
}

#[test]
fn keys_that_exclude_a_characteristic_map() {
    let ball = "ball = { center = [0.5, 0.5, 0], radius = 0.3 }";
    let map = "velocity = [1, 0, 0]\nadvection = \"characteristic-map\"\nend_time = 1";
    let keys = ["normal_speed = 1", "curvature = 1", "weighted_curvature = \"1 + x\""];
    let others = ["inflow = 1", "clip = true", "least_quality = 0.1"];
    for key in keys.into_iter().chain(others).chain(["volume_correction = \"global\""]) {
        let name = format!("evolve.{}", key.split(' ').next().unwrap());
        check(&case(ball, &format!("{map}\n{key}")), &[&name]);
    }
    for key in ["half_width = 5", "rule = { every = 5 }"] {
        let text = case(ball, map) + &format!("[reinitialize]\n{key}\n");
        check(&text, &["moves the whole mesh and never reinitializes"]);
    }
    // Other meshes are named as well.
    let expected = "evolve.advection \"characteristic-map\" is for planar meshes";
    for shape in ["sphere]\nsubdivisions = 2", "cube]\ncells = [3, 3, 3]"] {
        let text = case("expression = \"x - 0.5\"", map).replace("square]\ncells = [4, 4]", shape);
        check(&text, &[expected]);
    }
}

#[test]
fn what_is_computed_on_the_cpu_names_the_key_of_the_device() {
    let square = "[domain.mesh.generate.square]\ncells = [4, 4]\n";
    let ball = "ball = { center = [0.5, 0.5, 0], radius = 0.3 }";
    let map = "velocity = [1, 0, 0]\nadvection = \"characteristic-map\"\nend_time = 1";
    let exact = "[distance]\nfrom = [\"vertex:0\"]\nfront = \"exact\"\n";
    for text in [case(ball, map), format!("version = 1\n{square}{exact}")] {
        let place = Place::new();
        place.put("c.toml", &(text + "[device]\nuse = \"cuda\"\n"));
        // Without a driver, `check` adds a second problem.
        let (code, said) = place.outcome("run c.toml");
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("computed on the CPU, but device.use is \"cuda\""), "{said}");
    }
}

#[test]
fn values_out_of_range() {
    let evolve = "normal_speed = 1\ncfl = 99\nend_time = -1";
    check(&case("expression = \"x - 0.5\"", evolve), &["evolve.end_time", "evolve.cfl"]);
    let rules = "[output]\nevery = 0\ninterval = -1\n[distance]\nwidth = -1\nspeed = \"t\"\n";
    let text = format!("version = 1\ndomain.mesh.path = \"${{NOT_SET_HERE}}/a.vtp\"\n{rules}");
    let expected = [
        "domain.mesh.path",
        "distance needs exactly one source",
        "distance.width",
        "distance.speed",
        "output.every",
        "output.interval",
    ];
    check(&text, &expected);
}

#[test]
fn unknown_keys_hide_nothing() {
    let evolve = "normal_speed = 1\nbogus2 = 3\ncfl = 99\nend_time = 1\n[output]\nfoo = 1\nevery = \"x\"\n\
                  [reinitialize]\nbogus = 1";
    let text = case("expression = \"x - 0.5 + yy\"", evolve);
    let place = Place::new();
    place.put("c.toml", &text);
    let (_, said) = place.outcome("check c.toml");
    for part in ["`bogus`", "`bogus2`", "`foo`", "expected an integer", "evolve.cfl", "\"yy\""] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(said.matches("error: ").count(), 6, "{said}");
    // The missing end is a consequence of the unknown key, but the missing files are not.
    let text = "version = 1\ndomain.mesh = { path = \"a.vtp\", data = [{ path = \"b.txt\" }] }\n\
                [initial]\nexpression = \"x\"\n[evolve]\nnormal_speed = 1\nend_tim = 1\n";
    check(text, &["unknown key `end_tim`", "a.vtp: cannot be read", "b.txt: cannot be read"]);
}

#[test]
fn unknown_entries_of_the_initial_interface_hide_nothing() {
    let evolve = "normal_speed = 1\nend_time = 1\ncfl = 99";
    let initial = "expression = \"x - 0.5 + yy\"\nbogus = 1";
    let expected =
        ["exactly one entry is allowed in [initial], found expression, bogus", "evolve.cfl", "yy"];
    check(&case(initial, evolve), &expected);
    let initial = "bogus = 1\nball = { center = [0, 0, 0], radius = -1 }";
    let expected = [expected[0].replace("expression, bogus", "bogus, ball"), "radius".into()];
    let expected = [&*expected[0], &*expected[1], "evolve.cfl"];
    check(&case(initial, evolve), &expected);
}

#[test]
fn a_table_with_mistakes_is_left_out() {
    let evolve = "normal_speed = 1\nend_time = 1";
    check(&case("ball = { center = [0, 0, 0] }", evolve), &["key `radius` is missing"]);
    let text = case("ball = { center = [0, 0, 0], radius = \"1\", mass = 2 }", evolve);
    let place = Place::new();
    place.put("c.toml", &text);
    let (_, said) = place.outcome("check c.toml");
    assert!(said.contains("`mass`") && said.contains("expected a number"), "{said}");
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
}

#[test]
fn mistakes_of_the_syntax() {
    check(
        "version = 1\n[domain\n[initial]\nexpression = \"x\n[evolve]\ncfl = 1..2\n",
        &["c.toml:2: not TOML", "c.toml:4: not TOML", "c.toml:6: not TOML"],
    );
}

#[test]
fn all_unknown_names_of_an_expression() {
    let evolve = "normal_speed = \"foo + bar\"\nmask = \"x > qq\"\nend_time = 1";
    let text = case("expression = \"x - 0.5 + yy + zz\"", evolve);
    let place = Place::new();
    place.put("c.toml", &text);
    let (_, said) = place.outcome("check c.toml");
    for name in ["qq", "yy", "zz", "foo", "bar"] {
        assert_eq!(said.matches(&format!("\"{name}\"")).count(), 1, "{said}");
    }
    assert_eq!(said.matches("error: ").count(), 5, "{said}");
    let evolve = "normal_speed = \"sin(1, 2)\"\nend_time = 1\n[output]\ninterval = 0.1\nevery = 3";
    let text = case("expression = \"x - 0.5 + yy\"", evolve);
    check(&text, &["`sin` takes", "output.interval conflicts", "\"yy\""]);
}

#[test]
fn a_wrong_key_of_the_mesh_hides_nothing() {
    let place = Place::new();
    place.put("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    let case = |mesh: &str, rest: &str| {
        format!("version = 1\n[domain.mesh]\npath = \"a.obj\"\n{mesh}\n{rest}")
    };
    let evolve = "[initial]\nexpression = \"x - 0.5 + yy\"\n[evolve]\nend_time = 1\n\
                  curvature = { data = \"cc\" }\nnormal_speed = \"foo\"\n\
                  [output]\npicture = { array = \"pp\" }\n";
    let distance = "[distance]\nfrom = [\"vertex:9\", \"group:gg\", \"point:7,7,7\"]\n\
                    mask = \"x > qq\"\npaths_from = [\"vertex:8\"]\n";
    for (mesh, word) in [
        ("wold = 1", "`wold`"),
        ("refine = 99", "refine"),
        ("patch_size = 3", "patch_size"),
        ("weld = \"sometimes\"", "`sometimes`"),
    ] {
        for (rest, names) in [
            (evolve, &["\"yy\"", "\"cc\"", "\"foo\"", "\"pp\""][..]),
            (distance, &["no vertex 9", "\"gg\"", "point:7,7,7", "\"qq\"", "no vertex 8"]),
        ] {
            place.put("c.toml", &case(mesh, rest));
            let (code, said) = place.outcome("check c.toml");
            assert_eq!(code, 2, "{said}");
            for name in [&[word][..], names].concat() {
                assert!(said.contains(name), "{mesh}, {name}: {said}");
            }
            assert_eq!(said.matches("error: ").count(), 1 + names.len(), "{mesh}: {said}");
        }
    }
    // Without the files with the arrays, unknown names are a consequence.
    place.put("c.toml", &case("data = [{ pth = \"b.txt\" }]", evolve));
    let (_, said) = place.outcome("check c.toml");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
}

#[test]
fn a_wrong_key_elsewhere_does_not_hide_coefficients_on_tiles() {
    let text = "version = 1\n[domain.tiled]\ndx = 0.1\n\
                [initial]\nball = { center = [0.5, 0.5, 0.5], radius = 0.3 }\n\
                [evolve]\nnormal_speed = \"1 + foo\"\nend_time = 0.1\n[output]\nbogus = 1\n";
    let place = Place::new();
    place.put("c.toml", text);
    let (_, said) = place.outcome("check c.toml");
    assert!(said.contains("`bogus`") && said.contains("foo"), "{said}");
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
}
