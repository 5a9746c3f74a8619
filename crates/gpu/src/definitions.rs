//! Definitions that kernels share with the program: structs, enums and constants are written in
//! Rust, and headers of the kernels are printed from them.
//!
//! [`cuda_header!`](crate::cuda_header) wraps the definitions of one subject. It leaves them as they
//! stand, makes structs plain data laid out as in C, and adds a test that compares
//! `kernels/generated/<subject>.cuh` with what it prints. `ZEROSET_BLESS=1` lets that test write the
//! header. The header asserts sizes and offsets, so that kernels that see another layout do not
//! compile.

mod header;
mod layout;
mod macros;

use zeroset_core::Plain;

pub use self::header::Header;
pub use self::layout::{Field, Layout};

/// Data with a name in C: a number, a struct, or an array of these.
pub trait CType: Plain {
    /// Type of an element in C, and lengths of the arrays round it, the outermost first.
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

/// A struct of [`cuda_header!`](crate::cuda_header).
pub trait Described: CType {
    /// Its fields and where they lie.
    fn layout() -> Layout;
}

/// An enum of [`cuda_header!`](crate::cuda_header), which kernels know as a number.
pub trait Code: Copy + 'static {
    /// All values.
    const ALL: &[Self];

    /// The number.
    fn code(self) -> u32;

    /// The value with a number, if there is one.
    fn of_code(code: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.code() == code)
    }
}

/// An enum whose values are those of a define of the compiler.
pub trait Define: Code {
    /// The name of the define.
    const MACRO: &str;

    /// The define for this value.
    fn define(self) -> (&'static str, String) {
        (Self::MACRO, self.code().to_string())
    }
}

/// A constant of [`cuda_header!`](crate::cuda_header).
pub trait Constant {
    /// Its definition in C.
    fn definition(self, name: &str) -> String;
    /// The number in C.
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

// A length is an int in C, so that it changes the type of no sum.
constants!(u32 " : u32" "u", usize "" "", i32 "" "");

impl Constant for f64 {
    fn definition(self, name: &str) -> String {
        format!("#define {name} {}", self.literal())
    }
    fn literal(self) -> String {
        format!("{self:?}")
    }
}
