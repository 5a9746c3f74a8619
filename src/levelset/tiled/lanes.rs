//! Vector types that hold the values of several voxels, for the formulas of a voxel.
//!
//! [`Lanes`] is the number type of the formulas. A scalar has one lane. On CPUs with AVX2, there
//! are eight lanes of `f32` or four of `f64`. `widest` selects the type at run time. Every
//! operation rounds like the scalar operation and no operations are fused, so the results are
//! bitwise identical on every machine.
//!
//! The vector types are written explicitly. Automatic vectorization of loops over a row of voxels
//! works for some formulas but not for others, and rows of a tile are too short for the compiler to
//! optimize them well.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::geometry::Real;

/// A number, or several numbers side by side.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of the value in each lane.
    type Scalar: Real;
    /// The result of a comparison, lane by lane.
    type Mask: Copy;
    /// The number of lanes.
    const LANES: usize;

    /// Returns a vector with the same number in all lanes.
    fn splat(x: Self::Scalar) -> Self;
    /// Returns a vector with a constant in all lanes.
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self::splat(Self::Scalar::of(x))
    }
    /// Loads the lanes from `values`: the first half beginning at `start`, and the second half
    /// beginning at `start + half`. `half` is at least half the number of lanes.
    fn load(values: &[Self::Scalar], start: usize, half: usize) -> Self;
    /// Writes all lanes to `values`, beginning at `start`.
    fn store(self, values: &mut [Self::Scalar], start: usize);
    /// Returns the square root.
    fn sqrt(self) -> Self;
    /// Returns the absolute value.
    fn abs(self) -> Self;
    /// Returns `self > other`, which is false if either is NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// Returns `a` in the lanes where the mask is set and `b` in the others.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Returns the number of lanes in which the mask is set.
    fn count(mask: Self::Mask) -> u32;
    /// Returns whether the mask is set in any lane.
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        Self::count(mask) > 0
    }
    /// Returns `self` where it exceeds `other`, and `other` elsewhere.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        Self::select(self.gt(other), self, other)
    }
    /// Returns `self` where `other` exceeds it, and `other` elsewhere.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        Self::select(other.gt(self), self, other)
    }
}

impl<R: Real> Lanes for R {
    type Scalar = R;
    type Mask = bool;
    const LANES: usize = 1;

    #[inline(always)]
    fn splat(x: R) -> R {
        x
    }
    #[inline(always)]
    fn load(values: &[R], start: usize, _half: usize) -> R {
        values[start]
    }
    #[inline(always)]
    fn store(self, values: &mut [R], start: usize) {
        values[start] = self;
    }
    #[inline(always)]
    fn sqrt(self) -> R {
        self.sqrt()
    }
    #[inline(always)]
    fn abs(self) -> R {
        self.abs()
    }
    #[inline(always)]
    fn gt(self, other: R) -> bool {
        self > other
    }
    #[inline(always)]
    fn select(mask: bool, a: R, b: R) -> R {
        if mask { a } else { b }
    }
    #[inline(always)]
    fn count(mask: bool) -> u32 {
        u32::from(mask)
    }
}

/// A scalar type that has a vector type.
pub trait Wide: Real {
    /// The vector type for CPUs with AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Lanes<Scalar = Self>;
}

/// Work that can run with any number of lanes.
pub(crate) trait Work<R> {
    /// Runs the work. Implementations and all functions that they call on lanes must be
    /// `#[inline(always)]`, because a separate function could not use the wide registers.
    fn run<V: Lanes<Scalar = R>>(self);
}

