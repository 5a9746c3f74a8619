//! The macro `cuda_header!`, which defines types and constants for host code and kernels.

/// Defines structs, enums and constants once for host code and kernels.
///
/// The first line names the header below `kernels/generated/` and the headers that it includes.
/// Definitions follow in any order, each with its documentation:
///
/// - Structs of numbers, arrays and other such structs: plain data with the layout of C. A struct
///   may have one parameter, the floating-point type, which kernels call `real`. `as Name` after
///   the name of a struct is its name in C if that differs. `as "type"` after the type of a field
///   is the type of its elements in C, for fields that the host sees as addresses or bits.
///   `= "type"` is the type of each innermost array, which is a struct in C.
/// - Enums with a number for each value. In C, the names of the values are in upper snake case,
///   after the prefix given by `as PREFIX_`. `define enum Name as MACRO` turns them into
///   `#define MACRO_VALUE`, for the compiler define `MACRO`.
/// - Constants: `const` defines an enumerator in C, or a macro if the constant is a floating-point
///   number. `define` always defines a macro, which the preprocessor can test.
///
/// A module can use the macro only once.
///
/// ```
/// zeroset_gpu::cuda_header! {
///     "example", include "common/real.cuh";
///
///     /// The argument of an example.
///     #[derive(Clone, Copy, Debug, Default)]
///     pub struct ExampleArgument<R> as Example {
///         /// The values, `[n]`.
///         pub values: u64 as "const real *",
///         /// The largest value.
///         pub most: R,
///         /// The number of values.
///         pub n: u32,
///     }
///
///     /// The number of steps at a time.
///     pub const EACH: u32 = 4;
/// }
/// let argument = ExampleArgument { most: 1.0_f32, ..ExampleArgument::default() };
/// assert_eq!(size_of_val(&argument), 16);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! cuda_header {
    ($name:literal $(, include $include:literal)*; $($items:tt)*) => {
        $crate::cuda_items! { $($items)* }

        #[cfg(test)]
        mod cuda_header {
            use super::*;

            #[test]
            fn is_current() {
                let mut header =
                    $crate::definitions::Header::new($name, file!(), &[$($include),*]);
                $crate::cuda_printed! { header; $($items)* }
                header.check();
            }
        }
    };
}

