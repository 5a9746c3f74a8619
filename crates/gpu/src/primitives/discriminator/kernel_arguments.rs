//! What kernels are told of discriminators; the tests of kernels on the host take this file too.
//!
//! Each argument is the one of a variant of `kernels/primitives/discriminator.cuh`, which
//! `DISCRIMINATOR` chooses there. Shapes are cells along x, y and z; values stand x fastest.

zeroset_gpu::cuda_header! {
    "discriminator", include "primitives/shape.cuh";

    /// What tells active cells.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum Variant as DISCRIMINATOR {
        /// A threshold of bytes.
        Bytes = 0,
        /// A range.
        Within = 1,
        /// The gradient.
        Edge = 2,
        /// A template.
        Template = 3,
        /// An expression.
        Condition = 4,
        /// Bits that were made before.
        Bits = 5,
    }

    /// Bytes of `low` or more.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BytesArgument as Bytes {
        /// Aligned to 16 bytes.
        pub values: u64 as "const u8 *",
        pub shape: [u32; 3] = "Shape",
        /// At most 255.
        pub low: u32,
    }

    /// Values between `low` and `high`; what is no number is not.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct WithinArgument as Within {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        pub low: f64,
        pub high: f64,
    }

    /// A gradient of size `low` or more.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EdgeArgument as Edge {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        pub low: f64,
        /// Distance of cells along each axis.
        pub spacing: [f64; 3],
    }

    /// A sum of absolute differences from a template of `most` or less. The middle of the template, along an even axis the
    /// upper of the two, lies on the cell; where it reaches beyond the border it does not fit.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct TemplateArgument as Template {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        /// Of a grid of `size`.
        pub wanted: u64 as "const double *",
        pub size: [u32; 3] = "Shape",
        pub most: f64,
    }

    /// Bits that are set.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BitsArgument as Bits {
        /// A bit for each cell.
        pub words: u64 as "const u32 *",
        pub shape: [u32; 3] = "Shape",
    }
}
