//! The names of all files that a run may write into its folder.

use std::path::Path;

use super::checkpoint::CHECKPOINT;
use crate::atomic::is_same_file;
use crate::config::{Config, Domain, Drawn, Output, SeriesFormat};

/// The names of all files that a run may write into its folder.
///
/// They follow from the case alone, before the kind of mesh and the number of steps are known.
#[derive(Clone, Debug, Default)]
pub struct RunNames {
    whole: Vec<String>,
    /// Names and endings of numbered files, such as "case" and "vtp" for `case_000050.vtp`.
    numbered: Vec<(String, &'static str)>,
}

/// Name of the report.
pub(super) const REPORT: &str = "report.json";
/// Name of the report as an HTML page.
pub(super) const REPORT_PAGE: &str = "report.html";
/// Name of the measures file.
pub(super) const MEASURES: &str = "measures.csv";
/// Name of the series of interfaces.
const INTERFACE: &str = "interface";

/// Returns the name of the report as an HTML page.
pub(crate) fn report_page_name() -> &'static str {
    REPORT_PAGE
}

/// Returns the name of the view of a case, `NAME_view.html`.
pub(crate) fn view_name(config: &Config) -> String {
    format!("{}_view.html", config.name())
}

impl RunNames {
    /// Returns the names of a case that is run in `folder`.
    pub fn of(config: &Config, folder: &Path) -> Self {
        let (name, output) = (config.name(), &config.output);
        let mut names = RunNames::default();
        names.whole.extend([REPORT, REPORT_PAGE, CHECKPOINT, MEASURES].map(String::from));
        match &config.domain {
            Domain::Cloud(_) => names.series(&name, &["vtp"]),
            Domain::Tiled(_) => {
                names.series(&name, &["vtp"]);
                if output.volume.is_some() {
                    names.series(&format!("{name}_volume"), &["vti"]);
                }
                names.interface_files(output);
            }
            Domain::Mesh(_) => names.on_a_mesh(config, &name),
        }
        names.whole.extend(output.html.then(|| view_name(config)));
        if let Some(picture) = &output.picture {
            match (&picture.file, picture.every) {
                (_, Drawn::State) => names.numbered.push((name.clone(), "png")),
                (None, Drawn::Last) => names.whole.push(format!("{name}.png")),
                (Some(_), Drawn::Last) => {}
            }
            let file = picture.file.as_ref().and_then(|file| {
                let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
                let inside = is_same_file(parent.unwrap_or(Path::new(".")), folder);
                file.file_name().filter(|_| inside)?.to_str()
            });
            names.whole.extend(file.map(String::from));
        }
        names
    }

    /// Adds the names of a case on a mesh, whose states are triangles or tetrahedra.
    fn on_a_mesh(&mut self, config: &Config, name: &str) {
        let output = &config.output;
        match output.format {
            SeriesFormat::Pvd => self.series(name, &["vtp", "vtu"]),
            SeriesFormat::Vtkhdf => self.whole.push(format!("{name}.vtkhdf")),
        }
        for (asked, ending) in [(output.gifti, "shape.gii"), (output.freesurfer, "morph")] {
            self.numbered.extend(asked.then(|| (name.to_string(), ending)));
        }
        match &config.distance {
            Some(distance) => {
                let lines = [
                    ("paths", !distance.paths_from.is_empty()),
                    ("isochrones", distance.isochrones.is_some()),
                ];
                let written = lines.into_iter().filter(|(_, is_written)| *is_written);
                self.whole.extend(written.map(|(kind, _)| format!("{name}_{kind}.vtp")));
            }
            None if output.interface => {
                self.series(INTERFACE, &["vtp"]);
                self.interface_files(output);
            }
            None => {}
        }
    }

    fn series(&mut self, name: &str, endings: &[&'static str]) {
        self.whole.push(format!("{name}.pvd"));
        self.numbered.extend(endings.iter().map(|ending| (name.to_string(), *ending)));
    }

    fn interface_files(&mut self, output: &Output) {
        let endings = output.interface_files.iter().map(|file| file.ending());
        self.numbered.extend(endings.map(|ending| (INTERFACE.to_string(), ending)));
    }

    /// Returns whether the run may write a file with this name.
    pub fn contains(&self, name: &str) -> bool {
        let is_step = |text: &str| text.len() >= 6 && text.bytes().all(|b| b.is_ascii_digit());
        self.whole.iter().any(|whole| whole == name)
            || self.numbered.iter().any(|(series, ending)| {
                let step = name.strip_prefix(series.as_str()).and_then(|rest| {
                    rest.strip_prefix('_')?.strip_suffix(ending)?.strip_suffix('.')
                });
                step.is_some_and(is_step)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESH: &str = "version = 1\ndomain.mesh.path = \"a.vtp\"\n";

    fn names(text: &str) -> RunNames {
        let config = Config::parse(text, Path::new("ev.toml"), &[]).unwrap();
        RunNames::of(&config, Path::new("out"))
    }

    fn check(names: &RunNames, own: &[&str], others: &[&str]) {
        for name in own.iter().chain(&["report.json", "report.html", "checkpoint.zeroset"]) {
            assert!(names.contains(name), "{name}");
        }
        for name in others.iter().chain(&["ev.toml", "ev_1.vtp", "ev_000100.csv", "a.vtp"]) {
            assert!(!names.contains(name), "{name}");
        }
    }

    #[test]
    fn a_case_claims_what_it_writes_and_nothing_else() {
        let ball = "initial.ball = { center = [0, 0, 0], radius = 1 }\n";
        let evolve = format!("{MESH}{ball}evolve = {{ normal_speed = 1, max_steps = 2 }}\n");
        check(
            &names(&evolve),
            &["ev_000100.vtp", "ev_1000000.vtu", "ev.pvd", "interface.pvd", "measures.csv"],
            &["ev.vtkhdf", "ev.png", "ev_000001.png", "interface_000001.stl", "ev_paths.vtp"],
        );
        let more = "output = { format = \"vtkhdf\", interface_files = [\"stl\"], gifti = true, \
                    picture = { every = \"state\" } }\n";
        check(
            &names(&format!("{evolve}{more}")),
            &["ev.vtkhdf", "ev_000001.png", "interface_000001.stl", "ev_000001.shape.gii"],
            &["ev.pvd", "ev_000100.vtp", "ev_000001.morph", "ev.png"],
        );
        let distance = "distance = { from = [\"vertex:0\"], paths_from = [\"vertex:1\"] }\n";
        check(
            &names(&format!("{MESH}{distance}output.picture = {{}}\n")),
            &["ev.pvd", "ev_000000.vtp", "ev_paths.vtp", "ev.png"],
            &["interface.pvd", "interface_000000.vtp"],
        );
    }
}
