//! From a case to what a solver starts from: the mesh, the initial level set, the coefficients.

use std::path::Path;

use rayon::prelude::*;

use crate::config::{self, Config, DataFile, Initial, Seed, Speed, Velocity, suggest};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::io;
use crate::levelset::eikonal::{Slowness, source};
use crate::levelset::evolution::{Coefficient, Terms};
use crate::mesh::{self, Cleaning, DataArray, Members, Mesh};

/// A mesh that a solver may trust, and the way back to the mesh as stored.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ready {
    /// The cleaned mesh.
    pub mesh: Mesh,
    /// What cleaning did; holds the map to stored vertices.
    pub cleaning: Cleaning,
    /// Coordinates as stored, `[n_stored_vertices]`; those of unused vertices included.
    pub stored_vertices: Vec<[f64; 3]>,
    /// What was given up or changed on the way.
    pub warnings: Vec<String>,
}

impl Ready {
    /// Reads or makes the mesh of a case with its data arrays, refines and cleans it.
    ///
    /// # Errors
    /// [`Error::Input`] for files, [`Error::Case`] for options of a generator.
    pub fn new(config: &Config) -> Result<Self> {
        let source = config.mesh();
        let mut warnings = Vec::new();
        let (mut mesh, file) = match (&source.path, &source.generate) {
            (Some(path), _) => {
                let path = config.resolve(path)?;
                let read = io::read_mesh(&path)?;
                warnings.extend(read.warnings.iter().map(|w| format!("{}: {w}", path.display())));
                (read.mesh, Some(path))
            }
            (None, Some(generate)) => (mesh::generate::generate(generate)?, None),
            (None, None) => {
                return Err(Error::usage(
                    "domain.mesh has no mesh",
                    "give it `path` or `generate`",
                ));
            }
        };
        for data in &source.data {
            add_data(config, data, &mut mesh)?;
        }
        let in_file = |error: Error| match &file {
            Some(path) => error.in_file(path),
            None => error,
        };
        if source.refine > 0 {
            // Cleaning first: a mesh that cannot serve is refused before it grows.
            mesh::assess(&mesh).map_err(in_file)?;
        }
        for _ in 0..source.refine {
            mesh = mesh::refine::refine(&mesh).map_err(in_file)?;
        }
        Self::cleaned(mesh, file.as_deref(), warnings)
    }

    /// Cleans a mesh that came from `file`.
    ///
    /// # Errors
    /// [`Error::Input`] or [`Error::Mesh`] if the mesh cannot serve.
    pub fn cleaned(mesh: Mesh, file: Option<&Path>, mut warnings: Vec<String>) -> Result<Self> {
        let stored_vertices = mesh.vertices.clone();
        let cleaned = mesh::clean(mesh);
        let (mesh, cleaning) = match file {
            Some(path) => cleaned.map_err(|error| error.in_file(path))?,
            None => cleaned?,
        };
        if let Some(summary) = cleaning.summary() {
            warnings.push(match file {
                Some(path) => format!("{}: {summary}", path.display()),
                None => summary,
            });
        }
        Ok(Ready { mesh, cleaning, stored_vertices, warnings })
    }

    /// Values of the cleaned mesh's vertices in the order of the stored ones, `fill` elsewhere.
    pub fn as_stored<T: Copy>(&self, values: &[T], fill: T) -> Vec<T> {
        let mut stored = vec![fill; self.stored_vertices.len()];
        for (&v, &value) in self.cleaning.kept_vertices.iter().zip(values) {
            stored[v as usize] = value;
        }
        stored
    }

    /// Cells of the cleaned mesh in terms of stored vertices.
    pub fn stored_cells(&self) -> Vec<u32> {
        let kept = &self.cleaning.kept_vertices;
        self.mesh.cells.iter().map(|&v| kept[v as usize]).collect()
    }

    /// Number in the cleaned mesh of a stored vertex.
    ///
    /// # Errors
    /// [`Error::Case`] if there is no such vertex, or no cell uses it.
    pub fn vertex(&self, stored: u32) -> Result<u32> {
        let n = self.stored_vertices.len();
        if stored as usize >= n {
            let range = format!("vertices are numbered 0 to {}", n.saturating_sub(1));
            return Err(Error::usage(format!("there is no vertex {stored}"), range));
        }
        self.cleaning.kept_vertices.binary_search(&stored).map(|v| v as u32).map_err(|_| {
            let what = format!("no cell uses vertex {stored}");
            Error::usage(what, "choose a vertex of a cell, see `zeroset info`")
        })
    }

    /// Simplices of a group by their vertices in the cleaned mesh, and the number of each.
    ///
    /// # Errors
    /// [`Error::Case`] if there is no such group, or nothing in it.
    pub fn group(&self, name: &str) -> Result<(Vec<u32>, usize)> {
        let Some(group) = self.mesh.group(name) else {
            let names: Vec<&str> = self.mesh.groups.iter().map(|g| g.name.as_str()).collect();
            return Err(missing("group", name, &names));
        };
        let arity = self.mesh.kind.arity();
        let (simplices, arity): (Vec<u32>, usize) = match &group.members {
            Members::Cells(cells) => {
                let vertices = |&c: &u32| &self.mesh.cells[c as usize * arity..][..arity];
                (cells.iter().flat_map(vertices).copied().collect(), arity)
            }
            Members::Simplices { dimension, vertices } => (vertices.clone(), dimension + 1),
        };
        if simplices.is_empty() {
            return Err(Error::usage(format!("the group \"{name}\" is empty"), ""));
        }
        Ok((simplices, arity))
    }

