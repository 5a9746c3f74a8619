//! Attributes of points: one number per point, such as a class or an intensity, in compact arrays.

/// The type in which an attribute stores its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
    /// Integers from 0 to 255.
    U8,
    /// Signed 16-bit integers.
    I16,
    /// Unsigned 16-bit integers.
    U16,
    /// Signed 32-bit integers.
    I32,
    /// Unsigned 32-bit integers.
    U32,
    /// 32-bit real numbers.
    F32,
    /// 64-bit real numbers.
    F64,
}

/// The numbers of an attribute, `[n_points]`.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// See [`NumberType::U8`].
    U8(Vec<u8>),
    /// See [`NumberType::I16`].
    I16(Vec<i16>),
    /// See [`NumberType::U16`].
    U16(Vec<u16>),
    /// See [`NumberType::I32`].
    I32(Vec<i32>),
    /// See [`NumberType::U32`].
    U32(Vec<u32>),
    /// See [`NumberType::F32`].
    F32(Vec<f32>),
    /// See [`NumberType::F64`].
    F64(Vec<f64>),
}

/// Evaluates an expression for the vector of any type.
macro_rules! each {
    ($numbers:expr, $v:ident => $result:expr) => {
        match $numbers {
            Numbers::U8($v) => $result,
            Numbers::I16($v) => $result,
            Numbers::U16($v) => $result,
            Numbers::I32($v) => $result,
            Numbers::U32($v) => $result,
            Numbers::F32($v) => $result,
            Numbers::F64($v) => $result,
        }
    };
}

impl Numbers {
    /// Creates an empty array with room for `n` numbers.
    pub fn with_capacity(kind: NumberType, n: usize) -> Self {
        match kind {
            NumberType::U8 => Numbers::U8(Vec::with_capacity(n)),
            NumberType::I16 => Numbers::I16(Vec::with_capacity(n)),
            NumberType::U16 => Numbers::U16(Vec::with_capacity(n)),
            NumberType::I32 => Numbers::I32(Vec::with_capacity(n)),
            NumberType::U32 => Numbers::U32(Vec::with_capacity(n)),
            NumberType::F32 => Numbers::F32(Vec::with_capacity(n)),
            NumberType::F64 => Numbers::F64(Vec::with_capacity(n)),
        }
    }

    /// Returns the type of the numbers.
    pub fn kind(&self) -> NumberType {
        match self {
            Numbers::U8(_) => NumberType::U8,
            Numbers::I16(_) => NumberType::I16,
            Numbers::U16(_) => NumberType::U16,
            Numbers::I32(_) => NumberType::I32,
            Numbers::U32(_) => NumberType::U32,
            Numbers::F32(_) => NumberType::F32,
            Numbers::F64(_) => NumberType::F64,
        }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        each!(self, v => v.len())
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a number, rounded to the type of the array. A number outside the range of the type
    /// becomes the nearest number in that range.
    #[inline]
    pub fn push(&mut self, x: f64) {
        match self {
            Numbers::U8(v) => v.push(x as u8),
            Numbers::I16(v) => v.push(x as i16),
            Numbers::U16(v) => v.push(x as u16),
            Numbers::I32(v) => v.push(x as i32),
            Numbers::U32(v) => v.push(x as u32),
            Numbers::F32(v) => v.push(x as f32),
            Numbers::F64(v) => v.push(x),
        }
    }

    /// Returns entry `i`.
    ///
    /// # Panics
    /// Panics if entry `i` does not exist.
    #[inline]
    pub fn get(&self, i: usize) -> f64 {
        match self {
            Numbers::U8(v) => f64::from(v[i]),
            Numbers::I16(v) => f64::from(v[i]),
            Numbers::U16(v) => f64::from(v[i]),
            Numbers::I32(v) => f64::from(v[i]),
            Numbers::U32(v) => f64::from(v[i]),
            Numbers::F32(v) => f64::from(v[i]),
            Numbers::F64(v) => v[i],
        }
    }

    /// Moves the entries of `other` to the end. If the types differ, the result has 64-bit real
    /// numbers.
    pub fn append(&mut self, other: Numbers) {
        match (&mut *self, other) {
            (Numbers::U8(a), Numbers::U8(b)) => a.extend(b),
            (Numbers::I16(a), Numbers::I16(b)) => a.extend(b),
            (Numbers::U16(a), Numbers::U16(b)) => a.extend(b),
            (Numbers::I32(a), Numbers::I32(b)) => a.extend(b),
            (Numbers::U32(a), Numbers::U32(b)) => a.extend(b),
            (Numbers::F32(a), Numbers::F32(b)) => a.extend(b),
            (Numbers::F64(a), Numbers::F64(b)) => a.extend(b),
            (_, other) => {
                let own = (0..self.len()).map(|i| self.get(i));
                let all = own.chain((0..other.len()).map(|i| other.get(i))).collect();
                *self = Numbers::F64(all);
            }
        }
    }

    /// Keeps the entries for which `kept`, `[n_points]`, is true.
    pub fn retain(&mut self, kept: &[bool]) {
        each!(self, v => super::retain(v, kept));
    }
}

/// A named number per point.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name, as in the file.
    pub name: String,
    /// The numbers, `[n_points]`.
    pub numbers: Numbers,
}

impl Attribute {
    /// Creates an attribute without numbers.
    pub fn new(name: impl Into<String>, kind: NumberType) -> Self {
        Attribute { name: name.into(), numbers: Numbers::with_capacity(kind, 0) }
    }

    /// Returns true if `name` denotes this attribute. See [`key`].
    pub fn is(&self, name: &str) -> bool {
        key(&self.name) == key(name)
    }
}

/// Returns the form in which names of attributes are compared: programs write the same attribute
/// as `scalar_Classification`, `Classification` or `classification`, and `ReturnNumber`,
/// `Return Number` or `return_number`.
pub fn key(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | ' ' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    let bare = name.strip_prefix("scalarfield").or_else(|| name.strip_prefix("scalar"));
    bare.filter(|rest| !rest.is_empty()).map_or(name.clone(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_types_are_joined_without_loss() {
        let mut small = Numbers::with_capacity(NumberType::U8, 2);
        [2.0, 300.0, -1.0].into_iter().for_each(|x| small.push(x));
        assert_eq!(small, Numbers::U8(vec![2, 255, 0]));
        small.retain(&[true, false, true]);
        small.append(Numbers::U8(vec![7]));
        assert_eq!(small, Numbers::U8(vec![2, 0, 7]));
        small.append(Numbers::F32(vec![0.5]));
        assert_eq!(small, Numbers::F64(vec![2.0, 0.0, 7.0, 0.5]));
        assert_eq!((small.len(), small.kind(), small.get(3)), (4, NumberType::F64, 0.5));
    }

    #[test]
    fn spellings_of_a_name_are_the_same_attribute() {
        for (name, other) in [
            ("scalar_Classification", "classification"),
            ("ReturnNumber", "return_number"),
            ("Number Of Returns", "number_of_returns"),
            ("scalar_Scalar_field", "scalarfield"),
            ("scalar", "Scalar"),
        ] {
            assert!(Attribute::new(name, NumberType::U8).is(other), "{name} {other}");
        }
        assert!(!Attribute::new("class", NumberType::U8).is("classification"));
    }
}
