//! What the variants of the kernels' sources are compiled with: the defines to choose between.

/// A choice between sets of defines: `&[("REAL", "double")]` or `&[("REAL", "float")]`. A set may be
/// empty (a macro left undefined), or hold several defines that go together.
pub(super) type Choice = &'static [&'static [(&'static str, &'static str)]];

/// The scalar type.
pub(super) const REAL: Choice = &[&[("REAL", "double")], &[("REAL", "float")]];

/// What rays look for, voxels or a level, ...
pub(super) const SOLIDS: Choice = &[&[("LEVEL", "0")], &[("LEVEL", "1")]];
/// ... and how far they step.
pub(super) const RULES: Choice =
    &[&[("RULE", "0")], &[("RULE", "1")], &[("RULE", "2")], &[("RULE", "3")]];

/// Vertices of a cell.
pub(super) const CELL: Choice = &[&[("CELL_SIZE", "3")], &[("CELL_SIZE", "4")]];

/// Cells of second-order advection: in a plane it has less to compute.
pub(super) const FLOW_CELL: Choice =
    &[&[("CELL_SIZE", "3")], &[("CELL_SIZE", "3"), ("PLANAR", "1")], &[("CELL_SIZE", "4")]];
/// A step by the threads of a patch of the default size, and the lean one with the blocks that its
/// registers are for.
pub(super) const STEP: Choice = &[
    &[
        ("REAL", "double"),
        ("CELL_SIZE", "3"),
        ("PAIRED", "1"),
        ("BLOCK", "192"),
        ("MIN_BLOCKS", "1"),
    ],
    &[
        ("REAL", "float"),
        ("CELL_SIZE", "3"),
        ("PAIRED", "1"),
        ("BLOCK", "192"),
        ("MIN_BLOCKS", "1"),
    ],
    &[
        ("REAL", "double"),
        ("CELL_SIZE", "4"),
        ("LANES", "2"),
        ("BLOCK", "192"),
        ("MIN_BLOCKS", "1"),
    ],
    &[("REAL", "float"), ("CELL_SIZE", "4"), ("LANES", "2"), ("BLOCK", "192"), ("MIN_BLOCKS", "1")],
    &[
        ("REAL", "double"),
        ("CELL_SIZE", "3"),
        ("PLANAR", "1"),
        ("BLOCK", "64"),
        ("MIN_BLOCKS", "8"),
        ("LEAN", "1"),
    ],
    &[
        ("REAL", "float"),
        ("CELL_SIZE", "3"),
        ("PLANAR", "1"),
        ("BLOCK", "64"),
        ("MIN_BLOCKS", "16"),
        ("LEAN", "1"),
        ("PAIRED", "1"),
        ("WHOLE", "1"),
    ],
];

/// Threads of a block that works on a patch of the default size.
pub(super) const BLOCK: Choice = &[&[("BLOCK", "192"), ("MIN_BLOCKS", "1")]];

/// Organization of a solve, and shape of its fronts.
pub(super) const ORGANIZATION: Choice =
    &[&[("QUEUED_SOLVE", "0"), ("CIRCULAR", "0")], &[("QUEUED_SOLVE", "1"), ("CIRCULAR", "0")]];

/// Terms of an evolution: all of them, and the second-order forms.
pub(super) const TERMS: Choice = &[
    &[("ADVECTION", "1"), ("NORMAL", "1"), ("CURVATURE", "1")],
    &[("ADVECTION", "3"), ("NORMAL", "2"), ("CURVATURE", "2"), ("CLIP", "1")],
    &[("ADVECTION", "2"), ("NORMAL", "1"), ("ONE_PASS", "1"), ("CHUNKED", "1")],
];

/// What is sorted by.
pub(super) const KEY: Choice = &[&[("KEY", "u32")], &[("KEY", "u64")]];
/// What tiles tell each other in: for less than 2^30 keys, and for more.
pub(super) const TOLD: Choice = &[&[("TOLD", "u32")], &[("TOLD", "u64")]];
/// Children of a cell of a pyramid, in pictures and volumes.
pub(super) const FAN: Choice = &[&[("FAN", "4")], &[("FAN", "8")]];
/// How a pyramid joins cells: 2 x 2, 2 x 2 x 2, or four of a row, ...
pub(super) const SPLIT: Choice = &[
    &[("FAN", "4"), ("LINES", "0")],
    &[("FAN", "8"), ("LINES", "0")],
    &[("FAN", "4"), ("LINES", "1")],
];
/// ... and whether records hold sums or running sums.
pub(super) const RECORDS: Choice = &[&[("PARTIAL", "0")], &[("PARTIAL", "1")]];
/// Types of numbers that are summed up or told apart.
pub(super) const NUMBER: Choice =
    &[&[("VALUE", "u32")], &[("VALUE", "u64")], &[("VALUE", "float")], &[("VALUE", "double")]];
