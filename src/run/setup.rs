//! The inputs of a mesh solver: the initial level set and speeds.

use super::clock::Dated;
use super::conduction;
use super::fields::{cell_values, vertex_values};
use super::initial_from_image::ImageLevel;
use super::initial_from_volume::VolumeLevel;
use super::{
    CleanedMesh, initial_from_group, initial_from_region, initial_from_surface, speed_volume,
};
use crate::config::{Config, Initial, Speed};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::levelset::eikonal::Slowness;
use crate::mesh::Mesh;
use crate::mesh::statistics::facets::CellsAround;
use crate::parallel::*;

/// The initial level set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Start {
    /// phi at each vertex of the cleaned mesh, `[n_vertices]`, in mesh units.
    pub phi: Vec<f64>,
    /// Warnings about the file that phi comes from, one sentence each.
    pub warnings: Vec<String>,
    /// The time of the file that phi comes from, if it states one.
    pub dated: Option<Dated>,
}

/// Returns phi of `[initial]` on the cleaned mesh.
///
/// With an inflow, the zero set may lie outside the mesh. The solver then decides whether it can
/// enter.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::vertex_array`] and [`vertex_values`]. Returns
/// [`Error::Input`] for an invalid surface, curve, volume or picture file. Returns [`Error::Case`]
/// if `[initial]` is missing and, without an inflow, if the zero set does not meet the mesh.
pub fn initial_phi(config: &Config, cleaned: &CleanedMesh) -> Result<Start> {
    let mut warnings = Vec::new();
    let mut dated = None;
    let phi = match &config.initial {
        Some(Initial::Shape(shape)) => {
            cleaned.mesh.vertices.iter().map(|&x| shape.signed_distance(x)).collect()
        }
        Some(Initial::Mesh { mesh }) => {
            initial_from_surface::from_mesh(config, mesh, cleaned, &mut warnings, &mut dated)?
        }
        Some(Initial::Region(region)) => {
            let place = ("initial", region);
            initial_from_region::from_region(config, place, cleaned, &mut warnings, &mut dated)?
        }
        Some(Initial::Curve { curve }) => {
            initial_from_surface::from_curve(config, curve, cleaned, &mut warnings, &mut dated)?
        }
        Some(Initial::Volume { volume }) => {
            let level = VolumeLevel::read(config, "initial.volume", volume, &mut warnings)?;
            dated = level.dated.clone();
            cleaned.mesh.vertices.par_iter().map(|&x| level.bounded_value(x)).collect()
        }
        Some(Initial::Image { image }) => {
            let image = ImageLevel::read(config, image, &mut warnings)?;
            image.signed_distances(&cleaned.mesh.vertices)
        }
        Some(Initial::Group { group }) => {
            initial_from_group::from_group(cleaned, group, &mut warnings)
                .map_err(config.locate("initial.group"))?
        }
        Some(Initial::Data { data }) => {
            dated = Dated::of_array(cleaned, data);
            cleaned.vertex_array(data).map_err(config.locate("initial.data"))?
        }
        Some(Initial::Expression { expression }) => {
            dated = Dated::of_expression(cleaned, expression);
            vertex_values(config, cleaned, "initial.expression", expression, 0.0)?
        }
        None => {
            return Err(Error::usage(
                "[initial] is missing",
                "add a shape, `mesh`, `curve`, `volume`, `image`, `group`, `data` or `expression`",
            ));
        }
    };
    let has_inflow = config.evolve.as_ref().is_some_and(|evolve| evolve.inflow.is_some());
    let inside = phi.iter().filter(|&&x| x < 0.0).count();
    if !has_inflow && (inside == 0 || inside == phi.len()) {
        let (low, high) = cleaned.mesh.bounds();
        return Err(config.error_at(
            "initial",
            format!(
                "the whole mesh is {} [initial], so there is no interface",
                if inside == 0 { "outside" } else { "inside" }
            ),
            format!("the mesh reaches from {low:?} to {high:?}; place the shape across it"),
        ));
    }
    Ok(Start { phi, warnings, dated })
}

/// Returns the slowness `1 / speed` for a distance, in time per mesh unit, or its metrics. Warnings
/// about a volume of speeds are added to `warnings`.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::cell_array`] and [`cell_values`], and those of reading the
/// volume. Returns [`Error::Case`]
/// naming the stored cell if a speed is outside [`Speed::RANGE`], or if a tensor or a direction
/// cannot be used.
pub fn slowness(
    config: &Config,
    cleaned: &CleanedMesh,
    warnings: &mut Vec<String>,
) -> Result<Slowness<f64>> {
    let (key, speeds) = match config.distance.as_ref().and_then(|d| d.speed.as_ref()) {
        None => return Ok(Slowness::Uniform(1.0)),
        Some(Speed::Number(speed)) => return Ok(Slowness::Uniform(1.0 / speed)),
        Some(Speed::Data { cell_data }) => {
            let key = "distance.speed.cell_data";
            (key, cleaned.cell_array(cell_data).map_err(config.locate(key))?)
        }
        Some(Speed::Expression(expression)) => match expression.constant() {
            Some(speed) => return Ok(Slowness::Uniform(1.0 / speed)),
            None => {
                let key = "distance.speed";
                (key, cell_values(config, cleaned, key, expression)?)
            }
        },
        Some(Speed::Volume(volume)) => {
            let key = "distance.speed";
            (key, speed_volume::at_centroids(config, cleaned, key, volume, warnings)?)
        }
        Some(Speed::Fibers(fibers)) => return conduction::of_fibers(config, cleaned, fibers),
        Some(Speed::Tensor { tensor }) => return conduction::of_tensors(config, cleaned, tensor),
    };
    if let Some(k) = speeds.iter().position(|speed| !Speed::RANGE.contains(speed)) {
        let what = format!(
            "distance.speed must be between {:e} and {:e}, but is {} in cell {}",
            Speed::RANGE.start(),
            Speed::RANGE.end(),
            speeds[k],
            cleaned.stored_cell(k)
        );
        return Err(config.error_at(key, what, "remove cells that no front may enter"));
    }
    Ok(Slowness::PerCell(speeds.into_iter().map(|speed| 1.0 / speed).collect()))
}