/// Emits the definitions of [`cuda_header!`](crate::cuda_header) for host code.
#[doc(hidden)]
#[macro_export]
macro_rules! cuda_items {
    () => {};
    (
        $(#[$attribute:meta])*
        $vis:vis struct $Name:ident $(<$R:ident>)? $(as $c:ident)? {
            $(
                $(#[$of_field:meta])*
                $field_vis:vis $field:ident : $T:ty $(as $base:literal)? $(= $whole:literal)?
            ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$attribute])*
        #[repr(C)]
        $vis struct $Name $(<$R>)? {
            $( $(#[$of_field])* $field_vis $field: $T, )*
        }

        // SAFETY: the struct is `repr(C)`, and `layout` accepts only fields of plain data.
        unsafe impl $(<$R: $crate::Plain>)? $crate::Plain for $Name $(<$R>)? {}

        impl $(<$R: $crate::definitions::CType>)? $crate::definitions::CType for $Name $(<$R>)? {
            fn in_c() -> (String, Vec<usize>) {
                ($crate::cuda_name!($Name $(as $c)?).into(), Vec::new())
            }
        }

        impl $(<$R: $crate::definitions::CType>)? $crate::definitions::Described for $Name $(<$R>)? {
            fn layout() -> $crate::definitions::Layout {
                $crate::definitions::Layout {
                    name: $crate::cuda_name!($Name $(as $c)?),
                    attributes: &[$(stringify!($attribute)),*],
                    size: size_of::<Self>(),
                    fields: vec![$({
                        let field = $crate::definitions::Field::new::<$T>(
                            stringify!($field),
                            &[$(stringify!($of_field)),*],
                            std::mem::offset_of!(Self, $field),
                        );
                        $( let field = field.of($base); )?
                        $( let field = field.joined($whole); )?
                        field
                    }),*],
                }
            }
        }

        $crate::cuda_items! { $($rest)* }
    };
    (
        $(#[$attribute:meta])*
        $vis:vis enum $Name:ident $(as $prefix:ident)? {
            $( $(#[$of_value:meta])* $Value:ident = $code:literal ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $(#[$attribute])*
        #[repr(u32)]
        $vis enum $Name {
            $( $(#[$of_value])* $Value = $code, )*
        }

        impl $crate::definitions::Code for $Name {
            const ALL: &[Self] = &[$($Name::$Value),*];

            fn code(self) -> u32 {
                self as u32
            }
        }

        $crate::cuda_items! { $($rest)* }
    };
    (
        $(#[$attribute:meta])*
        $vis:vis define enum $Name:ident as $macro:ident { $($values:tt)* }
        $($rest:tt)*
    ) => {
        $crate::cuda_items! { $(#[$attribute])* $vis enum $Name { $($values)* } }

        impl $crate::definitions::Define for $Name {
            const MACRO: &str = stringify!($macro);
        }

        $crate::cuda_items! { $($rest)* }
    };
    (
        $(#[$attribute:meta])*
        $vis:vis const $NAME:ident : $T:ty = $value:expr;
        $($rest:tt)*
    ) => {
        $(#[$attribute])*
        // Some constants are used only by kernels.
        #[allow(dead_code)]
        $vis const $NAME: $T = $value;
        $crate::cuda_items! { $($rest)* }
    };
    (
        $(#[$attribute:meta])*
        $vis:vis define $NAME:ident : $T:ty = $value:expr;
        $($rest:tt)*
    ) => {
        $(#[$attribute])*
        // Some constants are used only by kernels.
        #[allow(dead_code)]
        $vis const $NAME: $T = $value;
        $crate::cuda_items! { $($rest)* }
    };
}

/// Adds the definitions of [`cuda_header!`](crate::cuda_header) to a header.
#[doc(hidden)]
#[macro_export]
macro_rules! cuda_printed {
    ($header:ident;) => {};
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis struct $Name:ident <$R:ident> $(as $c:ident)? { $($fields:tt)* }
        $($rest:tt)*
    ) => {
        $header.layout(
            &<$Name<f64> as $crate::definitions::Described>::layout(),
            &<$Name<f32> as $crate::definitions::Described>::layout(),
        );
        $crate::cuda_printed! { $header; $($rest)* }
    };
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis struct $Name:ident $(as $c:ident)? { $($fields:tt)* }
        $($rest:tt)*
    ) => {
        $header.plain::<$Name>();
        $crate::cuda_printed! { $header; $($rest)* }
    };
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis enum $Name:ident $(as $prefix:ident)? {
            $( $(#[$of_value:meta])* $Value:ident = $code:literal ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $header.codes::<$Name>(
            stringify!($Name),
            concat!($(stringify!($prefix))?),
            &[$(stringify!($attribute)),*],
            &[$((stringify!($Value), &[$(stringify!($of_value)),*])),*],
        );
        $crate::cuda_printed! { $header; $($rest)* }
    };
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis define enum $Name:ident as $macro:ident {
            $( $(#[$of_value:meta])* $Value:ident = $code:literal ),* $(,)?
        }
        $($rest:tt)*
    ) => {
        $header.defines::<$Name>(
            stringify!($macro),
            &[$(stringify!($attribute)),*],
            &[$((stringify!($Value), &[$(stringify!($of_value)),*])),*],
        );
        $crate::cuda_printed! { $header; $($rest)* }
    };
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis const $NAME:ident : $T:ty = $value:expr;
        $($rest:tt)*
    ) => {
        $header.constant(stringify!($NAME), &[$(stringify!($attribute)),*], $NAME);
        $crate::cuda_printed! { $header; $($rest)* }
    };
    (
        $header:ident;
        $(#[$attribute:meta])*
        $vis:vis define $NAME:ident : $T:ty = $value:expr;
        $($rest:tt)*
    ) => {
        $header.define(stringify!($NAME), &[$(stringify!($attribute)),*], $NAME);
        $crate::cuda_printed! { $header; $($rest)* }
    };
}

/// Returns the name of a struct in C.
#[doc(hidden)]
#[macro_export]
macro_rules! cuda_name {
    ($Name:ident) => {
        stringify!($Name)
    };
    ($Name:ident as $c:ident) => {
        stringify!($c)
    };
}
