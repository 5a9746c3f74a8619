//! What a solver starts from: the initial level set, coefficients, sources.

use rayon::prelude::*;

use super::fields::{cell_values, vertex_field, vertex_values};
use super::{Ready, initial};
use crate::config::{self, Component, Config, FrontShape, Initial, Seed, Speed, Velocity};
use crate::error::{Error, Result};
use crate::expression::Field;
use crate::geometry::Vec3;
use crate::io;
use crate::levelset::eikonal::source::{self, Source};
use crate::levelset::eikonal::{Front, Slowness, path};
use crate::levelset::evolution::{Coefficient, Terms};
use crate::mesh::check::facets::CellsAround;
use crate::mesh::{Kind, Mesh};

/// Looks up the coefficients of `[evolve]`.
///
/// # Errors
/// Those of [`Ready::vertex_array`] and [`vertex_field`]; [`Error::Case`] for a negative curvature
/// coefficient, which for one that depends on time is looked at at time 0.
pub fn terms(config: &Config, ready: &Ready) -> Result<Terms> {
    let evolve = config.evolve.as_ref();
    let velocity = match evolve.and_then(|e| e.velocity.as_ref()) {
        None => Coefficient::Uniform([0.0; 3]),
        Some(Velocity::Constant(a)) => Coefficient::Uniform(*a),
        Some(Velocity::Data(name)) => {
            let rows =
                ready.vertex_array(name, 3).map_err(config.locate("evolve.velocity.data"))?;
            Coefficient::PerVertex(rows.chunks_exact(3).map(|a| [a[0], a[1], a[2]]).collect())
        }
        Some(Velocity::Components(components)) => vector(config, ready, components)?,
        Some(Velocity::Rotation(turn)) => {
            let length = turn.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rate = 2.0 * std::f64::consts::PI / turn.period;
            let [wx, wy, wz] = turn.axis.map(|x| x / length * rate);
            let at = |x: &[f64; 3]| {
                let [x, y, z] = [0, 1, 2].map(|k| x[k] - turn.center[k]);
                [wy * z - wz * y, wz * x - wx * z, wx * y - wy * x]
            };
            Coefficient::PerVertex(ready.mesh.vertices.iter().map(at).collect())
        }
    };
    let number = |key: &str, written| coefficient(config, ready, key, written);
    let curvature = number("evolve.curvature", evolve.and_then(|e| e.curvature.as_ref()))?;
    let key = "evolve.weighted_curvature";
    let weight = number(key, evolve.and_then(|e| e.weighted_curvature.as_ref()))?;
    for (key, coefficient) in [("evolve.curvature", &curvature), (key, &weight)] {
        not_negative(
            config,
            ready,
            key,
            coefficient,
            "a negative coefficient is a heat flow backwards in time, which has no solution",
        )?;
    }
    let normal_speed = number("evolve.normal_speed", evolve.and_then(|e| e.normal_speed.as_ref()))?;
    let inflow = match evolve.and_then(|e| e.inflow.as_ref()) {
        None => None,
        Some(written) => Some(field(config, ready, "evolve.inflow", written)?),
    };
    let terms = Terms { velocity, normal_speed, curvature, weight, inflow };
    if terms.is_zero() && evolve.is_some_and(|e| e.end_time.is_none()) {
        return Err(config.error_at(
            "evolve",
            "evolve moves nothing, for all its arrays are zero, and has no end_time",
            "choose other arrays, see `zeroset info`",
        ));
    }
    Ok(terms)
}