    /// Vertex array `name` with `components` numbers per vertex, all finite.
    ///
    /// # Errors
    /// [`Error::Case`] if there is no such array or it has another size; [`Error::Mesh`] if a
    /// number is not finite.
    pub fn vertex_array(&self, name: &str, components: usize) -> Result<Vec<f64>> {
        let found = self.mesh.vertex_array(name);
        self.numbers("vertex", found, &self.mesh.vertex_data, name, components)
    }

    /// Cell array `name` with one number per cell, all finite.
    ///
    /// # Errors
    /// As [`Ready::vertex_array`].
    pub fn cell_array(&self, name: &str) -> Result<Vec<f64>> {
        self.numbers("cell", self.mesh.cell_array(name), &self.mesh.cell_data, name, 1)
    }

    fn numbers(
        &self,
        of: &str,
        found: Option<&DataArray>,
        all: &[DataArray],
        name: &str,
        components: usize,
    ) -> Result<Vec<f64>> {
        let Some(array) = found else {
            let names: Vec<&str> = all.iter().map(|a| a.name.as_str()).collect();
            return Err(missing(&format!("{of} array"), name, &names));
        };
        if array.components != components {
            return Err(Error::usage(
                format!(
                    "the {of} array \"{name}\" has {} numbers per {of}, needed: {components}",
                    array.components
                ),
                "choose another array, see `zeroset info`",
            ));
        }
        let values = array.values.to_f64();
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let row = k / components;
            let row = match of {
                "vertex" => self.cleaning.kept_vertices.get(row),
                _ => self.cleaning.kept_cells.get(row),
            };
            return Err(Error::mesh(
                row.map_or(String::new(), |row| format!("{of} {row}")),
                format!("array \"{name}\" is {}", values[k]),
                "replace it by a number",
            ));
        }
        Ok(values)
    }
}

fn missing(what: &str, name: &str, names: &[&str]) -> Error {
    let remedy = match names {
        [] => format!("the mesh has no {what}s"),
        names => suggest(name, names).replace("allowed:", "there are:"),
    };
    Error::usage(format!("there is no {what} \"{name}\""), remedy)
}

/// Reads the arrays of a file named in the case and adds them to the mesh.
fn add_data(config: &Config, data: &DataFile, mesh: &mut Mesh) -> Result<()> {
    let path = config.resolve(&data.path)?;
    let mut arrays = io::read_data(&path)?;
    if let Some(name) = &data.name {
        match arrays.as_mut_slice() {
            [only] => only.name = name.clone(),
            several => {
                let names: Vec<&str> = several.iter().map(|a| a.name.as_str()).collect();
                if !names.contains(&name.as_str()) {
                    return Err(missing("array", name, &names).in_file(&path));
                }
                arrays.retain(|a| a.name == *name);
            }
        }
    }
    for array in arrays {
        if array.rows() != mesh.n_vertices() {
            return Err(Error::input(
                &path,
                format!("array \"{}\"", array.name),
                format!("{} values for a mesh of {} vertices", array.rows(), mesh.n_vertices()),
                "choose the data that belongs to this mesh",
            ));
        }
        mesh.vertex_data.retain(|a| a.name != array.name);
        mesh.vertex_data.push(array);
    }
    Ok(())
}

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
                    let rows = ready.vertex_array(data, 1).map_err(config.locate(key))?;
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
    Ok(Terms { velocity, normal_speed, curvature })
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
            let key = "distance.speed";
            let speeds = ready.cell_array(cell_data).map_err(config.locate(key))?;
            if let Some(k) = speeds.iter().position(|&speed| speed <= 0.0) {
                let cell = ready.cleaning.kept_cells.get(k).copied().unwrap_or(k as u32);
                let what = format!("distance.speed must be > 0, is {} in cell {cell}", speeds[k]);
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
            let place =
                format!("{seed} is {gap:.3e} off the mesh; its nearest point is {x},{y},{z}");
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
    let mut edges: Vec<[u32; 2]> = mesh
        .cells
        .par_chunks_exact(mesh.kind.arity())
        .flat_map_iter(|cell| {
            (0..cell.len()).flat_map(move |i| {
                (0..i).map(move |j| [cell[i].min(cell[j]), cell[i].max(cell[j])])
            })
        })
        .collect();
    edges.par_sort_unstable();
    edges.dedup();
    let length = |&[a, b]: &[u32; 2]| {
        (Vec3::from(mesh.vertices[a as usize]) - Vec3::from(mesh.vertices[b as usize])).norm()
    };
    let sums: Vec<f64> =
        edges.par_chunks(BLOCK).map(|block| block.iter().map(length).sum::<f64>()).collect();
    sums.iter().sum::<f64>() / edges.len().max(1) as f64
}
