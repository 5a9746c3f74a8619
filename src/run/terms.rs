//! The coefficients of a motion on a mesh.

use super::CleanedMesh;
use super::fields::{at_vertex, vertex_field, vertex_values};
use crate::config::{self, Component, Config, Evolve, Velocity};
use crate::error::{Error, Result};
use crate::expression::Field;
use crate::levelset::evolution::{Coefficient, Terms};

/// Returns the coefficients of `[evolve]`.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::vertex_array`] and [`vertex_field`]. Returns
/// [`Error::Case`] for a negative curvature coefficient, and if all terms are zero and the case has
/// no end time. A coefficient that depends on time is checked at the start time.
pub fn terms(config: &Config, cleaned: &CleanedMesh) -> Result<Terms> {
    let evolve = config.evolve.as_ref();
    let velocity = match evolve.and_then(|e| e.velocity.as_ref()) {
        None => Coefficient::Uniform([0.0; 3]),
        Some(Velocity::Constant(a)) => Coefficient::Uniform(*a),
        Some(Velocity::Data(name)) => {
            let rows = cleaned.vertex_vectors(name);
            Coefficient::PerVertex(rows.map_err(config.locate("evolve.velocity.data"))?)
        }
        Some(Velocity::Components(components)) => vector(config, cleaned, components)?,
        Some(Velocity::Rotation(turn)) => {
            let length = turn.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rate = 2.0 * std::f64::consts::PI / turn.period;
            let [wx, wy, wz] = turn.axis.map(|x| x / length * rate);
            let at = |x: &[f64; 3]| {
                let [x, y, z] = [0, 1, 2].map(|k| x[k] - turn.center[k]);
                [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x]
            };
            Coefficient::PerVertex(cleaned.mesh.vertices.iter().map(at).collect())
        }
    };
    let number = |key: &str, written| coefficient(config, cleaned, key, written);
    let curvature = number("evolve.curvature", evolve.and_then(|e| e.curvature.as_ref()))?;
    let key = "evolve.weighted_curvature";
    let weight = number(key, evolve.and_then(|e| e.weighted_curvature.as_ref()))?;
    let written = evolve.map(|e| (e.curvature.as_ref(), e.weighted_curvature.as_ref()));
    let (by_curvature, by_weight) = written.unwrap_or_default();
    for (key, coefficient, written) in
        [("evolve.curvature", &curvature, by_curvature), (key, &weight, by_weight)]
    {
        not_negative(config, cleaned, key, coefficient, written)?;
    }
    let normal_speed = number("evolve.normal_speed", evolve.and_then(|e| e.normal_speed.as_ref()))?;
    let inflow = match evolve.and_then(|e| e.inflow.as_ref()) {
        None => None,
        Some(written) => Some(field(config, cleaned, "evolve.inflow", written)?),
    };
    let terms = Terms { velocity, normal_speed, curvature, weight, inflow };
    if terms.is_zero() && evolve.is_some_and(|e| e.end_time.is_none()) {
        return Err(config.error_at(
            "evolve",
            "evolve moves nothing because all its arrays are zero, and it has no end_time",
            "choose other arrays, see `zeroset info`",
        ));
    }
    Ok(terms)
}

/// Returns the problems of all coefficients, each checked as if it were the only one, with the keys
/// of the coefficients.
pub fn problems(config: &Config, cleaned: &CleanedMesh) -> Vec<(&'static str, Error)> {
    let Some(evolve) = &config.evolve else { return Vec::new() };
    // With an end time, a coefficient may be zero.
    let none = Evolve {
        velocity: None,
        curvature: None,
        weighted_curvature: None,
        normal_speed: None,
        inflow: None,
        end_time: Some(evolve.end_time.unwrap_or(f64::MAX)),
        ..evolve.clone()
    };
    let alone = [
        ("evolve.velocity", Evolve { velocity: evolve.velocity.clone(), ..none.clone() }),
        ("evolve.curvature", Evolve { curvature: evolve.curvature.clone(), ..none.clone() }),
        (
            "evolve.weighted_curvature",
            Evolve { weighted_curvature: evolve.weighted_curvature.clone(), ..none.clone() },
        ),
        (
            "evolve.normal_speed",
            Evolve { normal_speed: evolve.normal_speed.clone(), ..none.clone() },
        ),
        ("evolve.inflow", Evolve { inflow: evolve.inflow.clone(), ..none }),
    ];
    let problem = |(key, alone): (&'static str, Evolve)| {
        let config = Config { evolve: Some(alone), ..config.clone() };
        terms(&config, cleaned).err().map(|error| (key, error))
    };
    alone.into_iter().filter_map(problem).collect()
}

