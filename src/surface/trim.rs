//! Removal of the parts of a surface that are far from the points that it was made from.

use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::mesh::{Mesh, part};
use crate::parallel::*;
use crate::point_distance::{Index, Sites};
use crate::words::short;

/// The triangles that [`trim`] removed.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Trimmed {
    /// Distance from the points beyond which triangles were removed, in mesh units.
    pub distance: f64,
    /// Number of removed triangles.
    pub triangles: usize,
    /// Area of the removed triangles, in squared mesh units.
    pub area: f64,
    /// Area of the removed triangles divided by the area of the whole surface before, 0 to 1.
    pub fraction: f64,
}

/// Removes the triangles whose corners are all farther than `distance` (in mesh units) from every
/// point of `points`, `[n]`, and the vertices that no triangle uses any more.
///
/// # Errors
/// Returns [`Error::Case`] if no triangle would remain, and the errors of [`Sites::new`].
pub fn trim(mesh: Mesh, points: &[[f64; 3]], distance: f64) -> Result<(Mesh, Trimmed)> {
    let nearest = Index::new(&Sites::new(points)?).numbers_of_nearest(&mesh.vertices);
    let is_far: Vec<bool> = (mesh.vertices.par_iter().zip(&nearest))
        .map(|(x, &point)| {
            let y = points[point as usize];
            (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f64>() > distance * distance
        })
        .collect();
    let keep: Vec<bool> =
        mesh.iter_cells().map(|cell| !cell.iter().all(|&v| is_far[v as usize])).collect();
    let (mut all, mut area) = (0.0, 0.0);
    for (n, keep) in keep.iter().enumerate() {
        let measure = triangle_area(&mesh, n);
        all += measure;
        area += if *keep { 0.0 } else { measure };
    }
    let triangles = keep.iter().filter(|keep| !**keep).count();
    let fraction = if all > 0.0 { area / all } else { 0.0 };
    let trimmed = Trimmed { distance, triangles, area, fraction };
    if triangles == 0 {
        return Ok((mesh, trimmed));
    }
    if triangles == keep.len() {
        let what = format!("the whole surface is farther than {} from the points", short(distance));
        return Err(Error::usage(what, "trim at a larger distance"));
    }
    Ok((part(mesh, &keep).0, trimmed))
}

/// Returns the area of triangle `n`.
fn triangle_area(mesh: &Mesh, n: usize) -> f64 {
    let corner = |k: usize| Vec3::from(mesh.vertices[mesh.cells[3 * n + k] as usize]);
    let (a, b, c) = (corner(0), corner(1), corner(2));
    0.5 * (b - a).cross(&(c - a)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    #[test]
    fn triangles_away_from_the_points_are_removed_and_measured() {
        // A strip of right triangles along the x axis.
        let vertices: Vec<[f64; 3]> =
            (0..12).map(|k| [f64::from(k / 2), f64::from(k % 2), 0.0]).collect();
        let cells = (0..10).flat_map(|k| [k, k + 1, k + 2]).collect();
        let mesh = Mesh::new(Kind::Surface, vertices, cells);
        let points = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.5, 0.0]];
        let (trimmed, report) = trim(mesh.clone(), &points, 1.5).unwrap();
        // Vertices with x of at most 2 are near. A triangle stays if one of its corners is near.
        assert_eq!((trimmed.n_cells(), report.triangles), (6, 4));
        assert!((report.area - 2.0).abs() < 1e-12 && (report.fraction - 0.4).abs() < 1e-12);
        let far = trim(mesh.clone(), &[[100.0, 0.0, 0.0]], 1.0).unwrap_err().to_string();
        assert!(far.contains("the whole surface is farther than 1"), "{far}");
        let whole = trim(mesh.clone(), &points, 50.0).unwrap().0;
        assert!(whole.vertices == mesh.vertices && whole.cells == mesh.cells);
    }
}
