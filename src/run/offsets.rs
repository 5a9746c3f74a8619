//! The distances of seeds from the mesh.

use std::cell::{Cell, RefCell};

use super::CleanedMesh;
use crate::error::{Error, Result};

/// The seeds of a case that do not lie on the mesh.
#[derive(Default)]
pub(super) struct Offsets {
    n: Cell<usize>,
    /// The largest distance from the mesh, and the description of its seed.
    farthest: RefCell<Option<(f64, String)>>,
}

impl Offsets {
    /// Refuses a seed whose distance `gap` from the mesh exceeds the length of an edge there,
    /// unless `snap` moves it to the mesh. Otherwise, keeps the distance for [`Offsets::note`],
    /// unless it is within the rounding of 32-bit coordinates.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with the nearest point of the mesh, if it is given.
    pub fn check(
        &self,
        what: &str,
        gap: f64,
        edge: f64,
        nearest: Option<[f64; 3]>,
        snap: bool,
    ) -> Result<()> {
        let nearest = nearest.map_or(String::new(), |[x, y, z]| {
            format!("; its nearest point is {x:.6},{y:.6},{z:.6}")
        });
        let place = format!("{what} is {gap:.3e} off the mesh{nearest}");
        if gap > edge && !snap {
            return Err(Error::usage(
                format!("{place}, where edges are {edge:.3e} long"),
                "correct it, or use the nearest points with --snap (snap = true)",
            ));
        }
        // Smaller gaps are caused by coordinates that are stored as 32-bit numbers.
        if gap > 1e-6 * edge {
            self.n.set(self.n.get() + 1);
            let mut farthest = self.farthest.borrow_mut();
            if farthest.as_ref().is_none_or(|(largest, _)| gap > *largest) {
                *farthest = Some((gap, place));
            }
        }
        Ok(())
    }

    /// Adds a warning about the seeds that are not on the mesh.
    pub fn note(&self, cleaned: &CleanedMesh) {
        if let Some((_, place)) = &*self.farthest.borrow() {
            cleaned.note_doubt(match self.n.get() {
                1 => place.clone(),
                n => format!("{n} seeds are not on the mesh; the farthest: {place}"),
            });
        }
    }
}
