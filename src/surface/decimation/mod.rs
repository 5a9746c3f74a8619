//! Reduces the number of triangles in a surface.

mod collapses;
mod features;
mod quadric;
mod rings;

use self::collapses::{Collapse, Collapses};
use super::Gaps;
use super::smooth::renew_normals;
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::mesh::{DataArray, Kind, Members, Mesh, Values, part};
use crate::words::{counted, short};

/// The number of triangles that [`decimate`] aims for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DecimationTarget {
    /// A number of triangles, at least 1.
    Triangles(usize),
    /// A fraction of the triangles, between 0 and 1.
    Fraction(f64),
}

impl DecimationTarget {
    /// Returns the requested number of triangles for a mesh with `n` triangles.
    pub fn of(self, n: usize) -> usize {
        match self {
            DecimationTarget::Triangles(target) => target,
            DecimationTarget::Fraction(fraction) => (fraction * n as f64).round() as usize,
        }
    }
}

/// Parses a whole number of triangles, or a fraction below 1.
impl std::str::FromStr for DecimationTarget {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.trim().parse::<f64>() {
            Ok(x) if x > 0.0 && x < 1.0 => Ok(DecimationTarget::Fraction(x)),
            Ok(x) if (1.0..=1e15).contains(&x) && x.fract() == 0.0 => {
                Ok(DecimationTarget::Triangles(x as usize))
            }
            _ => Err("expected a whole number of triangles, or a fraction between 0 and 1".into()),
        }
    }
}

/// The result of [`decimate`].
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Decimation {
    /// Number of triangles before the decimation.
    pub before: usize,
    /// Number of triangles after the decimation.
    pub after: usize,
    /// Requested number of triangles.
    pub target: usize,
    /// Distances of the old vertices from the new surface, in mesh units. `None` if nothing was
    /// changed.
    pub error: Option<Gaps>,
}

impl Decimation {
    /// Returns one line about the result.
    pub fn summary(&self) -> String {
        let triangles = counted(self.before, ["triangle", "triangles"]);
        let error = self.error.map_or(String::new(), |error| {
            let (mean, max) = (short(error.mean), short(error.max));
            format!("; the old vertices are {mean} from the new surface on average, {max} at most")
        });
        format!("{triangles} decimated to {}{error}", self.after)
    }

    /// Returns a warning if more triangles are left than requested.
    pub fn doubt(&self) -> Option<String> {
        (self.after > self.target).then(|| {
            format!(
                "decimation stopped at {}, above the target of {}: more collapses would change the \
                 topology, a border of groups, or the side that triangles face; --repair joins \
                 coincident vertices, which make separate triangles",
                counted(self.after, ["triangle", "triangles"]),
                self.target
            )
        })
    }
}

