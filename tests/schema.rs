//! Tests the JSON schema of the case file with valid and invalid cases.

use std::path::Path;

use serde_json::{Value, json};
use zeroset::config::{Config, defaults, schema};

/// Returns the flaws of `value` at `path`, for the keywords that the schema uses.
fn flaws(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut wrong = |what: String| found.push(format!("{path}: {what}"));
    let none = Vec::new();
    for (keyword, rule) in schema.as_object().expect("every schema is an object") {
        let list = rule.as_array().unwrap_or(&none);
        match keyword.as_str() {
            "type" => {
                let fits = match rule.as_str().expect("one type") {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    other => panic!("type {other}"),
                };
                if !fits {
                    wrong(format!("is no {rule}"));
                }
            }
            "minimum" if value.as_f64() < rule.as_f64() && value.is_number() => {
                wrong(format!("less than {rule}"));
            }
            "maximum" if value.as_f64() > rule.as_f64() => wrong(format!("more than {rule}")),
            "exclusiveMinimum" if value.as_f64() <= rule.as_f64() && value.is_number() => {
                wrong(format!("at most {rule}"));
            }
            "minItems" | "maxItems" => {
                let n = value.as_array().map_or(0, Vec::len) as u64;
                let n_allowed = rule.as_u64().unwrap();
                let few = keyword == "minItems" && n < n_allowed;
                if few || keyword == "maxItems" && n > n_allowed {
                    wrong(format!("{n} items, {keyword} is {rule}"));
                }
            }
            "not" if flaws(root, rule, value, path).is_empty() => wrong(format!("is {rule}")),
            "const" if value != rule && !equal_numbers(value, rule) => {
                wrong(format!("is not {rule}"));
            }
            "enum" if !list.contains(value) => wrong(format!("is not one of {rule}")),
            "required" => {
                let missing = list.iter().filter(|key| value.get(key.as_str().unwrap()).is_none());
                missing.for_each(|key| wrong(format!("{key} is missing")));
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().unwrap();
                for key in value.as_object().into_iter().flat_map(|map| map.keys()) {
                    if !known.contains_key(key) {
                        wrong(format!("unknown key {key}"));
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(target) = schema.get("$ref") {
        let target = root.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap();
        found.extend(flaws(root, target, value, path));
    }
    for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if let Some(value) = value.get(key) {
            found.extend(flaws(root, inner, value, &format!("{path}.{key}")));
        }
    }
    for (k, item) in value.as_array().into_iter().flatten().enumerate() {
        let fixed = schema.get("prefixItems").and_then(|items| items.get(k));
        if let Some(inner) = fixed.or(schema.get("items")).filter(|inner| inner.is_object()) {
            found.extend(flaws(root, inner, item, &format!("{path}.{k}")));
        }
    }
    for (keyword, exactly_one) in [("anyOf", false), ("oneOf", true)] {
        let Some(choices) = schema.get(keyword).and_then(Value::as_array) else { continue };
        let tried: Vec<_> = choices.iter().map(|c| flaws(root, c, value, path)).collect();
        let fitting = tried.iter().filter(|flaws| flaws.is_empty()).count();
        if fitting == 0 || exactly_one && fitting > 1 {
            found.push(format!("{path}: {fitting} of {keyword} fit: {tried:?}"));
        }
    }
    found
}

/// Returns whether both are numbers with the same value. 0 and 0.0 are equal in JSON Schema.
fn equal_numbers(a: &Value, b: &Value) -> bool {
    a.as_f64().is_some_and(|a| Some(a) == b.as_f64())
}

fn case(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

/// Returns copies, each of which has an additional key in one table.
fn with_stray_keys(value: &Value) -> Vec<Value> {
    let mut made = Vec::new();
    if let Value::Object(map) = value {
        let mut stray = map.clone();
        stray.insert("stray".into(), json!(1));
        made.push(Value::Object(stray));
        for (key, inner) in map {
            for inner in with_stray_keys(inner) {
                let mut map = map.clone();
                map.insert(key.clone(), inner);
                made.push(Value::Object(map));
            }
        }
    }
    made
}

#[test]
fn every_case_fits_and_stray_keys_do_not() {
    let schema = schema();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut n = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let value = case(&std::fs::read_to_string(&path).unwrap());
        let found = flaws(&schema, &schema, &value, "");
        assert!(found.is_empty(), "{}: {found:#?}", path.display());
        for stray in with_stray_keys(&value) {
            let found = flaws(&schema, &schema, &stray, "");
            assert!(!found.is_empty(), "{}: {stray}", path.display());
        }
        n += 1;
    }
    assert!(n >= 10);
    let all = case(&defaults());
    let found = flaws(&schema, &schema, &all, "");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn other_ways_to_write_a_value_fit_and_wrong_ones_do_not() {
    let schema = schema();
    let base = "version = 1\ndomain.mesh.generate.square.seed = 1\n\
                initial.ball = { center = [0, 0, 0], radius = 1 }\n";
    for (line, fits) in [
        ("evolve.velocity = [1, 0, 0.5]", true),
        ("evolve.velocity = { data = \"a\" }", true),
        ("evolve.velocity = { rotation = { axis = [0, 0, 1], period = 2 } }", true),
        ("evolve.velocity = { rotation = { axis = [0, 0, 1] } }", false),
        ("evolve.velocity = [1, 0]", false),
        ("evolve.curvature = { data = \"a\" }", true),
        ("evolve.curvature = { data = \"a\", more = 1 }", false),
        ("evolve.cfl = 0", false),
        ("evolve.cfl = 2", true),
        ("evolve.cfl = \"a\"", false),
        ("evolve.end_time = 0", false),
        ("reinitialize.half_width = \"whole\"", true),
        ("reinitialize.half_width = \"half\"", false),
        ("reinitialize.half_width = { length = 0.5 }", true),
        ("reinitialize.rule = { every = 5 }", true),
        ("reinitialize.rule = \"always\"", false),
        ("reinitialize.fit = \"quadratic\"", true),
        ("reinitialize.fit = \"cubic\"", false),
        ("distance.from = [\"vertex:1\"]", true),
        ("distance.from = \"vertex:1\"", false),
        ("distance.speed = { cell_data = \"a\" }", true),
        ("output.fields = [\"band\"]", true),
        ("output.fields = [\"bands\"]", false),
        ("output.format = \"vtkhdf\"", true),
        ("expect.steps = 5", true),
        ("expect.steps = { at_most = 5 }", true),
        ("expect.steps = { most = 5 }", false),
        ("expect.exact.union = [{ plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]", true),
        ("evolve.curvature = -1", false),
        ("evolve.curvature = \"-x\"", true),
        ("evolve.normal_speed = -1", true),
        ("evolve.weighted_curvature = -1", false),
        ("evolve.least_quality = 1.5", false),
        ("evolve.volume_correction = \"local\"", true),
        ("evolve.volume_correction = \"some\"", false),
        ("evolve.advection = \"characteristic-map\"", true),
        ("evolve.advection = \"map\"", false),
        ("evolve.velocity = { rotation = { axis = [0, 0, 1], period = 0 } }", false),
        ("reinitialize.rule = { every = 0 }", false),
        ("reinitialize.half_width = 1", false),
        ("reinitialize.half_width = { length = 0 }", false),
        ("distance.speed = 0", false),
        ("output.checkpoint = { minutes = 0 }", false),
        ("output.checkpoint = { every = 0 }", false),
        ("output.picture.width = 8", false),
        ("output.picture.perspective = 0.5", false),
        ("output.picture.camera = { from = [1, 0, 0], zoom = 60 }", false),
        ("expect.exact.ball = { center = [0, 0, 0], radius = 0 }", false),
        ("expect.exact.union = []", false),
        ("domain.mesh.generate.square.cells = [0, 4]", false),
        ("domain.mesh.generate.square.jitter = 0.6", false),
        ("domain.mesh.refine = 9", false),
        ("domain.mesh.patch_size = 4", false),
        ("precision = \"f16\"", false),
        ("device.use = \"cuda\"", true),
        ("device.use = \"gpu\"", false),
        ("device.reproducible = false", true),
        ("device.reproducible = \"no\"", false),
    ] {
        let found = flaws(&schema, &schema, &case(&format!("{base}{line}\n")), "");
        assert_eq!(found.is_empty(), fits, "{line}: {found:#?}");
    }
}

#[test]
fn the_schema_says_what_the_comments_say() {
    let schema = schema();
    let text = schema.to_string();
    assert!(!text.contains("null"), "TOML has no null");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let described = schema["properties"].as_object().unwrap();
    assert!(described.values().all(|key| key.get("description").is_some()), "{described:?}");
    Config::parse(&defaults(), "all.toml".as_ref(), &[]).unwrap();
}
