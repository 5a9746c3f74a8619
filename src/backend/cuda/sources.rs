//! The kernels' sources, part of the program, and the variants of them that it uses.
//!
//! A new file of `kernels/` is one line here: in [`HEADERS`] or in `PROGRAMS`. Those of
//! `kernels/bench/` are part of the benches only.

use std::borrow::Cow;

use super::choices::*;
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
    kernel_file!("common/pin.cuh"),
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
    kernel_file!("eikonal/news.cuh"),
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
    kernel_file!("tiles/components.cuh"),
    kernel_file!("tiles/formulas/curvature.cuh"),
    kernel_file!("tiles/formulas/distance.cuh"),
    kernel_file!("tiles/formulas/motion.cuh"),
    kernel_file!("tiles/formulas/weno.cuh"),
    kernel_file!("tiles/grid.cuh"),
    kernel_file!("tiles/kept.cuh"),
    kernel_file!("tiles/keys.cuh"),
    kernel_file!("tiles/length.cuh"),
    kernel_file!("tiles/lookup.cuh"),
    kernel_file!("tiles/motion.cuh"),
    kernel_file!("tiles/near.cuh"),
    kernel_file!("tiles/outcome.cuh"),
    kernel_file!("tiles/padded.cuh"),
    kernel_file!("tiles/rate.cuh"),
    kernel_file!("tiles/storage.cuh"),
    kernel_file!("volume.cuh"),
];

/// Every `.cu` file with the choices of its defines; all combinations are compiled.
const PROGRAMS: &[(File, &[Choice])] = &[
    (kernel_file!("band.cu"), &[REAL, CELL, BLOCK, TERMS]),
    (kernel_file!("coefficients.cu"), &[REAL]),
    (kernel_file!("eikonal.cu"), &[REAL, CELL, BLOCK, ORGANIZATION]),
    (kernel_file!("evolution.cu"), &[STEP, TERMS]),
    (kernel_file!("point_distance/brute.cu"), &[SINGLE, COMPARED, QUERIES]),
    (kernel_file!("point_distance/edt.cu"), &[SINGLE]),
    (kernel_file!("point_distance/index.cu"), &[INDEXED, LANES]),
    (kernel_file!("point_distance/selective.cu"), &[SELECTIVE]),
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
    (kernel_file!("tiles/volumes.cu"), &[REAL, TILE_EDGES]),
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
        ["evolution", "galerkin", "bench/atomics", "reconstruct/potential"].contains(&self.name)
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
