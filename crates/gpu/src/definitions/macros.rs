//! The macro that wraps definitions.

/// Definitions that kernels share, each of them written here only.
///
/// The first line names the header below `kernels/generated/`, and the headers that it includes.
/// Then follow, in any order and each with its documentation:
///
/// - structs of numbers, arrays and other such structs, plain data laid out as in C. A struct may
///   have one parameter, the type of the precision, which kernels call `real`. `as Name` after the
///   name of a struct is its name in C where that differs; `as "type"` after the type of a field is
///   the type of its elements in C, where the program has an address or bits, and `= "type"` that of
///   each innermost array, which is a struct in C;
/// - enums with a number for each value. In C their names are in capitals, after the prefix of
///   `as PREFIX_`. `define enum Name as MACRO` makes `#define MACRO_VALUE` of them, for the define
///   `MACRO` of the compiler;
/// - constants: `const` for an enumerator or a number in C, `define` for what the preprocessor reads.
///
/// A module can have one such macro.
///
/// ```
/// zeroset_gpu::cuda_header! {
///     "example", include "common/real.cuh";
///
///     /// What an example takes.
///     #[derive(Clone, Copy, Debug, Default)]
///     pub struct ExampleArgument<R> as Example {
///         /// `[n]` values.
///         pub values: u64 as "const real *",
///         /// Largest value.
///         pub most: R,
///         /// How many there are.
///         pub n: u32,
///     }
///
///     /// Steps at a time.
///     pub const EACH: u32 = 4;
/// }
/// let argument = ExampleArgument { most: 1.0_f32, ..ExampleArgument::default() };
/// assert_eq!(size_of_val(&argument), 16);
/// ```
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

/// The definitions of [`cuda_header!`](crate::cuda_header) for the program.
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

        // SAFETY: laid out as in C; `layout` takes only fields that are plain data.
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
        // Some are only for kernels.
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
        // Some are only for kernels.
        #[allow(dead_code)]
        $vis const $NAME: $T = $value;
        $crate::cuda_items! { $($rest)* }
    };
}

/// The definitions of [`cuda_header!`](crate::cuda_header), added to a header.
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

/// The name of a struct in C.
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