/// Runs the work with the widest registers of this CPU.
#[inline]
pub(crate) fn widest<R: Wide>(work: impl Work<R>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: this CPU has AVX2.
        return unsafe { avx2::run(work) };
    }
    work.run::<R>();
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! 256-bit vector types. All code here runs within [`run`], which requires AVX2.

    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Neg, Sub};

    use super::{Lanes, Wide, Work};

    #[target_feature(enable = "avx2")]
    pub(super) fn run<R: Wide>(work: impl Work<R>) {
        work.run::<R::Avx2>();
    }

    /// Eight single-precision numbers.
    #[derive(Clone, Copy)]
    pub struct F32x8(__m256);

    /// Four double-precision numbers.
    #[derive(Clone, Copy)]
    pub struct F64x4(__m256d);

    impl Wide for f32 {
        type Avx2 = F32x8;
    }

    impl Wide for f64 {
        type Avx2 = F64x4;
    }

    macro_rules! operator {
        ($lanes:ident: $($trait:ident $method:ident $instruction:ident),*) => {$(
            impl $trait for $lanes {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: this is called only within `run`, which requires AVX2.
                    $lanes(unsafe { $instruction(self.0, other.0) })
                }
            }
        )*};
    }

    operator!(F32x8: Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps, Div div _mm256_div_ps);
    operator!(F64x4: Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd, Div div _mm256_div_pd);

    macro_rules! lanes {
        ($lanes:ident, $mask:ident, $scalar:ident, $n:literal, $set1:ident, $loadu_half:ident, $set_halves:ident,
         $loadu:ident, $storeu:ident, $sqrt:ident, $xor:ident, $andnot:ident, $cmp:ident, $blend:ident,
         $movemask:ident, $max:ident, $min:ident) => {
            impl Neg for $lanes {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    // SAFETY: this is called only within `run`, which requires AVX2.
                    $lanes(unsafe { $xor($set1(-0.0), self.0) })
                }
            }

            /// The result of a comparison, with all bits of a lane equal.
            #[derive(Clone, Copy)]
            pub struct $mask($lanes);

            // SAFETY of all calls: they happen only within `run`, which requires AVX2. Loads and
            // stores stay within checked slices.
            impl Lanes for $lanes {
                type Scalar = $scalar;
                type Mask = $mask;
                const LANES: usize = $n;

                #[inline(always)]
                fn splat(x: $scalar) -> Self {
                    $lanes(unsafe { $set1(x) })
                }
                #[inline(always)]
                fn load(values: &[$scalar], start: usize, half: usize) -> Self {
                    if half == $n / 2 {
                        let all = &values[start..start + $n];
                        return $lanes(unsafe { $loadu(all.as_ptr()) });
                    }
                    let low = &values[start..start + $n / 2];
                    let high = &values[start + half..start + half + $n / 2];
                    let halves = unsafe { ($loadu_half(low.as_ptr()), $loadu_half(high.as_ptr())) };
                    $lanes(unsafe { $set_halves(halves.1, halves.0) })
                }
                #[inline(always)]
                fn store(self, values: &mut [$scalar], start: usize) {
                    let all = &mut values[start..start + $n];
                    unsafe { $storeu(all.as_mut_ptr(), self.0) };
                }
                #[inline(always)]
                fn sqrt(self) -> Self {
                    $lanes(unsafe { $sqrt(self.0) })
                }
                #[inline(always)]
                fn abs(self) -> Self {
                    $lanes(unsafe { $andnot($set1(-0.0), self.0) })
                }
                #[inline(always)]
                fn gt(self, other: Self) -> $mask {
                    $mask($lanes(unsafe { $cmp::<_CMP_GT_OQ>(self.0, other.0) }))
                }
                #[inline(always)]
                fn select(mask: $mask, a: Self, b: Self) -> Self {
                    $lanes(unsafe { $blend(b.0, a.0, mask.0.0) })
                }
                #[inline(always)]
                fn count(mask: $mask) -> u32 {
                    unsafe { $movemask(mask.0.0) }.count_ones()
                }
                #[inline(always)]
                fn any(mask: $mask) -> bool {
                    unsafe { $movemask(mask.0.0) != 0 }
                }
                // For equal operands, the instructions return the second one, like the default
                // methods.
                #[inline(always)]
                fn larger(self, other: Self) -> Self {
                    $lanes(unsafe { $max(self.0, other.0) })
                }
                #[inline(always)]
                fn smaller(self, other: Self) -> Self {
                    $lanes(unsafe { $min(self.0, other.0) })
                }
            }
        };
    }

    lanes!(
        F32x8,
        Mask32,
        f32,
        8,
        _mm256_set1_ps,
        _mm_loadu_ps,
        _mm256_set_m128,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_sqrt_ps,
        _mm256_xor_ps,
        _mm256_andnot_ps,
        _mm256_cmp_ps,
        _mm256_blendv_ps,
        _mm256_movemask_ps,
        _mm256_max_ps,
        _mm256_min_ps
    );
    lanes!(
        F64x4,
        Mask64,
        f64,
        4,
        _mm256_set1_pd,
        _mm_loadu_pd,
        _mm256_set_m128d,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_sqrt_pd,
        _mm256_xor_pd,
        _mm256_andnot_pd,
        _mm256_cmp_pd,
        _mm256_blendv_pd,
        _mm256_movemask_pd,
        _mm256_max_pd,
        _mm256_min_pd
    );
}

