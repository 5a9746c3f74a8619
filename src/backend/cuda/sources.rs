//! The kernels' sources, part of the program, and the variants of them that it uses.
//!
//! A new file of `kernels/` is one line here: in [`HEADERS`] or in `PROGRAMS`. Those of
//! `kernels/bench/` are part of the benches only.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::expression::{Generated, Predicate};

/// Name of a file below `kernels/` and its text.
type File = (&'static str, &'static str);

macro_rules! kernel_file {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../kernels/", $name)))
    };
}

/// Headers, by the name that `#include` gives them. Every compilation gets all of them.
pub const HEADERS: &[File] = &[
    kernel_file!("common/block.cuh"),
    kernel_file!("common/division.cuh"),
    kernel_file!("common/exact_sum.cuh"),
    kernel_file!("common/grid.cuh"),
    kernel_file!("common/patches.cuh"),
    kernel_file!("common/real.cuh"),
    kernel_file!("common/shared.cuh"),
    kernel_file!("common/simplex.cuh"),
    kernel_file!("common/time.cuh"),
    kernel_file!("common/types.cuh"),
    kernel_file!("common/vector.cuh"),
    kernel_file!("coefficients.cuh"),
    kernel_file!("control.cuh"),
    kernel_file!("eikonal.cuh"),
    kernel_file!("eikonal/local.cuh"),
    kernel_file!("eikonal/tetrahedra.cuh"),
    kernel_file!("eikonal/triangles.cuh"),
    kernel_file!("eikonal_state.cuh"),
    kernel_file!("evolution_state.cuh"),
    kernel_file!("evolution/curvature.cuh"),
    kernel_file!("evolution/galerkin.cuh"),
    kernel_file!("evolution/monotone.cuh"),
    kernel_file!("evolution/points.cuh"),
    kernel_file!("evolution/slots.cuh"),
    kernel_file!("evolution/step.cuh"),
    kernel_file!("evolution/trace.cuh"),
    kernel_file!("evolution/upwind.cuh"),
    kernel_file!("expression.cuh"),
    kernel_file!("limits.cuh"),
    kernel_file!("point_distance/keys.cuh"),
    kernel_file!("point_distance/sites.cuh"),
    kernel_file!("primitives/block.cuh"),
    kernel_file!("primitives/bytes.cuh"),
    kernel_file!("primitives/compact.cuh"),
    kernel_file!("primitives/discriminator.cuh"),
    kernel_file!("primitives/lookback.cuh"),
    kernel_file!("primitives/histopyramid/records.cuh"),
    kernel_file!("primitives/pyramid.cuh"),
    kernel_file!("primitives/shape.cuh"),
    kernel_file!("primitives/words.cuh"),
    kernel_file!("measures/cut.cuh"),
    kernel_file!("measures/sets.cuh"),
    kernel_file!("render/course.cuh"),
    kernel_file!("render/frame.cuh"),
    kernel_file!("render/guide.cuh"),
    kernel_file!("render/level.cuh"),
    kernel_file!("render/light.cuh"),
    kernel_file!("render/solid.cuh"),
    kernel_file!("render/vector.cuh"),
    kernel_file!("surface/cubes/crossings.cuh"),
    kernel_file!("surface/cubes/tile.cuh"),
    kernel_file!("surface/cubes/write.cuh"),
    kernel_file!("surface/rows.cuh"),
    kernel_file!("reconstruct/directed/lattice.cuh"),
    kernel_file!("reconstruct/tree.cuh"),
    kernel_file!("tiles/formulas/curvature.cuh"),
    kernel_file!("tiles/formulas/distance.cuh"),
    kernel_file!("tiles/formulas/motion.cuh"),
    kernel_file!("tiles/formulas/weno.cuh"),
    kernel_file!("tiles/grid.cuh"),
    kernel_file!("tiles/kept.cuh"),
    kernel_file!("tiles/keys.cuh"),
    kernel_file!("tiles/lookup.cuh"),
    kernel_file!("tiles/motion.cuh"),
    kernel_file!("tiles/outcome.cuh"),
    kernel_file!("tiles/padded.cuh"),
    kernel_file!("tiles/storage.cuh"),
];

