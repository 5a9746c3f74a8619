//! Arguments of the kernels that draw meshes. They use no crate other than `zeroset_gpu`, so that
//! the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "raster";

    /// A mesh to draw.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct DrawingArgument as Drawing {
        /// The points, `[n_points][3]`.
        pub points: u64 as "const double *",
        /// The vertices of the triangles, `[n_triangles][3]`.
        pub triangles: u64 as "const u32 *",
        /// The value of each point, `[n_points]`.
        pub values: u64 as "const double *",
        /// The normals, `[n_triangles][3][3]`, or null if no lighting is needed.
        pub normals: u64 as "const float *",
        /// The colors of the map, `[MAP_STEPS][3]`.
        pub map: u64 as "const float *",
        /// The sRGB curve, `[SCREEN_STEPS + 2]`.
        pub screen: u64 as "const float *",
        /// The value at the lower end of the map.
        pub low: f64,
        /// The value at the upper end of the map.
        pub high: f64,
        /// The color of triangles without values.
        pub solid: [f32; 3],
        /// The color of values that are not finite.
        pub no_value: [f32; 3],
        pub n_points: u32,
        pub n_triangles: u32,
        /// The number of colored triangles. All later triangles have a single color.
        pub n_colored: u32,
        /// Whether colored triangles that face the viewer are omitted.
        pub open: u32,
        pub transparent: u32,
        pub padding: u32,
    }
}