/// Types of the numbers of grids and matrices.
pub(super) const VALUE: Choice = &[&[("VALUE", "u8")], &[("VALUE", "double")]];
/// What tells active cells, and the type of the values: a threshold of bytes, a range, the gradient, a template, an expression,
/// and bits made before.
pub(super) const DISCRIMINATOR: Choice = &[
    &[("DISCRIMINATOR", "0")],
    &[("DISCRIMINATOR", "1"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "2"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "3"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "4"), ("VALUE", "u8")],
    &[("DISCRIMINATOR", "4"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "5")],
];
/// Whether bits are made, or kept of those there are.
pub(super) const KEEP: Choice = &[&[("KEEP", "0")], &[("KEEP", "1")]];
/// Single precision alone.
pub(super) const SINGLE: Choice = &[&[("REAL", "float")]];

/// Arithmetic and norm of distances to points, ...
pub(super) const COMPARED: Choice = &[
    &[("KEY", "0"), ("NORM", "1")],
    &[("KEY", "0"), ("NORM", "2")],
    &[("KEY", "0"), ("NORM", "3")],
    &[("KEY", "1"), ("NORM", "2")],
    &[("KEY", "2"), ("NORM", "1")],
    &[("KEY", "2"), ("NORM", "2")],
    &[("KEY", "2"), ("NORM", "3")],
];
/// ... the queries of a thread, ...
pub(super) const QUERIES: Choice = &[
    &[("QUERIES", "1"), ("NUMBERED", "0")],
    &[("QUERIES", "1"), ("NUMBERED", "1")],
    &[("QUERIES", "4"), ("NUMBERED", "0")],
    &[("QUERIES", "4"), ("NUMBERED", "1")],
];
/// ... and the same through an index.
pub(super) const INDEXED: Choice = &[
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "1")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "2")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "3")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "1")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "2")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "3")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "1")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "2")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "3")],
];
/// ... in cones, in norms of any order, and in double precision.
pub(super) const SELECTIVE: Choice = &[
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "1"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "2"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "3"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "4"), ("CONE", "0")],
    &[("REAL", "float"), ("KEY", "0"), ("NORM", "4"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "1"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "2"), ("CONE", "1")],
    &[("REAL", "float"), ("KEY", "2"), ("NORM", "3"), ("CONE", "1")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "1"), ("CONE", "0")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "1"), ("CONE", "1")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "2"), ("CONE", "0")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "2"), ("CONE", "1")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "3"), ("CONE", "0")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "3"), ("CONE", "1")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "4"), ("CONE", "0")],
    &[("REAL", "double"), ("KEY", "3"), ("NORM", "4"), ("CONE", "1")],
];
/// Threads that share a query there.
pub(super) const LANES: Choice = &[&[("LANES", "1")], &[("LANES", "8")], &[("LANES", "32")]];
/// Second-order advection by one velocity, and by one for every vertex in patches of many cells.
pub(super) const GALERKIN: Choice =
    &[&[("ADVECTION", "3")], &[("ADVECTION", "3"), ("VELOCITY_ROWS", "1"), ("CHUNKED", "1")]];

/// Semi-implicit curvature, uniform and weighted.
pub(super) const IMPLICIT: Choice = &[
    &[("IMPLICIT", "1"), ("CURVATURE", "1")],
    &[("IMPLICIT", "1"), ("CURVATURE", "2"), ("CURVATURE_ROWS", "1")],
];

/// Coefficients that change in time: all of them, and the velocity alone.
pub(super) const VARYING: Choice = &[
    &[
        ("VARIES", "1"),
        ("ADVECTION", "1"),
        ("NORMAL", "1"),
        ("CURVATURE", "1"),
        ("VELOCITY_ROWS", "1"),
        ("SPEED_ROWS", "1"),
        ("CURVATURE_ROWS", "1"),
    ],
    &[("VARIES", "1"), ("ADVECTION", "3"), ("VELOCITY_ROWS", "1")],
];