/// Collapses edges of a triangulated surface until at most as many triangles are left as `target`
/// specifies, by the quadric error metrics of M. Garland and P. Heckbert (*Surface simplification
/// using quadric error metrics*, SIGGRAPH 1997). Stops earlier if hardly any further collapse is
/// possible; see [`Decimation::doubt`].
///
/// - Closed surfaces stay closed, and the topology does not change. No triangle turns over.
/// - Boundaries and borders between groups and between materials (as in
///   [`repair`](crate::mesh::repair::repair)) stay in place as far as the number of triangles
///   permits. Vertices of groups of points, vertices where borders meet, and vertices at edges with
///   three or more triangles do not move.
/// - The arrays of the vertex that replaces an edge are interpolated between the two ends of the
///   edge, and labels are those of the nearer end. The arrays `nx`, `ny` and `nz` are recomputed.
///
/// Collapses are ordered by their error and then by the indices of the vertices, so the result does
/// not depend on the number of threads.
///
/// # Errors
/// Returns [`Error::Mesh`] for a mesh of tetrahedra, or if an index or a coordinate is not valid.
pub fn decimate(mut mesh: Mesh, target: DecimationTarget) -> Result<(Mesh, Decimation)> {
    if mesh.kind == Kind::Volume {
        let what = "tetrahedra cannot be decimated";
        return Err(Error::mesh("", what, "decimate their boundary (--boundary)"));
    }
    crate::mesh::assess(&mesh)?;
    let (before, target) = (mesh.n_cells(), target.of(mesh.n_cells()));
    let mut result = Decimation { before, after: before, target, error: None };
    if before <= target {
        return Ok((mesh, result));
    }
    let (middle, size) = frame(&mesh);
    let x = mesh.vertices.iter().map(|&x| (Vec3::from(x) - middle) / size).collect();
    let old = used_vertices(&mesh);
    let mut surface = Collapses::new(&mesh, x);
    let mut replaced: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
    let mut moved = vec![false; mesh.n_vertices()];
    let data = &mut mesh.vertex_data;
    surface.run(target, |collapse| {
        replaced[collapse.gone as usize] = collapse.kept;
        moved[collapse.kept as usize] |= collapse.share > 0.0;
        data.iter_mut().for_each(|array| interpolate(array, collapse));
    });
    for (v, x) in surface.x.iter().enumerate().filter(|(v, _)| moved[*v]) {
        mesh.vertices[v] = (middle + size * x).into();
    }
    mesh.cells = surface.rings.corners.as_flattened().to_vec();
    rename(&mut mesh, &mut replaced);
    mesh = part(mesh, &surface.rings.is_alive).0;
    renew_normals(&mut mesh);
    result.after = mesh.n_cells();
    result.error = Gaps::new(&mesh, &old).filter(|_| result.after < before);
    Ok((mesh, result))
}

/// Returns the middle and the diagonal of the bounding box of the vertices in use. A diagonal of
/// zero is replaced by 1.
fn frame(mesh: &Mesh) -> (Vec3, f64) {
    let all = mesh.cells.iter().map(|&v| Vec3::from(mesh.vertices[v as usize]));
    let (low, high) =
        all.map(|x| (x, x)).reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1))).unwrap_or_default();
    let size = (high - low).norm();
    (low + 0.5 * (high - low), if size > 0.0 { size } else { 1.0 })
}

fn used_vertices(mesh: &Mesh) -> Vec<[f64; 3]> {
    let mut is_used = vec![false; mesh.n_vertices()];
    mesh.cells.iter().for_each(|&v| is_used[v as usize] = true);
    mesh.vertices.iter().zip(is_used).filter(|(_, used)| *used).map(|(x, _)| *x).collect()
}

/// Interpolates the values of the kept vertex of a collapse at its new position between the two
/// ends.
fn interpolate(array: &mut DataArray, Collapse { kept, gone, share }: Collapse) {
    for k in 0..array.components {
        let [kept, gone] = [kept, gone].map(|v| v as usize * array.components + k);
        match &mut array.values {
            // If the new vertex lies at one end, a NaN at the other end does not matter.
            Values::Float(_) if share == 0.0 => {}
            Values::Float(values) if share == 1.0 => values[kept] = values[gone],
            Values::Float(values) => {
                values[kept] = (1.0 - share) * values[kept] + share * values[gone];
            }
            Values::Int(values) if share > 0.5 => values[kept] = values[gone],
            Values::Int(_) => {}
        }
    }
}

/// Renames the vertices of groups, and drops the members that collapsed.
fn rename(mesh: &mut Mesh, replaced: &mut [u32]) {
    for v in 0..replaced.len() {
        let mut end = v;
        while replaced[end] as usize != end {
            end = replaced[end] as usize;
        }
        // Shorten the path, so that each of its vertices is visited once.
        let mut at = v;
        while replaced[at] as usize != end {
            at = std::mem::replace(&mut replaced[at], end as u32) as usize;
        }
    }
    for group in &mut mesh.groups {
        if let Members::Simplices { dimension, vertices } = &mut group.members {
            vertices.iter_mut().for_each(|v| *v = replaced[*v as usize]);
            let size = *dimension + 1;
            let is_whole = |s: &&[u32]| s.iter().enumerate().all(|(k, v)| !s[..k].contains(v));
            *vertices = vertices.chunks_exact(size).filter(is_whole).flatten().copied().collect();
        }
    }
}

#[cfg(test)]
mod tests;
