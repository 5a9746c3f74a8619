//! The files of the measured part of a run, and the bytes of all files of the whole run.

use std::collections::BTreeMap;
use std::path::Path;

use super::figures::{FileEstimate, Span, trend};
use crate::error::{Error, Result};
use crate::output::checkpoint::CHECKPOINT;
use crate::run::task::Part;

/// Bytes that a file adds to the list of files in the report.
const LISTED: f64 = 150.0;
/// Bytes of a page with a view in addition to its data, mainly for the library that draws it.
const LIBRARY: f64 = 300e3;

/// The files in the folder of the measured part.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Steps and sizes of the files of each series, by names such as `circle_*.vtp`.
    series: BTreeMap<String, BTreeMap<u64, u64>>,
    /// Sizes of all other files by name.
    single: BTreeMap<String, u64>,
    pub checkpoint: Option<u64>,
    /// Number of lines of measures, without the header.
    pub rows: u64,
    /// Bytes of the file for all states, at the time when it held only the first one.
    first_size: Option<u64>,
}

impl Written {
    /// Reads the sizes of the files in a folder. `case` is the name of the case.
    ///
    /// # Errors
    /// Returns [`Error::Output`] if the folder cannot be listed.
    pub(super) fn read(folder: &Path, case: &str, first_size: Option<u64>) -> Result<Self> {
        let fail =
            |e: std::io::Error| Error::output(folder, format!("cannot list: {e}"), "").because(e);
        let mut found = Written { first_size, ..Written::default() };
        for entry in std::fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let size = entry.metadata().map_err(fail)?.len();
            let name = entry.file_name().to_string_lossy().into_owned();
            match series_of(&name, case) {
                _ if name == CHECKPOINT => found.checkpoint = Some(size),
                Some((series, step)) => {
                    found.series.entry(series).or_default().insert(step, size);
                }
                None => drop(found.single.insert(name, size)),
            }
        }
        let measures = std::fs::read(folder.join("measures.csv")).unwrap_or_default();
        found.rows =
            measures.iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1) as u64;
        Ok(found)
    }

    /// Returns the total size of all files in bytes, without the checkpoint.
    pub(super) fn total(&self) -> f64 {
        let series = self.series_total();
        (series + self.single.values().sum::<u64>()) as f64
    }

    fn series_total(&self) -> u64 {
        self.series.values().flat_map(BTreeMap::values).sum()
    }

    /// Returns the size in bytes of the files of a single computation, part of which was measured.
    pub(super) fn scaled(&self, part: &Part) -> Span {
        let (total, times) = (self.total(), part.whole as f64 / part.done.max(1) as f64);
        match part.is_output_whole {
            // The values of vertices that are not reached are equal, so they compress better than
            // others. Several files may hold them.
            true => Span::new(total, total + 16.0 * (part.whole - part.done) as f64),
            false => {
                let surface = part.spread(self.series_total() as f64 * times);
                let single =
                    self.single.iter().map(|(name, &size)| match name.ends_with(".html") {
                        true => page(size as f64, times),
                        false => Span::exact(size as f64),
                    });
                single.fold(surface, Span::and)
            }
        }
    }

    /// Returns the size in bytes of the files of the whole run, with `states` states and `rows`
    /// lines of measures. The measured part has written `written` states. The pages of the run show
    /// `growth` times as many states as those of the part.
    pub(super) fn extrapolated(
        &self,
        states: Span,
        rows: Span,
        written: usize,
        growth: f64,
        steps: Option<Span>,
    ) -> Span {
        let written = written.max(1) as f64;
        let mut all = Span::exact(0.0);
        for sizes in self.series.values() {
            let [low, high] = ends(sizes);
            let change = match (sizes.first_key_value(), sizes.last_key_value(), steps) {
                (Some((from, &first)), Some((to, &last)), Some(steps)) => {
                    let whole = 0.5 * (steps.low + steps.high);
                    trend([first as f64, last as f64], (to - from) as f64, whole)
                }
                _ => 1.0,
            };
            all = all.and(states.times(Span::new(low, high)).stretched(change));
        }
        let n_files = self.series.len() as f64;
        for (name, &size) in &self.single {
            let size = size as f64;
            all = all.and(match name.rsplit_once('.') {
                Some((_, "csv")) => rows.times(Span::exact(size / (self.rows.max(1)) as f64)),
                Some((_, "pvd")) => states.times(Span::exact(size / written)),
                Some((_, "json")) => states.times(Span::exact(n_files * LISTED)).plus(size),
                Some((_, "html")) => page(size, growth),
                Some((_, "vtkhdf")) => match self.first_size {
                    Some(first) if written > 1.0 => {
                        let first = first as f64;
                        let each = (size - first) / (written - 1.0);
                        states.plus(-1.0).times(Span::exact(each)).plus(first)
                    }
                    _ => states.times(Span::exact(size / written)),
                },
                _ => Span::exact(size),
            });
        }
        all
    }

    /// Lists the files for the user.
    pub(super) fn listed(&self) -> Vec<FileEstimate> {
        let mean =
            |sizes: &BTreeMap<u64, u64>| sizes.values().sum::<u64>() / sizes.len().max(1) as u64;
        let series = self.series.iter().map(|(name, sizes)| FileEstimate {
            name: name.clone(),
            bytes: mean(sizes),
            is_per_state: true,
        });
        let single = self.single.iter().map(|(name, &bytes)| FileEstimate {
            name: name.clone(),
            bytes,
            is_per_state: false,
        });
        series.chain(single).collect()
    }
}

