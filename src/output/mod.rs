//! The output of a run: a folder with states, measures, checkpoints and a report.

pub(crate) mod checkpoint;
mod folder;
mod measures;
mod owned_files;
mod program;
mod report;
mod series;

pub use folder::RunFolder;
pub use measures::{Measures, MeasuresFile};
pub use program::{COMMIT, build, executable};
pub use report::{
    Check, Distances, Drift, MeshCounts, PathFound, Program, Report, SCHEMA_VERSION, Seconds,
    Status, SurfaceCounts, TileCounts, Verdict,
};
pub use series::Series;
pub(crate) use series::{numbered, remove};
