//! The random number generator of all mesh generators.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// ChaCha with 8 rounds whose key is the seed (little-endian, padded with zeros).
///
/// The key and the conversion to floating point are defined here, so that no version of the `rand`
/// crates can change the bits of a generated mesh.
pub struct Random(ChaCha8Rng);

impl Random {
    /// Creates the stream that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Random(ChaCha8Rng::from_seed(key))
    }

    /// Creates one of 2^64 independent streams that belong to `seed`.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut random = Random::new(seed);
        random.0.set_stream(stream);
        random
    }

    /// Returns a uniform number in [0, 1) from the upper 53 bits of the next word.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns a uniform number in [-half, half).
    pub(super) fn within(&mut self, half: f64) -> f64 {
        half * (2.0 * self.unit() - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_chacha8() {
        // Values from an independent implementation. The tenth word is in the second block.
        let mut random = Random::new(1);
        let found: Vec<f64> = (0..10).map(|_| random.unit()).collect();
        let expected = [3436151158611243_u64, 2656469188983456, 7190035062109342];
        let expected = expected.map(|n| n as f64 / 9007199254740992.0);
        assert_eq!(found[..3], expected);
        assert_eq!(found[9], 4137124742331603.0 / 9007199254740992.0);
    }
}
