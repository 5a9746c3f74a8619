//! The state of a voxel between the passes of the distance transform.

/// A word with the steps to the nearest voxel along the two processed axes, and the side of the
/// voxel itself. The last pass replaces the steps with the distance. The highest bit is set for
/// voxels inside, with steps as well as with a distance.
pub(super) trait Pair: Copy + Send + Sync {
    /// The largest number of voxels along an axis for which the state can hold the steps.
    const MOST: usize;

    /// Returns the state of a voxel outside with the given steps, each below [`Pair::MOST`].
    fn new(first: u32, second: u32) -> Self;
    /// Returns the state of a voxel outside for which the passes so far have found no nearest
    /// voxel.
    fn none() -> Self;
    /// Returns the steps, or `None` if no nearest voxel has been found.
    fn steps(self) -> Option<(u32, u32)>;
    /// Returns the state of a voxel after the last pass, from the nearest voxel of its line, the
    /// number of steps to it, and the distance.
    fn ended(near: Option<Self>, steps: usize, distance: f32) -> Self;
    /// Returns the distance, negative for voxels inside.
    fn distance(self) -> f32;
    /// Returns the same state for a voxel of the given side.
    fn on_side(self, inside: bool) -> Self;
    /// Returns true if the voxel is inside.
    fn is_inside(self) -> bool;
}

impl Pair for u32 {
    const MOST: usize = (1 << 15) - 1;

    fn new(first: u32, second: u32) -> Self {
        first | second << 16
    }

    fn none() -> Self {
        Self::new(0xffff, 0)
    }

    fn steps(self) -> Option<(u32, u32)> {
        (self & 0xffff != 0xffff).then_some((self & 0xffff, self >> 16 & 0x7fff))
    }

    fn ended(_: Option<Self>, _: usize, distance: f32) -> Self {
        distance.to_bits()
    }

    fn distance(self) -> f32 {
        f32::from_bits(self)
    }

    fn on_side(self, inside: bool) -> Self {
        self | u32::from(inside) << 31
    }

    fn is_inside(self) -> bool {
        self >> 31 == 1
    }
}

/// The state for axes that are too long for 32-bit states.
impl Pair for u64 {
    const MOST: usize = (1 << 31) - 1;

    fn new(first: u32, second: u32) -> Self {
        u64::from(first) | u64::from(second) << 32
    }

    fn none() -> Self {
        Self::new(u32::MAX, 0)
    }

    fn steps(self) -> Option<(u32, u32)> {
        let first = self as u32;
        (first != u32::MAX).then_some((first, (self >> 32) as u32 & 0x7fff_ffff))
    }

    fn ended(_: Option<Self>, _: usize, distance: f32) -> Self {
        u64::from(distance.to_bits()) << 32
    }

    fn distance(self) -> f32 {
        f32::from_bits((self >> 32) as u32)
    }

    fn on_side(self, inside: bool) -> Self {
        self | u64::from(inside) << 63
    }

    fn is_inside(self) -> bool {
        self >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds<P: Pair>() {
        let last = P::MOST as u32 - 1;
        for steps in [(0, 0), (last, 0), (0, last), (last, last), (3, 5)] {
            for inside in [false, true] {
                let pair = P::new(steps.0, steps.1).on_side(inside);
                assert_eq!((pair.steps(), pair.is_inside()), (Some(steps), inside));
                assert_eq!(P::none().on_side(inside).steps(), None);
                assert_eq!(P::none().on_side(inside).is_inside(), inside);
            }
        }
        for distance in [0.0, 1.5, f32::INFINITY] {
            assert_eq!(P::ended(None, 0, distance).distance(), distance);
            assert_eq!(P::ended(None, 0, distance).on_side(true).distance(), -distance);
            assert!(!P::ended(None, 0, distance).is_inside());
        }
    }

    #[test]
    fn a_word_holds_steps_sides_and_distances() {
        holds::<u32>();
        holds::<u64>();
    }
}
