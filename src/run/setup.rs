//! What a solver starts from: the initial level set, coefficients, sources.

use rayon::prelude::*;

use super::Ready;
use crate::config::{self, Config, Initial, Seed, Speed, Velocity};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::levelset::eikonal::{Slowness, source};
use crate::levelset::evolution::{Coefficient, Terms};
use crate::mesh::Mesh;
use crate::mesh::check::facets::CellsAround;

/// Looks up the coefficients of `[evolve]`.
///
/// # Errors
/// Those of [`Ready::vertex_array`]; [`Error::Case`] for a negative curvature coefficient.
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
    let number =
        |key: &str, coefficient: Option<&config::Coefficient>| -> Result<Coefficient<f64, 1>> {
            Ok(match coefficient {
                None => Coefficient::Uniform([0.0]),
                Some(config::Coefficient::Number(x)) => Coefficient::Uniform([*x]),
                Some(config::Coefficient::Data { data }) => {
                    let key = format!("{key}.data");
                    let rows = ready.vertex_array(data, 1).map_err(config.locate(&key))?;
                    Coefficient::PerVertex(rows.into_iter().map(|x| [x]).collect())
                }
            })
        };
    let curvature = number("evolve.curvature", evolve.and_then(|e| e.curvature.as_ref()))?;
    if let Coefficient::PerVertex(rows) = &curvature
        && let Some(k) = rows.iter().position(|[beta]| *beta < 0.0)
    {
        let vertex = ready.cleaning.kept_vertices.get(k).copied().unwrap_or(k as u32);
        return Err(config.error_at(
            "evolve.curvature",
            format!("evolve.curvature must be >= 0, is {} at vertex {vertex}", rows[k][0]),
            "a negative coefficient is a heat flow backwards in time, which has no solution",
        ));
    }
    let normal_speed = number("evolve.normal_speed", evolve.and_then(|e| e.normal_speed.as_ref()))?;
    let terms = Terms { velocity, normal_speed, curvature };
    let still =
        terms.velocity.is_zero() && terms.normal_speed.is_zero() && terms.curvature.is_zero();
    if still && evolve.is_some_and(|e| e.end_time.is_none()) {
        return Err(config.error_at(
            "evolve",
            "evolve moves nothing, for all its arrays are zero, and has no end_time",
            "choose other arrays, see `zeroset info`",
        ));
    }
    Ok(terms)
}

/// phi of `[initial]` on the cleaned mesh.
///
/// # Errors
/// Those of [`Ready::vertex_array`]; [`Error::Case`] if its zero set does not meet the mesh.
pub fn initial_phi(config: &Config, ready: &Ready) -> Result<Vec<f64>> {
    let phi = match &config.initial {
        Some(Initial::Shape(shape)) => {
            ready.mesh.vertices.iter().map(|&x| shape.signed_distance(x)).collect()
        }
        Some(Initial::Data { data }) => {
            ready.vertex_array(data, 1).map_err(config.locate("initial.data"))?
        }
        None => return Err(Error::usage("[initial] is missing", "add a shape or `data`")),
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
/// Those of [`Ready::cell_array`]; [`Error::Case`] for a speed that is not positive.
pub fn slowness(config: &Config, ready: &Ready) -> Result<Slowness<f64>> {
    match config.distance.as_ref().and_then(|distance| distance.speed.as_ref()) {
        None => Ok(Slowness::Uniform(1.0)),
        Some(Speed::Number(speed)) => Ok(Slowness::Uniform(1.0 / speed)),
        Some(Speed::Data { cell_data }) => {
            let key = "distance.speed.cell_data";
            let speeds = ready.cell_array(cell_data).map_err(config.locate(key))?;
            if let Some(k) = speeds.iter().position(|speed| !Speed::RANGE.contains(speed)) {
                let cell = ready.cleaning.kept_cells.get(k).copied().unwrap_or(k as u32);
                let what = format!(
                    "distance.speed must be in {:e} to {:e}, is {} in cell {cell}",
                    Speed::RANGE.start(),
                    Speed::RANGE.end(),
                    speeds[k]
                );
                return Err(config.error_at(key, what, "remove cells that no front may enter"));
            }
            Ok(Slowness::PerCell(speeds.into_iter().map(|speed| 1.0 / speed).collect()))
        }
    }
}

/// Vertices of the cleaned mesh around the seeds of a distance, with their start values.
///
/// A point off the mesh is moved to it: up to one edge length with a warning, further only if
/// `snap` is set.
///
/// # Errors
/// Those of [`Ready::vertex`] and [`Ready::group`]; [`Error::Case`] for a point off the mesh.
pub fn seeds(config: &Config, slowness: &Slowness<f64>, ready: &Ready) -> Result<Vec<(u32, f64)>> {
    let Some(distance) = &config.distance else { return Ok(Vec::new()) };
    let mut values = Vec::new();
    for (k, seed) in distance.from.iter().enumerate() {
        let around = around(seed, distance.snap, slowness, ready);
        values.extend(around.map_err(config.locate(&format!("distance.from.{k}")))?);
    }
    Ok(values)
}

fn around(
    seed: &Seed,
    snap: bool,
    slowness: &Slowness<f64>,
    ready: &Ready,
) -> Result<Vec<(u32, f64)>> {
    let mesh = &ready.mesh;
    match seed {
        Seed::Vertices { ids, start } => {
            let ids = ids.iter().map(|&id| ready.vertex(id)).collect::<Result<Vec<u32>>>()?;
            Ok(source::around_simplices(mesh, &ids, 1, *start, slowness))
        }
        Seed::Group { name, start } => {
            let (simplices, arity) = ready.group(name)?;
            Ok(source::around_simplices(mesh, &simplices, arity, *start, slowness))
        }
        Seed::Point { at, start } => {
            let around = source::around_point(mesh, *at, *start, slowness)
                .ok_or_else(|| Error::mesh("", "has no cells", ""))?;
            let [x, y, z] = around.closest;
            let gap = around.gap;
            let place = format!(
                "{seed} is {gap:.3e} off the mesh; its nearest point is {x:.6},{y:.6},{z:.6}"
            );
            if gap > around.edge && !snap {
                return Err(Error::usage(
                    format!("{place}, where edges are {:.3e} long", around.edge),
                    "correct the point, or take the nearest with --snap (snap = true)",
                ));
            }
            if gap > 1e-9 * around.edge {
                tracing::warn!("{place}");
            }
            Ok(around.values)
        }
    }
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
            super::seeds(&case, &Slowness::Uniform(1.0), &ready)
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
