//! How a case is refined: the overrides that halve the size of its cells.

use crate::config::{Config, Domain, MeshSource, Seed, TiledSource};
use crate::error::Result;
use crate::mesh::generate::{Generate, Pattern, Square};

/// Returns the overrides that halve the size of the cells `level` times. Level 0 needs none.
///
/// Generated shapes are generated again with more cells, so that a sphere stays a sphere. Meshes
/// from files are refined at the midpoints of their edges. On tiles, `dx` is halved.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if the case cannot be refined.
pub(super) fn overrides(config: &Config, level: u32) -> Result<Vec<String>> {
    check(config)?;
    if level == 0 {
        return Ok(Vec::new());
    }
    let refined = match &config.domain {
        Domain::Mesh(mesh) => of_mesh(config, mesh, level)?,
        Domain::Tiled(TiledSource { dx, .. }) => {
            format!("domain.tiled.dx={:?}", dx / f64::from(1_u32 << level))
        }
        Domain::Cloud(_) => {
            let what = "a reconstruction has no cells to refine";
            return Err(config.error_at("reconstruct", what, "use a case with a mesh or tiles"));
        }
    };
    Ok(vec![refined])
}

/// Refuses cases whose results at different levels cannot be compared.
fn check(config: &Config) -> Result<()> {
    let Some(evolve) = &config.evolve else { return Ok(()) };
    if evolve.max_steps.is_some() && evolve.end_time.is_none() {
        let what = "evolve.max_steps ends finer levels at earlier times";
        let remedy = "use evolve.end_time, so that all levels end at the same time";
        return Err(config.error_at("evolve.max_steps", what, remedy));
    }
    Ok(())
}

fn of_mesh(config: &Config, mesh: &MeshSource, level: u32) -> Result<String> {
    let refine = || format!("domain.mesh.refine={}", mesh.refine + level);
    let Some(shape) = &mesh.generate else { return Ok(refine()) };
    let doubled = |name: &str, cells: &[u32]| {
        let cells: Vec<u32> = cells.iter().map(|n| n.saturating_mul(1 << level)).collect();
        format!("domain.mesh.generate.{name}.cells={cells:?}")
    };
    // Vertex numbers in the case, and arrays from other files, refer to the mesh of the case. They
    // stay valid under midpoint refinement, but not if the mesh is generated again.
    let keeps_numbers = has_numbers(config) || !mesh.data.is_empty();
    let curved = |name: &str, cells: &[u32]| match keeps_numbers {
        false => Ok(doubled(name, cells)),
        true => {
            let what = format!("the case names vertices of the generated {name} by number");
            let remedy = "use points (point:x,y,z) and expressions instead";
            Err(config.error_at("domain.mesh.generate", what, remedy))
        }
    };
    match shape {
        Generate::Square(Square { pattern: Pattern::Irregular, .. }) => Ok(refine()),
        Generate::Square(_) | Generate::Cube(_) if keeps_numbers => Ok(refine()),
        Generate::Square(square) => Ok(doubled("square", &square.cells)),
        Generate::Cube(cube) => Ok(doubled("cube", &cube.cells)),
        Generate::Sphere(sphere) => {
            let times = sphere.subdivisions.unwrap_or(if sphere.irregular { 0 } else { 4 });
            Ok(format!("domain.mesh.generate.sphere.subdivisions={}", times + level))
        }
        Generate::Cylinder(cylinder) => curved("cylinder", &cylinder.cells),
        Generate::Cone(cone) => curved("cone", &cone.cells),
        Generate::Torus(torus) => curved("torus", &torus.cells),
        _ => Ok(refine()),
    }
}

/// Returns whether the case names vertices by their numbers, or may do so in a file of stimuli.
fn has_numbers(config: &Config) -> bool {
    let seeds = config.distance.iter().flat_map(|d| d.from.iter().chain(&d.paths_from));
    config.distance.iter().any(|distance| distance.stimuli.is_some())
        || seeds
            .into_iter()
            .any(|seed| matches!(seed, Seed::Vertices { .. } | Seed::VertexList { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(domain: &str, task: &str, level: u32) -> Result<Vec<String>> {
        let text = format!("version = 1\n{domain}\n{task}\n");
        overrides(&Config::parse(&text, "case.toml".as_ref(), &[])?, level)
    }

    const EVOLVE: &str = "initial.ball = { center = [0, 0, 0], radius = 1 }\nevolve = { curvature = 1, end_time = 1 }";

    #[test]
    fn each_shape_keeps_its_geometry() {
        for (domain, expected) in [
            ("domain.mesh.path = \"a.vtp\"", "domain.mesh.refine=2"),
            ("domain.mesh = { path = \"a.vtp\", refine = 1 }", "domain.mesh.refine=3"),
            ("domain.mesh.generate.sphere = {}", "domain.mesh.generate.sphere.subdivisions=6"),
            (
                "domain.mesh.generate.square = { cells = [8, 4] }",
                "domain.mesh.generate.square.cells=[32, 16]",
            ),
            (
                "domain.mesh.generate.square = { cells = [8, 8], pattern = \"irregular\", \
                 vertices = 100 }",
                "domain.mesh.refine=2",
            ),
            ("domain.mesh.generate.torus = {}", "domain.mesh.generate.torus.cells=[384, 160]"),
            ("domain.tiled.dx = 0.1", "domain.tiled.dx=0.025"),
        ] {
            assert_eq!(of(domain, EVOLVE, 2).unwrap(), [expected], "{domain}");
            assert!(of(domain, EVOLVE, 0).unwrap().is_empty());
        }
    }

    #[test]
    fn numbers_of_vertices_are_kept_or_refused() {
        let distance = "distance.from = [\"vertex:5\"]";
        let square = "domain.mesh.generate.square = {}";
        assert_eq!(of(square, distance, 1).unwrap(), ["domain.mesh.refine=1"]);
        let error = of("domain.mesh.generate.torus = {}", distance, 1).unwrap_err();
        assert!(error.to_string().contains("by number"), "{error}");
    }

    #[test]
    fn cases_that_end_after_a_number_of_steps_are_refused() {
        let task = EVOLVE.replace("end_time = 1", "max_steps = 5");
        let error = of("domain.mesh.generate.square = {}", &task, 0).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains("end_time"), "{error}");
    }
}