/// The coefficient that is written at `key`, zero if nothing is.
fn coefficient(
    config: &Config,
    ready: &Ready,
    key: &str,
    written: Option<&config::Coefficient>,
) -> Result<Coefficient<1>> {
    let rows = |values: Vec<f64>| Coefficient::PerVertex(values.into_iter().map(|x| [x]).collect());
    match written {
        None => Ok(Coefficient::Uniform([0.0])),
        Some(config::Coefficient::Number(x)) => Ok(Coefficient::Uniform([*x])),
        Some(config::Coefficient::Data { data }) => {
            ready.vertex_array(data, 1).map(rows).map_err(config.locate(&format!("{key}.data")))
        }
        Some(config::Coefficient::Expression(expression)) => match expression.constant() {
            Some(x) => Ok(Coefficient::Uniform([x])),
            None if expression.uses_time() => {
                Ok(Coefficient::Varying([vertex_field(config, ready, key, expression)?]))
            }
            None => vertex_values(config, ready, key, expression, 0.0).map(rows),
        },
    }
}

/// A coefficient of any kind as a field over the vertices.
fn field(
    config: &Config,
    ready: &Ready,
    key: &str,
    written: &config::Coefficient,
) -> Result<Field> {
    match written {
        config::Coefficient::Number(x) => Ok(Field::constant(*x)),
        config::Coefficient::Data { data } => {
            let rows =
                ready.vertex_array(data, 1).map_err(config.locate(&format!("{key}.data")))?;
            Ok(Field::rows(rows.into()))
        }
        config::Coefficient::Expression(expression) => vertex_field(config, ready, key, expression),
    }
}

/// A velocity of numbers and expressions.
fn vector(config: &Config, ready: &Ready, components: &[Component; 3]) -> Result<Coefficient<3>> {
    if let [Some(x), Some(y), Some(z)] = components.each_ref().map(Component::number) {
        return Ok(Coefficient::Uniform([x, y, z]));
    }
    let varies = components.iter().any(|component| match component {
        Component::Number(_) => false,
        Component::Expression(expression) => expression.uses_time(),
    });
    let key = |k: usize| format!("evolve.velocity.{k}");
    if varies {
        let field = |k: usize| match &components[k] {
            Component::Number(x) => Ok(Field::constant(*x)),
            Component::Expression(expression) => vertex_field(config, ready, &key(k), expression),
        };
        return Ok(Coefficient::Varying([field(0)?, field(1)?, field(2)?]));
    }
    let mut rows = vec![[0.0; 3]; ready.mesh.n_vertices()];
    for (k, component) in components.iter().enumerate() {
        let values = match component {
            Component::Number(x) => vec![*x; rows.len()],
            Component::Expression(expression) => {
                vertex_values(config, ready, &key(k), expression, 0.0)?
            }
        };
        rows.iter_mut().zip(values).for_each(|(row, value)| row[k] = value);
    }
    Ok(Coefficient::PerVertex(rows))
}

/// Refuses a coefficient that is negative somewhere, at time 0 if it varies.
fn not_negative(
    config: &Config,
    ready: &Ready,
    key: &str,
    coefficient: &Coefficient<1>,
    remedy: &str,
) -> Result<()> {
    let (values, time): (Vec<f64>, &str) = match coefficient {
        Coefficient::PerVertex(rows) => (rows.iter().map(|row| row[0]).collect(), ""),
        Coefficient::Varying([field]) => (field.values(&ready.mesh.vertices, 0.0), " at t = 0"),
        // The case has been checked for it.
        Coefficient::Uniform(_) => return Ok(()),
    };
    match values.iter().position(|value| *value < 0.0) {
        None => Ok(()),
        Some(k) => {
            let vertex = ready.stored_vertex(k);
            let what = format!("{key} must be >= 0, is {} at vertex {vertex}{time}", values[k]);
            Err(config.error_at(key, what, remedy))
        }
    }
}

