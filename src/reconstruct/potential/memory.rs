//! Estimates the memory of a run and checks that it is available.

use super::levels::EDGE_LEVELS;
use super::octree_cube::Frame;
use crate::error::{DeviceFault, Error, Result};
use crate::primitives::memory::{available, gibibytes};

/// Tiles per tile-sized cube that a surface passes through: the tiles that the interface crosses,
/// and their neighbors. Scans had 1.5 to 2.5 tiles per cube at depths of 8 and above.
const TILES_PER_CUBE: f64 = 2.5;
/// Number of samples below which the estimate includes the faces of their bounding box: four
/// samples for each of the 64 cubes of level 2.
const FEW: usize = 256;
/// Bytes of the surface per tile: about 15 triangles and 8 vertices with normals, a box around each
/// triangle, and the tree of these boxes. This is more than a tile takes during the steps, which is
/// at most 1,337 bytes. Measured runs held 2,040 to 2,500 bytes per tile.
pub(super) const SURFACE: u64 = 15 * (12 + 48 + 4 + 64) + 8 * (24 + 24);

/// Estimates the number of tiles on the finest level from the number of cubes in each level that
/// contain samples.
///
/// A surface passes through four times as many cubes on each finer level. If the samples are
/// farther apart than the cubes of a level, the count of that level is too small. The estimate is
/// therefore the maximum over all levels.
///
/// # Errors
/// Returns the errors of `n_cubes`, which counts the cubes of a level.
pub(super) fn expected_tiles(
    frame: &Frame,
    samples: usize,
    n_cubes: impl Fn(u32) -> Result<usize>,
) -> Result<u64> {
    let finest = frame.depth - EDGE_LEVELS;
    let [a, b, c] = frame.half_at(finest);
    // A few samples do not show the surface on any level. The surface starts as the box around them
    // and shrinks.
    let mut most = if samples < FEW { 8.0 * (a * b + b * c + c * a) } else { 0.0 };
    for level in 2..=finest {
        most = most.max(n_cubes(level)? as f64 * 4_f64.powi((finest - level) as i32));
    }
    Ok((TILES_PER_CUBE * most) as u64)
}

/// Returns an error if `bytes` bytes are not available. Otherwise, logs how many are needed and
/// free. Does nothing if the free memory is unknown.
///
/// # Errors
/// Returns [`Error::Device`], which states how many bytes are needed and how many are free.
pub(super) fn check(bytes: u64, what: &str) -> Result<()> {
    let Some(free) = available() else { return Ok(()) };
    let words = format!("{what} need {}, but {} are free", gibibytes(bytes), gibibytes(free));
    if bytes > free {
        let remedy = "use a smaller depth, or a machine with more memory";
        return Err(Error::device_fault(DeviceFault::memory(bytes, free), words, remedy));
    }
    tracing::info!("{words}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cubes_of_the_level_that_shows_the_surface_count() {
        // A surface that passes through 3 cubes of level 0, 12 cubes of level 1 and so on. There
        // are `samples` samples on it.
        let passed = |level: u32| 3_usize << (2 * level);
        let tiles = |depth: u32, samples: usize| {
            let frame = Frame::new(&[[0.0; 3], [1.0; 3]], depth).unwrap();
            expected_tiles(&frame, samples, |level| Ok(passed(level).min(samples))).unwrap()
        };
        let needed = |depth: u32| passed(depth - EDGE_LEVELS) as u64 * 5 / 2;
        for (depth, samples) in [(4, 1 << 20), (9, 1 << 20), (9, 1_000), (14, 1_000)] {
            assert_eq!(tiles(depth, samples), needed(depth), "{depth} {samples}");
        }
        // For few samples, the estimate uses the faces of their box. The box is a cube here.
        assert_eq!(tiles(9, 8), 2 * needed(9));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        check(1 << 20, "few tiles").unwrap();
        if available().is_some() {
            let error = check(1 << 60, "too many tiles").unwrap_err();
            assert_eq!(error.exit_code(), 5);
            let text = error.to_string();
            assert!(text.contains("too many tiles need 1073741824.0 GiB, but "), "{text}");
            assert!(text.contains(" are free; use a smaller depth"), "{text}");
        }
    }
}