/// Returns the coefficient given at `key`, or zero if there is none.
fn coefficient(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    written: Option<&config::Coefficient>,
) -> Result<Coefficient<1>> {
    let rows = |values: Vec<f64>| Coefficient::PerVertex(values.into_iter().map(|x| [x]).collect());
    match written {
        // Config validation refuses volumes on meshes.
        None | Some(config::Coefficient::Volume(_)) => Ok(Coefficient::Uniform([0.0])),
        Some(config::Coefficient::Number(x)) => Ok(Coefficient::Uniform([*x])),
        Some(config::Coefficient::Data { data }) => {
            cleaned.vertex_array(data).map(rows).map_err(config.locate(&format!("{key}.data")))
        }
        Some(config::Coefficient::Expression(expression)) => match expression.constant() {
            Some(x) => Ok(Coefficient::Uniform([x])),
            None if expression.uses_time() => {
                Ok(Coefficient::Varying([vertex_field(config, cleaned, key, expression)?]))
            }
            None => vertex_values(config, cleaned, key, expression, cleaned.start_time).map(rows),
        },
    }
}

/// Returns a coefficient of any kind as a field over the vertices.
fn field(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    written: &config::Coefficient,
) -> Result<Field> {
    match written {
        config::Coefficient::Number(x) => Ok(Field::constant(*x)),
        // Config validation refuses volumes on meshes.
        config::Coefficient::Volume(_) => Ok(Field::constant(0.0)),
        config::Coefficient::Data { data } => {
            let rows = cleaned.vertex_array(data).map_err(config.locate(&format!("{key}.data")))?;
            Ok(Field::rows(rows.into()))
        }
        config::Coefficient::Expression(expression) => {
            vertex_field(config, cleaned, key, expression)
        }
    }
}

/// Returns a velocity whose components are numbers and expressions.
fn vector(
    config: &Config,
    cleaned: &CleanedMesh,
    components: &[Component; 3],
) -> Result<Coefficient<3>> {
    if let [Some(x), Some(y), Some(z)] = components.each_ref().map(Component::number) {
        return Ok(Coefficient::Uniform([x, y, z]));
    }
    let varies = components.iter().any(|component| match component {
        Component::Number(_) | Component::Volume(_) => false,
        Component::Expression(expression) => expression.uses_time(),
    });
    let key = |k: usize| format!("evolve.velocity.{k}");
    // Config validation refuses volumes on meshes.
    if varies {
        let field = |k: usize| match &components[k] {
            Component::Number(x) => Ok(Field::constant(*x)),
            Component::Volume(_) => Ok(Field::constant(0.0)),
            Component::Expression(expression) => vertex_field(config, cleaned, &key(k), expression),
        };
        return Ok(Coefficient::Varying([field(0)?, field(1)?, field(2)?]));
    }
    let mut rows = vec![[0.0; 3]; cleaned.mesh.n_vertices()];
    for (k, component) in components.iter().enumerate() {
        let values = match component {
            Component::Number(x) => vec![*x; rows.len()],
            Component::Volume(_) => vec![0.0; rows.len()],
            Component::Expression(expression) => {
                vertex_values(config, cleaned, &key(k), expression, cleaned.start_time)?
            }
        };
        rows.iter_mut().zip(values).for_each(|(row, value)| row[k] = value);
    }
    Ok(Coefficient::PerVertex(rows))
}