/// phi of `[initial]` on the cleaned mesh.
///
/// # Errors
/// Those of [`Ready::vertex_array`]; [`Error::Input`] for the file of a surface or curve;
/// [`Error::Case`] if its zero set does not meet the mesh.
pub fn initial_phi(config: &Config, ready: &Ready) -> Result<Vec<f64>> {
    let phi = match &config.initial {
        Some(Initial::Shape(shape)) => {
            ready.mesh.vertices.iter().map(|&x| shape.signed_distance(x)).collect()
        }
        Some(Initial::Mesh { mesh }) => initial::from_mesh(config, mesh, ready)?,
        Some(Initial::Curve { curve }) => initial::from_curve(config, curve, ready)?,
        Some(Initial::Data { data }) => {
            ready.vertex_array(data, 1).map_err(config.locate("initial.data"))?
        }
        Some(Initial::Expression { expression }) => {
            vertex_values(config, ready, "initial.expression", expression, 0.0)?
        }
        None => {
            return Err(Error::usage(
                "[initial] is missing",
                "add a shape, `mesh`, `curve`, `data` or `expression`",
            ));
        }
    };
    let inside = phi.iter().filter(|&&x| x < 0.0).count();
    if inside == 0 || inside == phi.len() {
        let (low, high) = ready.mesh.bounds();
        return Err(config.error_at(
            "initial",
            format!(
                "the whole mesh is {} [initial], so there is no interface",
                if inside == 0 { "outside" } else { "inside" }
            ),
            format!("the mesh reaches from {low:?} to {high:?}; place the shape across it"),
        ));
    }
    Ok(phi)
}

/// Slowness `1 / speed` of a distance.
///
/// # Errors
/// Those of [`Ready::cell_array`] and [`cell_values`]; [`Error::Case`] naming the cell as stored
/// for a speed out of [`Speed::RANGE`].
pub fn slowness(config: &Config, ready: &Ready) -> Result<Slowness<f64>> {
    let (key, speeds) = match config.distance.as_ref().and_then(|d| d.speed.as_ref()) {
        None => return Ok(Slowness::Uniform(1.0)),
        Some(Speed::Number(speed)) => return Ok(Slowness::Uniform(1.0 / speed)),
        Some(Speed::Data { cell_data }) => {
            let key = "distance.speed.cell_data";
            (key, ready.cell_array(cell_data).map_err(config.locate(key))?)
        }
        Some(Speed::Expression(expression)) => match expression.constant() {
            Some(speed) => return Ok(Slowness::Uniform(1.0 / speed)),
            None => {
                let key = "distance.speed";
                (key, cell_values(config, ready, key, expression)?)
            }
        },
    };
    if let Some(k) = speeds.iter().position(|speed| !Speed::RANGE.contains(speed)) {
        let what = format!(
            "distance.speed must be in {:e} to {:e}, is {} in cell {}",
            Speed::RANGE.start(),
            Speed::RANGE.end(),
            speeds[k],
            ready.stored_cell(k)
        );
        return Err(config.error_at(key, what, "remove cells that no front may enter"));
    }
    Ok(Slowness::PerCell(speeds.into_iter().map(|speed| 1.0 / speed).collect()))
}

/// Shape of the front of a distance: what the case asks for, or what holds.
///
/// # Errors
/// [`Error::Case`] with the reason if a circular front is asked for and does not hold.
pub fn front(config: &Config, slowness: &Slowness<f64>, ready: &Ready) -> Result<Front> {
    let Some(distance) = &config.distance else { return Ok(Front::Plane) };
    let from = &distance.from;
    let is_point = |seed: &Seed| matches!(seed, Seed::Vertices { .. } | Seed::Point { .. });
    let wrong = if ready.mesh.kind == Kind::Volume {
        Some("its formula is one of triangles, and the mesh has tetrahedra".to_string())
    } else if matches!(slowness, Slowness::PerCell(_)) {
        Some("the speed differs between cells".to_string())
    } else if from.is_empty() {
        Some("the zero set of [initial] is no point".to_string())
    } else if let Some(other) = from.iter().find(|seed| !is_point(seed)) {
        Some(format!("{other} is no vertex or point"))
    } else if from.iter().any(|seed| seed.start() != from[0].start()) {
        Some("the seeds have different start values".to_string())
    } else {
        None
    };
    match (distance.front, wrong) {
        (FrontShape::Circular, Some(wrong)) => {
            let what = format!("distance.front cannot be circular: {wrong}");
            Err(config.error_at("distance.front", what, "take front = \"auto\" or \"plane\""))
        }
        (FrontShape::Plane, _) | (_, Some(_)) => Ok(Front::Plane),
        (_, None) => Ok(Front::Circular),
    }
}

