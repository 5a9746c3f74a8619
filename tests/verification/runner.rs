//! Runs cases, prints what they give, fails where a gate is not met.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::backend::Backend;
use crate::case::{Case, Floor, Outcome, Scope, Series};
use crate::document;
use crate::domains::Setting;
use crate::runs::largest;

/// One series of a case to be run.
#[derive(Clone, Copy)]
pub struct Task {
    /// The case.
    pub case: &'static Case,
    /// One of its series.
    pub series: &'static Series,
    /// How.
    pub setting: Setting,
    /// Which sizes.
    pub scope: Scope,
}

/// Every series of a case that has sizes in the scope.
pub fn tasks(case: &'static Case, setting: Setting, scope: Scope) -> Vec<Task> {
    let series = case.series.iter().filter(|series| !series.sizes(scope).is_empty());
    series.map(|series| Task { case, series, setting, scope }).collect()
}

/// The same for the meshes named.
pub fn tasks_on(case: &'static Case, meshes: &[&str], setting: Setting, scope: Scope) -> Vec<Task> {
    let mut tasks = tasks(case, setting, scope);
    tasks.retain(|task| meshes.contains(&task.series.mesh));
    assert_eq!(tasks.len(), meshes.len(), "{}: not all of {meshes:?}", case.id);
    tasks
}

impl Task {
    /// Runs all sizes.
    pub fn run(&self) -> Outcome {
        let sizes = self.series.sizes(self.scope);
        let start = Instant::now();
        let outcome = Outcome {
            series: self.series,
            sizes,
            measured: sizes.iter().map(|&size| self.measure(size)).collect(),
        };
        // One print per series: lines of tests that run side by side do not mix.
        print!("{}", self.summary(&outcome, start.elapsed().as_secs_f64()));
        outcome
    }

    fn measure(&self, size: u32) -> Vec<f64> {
        let measure = || {
            let numbers = (self.case.measure)(&self.setting, self.series.mesh, size);
            assert_eq!(numbers.len(), self.series.rows.len(), "rows of {}", self.case.id);
            numbers
        };
        // A panic, whose words are on the screen, costs this case and not the page of all.
        std::panic::catch_unwind(measure).unwrap_or_else(|_| vec![f64::NAN; self.series.rows.len()])
    }

    /// How the case was run, for those who read of several ways.
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

    /// What is wrong with an outcome.
    pub fn failures(&self, outcome: &Outcome) -> Vec<String> {
        let name = format!("{} {}{}", self.case.id, self.series.mesh, self.how());
        let measured = outcome.sizes.iter().zip(&outcome.measured);
        let stopped = measured.filter(|(_, numbers)| numbers.iter().all(|x| x.is_nan()));
        let stopped = stopped.map(|(size, _)| format!("{name}: nothing measured at {size}"));
        let verdicts = outcome.verdicts(&self.setting);
        let failures = verdicts.iter().flat_map(|verdict| &verdict.failures);
        stopped.chain(failures.map(|failure| format!("{name}: {failure}"))).collect()
    }

    /// Largest difference between the numbers of a turned planar mesh and those of the plane;
    /// numbers of things are left out.
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

/// A default test.
pub fn check(tasks: &[Task]) {
    let failures: Vec<String> = tasks.iter().flat_map(|task| task.failures(&task.run())).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Applies `work` to all items, on all cores.
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