/// A choice between sets of defines: `&[("REAL", "double")]` or `&[("REAL", "float")]`. A set may be
/// empty (a macro left undefined), or hold several defines that go together.
type Choice = &'static [&'static [(&'static str, &'static str)]];

/// The scalar type.
const REAL: Choice = &[&[("REAL", "double")], &[("REAL", "float")]];

/// What rays look for, voxels or a level, ...
const SOLIDS: Choice = &[&[("LEVEL", "0")], &[("LEVEL", "1")]];
/// ... and how far they step.
const RULES: Choice = &[&[("RULE", "0")], &[("RULE", "1")], &[("RULE", "2")], &[("RULE", "3")]];

/// Vertices of a cell.
const CELL: Choice = &[&[("CELL_SIZE", "3")], &[("CELL_SIZE", "4")]];

/// Cells of second-order advection: in a plane it has less to compute.
const FLOW_CELL: Choice =
    &[&[("CELL_SIZE", "3")], &[("CELL_SIZE", "3"), ("PLANAR", "1")], &[("CELL_SIZE", "4")]];
/// A step by the threads of a patch of the default size, and the lean one with the blocks that its
/// registers are for.
const STEP: Choice = &[
    &[("REAL", "double"), ("CELL_SIZE", "3"), ("BLOCK", "192"), ("MIN_BLOCKS", "1")],
    &[("REAL", "float"), ("CELL_SIZE", "3"), ("BLOCK", "192"), ("MIN_BLOCKS", "1")],
    &[("REAL", "double"), ("CELL_SIZE", "4"), ("BLOCK", "192"), ("MIN_BLOCKS", "1")],
    &[("REAL", "float"), ("CELL_SIZE", "4"), ("BLOCK", "192"), ("MIN_BLOCKS", "1")],
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
        ("WHOLE", "1"),
    ],
];

/// Threads of a block that works on a patch of the default size.
const BLOCK: Choice = &[&[("BLOCK", "192"), ("MIN_BLOCKS", "1")]];

/// Organization of a solve, and shape of its fronts.
const ORGANIZATION: Choice =
    &[&[("QUEUED_SOLVE", "0"), ("CIRCULAR", "0")], &[("QUEUED_SOLVE", "1"), ("CIRCULAR", "0")]];

/// Terms of an evolution: all of them, and the second-order forms.
const TERMS: Choice = &[
    &[("ADVECTION", "1"), ("NORMAL", "1"), ("CURVATURE", "1")],
    &[("ADVECTION", "3"), ("NORMAL", "2"), ("CURVATURE", "2"), ("CLIP", "1")],
    &[("ADVECTION", "2"), ("NORMAL", "1"), ("ONE_PASS", "1"), ("CHUNKED", "1")],
];

/// What is sorted by.
const KEY: Choice = &[&[("KEY", "u32")], &[("KEY", "u64")]];
/// What tiles tell each other in: for less than 2^30 keys, and for more.
const TOLD: Choice = &[&[("TOLD", "u32")], &[("TOLD", "u64")]];
/// Children of a cell of a pyramid, in pictures and volumes.
const FAN: Choice = &[&[("FAN", "4")], &[("FAN", "8")]];
/// How a pyramid joins cells: 2 x 2, 2 x 2 x 2, or four of a row, ...
const SPLIT: Choice = &[
    &[("FAN", "4"), ("LINES", "0")],
    &[("FAN", "8"), ("LINES", "0")],
    &[("FAN", "4"), ("LINES", "1")],
];
/// ... and whether records hold sums or running sums.
const RECORDS: Choice = &[&[("PARTIAL", "0")], &[("PARTIAL", "1")]];
/// Types of numbers that are summed up or told apart.
const NUMBER: Choice =
    &[&[("VALUE", "u32")], &[("VALUE", "u64")], &[("VALUE", "float")], &[("VALUE", "double")]];