/// The seeds of a distance on the cleaned mesh, each with its number in `from`; for circular fronts
/// vertices one by one. `with_parts` adds the parts that paths end at.
///
/// A point or curve off the mesh is moved to it: up to one edge length with a warning, further only
/// if `snap` is set.
///
/// # Errors
/// Those of [`Ready::vertex`], [`Ready::group`], [`io::read_curves`] and [`vertex_values`];
/// [`Error::Case`] for a point off the mesh and for a zero set that does not meet it.
pub fn sources(
    config: &Config,
    slowness: &Slowness<f64>,
    front: Front,
    ready: &Ready,
    with_parts: bool,
) -> Result<Vec<(u32, Source)>> {
    let Some(distance) = &config.distance else { return Ok(Vec::new()) };
    let mut sources = Vec::new();
    for (number, seed) in (0_u32..).zip(&distance.from) {
        let key = format!("distance.from.{number}");
        let around = Around { config, ready, slowness, front, with_parts, snap: distance.snap };
        let found = around.seed(seed, &key).map_err(config.locate(&key))?;
        // Circles are drawn round points of value 0; the start value comes on top in the end.
        let start = if front == Front::Circular { 0.0 } else { seed.start() };
        let numbered = |source: Source| (number, source.numbered(number, start));
        sources.extend(found.into_iter().map(numbered));
    }
    Ok(sources)
}

/// What finding the vertices around a seed takes.
struct Around<'a> {
    config: &'a Config,
    ready: &'a Ready,
    slowness: &'a Slowness<f64>,
    front: Front,
    with_parts: bool,
    snap: bool,
}

impl Around<'_> {
    /// The sources of a seed, without its start value.
    fn seed(&self, seed: &Seed, key: &str) -> Result<Vec<Source>> {
        let (mesh, slowness) = (&self.ready.mesh, self.slowness);
        match seed {
            Seed::Vertices { ids, .. } => {
                let ids = ids.iter().map(|&id| self.ready.vertex(id));
                let ids = ids.collect::<Result<Vec<u32>>>()?;
                Ok(match self.front {
                    Front::Circular => source::around_each(mesh, &ids, slowness),
                    _ => vec![self.simplices(&ids, 1)],
                })
            }
            Seed::Group { name, .. } => {
                let (simplices, arity) = self.ready.group(name)?;
                Ok(vec![self.simplices(&simplices, arity)])
            }
            Seed::Point { at, .. } => {
                let around = source::around_point(mesh, *at, 0.0, slowness)
                    .ok_or_else(|| Error::mesh("", "has no cells", ""))?;
                let nearest = Some(around.closest);
                self.not_far(&seed.to_string(), around.gap, around.edge, nearest)?;
                Ok(vec![around.into_source()])
            }
            Seed::Curve { path, .. } => {
                let path = self.config.resolve(path)?;
                let (points, segments) = io::read_curves(&path)?.segments();
                let around = source::around_curve(mesh, &points, &segments, slowness)
                    .ok_or_else(|| Error::mesh("", "has no cells", ""))?;
                let [x, y, z] = around.farthest;
                let what = format!("{seed} at {x:.6},{y:.6},{z:.6}");
                self.not_far(&what, around.gap, around.edge, None)?;
                Ok(vec![around.source])
            }
            Seed::LevelSet { expression, .. } => {
                let phi = vertex_values(self.config, self.ready, key, expression, 0.0)?;
                let inside = phi.iter().filter(|&&x| x < 0.0).count();
                if inside == 0 || inside == phi.len() {
                    let side = if inside == 0 { "negative nowhere" } else { "negative everywhere" };
                    let what = format!("{seed}: it is {side} on the mesh, so it has no zero set");
                    return Err(Error::usage(what, "take an expression that changes its sign"));
                }
                Ok(vec![source::around_zero_set(mesh, &phi, slowness)])
            }
        }
    }

    fn simplices(&self, simplices: &[u32], arity: usize) -> Source {
        let mesh = &self.ready.mesh;
        let values = source::around_simplices(mesh, simplices, arity, 0.0, self.slowness);
        let parts = match self.with_parts {
            true => source::parts_of_simplices(mesh, simplices, arity),
            false => Vec::new(),
        };
        Source::new(values).with_parts(parts)
    }

    /// Refuses what lies off the mesh by more than an edge, warns of less.
    fn not_far(&self, what: &str, gap: f64, edge: f64, nearest: Option<[f64; 3]>) -> Result<()> {
        let nearest = nearest.map_or(String::new(), |[x, y, z]| {
            format!("; its nearest point is {x:.6},{y:.6},{z:.6}")
        });
        let place = format!("{what} is {gap:.3e} off the mesh{nearest}");
        if gap > edge && !self.snap {
            return Err(Error::usage(
                format!("{place}, where edges are {edge:.3e} long"),
                "correct it, or take the nearest points with --snap (snap = true)",
            ));
        }
        // Less is what coordinates in 32-bit numbers leave.
        if gap > 1e-6 * edge {
            tracing::warn!("{place}");
        }
        Ok(())
    }
}

