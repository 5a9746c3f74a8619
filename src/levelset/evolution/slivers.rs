//! Cells so flat that they would rule the time step of an explicit curvature term.

use rayon::prelude::*;

use super::{SLIVER_QUALITY, SLIVER_STEPS, formulas};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::patches::{Coordinates, Patches};

/// Why the curvature step was made semi-implicit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Slivers {
    /// Number of cells that are slivers.
    pub count: usize,
    /// Cell with the smallest inradius (number in the mesh).
    pub cell: u32,
    /// Its inradius, mesh units.
    pub inradius: f64,
    /// Smallest inradius of cells that are no slivers.
    pub inradius_of_good: f64,
}

impl Slivers {
    /// How many times shorter the steps would be.
    pub fn factor(&self) -> f64 {
        let ratio = self.inradius_of_good / self.inradius;
        ratio * ratio
    }

    /// Looks at all cells; `None` if explicit steps are good enough.
    pub(super) fn find<R: Real>(
        patches: &Patches,
        coordinates: &Coordinates<R>,
    ) -> Option<Slivers> {
        let of_patch = |p: usize| match patches.arity() {
            3 => look_at::<R, 3>(patches, coordinates, p),
            _ => look_at::<R, 4>(patches, coordinates, p),
        };
        let none = || Slivers {
            count: 0,
            cell: u32::MAX,
            inradius: f64::INFINITY,
            inradius_of_good: f64::INFINITY,
        };
        let both = |a: Slivers, b: Slivers| {
            let first = (a.inradius, a.cell) <= (b.inradius, b.cell);
            let flattest = if first { a } else { b };
            let inradius_of_good = a.inradius_of_good.min(b.inradius_of_good);
            Slivers { count: a.count + b.count, inradius_of_good, ..flattest }
        };
        let found = (0..patches.len()).into_par_iter().map(of_patch).reduce(none, both);
        let some = found.inradius.is_finite() && found.inradius_of_good.is_finite();
        (some && found.factor() > SLIVER_STEPS).then_some(found)
    }
}

/// Slivers of the cells whose first vertex a patch owns: each cell counts once.
fn look_at<R: Real, const N: usize>(
    patches: &Patches,
    coordinates: &Coordinates<R>,
    p: usize,
) -> Slivers {
    let patch = patches.patch(p);
    let x = coordinates.of(patches, p);
    let (mut count, mut worst, mut of_good) = (0, (f64::INFINITY, u32::MAX), f64::INFINITY);
    for (corners, &cell) in patch.corners.chunks_exact(N).zip(patch.cells) {
        if corners[0] as usize >= patch.n_owned {
            continue;
        }
        let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
        let simplex = Simplex::new(&x);
        let inradius = simplex.inradius().widen();
        if formulas::quality(&simplex, &x) >= R::narrow(SLIVER_QUALITY) {
            of_good = of_good.min(inradius);
        } else {
            count += 1;
            if (inradius, cell) < worst {
                worst = (inradius, cell);
            }
        }
    }
    Slivers { count, cell: worst.1, inradius: worst.0, inradius_of_good: of_good }
}
