//! Kernel arguments of the discriminators. They use no crate other than `zeroset_gpu`, so that the
//! kernel tests on the host can include this file.
//!
//! Each struct is the argument of one variant of `kernels/primitives/discriminator.cuh`, selected
//! by `DISCRIMINATOR`. A shape is the number of cells along each axis. Values are stored x fastest.

zeroset_gpu::cuda_header! {
    "discriminator", include "primitives/grid_axes.cuh";

    /// The kind of discriminator.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum Variant as DISCRIMINATOR {
        /// A threshold on bytes.
        Bytes = 0,
        /// A range of values.
        Within = 1,
        /// The magnitude of the gradient.
        Edge = 2,
        /// The difference from a template.
        Template = 3,
        /// An expression.
        Condition = 4,
        /// Bits computed before.
        Bits = 5,
    }

    /// Marks bytes of at least `low`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BytesArgument as Bytes {
        /// The values, aligned to 16 bytes.
        pub values: u64 as "const u8 *",
        pub shape: [u32; 3] = "Shape",
        /// The threshold, at most 255.
        pub low: u32,
    }

    /// Marks values between `low` and `high`, both included. NaN is not marked.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct WithinArgument as Within {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        pub low: f64,
        pub high: f64,
    }

    /// Marks cells where the magnitude of the gradient is at least `low`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EdgeArgument as Edge {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        pub low: f64,
        /// The distance between cells along each axis.
        pub spacing: [f64; 3],
    }

    /// Marks cells where the sum of absolute differences from a template is at most `most`. The
    /// middle of the template lies on the cell. Along an axis of even size, it is the upper of the
    /// two middle cells. Cells where the template reaches beyond the grid are not marked.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct TemplateArgument as Template {
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        /// The values of the template, a grid of `size`.
        pub wanted: u64 as "const double *",
        pub size: [u32; 3] = "Shape",
        pub most: f64,
    }

    /// Marks cells whose bits are set.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BitsArgument as Bits {
        /// One bit per cell.
        pub words: u64 as "const u32 *",
        pub shape: [u32; 3] = "Shape",
    }
}
