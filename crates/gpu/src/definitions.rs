//! Definitions shared by host code and kernels: structs, enums and constants are written in Rust,
//! and the headers of the kernels are generated from them.
//!
//! [`cuda_header!`](crate::cuda_header) wraps the definitions of one subject. It keeps the
//! definitions, gives the structs the layout of C, and adds a test that compares
//! `kernels/generated/<subject>.cuh` with the generated text. With `ZEROSET_BLESS=1`, this test
//! writes the header. The header asserts sizes and offsets, so that kernels do not compile if they
//! see a different layout.

mod header;
mod layout;
mod macros;

use zeroset_core::Plain;

pub use self::header::Header;
pub use self::layout::{Field, Layout};

/// A type with an equivalent in C: a number, a struct, or an array of these.
pub trait CType: Plain {
    /// Returns the element type in C, and the lengths of the enclosing arrays, outermost first.
    fn in_c() -> (String, Vec<usize>);
}

macro_rules! numbers {
    ($($number:ident $name:literal),*) => {
        $(impl CType for $number {
            fn in_c() -> (String, Vec<usize>) {
                ($name.into(), Vec::new())
            }
        })*
    };
}

numbers!(u8 "u8", u16 "u16", u32 "u32", u64 "u64", i8 "i8", i16 "i16", i32 "i32", i64 "i64");
numbers!(f32 "float", f64 "double");

impl<T: CType, const N: usize> CType for [T; N] {
    fn in_c() -> (String, Vec<usize>) {
        let (base, mut lengths) = T::in_c();
        lengths.insert(0, N);
        (base, lengths)
    }
}

/// A struct defined in [`cuda_header!`](crate::cuda_header).
pub trait Described: CType {
    /// Returns the name of the struct in C, its size, and its fields with their offsets.
    fn layout() -> Layout;
}

/// An enum defined in [`cuda_header!`](crate::cuda_header). Kernels see it as a number.
pub trait Code: Copy + 'static {
    /// All values.
    const ALL: &[Self];

    /// Returns the number by which kernels know the value.
    fn code(self) -> u32;

    /// Returns the value with the given number, if it exists.
    fn of_code(code: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.code() == code)
    }
}

/// An enum whose values are the possible values of a compiler define.
pub trait Define: Code {
    /// The name of the define.
    const MACRO: &str;

    /// Returns the name of the define and its value.
    fn define(self) -> (&'static str, String) {
        (Self::MACRO, self.code().to_string())
    }
}

/// A constant defined in [`cuda_header!`](crate::cuda_header).
pub trait Constant {
    /// Returns the definition in C of the constant called `name`.
    fn definition(self, name: &str) -> String;
    /// Returns the C literal of the number.
    fn literal(self) -> String;
}

macro_rules! constants {
    ($($number:ident $base:literal $suffix:literal),*) => {
        $(impl Constant for $number {
            fn definition(self, name: &str) -> String {
                format!("enum{} {{ {name} = {} }};", $base, self.literal())
            }
            fn literal(self) -> String {
                format!("{self}{}", $suffix)
            }
        })*
    };
}

// Lengths (`usize`) are of type int in C, so that they do not change the type of sums.
constants!(u32 " : u32" "u", usize "" "", i32 "" "");

impl Constant for f64 {
    fn definition(self, name: &str) -> String {
        format!("#define {name} {}", self.literal())
    }
    fn literal(self) -> String {
        format!("{self:?}")
    }
}
