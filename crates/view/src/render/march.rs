//! Ray marching: following the rays of pixels to their hits.

use super::projection::{Frame, Ray};
use super::solid_cubes::Solid;
use super::space_skipping::SpaceSkipping;
use zeroset_core::error::Result;
use zeroset_core::parallel::*;
use zeroset_core::primitives::memory;

/// The hit of a ray, if any, and the number of steps to it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The distance from the start of the ray in world units, or infinity if nothing was hit.
    pub t: f64,
    /// The index of the cube that was hit, x fastest. It is not valid if the ray hit nothing.
    pub cube: u32,
    /// The number of positions examined. It is 0 if the ray misses the box of all occupied cubes.
    pub steps: u32,
}

impl Hit {
    /// Returns true if the ray hit something.
    pub fn is_some(&self) -> bool {
        self.t < f64::INFINITY
    }
}

/// Follows one ray to its first hit.
pub fn shoot(solid: &Solid<'_>, guide: &SpaceSkipping, ray: &Ray) -> Hit {
    let nothing = |steps| Hit { t: f64::INFINITY, cube: u32::MAX, steps };
    let Some(course) = solid.course(ray) else { return nothing(0) };
    let (mut t, mut steps) = (course.begin, 0);
    while t < course.end {
        steps += 1;
        let cube = course.cube(t);
        let leave =
            [0, 1, 2].map(|k| course.leaves(k, cube[k])).into_iter().fold(course.end, f64::min);
        if let Some(t) = solid.meets(cube, &course, t, leave) {
            return Hit { t, cube: solid.number(cube) as u32, steps };
        }
        t = guide.free_to(solid, &course, cube, t).max(leave);
    }
    nothing(steps)
}

/// Follows the rays of a picture of `width` x `height` pixels with `samples` x `samples` rays per
/// pixel. The hits have the shape `[height * samples][width * samples]` and start at the upper left
/// corner.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there is not enough memory.
pub fn march(
    solid: &Solid<'_>,
    guide: &SpaceSkipping,
    frame: &Frame,
    [width, height]: [u32; 2],
    samples: u32,
) -> Result<Vec<Hit>> {
    let wide = width as usize * samples as usize;
    let rows = height as usize * samples as usize;
    let mut hits = Vec::new();
    memory::reserve(&mut hits, wide * rows, "the hits of the rays", "choose a smaller picture")?;
    hits.resize(wide * rows, Hit { t: f64::INFINITY, cube: u32::MAX, steps: 0 });
    hits.par_chunks_mut(wide).enumerate().for_each(|(row, hits)| {
        for (column, hit) in hits.iter_mut().enumerate() {
            *hit = shoot(solid, guide, &frame.ray(place(column, row, samples)));
        }
    });
    Ok(hits)
}

/// Returns the position of a ray in the picture, in pixels.
pub(crate) fn place(column: usize, row: usize, samples: u32) -> [f64; 2] {
    [column, row].map(|k| (k as f64 + 0.5) / f64::from(samples))
}

/// Statistics of the rays of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// The number of rays.
    pub rays: u64,
    /// The number of rays that cross the box of all occupied cubes.
    pub entered: u64,
    /// The number of rays that hit something.
    pub hits: u64,
    /// The total number of positions examined by all rays.
    pub steps: u64,
    /// The largest number of positions examined by a single ray.
    pub most: u32,
}

impl Counts {
    /// Computes the statistics of the rays of a picture.
    pub fn of(hits: &[Hit]) -> Self {
        let mut counts = Counts { rays: hits.len() as u64, ..Counts::default() };
        for hit in hits {
            counts.entered += u64::from(hit.steps > 0);
            counts.hits += u64::from(hit.is_some());
            counts.steps += u64::from(hit.steps);
            counts.most = counts.most.max(hit.steps);
        }
        counts
    }

    /// Returns the mean number of positions examined by the rays that cross the box, or 0 if no ray
    /// crosses it.
    pub fn mean(&self) -> f64 {
        self.steps as f64 / self.entered.max(1) as f64
    }
}