/// Types of the numbers of grids and matrices.
const VALUE: Choice = &[&[("VALUE", "u8")], &[("VALUE", "double")]];
/// What tells active cells, and the type of the values: a threshold of bytes, a range, the gradient, a template, an expression,
/// and bits made before.
const DISCRIMINATOR: Choice = &[
    &[("DISCRIMINATOR", "0")],
    &[("DISCRIMINATOR", "1"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "2"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "3"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "4"), ("VALUE", "u8")],
    &[("DISCRIMINATOR", "4"), ("VALUE", "double")],
    &[("DISCRIMINATOR", "5")],
];
/// Whether bits are made, or kept of those there are.
const KEEP: Choice = &[&[("KEEP", "0")], &[("KEEP", "1")]];
/// Single precision alone.
const SINGLE: Choice = &[&[("REAL", "float")]];

/// Arithmetic and norm of distances to points, ...
const COMPARED: Choice = &[
    &[("KEY", "0"), ("NORM", "1")],
    &[("KEY", "0"), ("NORM", "2")],
    &[("KEY", "0"), ("NORM", "3")],
    &[("KEY", "1"), ("NORM", "2")],
    &[("KEY", "2"), ("NORM", "1")],
    &[("KEY", "2"), ("NORM", "2")],
    &[("KEY", "2"), ("NORM", "3")],
];
/// ... the queries of a thread, ...
const QUERIES: Choice = &[
    &[("QUERIES", "1"), ("NUMBERED", "0")],
    &[("QUERIES", "1"), ("NUMBERED", "1")],
    &[("QUERIES", "4"), ("NUMBERED", "0")],
    &[("QUERIES", "4"), ("NUMBERED", "1")],
];
/// ... and the same through an index.
const INDEXED: Choice = &[
    &[("KEY", "0"), ("NORM", "1")],
    &[("KEY", "0"), ("NORM", "2")],
    &[("KEY", "0"), ("NORM", "3")],
    &[("KEY", "2"), ("NORM", "1")],
    &[("KEY", "2"), ("NORM", "2")],
    &[("KEY", "2"), ("NORM", "3")],
];
/// ... in cones, and in norms of any order.
const SELECTIVE: Choice = &[
    &[("KEY", "0"), ("NORM", "1"), ("CONE", "1")],
    &[("KEY", "0"), ("NORM", "2"), ("CONE", "1")],
    &[("KEY", "0"), ("NORM", "3"), ("CONE", "1")],
    &[("KEY", "0"), ("NORM", "4"), ("CONE", "0")],
    &[("KEY", "0"), ("NORM", "4"), ("CONE", "1")],
    &[("KEY", "2"), ("NORM", "1"), ("CONE", "1")],
    &[("KEY", "2"), ("NORM", "2"), ("CONE", "1")],
    &[("KEY", "2"), ("NORM", "3"), ("CONE", "1")],
];
/// Threads that share a query there.
const LANES: Choice = &[&[("LANES", "1")], &[("LANES", "8")], &[("LANES", "32")]];
/// Second-order advection by one velocity, and by one for every vertex in patches of many cells.
const GALERKIN: Choice =
    &[&[("ADVECTION", "3")], &[("ADVECTION", "3"), ("VELOCITY_ROWS", "1"), ("CHUNKED", "1")]];

/// Semi-implicit curvature, uniform and weighted.
const IMPLICIT: Choice = &[
    &[("IMPLICIT", "1"), ("CURVATURE", "1")],
    &[("IMPLICIT", "1"), ("CURVATURE", "2"), ("CURVATURE_ROWS", "1")],
];