/// Returns the mean edge length of a mesh in mesh units.
///
/// The sum is computed in blocks of a fixed size, so that the result is bitwise identical for any
/// number of threads.
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
    use super::super::cleaned_mesh::tests::cleaned;
    use super::*;
    use crate::mesh::Values;
    use std::path::Path;

    fn config(tables: &str) -> Config {
        let text = format!("version = 1\n[domain.mesh]\npath = \"m\"\n{tables}");
        Config::parse(&text, Path::new("case.toml"), &[]).unwrap()
    }

    #[test]
    fn expressions_give_the_initial_level_set() {
        let case = config("[initial]\nexpression = \"curv - 2.5\"\n[evolve]\nend_time = 1\n");
        assert_eq!(initial_phi(&case, &cleaned()).unwrap().phi, [-2.5, -0.5, 0.5, 1.5]);
    }

    #[test]
    fn a_speed_is_worked_out_per_cell() {
        let mut cleaned = cleaned();
        cleaned.mesh.cell_data[0].values = Values::Int(vec![2, 4]);
        let slowness = |speed: &str| {
            let text = format!("[distance]\nfrom = [\"vertex:0\"]\nspeed = \"{speed}\"\n");
            slowness(&config(&text), &cleaned, &mut Vec::new())
        };
        // The centroids are (2/3, 1/3) and (1/3, 2/3). The values of curv at the corners are 0, 2,
        // 3 and 0, 3, 4.
        let Slowness::PerCell(rows) = slowness("1/(6*(x - y))^2 + curv*0").unwrap() else {
            panic!()
        };
        assert!((rows[0] - 4.0).abs() < 1e-12 && (rows[1] - 4.0).abs() < 1e-12);
        let Slowness::PerCell(rows) = slowness("1/(curv*speed)").unwrap() else { panic!() };
        assert!((rows[0] - 10.0 / 3.0).abs() < 1e-12 && (rows[1] - 28.0 / 3.0).abs() < 1e-12);
        assert!(matches!(slowness("2 + 2").unwrap(), Slowness::Uniform(0.25)));
        let message = slowness("y - 0.5").unwrap_err().to_string();
        let expected = "case.toml:6: distance.speed must be between 1e-15 and 1e15, but is -0.1666";
        assert!(message.starts_with(expected) && message.contains("in cell 0"), "{message}");
        let message = slowness("2*sped").unwrap_err().to_string();
        let expected = "distance.speed: there is no array \"sped\", and no group of this name; did you \
                        mean `speed`? there are: speed, curv, hole, wind, rim\n    | 2*sped\n    |   ^^^^";
        assert!(message.contains(expected), "{message}");
        let message = slowness("1 + hole").unwrap_err().to_string();
        let expected = "distance.speed is NaN in cell 0 (0.666667, 0.333333, 0.000000): the array \
                        \"hole\" has no value at vertex 3; exclude";
        assert!(message.contains(expected), "{message}");
        assert!(matches!(slowness("if(isnan(hole), 2, hole)").unwrap(), Slowness::PerCell(_)));
    }

    #[test]
    fn slowness_is_one_over_speed_and_speed_positive() {
        let mut cleaned = cleaned();
        let case = config("[distance]\nfrom = [\"vertex:0\"]\nspeed = { cell_data = \"speed\" }\n");
        let message = slowness(&case, &cleaned, &mut Vec::new()).unwrap_err().to_string();
        assert!(message.contains(
            "case.toml:6: distance.speed must be between 1e-15 and 1e15, but is -1 in cell 1"
        ));
        cleaned.mesh.cell_data[0].values = Values::Int(vec![2, 4]);
        let Slowness::PerCell(rows) = slowness(&case, &cleaned, &mut Vec::new()).unwrap() else {
            panic!()
        };
        assert_eq!(rows, [0.5, 0.25]);
    }

    #[test]
    fn the_mean_edge_counts_every_edge_once() {
        let expected = (4.0 + 2.0_f64.sqrt()) / 5.0;
        assert!((mean_edge(&cleaned().mesh) - expected).abs() < 1e-15);
    }
}