/// Returns the size of a page of the run in bytes. `size` is the size of the page of the measured
/// part, whose view has 1 / `growth` of the data.
fn page(size: f64, growth: f64) -> Span {
    // The view of many or large states has only the last state, or is left out.
    let library = size.min(LIBRARY);
    Span::new(library, library + growth * (size - library))
}

/// Returns the smallest and the largest size.
fn ends(sizes: &BTreeMap<u64, u64>) -> [f64; 2] {
    let fold = |f: fn(u64, u64) -> u64| sizes.values().copied().reduce(f).unwrap_or(0) as f64;
    [fold(u64::min), fold(u64::max)]
}

/// Returns the name of the series to which a file belongs and its step, such as `circle_*.vtp` and
/// 50 for `circle_000050.vtp`, or `None` for other files.
fn series_of(name: &str, case: &str) -> Option<(String, u64)> {
    let volume = format!("{case}_volume");
    for series in [&volume, case, "interface"] {
        let Some(rest) = name.strip_prefix(series).and_then(|rest| rest.strip_prefix('_')) else {
            continue;
        };
        let (number, ending) = rest.split_once('.')?;
        let is_number = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            return Some((format!("{series}_*.{ending}"), number.parse().ok()?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_files_are_series() {
        for (name, series) in [
            ("a_000050.vtp", Some(("a_*.vtp", 50))),
            ("a_000050.shape.gii", Some(("a_*.shape.gii", 50))),
            ("a_volume_1000000.vti", Some(("a_volume_*.vti", 1_000_000))),
            ("interface_000000.stl", Some(("interface_*.stl", 0))),
            ("a_paths.vtp", None),
            ("a.pvd", None),
            ("a_50.vtp", None),
            ("b_000050.vtp", None),
        ] {
            let series = series.map(|(name, step)| (name.to_string(), step));
            assert_eq!(series_of(name, "a"), series, "{name}");
        }
    }

    #[test]
    fn sizes_grow_with_states_and_rows() {
        let mut written = Written { rows: 4, ..Written::default() };
        written.series.insert("a_*.vtp".into(), [(0, 100), (4, 120)].into());
        written.single.extend([("measures.csv".into(), 400), ("a.png".into(), 7)]);
        let found = written.extrapolated(Span::exact(10.0), Span::exact(40.0), 2, 1.0, None);
        assert_eq!(found, Span::new(1000.0 + 4000.0 + 7.0, 1200.0 + 4000.0 + 7.0));
        // After 22 of 44 steps, a state has 210 bytes, 210/110 times the mean of the part.
        let steps = Some(Span::exact(44.0));
        let found = written.extrapolated(Span::exact(11.0), Span::exact(0.0), 2, 1.0, steps);
        assert!((found.low - 1107.0).abs() < 1e-9, "{found:?}");
        assert!((found.high - (11.0 * 120.0 * 210.0 / 110.0 + 7.0)).abs() < 1e-9, "{found:?}");
        assert_eq!(written.total(), 627.0);
        let mut one = Written { first_size: Some(1000), ..Written::default() };
        one.single.insert("a.vtkhdf".into(), 1300);
        let found = one.extrapolated(Span::exact(11.0), Span::exact(0.0), 4, 1.0, None);
        assert_eq!(found, Span::exact(2000.0));
        let mut page = Written::default();
        page.single.insert("report.html".into(), 310_000);
        let found = page.extrapolated(Span::exact(8.0), Span::exact(0.0), 2, 4.0, None);
        assert_eq!(found, Span::new(300e3, 340e3));
    }
}
