//! Norms, and the metrics that are compared instead of distances.

use std::fmt;
use std::str::FromStr;

use super::coordinate::Coordinate;

/// A Minkowski norm, `L_p = (sum |d_i|^p)^(1/p)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Norm {
    /// The sum of the coordinate differences (Manhattan distance).
    L1,
    /// The Euclidean norm.
    #[default]
    L2,
    /// The largest coordinate difference (Chebyshev or chessboard distance).
    LInf,
    /// The norm of finite order p, at least 1, computed in floating point.
    Lp(f64),
}

impl FromStr for Norm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "l1" => Ok(Norm::L1),
            "l2" => Ok(Norm::L2),
            "linf" => Ok(Norm::LInf),
            _ => {
                let order = text.strip_prefix('l').and_then(|p| p.parse::<f64>().ok());
                let order = order.filter(|p| p.is_finite() && *p >= 1.0);
                let what = "expected l1, l2, linf, or l with a number of at least 1, such as l3";
                order.map(Norm::Lp).ok_or_else(|| what.to_string())
            }
        }
    }
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Norm::L1 => f.write_str("L1"),
            Norm::L2 => f.write_str("L2"),
            Norm::LInf => f.write_str("Linf"),
            Norm::Lp(p) => write!(f, "L{p}"),
        }
    }
}

/// A function of the coordinate differences that grows with the distance but is cheaper to compute.
pub trait Metric<C: Coordinate>: Copy + Send + Sync {
    /// Returns the key of the difference of two points.
    fn key(self, d: [C; 3]) -> C::Key;

    /// Returns a lower bound for the keys of all points in a box, given the key of its nearest
    /// point. By default, this is the key itself: keys of most norms never decrease if a difference
    /// grows, even with rounding.
    #[inline(always)]
    fn bound(self, key: C::Key) -> C::Key {
        key
    }
}

/// The sum of absolute differences.
#[derive(Clone, Copy)]
pub struct Manhattan;
/// The sum of squares.
#[derive(Clone, Copy)]
pub struct Euclidean;
/// The largest absolute difference.
#[derive(Clone, Copy)]
pub struct Chebyshev;
/// The distance in the norm of the given order.
#[derive(Clone, Copy)]
pub struct Minkowski(pub f64);

macro_rules! real {
    ($($real:ty)*) => {$(
        impl Metric<$real> for Manhattan {
            #[inline(always)]
            fn key(self, d: [$real; 3]) -> $real {
                d[0].abs() + d[1].abs() + d[2].abs()
            }
        }

        impl Metric<$real> for Euclidean {
            #[inline(always)]
            fn key(self, d: [$real; 3]) -> $real {
                d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
            }
        }

        impl Metric<$real> for Chebyshev {
            #[inline(always)]
            fn key(self, d: [$real; 3]) -> $real {
                let larger = |a: $real, b: $real| if a > b { a } else { b };
                larger(larger(d[0].abs(), d[1].abs()), d[2].abs())
            }
        }

        impl Metric<$real> for Minkowski {
            fn key(self, d: [$real; 3]) -> $real {
                // The key is the distance itself, because powers of large differences would
                // overflow.
                let d = d.map(|x| f64::from(x.abs()));
                let most = d[0].max(d[1]).max(d[2]);
                if most == 0.0 {
                    return 0.0;
                }
                let sum: f64 = d.iter().map(|x| libm::pow(x / most, self.0)).sum();
                (most * libm::pow(sum, 1.0 / self.0)) as $real
            }

            fn bound(self, key: $real) -> $real {
                // Roots of sums of powers can be rounded in either direction.
                key - key * (8.0 * <$real>::EPSILON)
            }
        }
    )*};
}

real!(f32 f64);

/// Integer keys are exact if they fit in 32 bits. This is checked before the search.
impl Metric<i32> for Manhattan {
    #[inline(always)]
    fn key(self, d: [i32; 3]) -> u32 {
        let [x, y, z] = d.map(i32::unsigned_abs);
        x.wrapping_add(y).wrapping_add(z)
    }
}

impl Metric<i32> for Euclidean {
    #[inline(always)]
    fn key(self, d: [i32; 3]) -> u32 {
        let [x, y, z] = d.map(|x| (x as u32).wrapping_mul(x as u32));
        x.wrapping_add(y).wrapping_add(z)
    }
}

impl Metric<i32> for Chebyshev {
    #[inline(always)]
    fn key(self, d: [i32; 3]) -> u32 {
        let [x, y, z] = d.map(i32::unsigned_abs);
        x.max(y).max(z)
    }
}
