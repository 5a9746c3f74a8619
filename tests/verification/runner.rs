//! Runs cases, prints their results, and fails if a gate is not met.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::backend::Backend;
use crate::case::{Case, Floor, Outcome, Scope, Series};
use crate::document;
use crate::domains::Setting;
use crate::runs::largest;

/// One series of a case to run.
#[derive(Clone, Copy)]
pub struct Task {
    /// The case.
    pub case: &'static Case,
    /// A series of the case.
    pub series: &'static Series,
    /// The setting in which it runs.
    pub setting: Setting,
    /// The sizes to run.
    pub scope: Scope,
}

/// Returns a task for each series of a case that has sizes in the scope.
pub fn tasks(case: &'static Case, setting: Setting, scope: Scope) -> Vec<Task> {
    let series = case.series.iter().filter(|series| !series.sizes(scope).is_empty());
    series.map(|series| Task { case, series, setting, scope }).collect()
}

/// Returns the tasks of a case on the named meshes.
pub fn tasks_on(case: &'static Case, meshes: &[&str], setting: Setting, scope: Scope) -> Vec<Task> {
    let mut tasks = tasks(case, setting, scope);
    tasks.retain(|task| meshes.contains(&task.series.mesh));
    assert_eq!(tasks.len(), meshes.len(), "{}: not all of {meshes:?} are its meshes", case.id);
    tasks
}

impl Task {
    /// Runs all sizes and prints a summary.
    pub fn run(&self) -> Outcome {
        let sizes = self.series.sizes(self.scope);
        let start = Instant::now();
        let outcome = Outcome {
            series: self.series,
            sizes,
            measured: sizes.iter().map(|&size| self.measure(size)).collect(),
        };
        // One print per series keeps the lines of parallel tests together.
        print!("{}", self.summary(&outcome, start.elapsed().as_secs_f64()));
        outcome
    }

    fn measure(&self, size: u32) -> Vec<f64> {
        let measure = || {
            let numbers = (self.case.measure)(&self.setting, self.series.mesh, size);
            assert_eq!(numbers.len(), self.series.rows.len(), "rows of {}", self.case.id);
            numbers
        };
        // A panic prints its message and fails only this case, so the page is still written.
        std::panic::catch_unwind(measure).unwrap_or_else(|_| vec![f64::NAN; self.series.rows.len()])
    }

    /// Returns a description of the backend and the precision. Defaults are omitted.
    fn how(&self) -> String {
        let on = if self.setting.backend == Backend::Cpu { "" } else { " on the GPU" };
        format!("{on}{}", if self.setting.single { " in f32" } else { "" })
    }

    fn summary(&self, outcome: &Outcome, seconds: f64) -> String {
        let mut text = format!(
            "{} {}{}, sizes {:?}, {seconds:.1} s: quantity | expected | measured | gate | order\n",
            self.case.id,
            self.series.mesh,
            self.how(),
            outcome.sizes
        );
        for verdict in outcome.verdicts(&self.setting) {
            text += &format!("    {}\n", document::cells(&verdict).join(" | "));
        }
        text
    }

    /// Returns a description of each failure of an outcome.
    pub fn failures(&self, outcome: &Outcome) -> Vec<String> {
        let name = format!("{} {}{}", self.case.id, self.series.mesh, self.how());
        let measured = outcome.sizes.iter().zip(&outcome.measured);
        let stopped = measured.filter(|(_, numbers)| numbers.iter().all(|x| x.is_nan()));
        let stopped = stopped.map(|(size, _)| format!("{name}: nothing measured at {size}"));
        let verdicts = outcome.verdicts(&self.setting);
        let failures = verdicts.iter().flat_map(|verdict| &verdict.failures);
        stopped.chain(failures.map(|failure| format!("{name}: {failure}"))).collect()
    }

    /// Returns the largest difference between the numbers of a rotated planar mesh and those of the
    /// original mesh. Counts are left out.
    pub fn turned_difference(&self) -> f64 {
        let turned = Task { setting: Setting { turned: true, ..self.setting }, ..*self };
        let differences = self.series.sizes(self.scope).iter().flat_map(|&size| {
            let numbers = self.measure(size).into_iter().zip(turned.measure(size));
            let rows = self.series.rows.iter().zip(numbers);
            rows.filter(|(row, _)| row.floor != Floor::Count).map(|(_, (a, b))| (a - b).abs())
        });
        largest(differences)
    }
}

/// Runs tasks as a default test, and panics if one of them fails.
pub fn check(tasks: &[Task]) {
    let failures: Vec<String> = tasks.iter().flat_map(|task| task.failures(&task.run())).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Applies `work` to all items in parallel on all cores and returns the results in the order of the
/// items.
pub fn on_all_cores<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let take_turns = || {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(k) else { return };
            let result = work(item);
            results.lock().unwrap().push((k, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(take_turns);
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(k, _)| *k);
    results.into_iter().map(|(_, result)| result).collect()
}
