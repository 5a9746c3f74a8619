//! The number types of volumes on a GPU, and the range of numbers that lie inside a surface, found
//! by bisection over the order of the values.

use super::super::Number;
use crate::gpu::Element;

/// A number type of volumes on a GPU.
pub trait DeviceNumber: Element + Ranked {}

/// A number type that the kernels support, with the order of its values.
#[allow(private_bounds)]
pub trait Ranked: Number {
    /// The name of the type in CUDA C++.
    const NAME: &'static str;
    /// Ranks of the smallest and the largest number, including infinities.
    const RANKS: [u64; 2];
    /// Returns the number of a rank. Numbers ascend with their ranks.
    fn of_rank(rank: u64) -> Self;
    /// Returns the bits of the number, in the lowest bits of the result.
    fn low_bits(self) -> u64;
}

macro_rules! whole {
    ($($type:ident, $bits:ident, $name:literal;)*) => {$(
        impl Ranked for $type {
            const NAME: &'static str = $name;
            const RANKS: [u64; 2] = [0, $bits::MAX as u64];
            fn of_rank(rank: u64) -> Self {
                ($type::MIN).wrapping_add(rank as $type)
            }
            fn low_bits(self) -> u64 {
                u64::from(self as $bits)
            }
        }
        impl DeviceNumber for $type {}
    )*};
}
whole! {
    u8, u8, "unsigned char"; i8, u8, "signed char";
    u16, u16, "unsigned short"; i16, u16, "short";
    u32, u32, "unsigned int"; i32, u32, "int";
    u64, u64, "unsigned long long"; i64, u64, "long long";
}

macro_rules! real {
    ($($type:ident, $bits:ident, $name:literal;)*) => {$(
        impl Ranked for $type {
            const NAME: &'static str = $name;
            // The larger a negative number, the smaller its bits, so all of them are inverted. For
            // other numbers, only the sign bit is inverted.
            const RANKS: [u64; 2] = [
                !$type::NEG_INFINITY.to_bits() as u64,
                ($type::INFINITY.to_bits() | 1 << ($bits::BITS - 1)) as u64,
            ];
            fn of_rank(rank: u64) -> Self {
                let (rank, sign) = (rank as $bits, 1 << ($bits::BITS - 1));
                $type::from_bits(if rank & sign != 0 { rank ^ sign } else { !rank })
            }
            fn low_bits(self) -> u64 {
                self.to_bits().into()
            }
        }
        impl DeviceNumber for $type {}
    )*};
}
real! { f32, u32, "float"; f64, u64, "double"; }

/// Returns the smallest and the largest number for which `is_inside` holds. The numbers for which
/// it holds must be all numbers above some threshold, or all numbers below it if `downwards` is
/// true. If it holds for no number, the first result is larger than the second.
pub(super) fn range<T: Ranked>(is_inside: impl Fn(T) -> bool, downwards: bool) -> [T; 2] {
    let [least, largest] = T::RANKS;
    // Bisect for the first rank whose number is inside, or outside if `downwards` is true.
    let (mut low, mut high) = (least, largest);
    let differs = |rank: u64| is_inside(T::of_rank(rank)) != downwards;
    if !differs(largest) {
        let all = [T::of_rank(least), T::of_rank(largest)];
        return if downwards { all } else { [all[1], all[0]] };
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if differs(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    match downwards {
        false => [T::of_rank(low), T::of_rank(largest)],
        true if low == least => [T::of_rank(largest), T::of_rank(least)],
        true => [T::of_rank(least), T::of_rank(low - 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends<T: Ranked + PartialEq + std::fmt::Debug>(least: T, largest: T) {
        assert_eq!([0, 1].map(|k| T::of_rank(T::RANKS[k])), [least, largest]);
        assert_eq!(range::<T>(|_| false, false), [largest, least]);
        assert_eq!(range::<T>(|_| false, true), [largest, least]);
        assert_eq!(range::<T>(|_| true, false), [least, largest]);
        assert_eq!(range::<T>(|_| true, true), [least, largest]);
    }

    #[test]
    fn ranges_end_where_the_inside_does() {
        ends(0_u8, 255);
        ends(i8::MIN, i8::MAX);
        ends(i64::MIN, i64::MAX);
        ends(0, u64::MAX);
        ends(f32::NEG_INFINITY, f32::INFINITY);
        ends(f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!(range::<i16>(|v| v > -300, false), [-299, i16::MAX]);
        assert_eq!(range::<u64>(|v| v <= 7, true), [0, 7]);
        assert_eq!(range::<f32>(|v| f64::from(v) > 0.1, false)[0], 0.1);
        assert_eq!(range::<f64>(|v| v < -2.5, true)[1], (-2.5_f64).next_down());
    }
}
