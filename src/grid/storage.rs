//! Storage formats of a value of phi: floating point or 16-bit fixed point.

use crate::geometry::Real;

/// A stored representation of a value of phi in [-gamma, gamma], in voxels.
pub trait Stored<R: Real>: Copy + Default + Send + Sync + 'static {
    /// Returns the represented value.
    fn load(self, gamma: R) -> R;
    /// Returns the representation of a value whose absolute value is at most gamma.
    fn store(value: R, gamma: R) -> Self;

    /// Returns whether the value lies inside (-gamma, gamma) or is NaN.
    fn is_active(self, gamma: R) -> bool {
        let value = self.load(gamma);
        !(value >= gamma || value <= -gamma)
    }

    /// Returns whether the value is negative, which means inside the interface.
    fn is_inside(self, gamma: R) -> bool {
        self.load(gamma) < R::zero()
    }
}

impl<R: Real> Stored<R> for R {
    fn load(self, _gamma: R) -> R {
        self
    }
    fn store(value: R, _gamma: R) -> Self {
        value
    }
}

/// A 16-bit fixed-point number: round(phi / gamma * 32767) (docs/tiles.md, section 8).
///
/// The error is at most gamma / 65534 voxels. The values gamma, -gamma and 0 are exact, so storing
/// never makes an inactive voxel active. NaN stays NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Fixed16(i16);

impl Fixed16 {
    /// The integer that represents gamma.
    pub const MAX: i16 = i16::MAX;
    /// The integer that represents NaN.
    const NAN: i16 = i16::MIN;

    /// Returns the stored integer.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// Creates a number from an integer that [`Fixed16::bits`] returned.
    pub fn from_bits(bits: i16) -> Self {
        Fixed16(bits)
    }
}

impl<R: Real> Stored<R> for Fixed16 {
    fn load(self, gamma: R) -> R {
        if self.0 == Self::NAN {
            return R::of(f64::NAN);
        }
        // The division comes first: 32767 / 32767 is exactly 1, so gamma is restored exactly.
        R::of(f64::from(self.0) / f64::from(Self::MAX)) * gamma
    }

    fn store(value: R, gamma: R) -> Self {
        let scaled = (value / gamma).to_f64() * f64::from(Self::MAX);
        if scaled.is_nan() {
            return Fixed16(Self::NAN);
        }
        let most = f64::from(Self::MAX);
        Fixed16((scaled.clamp(-most, most) + 0.5f64.copysign(scaled)) as i16)
    }

    fn is_active(self, _gamma: R) -> bool {
        self.0.unsigned_abs() != Self::MAX.unsigned_abs()
    }

    fn is_inside(self, _gamma: R) -> bool {
        self.0 < 0 && self.0 != Self::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sixteen_bits_err_by_half_a_step(part in -1.0..=1.0f64, gamma in 1.0..6.0f64) {
            let phi = part * gamma;
            let back: f64 = Fixed16::store(phi, gamma).load(gamma);
            prop_assert!((back - phi).abs() <= gamma / 65534.0 * (1.0 + 1e-9));
            let (phi, gamma) = (phi as f32, gamma as f32);
            let back: f32 = Fixed16::store(phi, gamma).load(gamma);
            prop_assert!((back - phi).abs() <= gamma / 65534.0 * 1.01);
            prop_assert_eq!(Fixed16::store(back, gamma).load(gamma), back);
        }
    }

    #[test]
    fn the_ends_and_zero_are_exact() {
        for gamma in [1.5f32, 3.0, 5.0, 2.7] {
            for value in [gamma, -gamma, 0.0] {
                let stored = Fixed16::store(value, gamma);
                assert_eq!(Stored::<f32>::load(stored, gamma), value);
                assert_eq!(Stored::<f32>::is_active(stored, gamma), value == 0.0);
                assert_eq!(Stored::<f32>::is_inside(stored, gamma), value < 0.0);
            }
            assert_eq!(Fixed16::store(2.0 * gamma, gamma).bits(), 32767);
            assert_eq!(Fixed16::store(-2.0 * gamma, gamma).bits(), -32767);
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so_and_is_active() {
        let stored = Fixed16::store(f64::NAN, 3.0);
        assert!(Stored::<f64>::load(stored, 3.0).is_nan());
        assert!(Stored::<f64>::is_active(stored, 3.0) && Stored::<f64>::is_active(f64::NAN, 3.0));
        assert!(!Stored::<f64>::is_inside(stored, 3.0));
    }
}