/// Refuses a coefficient that is negative anywhere. A coefficient that depends on time is checked
/// at the start time. `written` is the coefficient as given in the case.
fn not_negative(
    config: &Config,
    cleaned: &CleanedMesh,
    key: &str,
    coefficient: &Coefficient<1>,
    written: Option<&config::Coefficient>,
) -> Result<()> {
    const REMEDY: &str = "a negative coefficient means a backward heat flow, which has no solution";
    let start = cleaned.start_time;
    let (values, time): (Vec<f64>, String) = match coefficient {
        Coefficient::PerVertex(rows) => (rows.iter().map(|row| row[0]).collect(), String::new()),
        Coefficient::Varying([field]) => {
            (field.values(&cleaned.mesh.vertices, start), format!(" at t = {start}"))
        }
        // Config validation refuses negative numbers.
        Coefficient::Uniform(_) => return Ok(()),
    };
    let Some(k) = values.iter().position(|value| *value < 0.0) else { return Ok(()) };
    let vertex = cleaned.stored_vertex(k);
    let what = format!("{key} must be >= 0, but is {} at vertex {vertex}{time}", values[k]);
    match written {
        Some(config::Coefficient::Expression(expression)) => {
            let flaw = at_vertex(cleaned, expression, k, start, &what, REMEDY);
            Err(config.error_at(key, flaw.to_string(), ""))
        }
        _ => Err(config.error_at(key, what, REMEDY)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::cleaned_mesh::tests::cleaned;
    use super::*;
    use crate::mesh::Values;

    fn evolve(lines: &str) -> Config {
        let text = format!(
            "version = 1\n[domain.mesh]\npath = \"m\"\n[initial]\ndata = \"curv\"\n[evolve]\n\
             end_time = 1\n{lines}\n"
        );
        Config::parse(&text, Path::new("case.toml"), &[]).unwrap()
    }

    #[test]
    fn coefficients_come_from_numbers_arrays_and_formulas() {
        let cleaned = cleaned();
        let terms = |lines: &str| super::terms(&evolve(lines), &cleaned);
        let found = terms("curvature = 2\nnormal_speed = { data = \"curv\" }").unwrap();
        assert!(matches!(found.curvature, Coefficient::Uniform([2.0])));
        assert!(matches!(found.velocity, Coefficient::Uniform([0.0, 0.0, 0.0])));
        let Coefficient::PerVertex(rows) = found.normal_speed else { panic!() };
        assert_eq!(rows, [[0.0], [2.0], [3.0], [4.0]]);
        // A quarter turn about (1, 0, 0) takes a time of 1/4. The origin moves along -y with speed
        // 2 pi.
        let turn = "velocity.rotation = { axis = [0, 0, 3], center = [1, 0, 0], period = 1 }";
        let Coefficient::PerVertex(rows) = terms(turn).unwrap().velocity else { panic!() };
        assert!((rows[0][1] + 2.0 * std::f64::consts::PI).abs() < 1e-12 && rows[0][0] == 0.0);
        assert_eq!(rows[1], [0.0; 3]);
        let wind = terms("velocity = { data = \"wind\" }").unwrap();
        let Coefficient::PerVertex(rows) = wind.velocity else { panic!() };
        assert_eq!(rows[1], [6.0, 7.0, 8.0]);
    }

    #[test]
    fn a_negative_array_of_curvature_is_refused_with_its_vertex() {
        let mut cleaned = cleaned();
        cleaned.mesh.vertex_data[0].values = Values::Float(vec![0.0, 2.0, -3.0, 4.0]);
        let config = evolve("curvature = { data = \"curv\" }");
        let message = terms(&config, &cleaned).unwrap_err().to_string();
        let expected = "case.toml:8: evolve.curvature must be >= 0, but is -3 at vertex 3";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn expressions_become_the_plainest_coefficient_that_holds_them() {
        let cleaned = cleaned();
        let terms = |lines: &str| super::terms(&evolve(lines), &cleaned);
        let found = terms("curvature = \"curv^2 + x\"\nnormal_speed = \"2*3\"").unwrap();
        let Coefficient::PerVertex(rows) = found.curvature else { panic!() };
        assert_eq!(rows, [[0.0], [5.0], [10.0], [16.0]]);
        assert!(matches!(found.normal_speed, Coefficient::Uniform([6.0])));
        let found = terms("normal_speed = \"curv*t\"\nvelocity = [\"-y\", \"x\", 3]").unwrap();
        let Coefficient::Varying([field]) = found.normal_speed else { panic!() };
        assert_eq!(field.values(&cleaned.mesh.vertices, 2.0), [0.0, 4.0, 6.0, 8.0]);
        let Coefficient::PerVertex(rows) = found.velocity else { panic!() };
        assert_eq!(rows[2], [-1.0, 1.0, 3.0]);
        let found = terms("velocity = [\"t\", \"x\", 3]").unwrap();
        let Coefficient::Varying(fields) = found.velocity else { panic!() };
        let at = |k: usize| fields[k].values(&cleaned.mesh.vertices, 0.5)[2];
        assert_eq!([at(0), at(1), at(2)], [0.5, 1.0, 3.0]);
        let found = terms("normal_speed = \"if(isnan(hole), 9, hole) + wind.y\"").unwrap();
        let Coefficient::PerVertex(rows) = found.normal_speed else { panic!() };
        assert_eq!(rows, [[1.0], [9.0], [19.0], [17.0]]);
        // A cell array, and a group of edges.
        let found = terms("normal_speed = \"speed + 10*rim\"").unwrap();
        let Coefficient::PerVertex(rows) = found.normal_speed else { panic!() };
        assert_eq!(rows, [[0.5], [2.0], [10.5], [9.0]]);
        let found = terms("velocity = [\"1 + 1\", 0, 3]").unwrap();
        assert!(matches!(found.velocity, Coefficient::Uniform([2.0, 0.0, 3.0])));
    }

    #[test]
    fn expressions_that_cannot_serve_name_key_and_stored_vertex() {
        let cleaned = cleaned();
        let refusal = |lines: &str| terms(&evolve(lines), &cleaned).unwrap_err().to_string();
        for (lines, expected) in [
            (
                "normal_speed = \"1 + curve\"",
                "case.toml:8: evolve.normal_speed: there is no vertex array \"curve\", and no cell array \
                 or group of this name; did you mean `curv`? there are: curv, hole, wind, speed, rim\n    \
                 | 1 + curve\n    |     ^^^^^",
            ),
            (
                "normal_speed = \"{wind}*2\"",
                "has 3 numbers per vertex instead of 1; write a component: wind.x, wind.y or wind.z\n    \
                 | {wind}*2\n    | ^^^^^^",
            ),
            (
                "normal_speed = \"2*(x + hole)\"",
                "evolve.normal_speed is NaN at vertex 3 (1.000000, 1.000000, 0.000000): the array \
                 \"hole\" has no value there; exclude such places with a mask, or choose with \
                 if(isnan(hole), a, b)\n    | 2*(x + hole)\n    |        ^^^^",
            ),
            (
                "normal_speed = { data = \"hole\" }",
                "vertex 3: array \"hole\" is NaN, which means that it has no value there, requested by",
            ),
            (
                "velocity = [0,\n\"1/(curv - 3)\", 0]",
                "case.toml:9: evolve.velocity.1 is inf at vertex 3 (1.000000, 1.000000, 0.000000); keep",
            ),
            (
                "normal_speed = \"2 + sqrt(curv - 1)*x\"",
                "choose with if(condition, a, b)\n    | 2 + sqrt(curv - 1)*x\n    |     ^^^^^^^^^^^^^^",
            ),
            ("curvature = \"2 - curv\"", "which has no solution\n    | 2 - curv\n    | ^^^^^^^^"),
            (
                "curvature = \"2 - curv\"",
                "evolve.curvature must be >= 0, but is -1 at vertex 3; a negative",
            ),
            (
                "curvature = \"t + x - 0.5\"",
                "case.toml:8: evolve.curvature must be >= 0, but is -0.5 at vertex 0 at t = 0; a negative",
            ),
            (
                "normal_speed = \"y/t\"",
                "is NaN at vertex 0 (0.000000, 0.000000, 0.000000) at t = 0",
            ),
        ] {
            let message = refusal(lines);
            assert!(message.contains(expected), "{message}");
        }
    }
}