#[cfg(not(target_arch = "x86_64"))]
impl<R: Real> Wide for R {}

#[cfg(test)]
mod tests {
    use super::*;

    struct Compare<'a, R> {
        a: &'a [R],
        b: &'a [R],
        out: &'a mut Vec<R>,
    }

    impl<R: Real> Work<R> for Compare<'_, R> {
        #[inline(always)]
        fn run<V: Lanes<Scalar = R>>(self) {
            for start in (0..self.a.len()).step_by(V::LANES) {
                let half = V::LANES / 2;
                let (a, b) = (V::load(self.a, start, half), V::load(self.b, start, half));
                let mask = a.gt(b);
                let mut results = vec![a + b, a - b, a * b, a / b, -a, a.abs().sqrt()];
                results.extend([a.larger(b), a.smaller(b), V::select(mask, a, b)]);
                let share = f64::from(V::count(mask)) / V::LANES as f64;
                let any = V::constant(share + f64::from(u8::from(V::any(mask))));
                results.push(any);
                for result in results {
                    let mut lanes = vec![R::zero(); V::LANES];
                    result.store(&mut lanes, 0);
                    self.out.extend(lanes);
                }
            }
        }
    }

    fn lanes_are_scalars_side_by_side<R: Wide>() {
        // All lanes of a vector are equal, so that vectors of different sizes can be compared.
        let pairs = [(1.5, -0.3), (-2.0, 7.0), (0.0, -0.0), (-0.0, 0.0), (3.0, 3.0), (1e-30, 1e30)];
        let spread = |pick: fn((f64, f64)) -> f64| -> Vec<R> {
            pairs.iter().flat_map(|&pair| [R::of(pick(pair)); 8]).collect()
        };
        let (a, b) = (spread(|p| p.0), spread(|p| p.1));
        let (mut wide, mut narrow) = (Vec::new(), Vec::new());
        widest(Compare { a: &a, b: &b, out: &mut wide });
        Compare { a: &a, b: &b, out: &mut narrow }.run::<R>();
        let sorted = |values: Vec<R>| {
            let per_pair = values.len() / pairs.len();
            let bits = |x: &R| x.to_f64().to_bits();
            let groups = values.chunks(per_pair).map(move |group| {
                let mut bits: Vec<u64> = group.iter().map(bits).collect();
                bits.sort_unstable();
                bits
            });
            groups.collect::<Vec<_>>()
        };
        assert_eq!(sorted(wide), sorted(narrow));
    }

    #[test]
    fn registers_compute_as_scalars_do() {
        lanes_are_scalars_side_by_side::<f32>();
        lanes_are_scalars_side_by_side::<f64>();
    }
}
