//! The output of a run: a folder with states, measures, checkpoints and a report.

pub(crate) mod checkpoint;
mod claims;
mod folder;
mod lock;
mod manifest;
mod measures;
mod measures_plot;
mod occupied;
mod program;
mod report;
mod run_names;
mod series;
mod view;

pub use claims::Claims;
pub use folder::RunFolder;
pub use manifest::FileRecord;
pub use measures::{Measures, MeasuresFile};
pub use measures_plot::{plot_measures, units_of_run};
pub use program::{COMMIT, build, executable};
pub use report::{
    Check, Distances, Drift, MeshCounts, MisfitFound, PathFound, Program, RegionFound, Report,
    SCHEMA_VERSION, Seconds, Status, StimulusFound, SurfaceCounts, TileCounts, Verdict,
};
pub use run_names::RunNames;
pub(crate) use run_names::{report_page_name, view_name};
pub use series::Series;
pub(crate) use series::{numbered, remove};
pub use view::{VIEW_TRIANGLES, ViewOptions, view_of_mesh, view_of_series};
