//! A region of a mesh whose surface is the source of a distance.

use super::CleanedMesh;
use super::fields::{Truths, truths};
use crate::config::{Config, Seed};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::mesh::Mesh;

/// A region of a mesh.
pub(super) enum Region {
    /// For each cell, whether it belongs to the region. The surface consists of the facets that
    /// belong to exactly one cell of the region.
    Cells(Vec<bool>),
    /// For each vertex, whether it belongs to the region. The surface runs through the midpoints of
    /// the edges that leave the region.
    Vertices(Vec<bool>),
}

impl Region {
    /// Returns the region where the expression of a seed is true. The seed has the key `key`.
    ///
    /// # Errors
    /// Returns the errors of [`truths`]. Returns [`Error::Case`] if the region is empty or has no
    /// surface.
    pub fn new(config: &Config, cleaned: &CleanedMesh, seed: &Seed, key: &str) -> Result<Self> {
        let Seed::Surface { region, .. } = seed else {
            return Err(Error::usage(format!("{seed} is not a region"), "use surface:REGION"));
        };
        let found = match region.constant() {
            // A plain number is the name of a group.
            Some(_) => truths(config, cleaned, key, &named(region)?)?,
            None => truths(config, cleaned, key, region)?,
        };
        let (n, all, places, found) = match found {
            Truths::Cells(cells) => (count(&cells), cells.len(), "cells", Region::Cells(cells)),
            Truths::Vertices(vertices) => {
                (count(&vertices), vertices.len(), "vertices", Region::Vertices(vertices))
            }
        };
        let has_surface = match &found {
            Region::Cells(_) => !found.facets(&cleaned.mesh).is_empty(),
            Region::Vertices(_) => n < all,
        };
        if n > 0 && has_surface {
            return Ok(found);
        }
        let what = match n {
            0 => format!("{seed}: none of the {all} {places} belongs to the region"),
            _ => format!("{seed}: all {all} {places} belong to the region, so it has no surface"),
        };
        Err(Error::usage(what, "choose another region; `zeroset info` shows groups and arrays"))
    }

    /// Returns the vertices of the facets that belong to exactly one cell of the region. The list
    /// is empty for a region of vertices.
    pub fn facets(&self, mesh: &Mesh) -> Vec<u32> {
        let Region::Cells(inside) = self else { return Vec::new() };
        let arity = mesh.kind.arity();
        let mut facets: Vec<[u32; 3]> = Vec::new();
        for (cell, _) in mesh.iter_cells().zip(inside).filter(|(_, inside)| **inside) {
            for omitted in 0..arity {
                // The facets of triangles have two vertices.
                let mut facet = [u32::MAX; 3];
                let others = (0..arity).filter(|&k| k != omitted).map(|k| cell[k]);
                facet.iter_mut().zip(others).for_each(|(slot, v)| *slot = v);
                facet.sort_unstable();
                facets.push(facet);
            }
        }
        facets.sort_unstable();
        let single = facets.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
        single.flat_map(|facet| facet[0].into_iter().take(arity - 1)).collect()
    }

    /// Returns a level set whose zero set is the surface of a region of vertices. The list is empty
    /// for a region of cells.
    pub fn level_set(&self) -> Vec<f64> {
        match self {
            Region::Cells(_) => Vec::new(),
            Region::Vertices(inside) => {
                inside.iter().map(|&inside| if inside { -1.0 } else { 1.0 }).collect()
            }
        }
    }

    /// Returns for each vertex whether it lies inside the region, and not on its surface.
    pub fn vertices_inside(&self, mesh: &Mesh) -> Vec<bool> {
        match self {
            Region::Vertices(inside) => inside.clone(),
            Region::Cells(cells) => {
                let mut inside = vec![false; mesh.n_vertices()];
                for (cell, _) in mesh.iter_cells().zip(cells).filter(|(_, inside)| **inside) {
                    cell.iter().for_each(|&v| inside[v as usize] = true);
                }
                self.facets(mesh).into_iter().for_each(|v| inside[v as usize] = false);
                inside
            }
        }
    }
}

fn count(truths: &[bool]) -> usize {
    truths.iter().filter(|&&truth| truth).count()
}

/// Returns the expression that is true in the group whose name is the text of `number`.
fn named(number: &Expression) -> Result<Expression> {
    let text = format!("{{{}}}", number.text().trim());
    Expression::parse(&text).map_err(|flaw| Error::usage(flaw.to_string(), ""))
}