/// Coefficients that change in time: all of them, and the velocity alone.
const VARYING: Choice = &[
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
const INFLOW: Choice =
    &[&[("ADVECTION", "3"), ("VELOCITY_ROWS", "1")], &[("ADVECTION", "1"), ("INFLOW", "1")]];

/// What a volume holds, ...
const STORED: Choice = &[
    &[("STORED", "float"), ("IS_WHOLE", "0")],
    &[("STORED", "double"), ("IS_WHOLE", "0")],
    &[("STORED", "unsigned char"), ("IS_WHOLE", "1")],
    &[("STORED", "short"), ("IS_WHOLE", "1")],
    &[("STORED", "long long"), ("IS_WHOLE", "1")],
];
/// ... and whether its surface has normals.
const NORMALS: Choice = &[&[("NORMALS", "0")], &[("NORMALS", "1")]];

/// Places of vertices, ...
const DOUBLE: Choice = &[&[("REAL", "double")]];
/// ... and triangles made ready for closest points.
const FACETS: Choice = &[&[("REAL", "double"), ("CELL_SIZE", "3")]];

/// Edge of a tile, and how its values are kept.
const TILES: Choice =
    &[&[("TILE_EDGE", "4")], &[("TILE_EDGE", "8")], &[("TILE_EDGE", "4"), ("STORAGE", "16")]];

/// Precision and tiles, with the threads of a block.
const TILE_BLOCK: Choice = &[
    &[("REAL", "float"), ("TILE_EDGE", "4"), ("BLOCK", "128")],
    &[("REAL", "float"), ("TILE_EDGE", "8"), ("BLOCK", "128")],
    &[("REAL", "float"), ("TILE_EDGE", "4"), ("STORAGE", "16"), ("BLOCK", "128")],
    &[("REAL", "double"), ("TILE_EDGE", "4"), ("BLOCK", "64")],
    &[("REAL", "double"), ("TILE_EDGE", "8"), ("BLOCK", "128")],
];

/// Terms on tiles.
const TILE_TERMS: Choice = &[
    &[("SCHEME", "1"), ("EULER", "1"), ("NORMAL", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("NORMAL", "1"), ("CURVATURE", "1")],
    &[("SCHEME", "1"), ("VELOCITY", "1"), ("NORMAL", "1"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "5"), ("VELOCITY", "1")],
    &[("SCHEME", "5"), ("VELOCITY", "1"), ("NORMAL", "1"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("VELOCITY", "3"), ("RESCALING", "1")],
    &[("SCHEME", "1"), ("EULER", "1"), ("VELOCITY", "3"), ("CURVATURE", "1"), ("RESCALING", "1")],
    &[("SCHEME", "5"), ("NORMAL", "2")],
    &[("SCHEME", "1"), ("RELAX", "1")],
    &[("SCHEME", "5"), ("RELAX", "1")],
];

/// Exponents of a potential, and where the interface rests in it, ...
const PULL: Choice = &[
    &[("EXPONENT", "5"), ("HULL", "0")],
    &[("EXPONENT", "5"), ("HULL", "1")],
    &[("EXPONENT", "4"), ("HULL", "1")],
    &[("EXPONENT", "3"), ("HULL", "0")],
    &[("EXPONENT", "2"), ("HULL", "1")],
];
/// ... and its tiles.
const KEPT_TILES: Choice = &[&[("TILE_EDGE", "4")], &[("TILE_EDGE", "4"), ("STORAGE", "16")]];

/// Every `.cu` file with the choices of its defines; all combinations are compiled.
const PROGRAMS: &[(File, &[Choice])] = &[
    (kernel_file!("band.cu"), &[REAL, CELL, BLOCK, TERMS]),
    (kernel_file!("coefficients.cu"), &[REAL]),
    (kernel_file!("eikonal.cu"), &[REAL, CELL, BLOCK, ORGANIZATION]),
    (kernel_file!("evolution.cu"), &[STEP, TERMS]),
    (kernel_file!("point_distance/brute.cu"), &[SINGLE, COMPARED, QUERIES]),
    (kernel_file!("point_distance/edt.cu"), &[SINGLE]),
    (kernel_file!("point_distance/index.cu"), &[SINGLE, INDEXED, LANES]),
    (kernel_file!("point_distance/selective.cu"), &[SINGLE, SELECTIVE]),
    (kernel_file!("primitives/bits.cu"), &[DISCRIMINATOR, KEEP]),
    (kernel_file!("primitives/compact.cu"), &[]),
    (kernel_file!("primitives/compact_bits.cu"), &[]),
    (kernel_file!("primitives/flags.cu"), &[]),
    (kernel_file!("primitives/gather.cu"), &[]),
    (kernel_file!("primitives/hilbert.cu"), &[]),
    (kernel_file!("primitives/histopyramid/base.cu"), &[SPLIT, RECORDS, DISCRIMINATOR]),
    (kernel_file!("primitives/histopyramid/find.cu"), &[SPLIT, RECORDS]),
    (kernel_file!("primitives/histopyramid/level.cu"), &[SPLIT, RECORDS]),
    (kernel_file!("primitives/permute.cu"), &[]),
    (kernel_file!("primitives/reduce.cu"), &[NUMBER]),
    (kernel_file!("primitives/scan.cu"), &[]),
    (kernel_file!("primitives/sort.cu"), &[KEY, TOLD]),
    (kernel_file!("galerkin.cu"), &[REAL, FLOW_CELL, BLOCK, GALERKIN]),
    (kernel_file!("primitives/sparse.cu"), &[VALUE]),
    (kernel_file!("primitives/tree.cu"), &[FAN, VALUE]),
    (kernel_file!("primitives/unique.cu"), &[NUMBER]),
    (kernel_file!("implicit.cu"), &[REAL, CELL, BLOCK, IMPLICIT]),
    (kernel_file!("inflow.cu"), &[REAL, CELL, BLOCK, INFLOW]),
    (kernel_file!("measures.cu"), &[REAL, CELL, BLOCK]),
    (kernel_file!("render/march.cu"), &[SOLIDS, RULES]),
    (kernel_file!("render/pyramid.cu"), &[]),
    (kernel_file!("render/raster.cu"), &[]),
    (kernel_file!("render/shade.cu"), &[SOLIDS]),
    (kernel_file!("reconstruct/directed/density.cu"), &[]),
    (kernel_file!("reconstruct/directed/field.cu"), &[]),
    (kernel_file!("reconstruct/directed/rim.cu"), &[]),
    (kernel_file!("reconstruct/directed/seeds.cu"), &[]),
    (kernel_file!("reconstruct/directed/spacing.cu"), &[]),
    (kernel_file!("reconstruct/directed/surface.cu"), &[]),
    (kernel_file!("reconstruct/octree.cu"), &[]),
    (kernel_file!("reconstruct/potential.cu"), &[SINGLE, PULL, KEPT_TILES]),
    (kernel_file!("self_test.cu"), &[REAL]),
    (kernel_file!("surface/count.cu"), &[]),
    (kernel_file!("surface/cubes.cu"), &[REAL, TILES]),
    (kernel_file!("surface/gaps.cu"), &[FACETS]),
    (kernel_file!("surface/isosurface.cu"), &[STORED, NORMALS]),
    (kernel_file!("surface/parts.cu"), &[DOUBLE]),
    (kernel_file!("surface/triangles.cu"), &[]),
    (kernel_file!("tiles/manage.cu"), &[REAL, TILES]),
    (kernel_file!("tiles/range.cu"), &[REAL, TILES]),
    (kernel_file!("tiles/redistance.cu"), &[TILE_BLOCK]),
    (kernel_file!("tiles/rest.cu"), &[REAL, TILES]),
    (kernel_file!("tiles/step.cu"), &[TILE_BLOCK, TILE_TERMS]),
    (kernel_file!("tiles/upsample.cu"), &[REAL, TILES]),
    (kernel_file!("varying.cu"), &[REAL, CELL, BLOCK, VARYING]),
];

/// What is compiled at once: a source with its defines.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Stem of the file: "eikonal".
    pub name: &'static str,
    /// CUDA C++.
    pub source: Cow<'static, str>,
    /// Macros and their values.
    pub defines: Vec<(&'static str, String)>,
    /// Headers beside [`HEADERS`], name and text: those made from expressions of a case.
    pub extra: Vec<(String, String)>,
}

impl Unit {
    /// A file of `kernels/`, by its stem, with these defines.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no such file.
    pub fn new(name: &str, defines: &[(&'static str, &str)]) -> Result<Self> {
        let defines = defines.iter().map(|&(name, value)| (name, value.to_string())).collect();
        Self::with(name, defines)
    }

    /// The same with values made at run time.
    ///
    /// # Errors
    /// [`Error::Device`] if there is no such file.
    pub fn with(name: &str, defines: Vec<(&'static str, String)>) -> Result<Self> {
        let found = PROGRAMS.iter().find(|((file, _), _)| stem(file) == name);
        let Some(((file, source), _)) = found else {
            return Err(Error::device(format!("there is no kernel file \"{name}.cu\""), ""));
        };
        let source = Cow::Borrowed(*source);
        Ok(Unit { name: stem(file), source, defines, extra: Vec::new() })
    }

    /// Whether products and sums are fused, and divisions quick: steps on meshes, and on tiles in f32, and
    /// potentials, which are bound by the number of operations. All else has the bits of the CPU.
    pub fn is_fused(&self) -> bool {
        let is_single = |(name, value): &(&str, String)| *name == "REAL" && value == "float";
        ["evolution", "bench/atomics", "reconstruct/potential"].contains(&self.name)
            || self.name == "tiles/step" && self.defines.iter().any(is_single)
    }

    /// The defines: "REAL=double CELL_SIZE=3".
    pub fn variant(&self) -> String {
        let define = |(name, value): &(&str, String)| format!("{name}={value}");
        self.defines.iter().map(define).collect::<Vec<_>>().join(" ")
    }

    /// File and variant, for messages.
    pub fn title(&self) -> String {
        format!("{}.cu ({})", self.name, self.variant())
    }
}

/// Every file in every variant.
pub fn all_units() -> Vec<Unit> {
    PROGRAMS.iter().flat_map(|(file, choices)| variants(*file, choices)).collect()
}

fn variants((file, source): File, choices: &[Choice]) -> Vec<Unit> {
    let name = stem(file);
    // What a run prints from the expressions of its case.
    let printed = match name {
        "coefficients" | "inflow" | "tiles/step" | "varying" => {
            Some((Generated::NAME.to_string(), Generated::example().text().to_string()))
        }
        "primitives/bits" | "primitives/histopyramid/base" => {
            Some((Predicate::NAME.to_string(), Predicate::example().text().to_string()))
        }
        _ => None,
    };
    let mut units = vec![Unit {
        name,
        source: Cow::Borrowed(source),
        defines: Vec::new(),
        extra: printed.into_iter().collect(),
    }];
    for choice in choices {
        let with = |unit: &Unit, set: &[(&'static str, &str)]| {
            let mut unit = unit.clone();
            unit.defines.extend(set.iter().map(|&(name, value)| (name, value.to_string())));
            unit
        };
        units = units.iter().flat_map(|u| choice.iter().map(move |set| with(u, set))).collect();
    }
    units
}

fn stem(file: &'static str) -> &'static str {
    file.strip_suffix(".cu").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => files_below(&path, found),
                false => found.push(path),
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_listed_with_its_text() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let mut files = Vec::new();
        files_below(&folder, &mut files);
        let listed: Vec<File> =
            HEADERS.iter().copied().chain(PROGRAMS.iter().map(|(file, _)| *file)).collect();
        let mut n = 0;
        for path in files {
            let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
            if name.starts_with("bench/") {
                continue;
            }
            if name.ends_with(".cu") || name.ends_with(".cuh") {
                let text = listed.iter().find(|(file, _)| *file == name);
                let text = text.unwrap_or_else(|| panic!("sources.rs does not list {name}")).1;
                assert_eq!(text, std::fs::read_to_string(&path).unwrap());
                n += 1;
            }
        }
        assert_eq!(n, listed.len(), "a file is listed twice");
    }

    #[test]
    fn variants_are_all_combinations() {
        let queue: Choice = &[&[], &[("QUEUE", "1"), ("CELL_SIZE", "3")]];
        let units = variants(("a.cu", ""), &[REAL, queue]);
        let titles: Vec<_> = units.iter().map(|unit| unit.title()).collect();
        let expected = [
            "a.cu (REAL=double)",
            "a.cu (REAL=double QUEUE=1 CELL_SIZE=3)",
            "a.cu (REAL=float)",
            "a.cu (REAL=float QUEUE=1 CELL_SIZE=3)",
        ];
        assert_eq!(titles, expected);
        let unit = Unit::new("self_test", &[("REAL", "double")]).unwrap();
        assert!(all_units().contains(&unit));
        assert!(Unit::new("no_such", &[]).is_err());
    }
}
