//! Reproducible random numbers for test cases.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use zeroset::geometry::Vec3;

/// A stream of random numbers.
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the stream that belongs to a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Returns a uniform number in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a uniform vector in [-1, 1)^3.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    /// Returns a uniform number in 0..n.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0.next_u32() % n
    }
}