/// Where the paths of a distance start, on the cleaned mesh, with their names.
///
/// # Errors
/// Those of [`Ready::vertex`].
pub fn path_starts(config: &Config, ready: &Ready) -> Result<Vec<(String, path::Start)>> {
    let Some(distance) = &config.distance else { return Ok(Vec::new()) };
    let mut starts = Vec::new();
    for (k, seed) in distance.paths_from.iter().enumerate() {
        let key = format!("distance.paths_from.{k}");
        match seed {
            Seed::Vertices { ids, .. } => {
                for &id in ids {
                    let vertex = ready.vertex(id).map_err(config.locate(&key))?;
                    starts.push((format!("vertex:{id}"), path::Start::Vertex(vertex)));
                }
            }
            Seed::Point { at, .. } => starts.push((seed.to_string(), path::Start::Point(*at))),
            // The case has been checked for it.
            _ => {}
        }
    }
    Ok(starts)
}

/// Mean length of the edges of a mesh, mesh units.
///
/// Summed in blocks of a fixed size: the same bits for any number of threads.
pub fn mean_edge(mesh: &Mesh) -> f64 {
    const BLOCK: usize = 4096;
    let edges = CellsAround::new(mesh.n_vertices(), &mesh.cells, mesh.kind.arity()).edges();
    let length = |&[a, b]: &[u32; 2]| {
        (Vec3::from(mesh.vertices[a as usize]) - Vec3::from(mesh.vertices[b as usize])).norm()
    };
    let sums: Vec<f64> =
        edges.par_chunks(BLOCK).map(|block| block.iter().map(length).sum::<f64>()).collect();
    sums.iter().sum::<f64>() / edges.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::ready::tests::ready;
    use super::*;
    use crate::mesh::Values;
    use std::path::Path;

    fn config(tables: &str) -> Config {
        let text = format!("version = 1\n[domain.mesh]\npath = \"m\"\n{tables}");
        Config::parse(&text, Path::new("case.toml"), &[]).unwrap()
    }

    fn evolve(lines: &str) -> Config {
        config(&format!("[initial]\ndata = \"curv\"\n[evolve]\nend_time = 1\n{lines}\n"))
    }

    #[test]
    fn coefficients_come_from_numbers_arrays_and_formulas() {
        let ready = ready();
        let terms = |lines: &str| super::terms(&evolve(lines), &ready);
        let found = terms("curvature = 2\nnormal_speed = { data = \"curv\" }").unwrap();
        assert!(matches!(found.curvature, Coefficient::Uniform([2.0])));
        assert!(matches!(found.velocity, Coefficient::Uniform([0.0, 0.0, 0.0])));
        let Coefficient::PerVertex(rows) = found.normal_speed else { panic!() };
        assert_eq!(rows, [[0.0], [2.0], [3.0], [4.0]]);
        // A quarter turn in time 1/4 about (1, 0, 0): the origin moves along -y with 2 pi.
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
        let mut ready = ready();
        ready.mesh.vertex_data[0].values = Values::Float(vec![0.0, 2.0, -3.0, 4.0]);
        let config = evolve("curvature = { data = \"curv\" }");
        let message = terms(&config, &ready).unwrap_err().to_string();
        let expected = "case.toml:8: evolve.curvature must be >= 0, is -3 at vertex 3";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn expressions_become_the_plainest_coefficient_that_holds_them() {
        let ready = ready();
        let terms = |lines: &str| super::terms(&evolve(lines), &ready);
        let found = terms("curvature = \"curv^2 + x\"\nnormal_speed = \"2*3\"").unwrap();
        let Coefficient::PerVertex(rows) = found.curvature else { panic!() };
        assert_eq!(rows, [[0.0], [5.0], [10.0], [16.0]]);
        assert!(matches!(found.normal_speed, Coefficient::Uniform([6.0])));
        let found = terms("normal_speed = \"curv*t\"\nvelocity = [\"-y\", \"x\", 3]").unwrap();
        let Coefficient::Varying([field]) = found.normal_speed else { panic!() };
        assert_eq!(field.values(&ready.mesh.vertices, 2.0), [0.0, 4.0, 6.0, 8.0]);
        let Coefficient::PerVertex(rows) = found.velocity else { panic!() };
        assert_eq!(rows[2], [-1.0, 1.0, 3.0]);
        let found = terms("velocity = [\"t\", \"x\", 3]").unwrap();
        let Coefficient::Varying(fields) = found.velocity else { panic!() };
        let at = |k: usize| fields[k].values(&ready.mesh.vertices, 0.5)[2];
        assert_eq!([at(0), at(1), at(2)], [0.5, 1.0, 3.0]);
        let found = terms("velocity = [\"1 + 1\", 0, 3]").unwrap();
        assert!(matches!(found.velocity, Coefficient::Uniform([2.0, 0.0, 3.0])));
        let case = config("[initial]\nexpression = \"curv - 2.5\"\n[evolve]\nend_time = 1\n");
        assert_eq!(initial_phi(&case, &ready).unwrap(), [-2.5, -0.5, 0.5, 1.5]);
    }

    #[test]
    fn expressions_that_cannot_serve_name_key_and_stored_vertex() {
        let ready = ready();
        let refusal = |lines: &str| terms(&evolve(lines), &ready).unwrap_err().to_string();
        for (lines, expected) in [
            (
                "normal_speed = \"1 + curve\"",
                "case.toml:8: evolve.normal_speed: there is no vertex array \"curve\"; did you mean \
                 `curv`? there are: curv, hole, wind\n    | 1 + curve\n    |     ^^^^^",
            ),
            (
                "normal_speed = \"{wind}*2\"",
                "has 3 numbers per vertex, needed: 1; choose another array, see `zeroset info`\n    \
                 | {wind}*2\n    | ^^^^^^",
            ),
            (
                "velocity = [0,\n\"1/(curv - 3)\", 0]",
                "case.toml:9: evolve.velocity.1 is inf at vertex 3 (1.000000, 1.000000, 0.000000); keep",
            ),
            (
                "curvature = \"2 - curv\"",
                "evolve.curvature must be >= 0, is -1 at vertex 3; a negative",
            ),
            (
                "curvature = \"t + x - 0.5\"",
                "case.toml:8: evolve.curvature must be >= 0, is -0.5 at vertex 0 at t = 0; a negative",
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

    #[test]
    fn a_speed_is_worked_out_per_cell() {
        let mut ready = ready();
        ready.mesh.cell_data[0].values = Values::Int(vec![2, 4]);
        let slowness = |speed: &str| {
            let text = format!("[distance]\nfrom = [\"vertex:0\"]\nspeed = \"{speed}\"\n");
            slowness(&config(&text), &ready)
        };
        // Centroids (2/3, 1/3) and (1/3, 2/3); curv at the corners 0, 2, 3 and 0, 3, 4.
        let Slowness::PerCell(rows) = slowness("1/(6*(x - y))^2 + curv*0").unwrap() else {
            panic!()
        };
        assert!((rows[0] - 4.0).abs() < 1e-12 && (rows[1] - 4.0).abs() < 1e-12);
        let Slowness::PerCell(rows) = slowness("1/(curv*speed)").unwrap() else { panic!() };
        assert!((rows[0] - 10.0 / 3.0).abs() < 1e-12 && (rows[1] - 28.0 / 3.0).abs() < 1e-12);
        assert!(matches!(slowness("2 + 2").unwrap(), Slowness::Uniform(0.25)));
        let message = slowness("y - 0.5").unwrap_err().to_string();
        let expected = "case.toml:6: distance.speed must be in 1e-15 to 1e15, is -0.1666";
        assert!(message.starts_with(expected) && message.contains("in cell 0"), "{message}");
        let message = slowness("2*sped").unwrap_err().to_string();
        let expected = "distance.speed: there is no array \"sped\"; did you mean `speed`? there are: \
                        speed, curv, hole, wind\n    | 2*sped\n    |   ^^^^";
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn slowness_is_one_over_speed_and_speed_positive() {
        let mut ready = ready();
        let case = config("[distance]\nfrom = [\"vertex:0\"]\nspeed = { cell_data = \"speed\" }\n");
        let message = slowness(&case, &ready).unwrap_err().to_string();
        assert!(
            message
                .contains("case.toml:6: distance.speed must be in 1e-15 to 1e15, is -1 in cell 1")
        );
        ready.mesh.cell_data[0].values = Values::Int(vec![2, 4]);
        let Slowness::PerCell(rows) = slowness(&case, &ready).unwrap() else { panic!() };
        assert_eq!(rows, [0.5, 0.25]);
    }

    #[test]
    fn seeds_are_found_whatever_they_name() {
        let ready = ready();
        let seeds = |from: &str| {
            let case = config(&format!("[distance]\nfrom = [\"{from}\"]\n"));
            let plain = Slowness::Uniform(1.0);
            let sources = super::sources(&case, &plain, Front::Plane, &ready, true)?;
            assert!(sources.iter().all(|(_, source)| !source.parts.is_empty()));
            Ok::<_, Error>(sources.into_iter().flat_map(|(_, s)| s.values).collect::<Vec<_>>())
        };
        assert_eq!(seeds("vertex:4@0.5").unwrap().last(), Some(&(3, 0.5)));
        assert_eq!(seeds("group:rim").unwrap()[2], (2, 0.0));
        assert_eq!(seeds("point:1,0,0").unwrap()[1], (1, 0.0));
        let message = seeds("point:0,0,5").unwrap_err().to_string();
        assert!(message.contains("is 5.000e0 off the mesh") && message.contains("--snap"));
    }

    #[test]
    fn the_mean_edge_counts_every_edge_once() {
        let expected = (4.0 + 2.0_f64.sqrt()) / 5.0;
        assert!((mean_edge(&ready().mesh) - expected).abs() < 1e-15);
    }
}