/// Inflow that is held, and inflow that is given.
pub(super) const INFLOW: Choice =
    &[&[("ADVECTION", "3"), ("VELOCITY_ROWS", "1")], &[("ADVECTION", "1"), ("INFLOW", "1")]];

/// What a volume holds, ...
pub(super) const STORED: Choice = &[
    &[("STORED", "float"), ("IS_WHOLE", "0")],
    &[("STORED", "double"), ("IS_WHOLE", "0")],
    &[("STORED", "unsigned char"), ("IS_WHOLE", "1")],
    &[("STORED", "short"), ("IS_WHOLE", "1")],
    &[("STORED", "long long"), ("IS_WHOLE", "1")],
];
/// ... and whether its surface has normals.
pub(super) const NORMALS: Choice = &[&[("NORMALS", "0")], &[("NORMALS", "1")]];

/// Places of vertices, ...
pub(super) const DOUBLE: Choice = &[&[("REAL", "double")]];
/// ... and triangles made ready for closest points.
pub(super) const FACETS: Choice = &[&[("REAL", "double"), ("CELL_SIZE", "3")]];

/// Edge of a tile.
pub(super) const TILE_EDGES: Choice = &[&[("TILE_EDGE", "4")], &[("TILE_EDGE", "8")]];
/// Edge of a tile, and how its values are kept.
pub(super) const TILES: Choice =
    &[&[("TILE_EDGE", "4")], &[("TILE_EDGE", "8")], &[("TILE_EDGE", "4"), ("STORAGE", "16")]];

/// Precision and tiles, with the threads of a block.
pub(super) const TILE_BLOCK: Choice = &[
    &[("REAL", "float"), ("TILE_EDGE", "4"), ("BLOCK", "128")],
    &[("REAL", "float"), ("TILE_EDGE", "8"), ("BLOCK", "128")],
    &[("REAL", "float"), ("TILE_EDGE", "4"), ("STORAGE", "16"), ("BLOCK", "128")],
    &[("REAL", "double"), ("TILE_EDGE", "4"), ("BLOCK", "64")],
    &[("REAL", "double"), ("TILE_EDGE", "8"), ("BLOCK", "128")],
];

/// Terms on tiles.
pub(super) const TILE_TERMS: Choice = &[
    &[("SCHEME", "1"), ("EULER", "1"), ("NORMAL", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("NORMAL", "1"), ("CURVATURE", "1")],
    &[("SCHEME", "1"), ("VELOCITY", "1"), ("NORMAL", "1"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "5"), ("VELOCITY", "1")],
    &[("SCHEME", "5"), ("VELOCITY", "1"), ("NORMAL", "1"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("VELOCITY", "3"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("VELOCITY", "3"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("NORMAL", "3")],
    &[("SCHEME", "1"), ("VELOCITY", "3"), ("NORMAL", "3"), ("CURVATURE", "3"), ("RESCALING", "1")],
    &[("SCHEME", "5"), ("VELOCITY", "3"), ("NORMAL", "3"), ("CURVATURE", "3"), ("RESCALING", "1")],
    &[("SCHEME", "5"), ("NORMAL", "2")],
    &[("SCHEME", "5"), ("VELOCITY", "3"), ("NORMAL", "2"), ("CURVATURE", "3"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("VELOCITY", "2"), ("SAMPLED", "3"), ("NORMAL", "3"), ("CURVATURE", "3")],
    &[("SCHEME", "5"), ("VELOCITY", "2"), ("SAMPLED", "3"), ("NORMAL", "3"), ("CURVATURE", "3")],
    &[("SCHEME", "1"), ("RELAX", "1")],
    &[("SCHEME", "5"), ("RELAX", "1")],
];

/// Exponents of a potential, and where the interface rests in it, ...
pub(super) const PULL: Choice = &[
    &[("EXPONENT", "5"), ("HULL", "0")],
    &[("EXPONENT", "5"), ("HULL", "1")],
    &[("EXPONENT", "4"), ("HULL", "1")],
    &[("EXPONENT", "3"), ("HULL", "0")],
    &[("EXPONENT", "2"), ("HULL", "1")],
];
/// ... and its tiles.
pub(super) const KEPT_TILES: Choice =
    &[&[("TILE_EDGE", "4")], &[("TILE_EDGE", "4"), ("STORAGE", "16")]];
