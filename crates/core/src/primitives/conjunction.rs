//! The conjunction of several discriminators.

use super::Discriminator;
use crate::error::{Error, Result};

/// Marks the cells that all of several discriminators mark.
///
/// ```
/// use zeroset_core::primitives::{All, Bits, Edge, Grid, Threshold};
///
/// let picture = Grid::new([4, 1, 1], &[1u8, 1, 9, 9]);
/// let bright = Threshold { values: picture, low: 5.0 };
/// let edge = Edge { values: picture, low: 3.0, spacing: [1.0; 3] };
/// let both = All::new(vec![Box::new(bright), Box::new(edge)])?;
/// assert_eq!(Bits::new(&both)?.list()?, [[2, 0, 0]]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
pub struct All<'a> {
    shape: [usize; 3],
    of: Vec<Box<dyn Discriminator + 'a>>,
}

impl<'a> All<'a> {
    /// Creates a discriminator for which a cell is active if it is active for all discriminators in
    /// `of`.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if `of` is empty, or if the shapes of the grids differ.
    pub fn new(of: Vec<Box<dyn Discriminator + 'a>>) -> Result<Self> {
        let shapes: Vec<[usize; 3]> = of.iter().map(|one| one.shape()).collect();
        match shapes.first() {
            Some(&shape) if shapes.iter().all(|s| *s == shape) => Ok(All { shape, of }),
            _ => {
                let what = format!("discriminators over grids of {shapes:?} cells");
                Err(Error::usage(what, "use one or more discriminators over the same grid"))
            }
        }
    }
}

impl Discriminator for All<'_> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        let [one, others @ ..] = self.of.as_slice() else { return };
        one.mark(first, n, active);
        let mut also = vec![0; if others.is_empty() { 0 } else { active.len() }];
        for other in others {
            other.mark(first, n, &mut also);
            active.iter_mut().zip(&also).for_each(|(word, also)| *word &= also);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::{Bits, Chosen};

    #[test]
    fn cells_are_those_of_each() {
        let shape = [130, 3, 2];
        let every = |n: usize| {
            let choose = move |[x, y, z]: [usize; 3]| (x + 5 * y + 7 * z).is_multiple_of(n);
            Box::new(Chosen { shape, choose }) as Box<dyn Discriminator>
        };
        let all = All::new(vec![every(2), every(3), every(5)]).unwrap();
        let thirtieth = Chosen {
            shape,
            choose: |[x, y, z]: [usize; 3]| (x + 5 * y + 7 * z).is_multiple_of(30),
        };
        assert_eq!(Bits::new(&all).unwrap(), Bits::new(&thirtieth).unwrap());
        assert!(All::new(Vec::new()).is_err());
        let other = Chosen { shape: [1, 1, 1], choose: |_| true };
        assert!(All::new(vec![every(2), Box::new(other)]).is_err());
    }
}
