//! What the kernels take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "raster";

    /// A mesh as it is drawn.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct DrawingArgument as Drawing {
        /// `[n_points][3]`
        pub points: u64 as "const double *",
        /// `[n_triangles][3]`
        pub triangles: u64 as "const u32 *",
        /// `[n_points]`
        pub values: u64 as "const double *",
        /// `[n_triangles][3][3]`; null for what needs no light.
        pub normals: u64 as "const float *",
        /// `[MAP_STEPS][3]` colors of values.
        pub map: u64 as "const float *",
        /// `[SCREEN_STEPS + 2]`
        pub screen: u64 as "const float *",
        /// Value at the lower end of the map.
        pub low: f64,
        /// Value at the upper end.
        pub high: f64,
        /// Color of triangles without values.
        pub solid: [f32; 3],
        /// Color of what has no value.
        pub no_value: [f32; 3],
        pub n_points: u32,
        pub n_triangles: u32,
        /// Triangles from this one on have one color.
        pub n_colored: u32,
        /// Colored triangles that face the viewer are left out.
        pub open: u32,
        pub transparent: u32,
        pub padding: u32,
    }
}
