//! The data of a verification case (meshes, expected numbers, gates) and the verdict on its
//! results.

use crate::domains::Setting;

/// One case of the verification table.
pub struct Case {
    /// The identifier in the table of the numerics companion, such as `V3`.
    pub id: &'static str,
    /// The title: a few words.
    pub title: &'static str,
    /// The problem and its exact solution, in full sentences.
    pub exact: &'static str,
    /// Remarks on how to read the numbers. May be empty.
    pub note: &'static str,
    /// A note on how and why data, numbers or gates differ from those of the companion. Empty if
    /// they do not.
    pub deviation: &'static str,
    /// The function that runs the case on one mesh of a given size and returns one number per row
    /// of the series.
    pub measure: fn(&Setting, &'static str, u32) -> Vec<f64>,
    /// The meshes with their sizes and gates.
    pub series: &'static [Series],
}

/// One mesh at several sizes.
pub struct Series {
    /// The name of a mesh in [`crate::domains::mesh`]. A variant of the case may follow after a
    /// colon.
    pub mesh: &'static str,
    /// The sizes, from coarse to fine.
    pub sizes: &'static [u32],
    /// The number of sizes that the default tests run, starting with the first.
    pub quick: usize,
    /// The quantities, in the order in which `measure` returns them.
    pub rows: &'static [Row],
}

/// One quantity of a series.
#[derive(Clone, Copy)]
pub struct Row {
    /// The name of the quantity.
    pub quantity: &'static str,
    /// The numbers of the companion, or NaN where it states none. If there are fewer numbers than
    /// sizes, they belong to the last sizes.
    pub expected: &'static [f64],
    /// The condition that the quantity must meet at each size.
    pub gate: Gate,
    /// The bounds on the order of convergence, if it is checked.
    pub order: Option<Order>,
    /// The kind of the quantity, which sets its smallest gate in single precision.
    pub floor: Floor,
}

/// The condition that a number must meet at one size.
#[derive(Clone, Copy)]
pub enum Gate {
    /// The magnitude is at most this many times the expected magnitude. Where no number is
    /// expected, there is no gate.
    Times(f64),
    /// The magnitude is at most this value.
    AtMost(f64),
    /// The number differs from the first value by at most the second value. Sizes below the third
    /// value have no gate.
    Near(f64, f64, u32),
    /// The number differs from the expected number by at most this value.
    Within(f64),
    /// The number is only reported.
    None,
}

/// The bounds on an order of convergence.
#[derive(Clone, Copy)]
pub struct Order {
    /// The smallest order that passes.
    pub least: f64,
    /// The largest order that passes.
    pub most: f64,
    /// Whether the order is computed between the first and the last size instead of between the
    /// last two.
    pub overall: bool,
}

/// The kind of a quantity, with its smallest gate in single precision.
#[derive(Clone, Copy, PartialEq)]
pub enum Floor {
    /// Lengths and values: 2e-6 of the diagonal of the box.
    Length,
    /// Rates and relative areas: 1e-4.
    Rate,
    /// Lengths in curvature flows: 1e-3 of a cell, but at least the gate for lengths.
    Curvature,
    /// Agreement with the fixed point: 4e-7 of the diagonal of the box.
    FixedPoint,
    /// Agreement of the CPU and the GPU: 2e-6.
    Agreement,
    /// Counts: no smallest gate. They may depend on the partition.
    Count,
}

impl Row {
    /// Returns a row for a length. Its gate is 1.5 times the expected number.
    pub const fn new(quantity: &'static str, expected: &'static [f64]) -> Self {
        Row { quantity, expected, gate: Gate::Times(1.5), order: None, floor: Floor::Length }
    }

    /// Returns a row for the relative error of an area or volume. Its gate is 1.5 times the
    /// expected number.
    pub const fn area(expected: &'static [f64]) -> Self {
        Row::new("area", expected).floor(Floor::Rate)
    }

    /// Returns a row for a count that must not exceed `most`.
    pub const fn count(quantity: &'static str, most: f64) -> Self {
        Row::new(quantity, &[]).gate(Gate::AtMost(most)).floor(Floor::Count)
    }

    /// Replaces the gate.
    pub const fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// Requires an order of convergence of at least `least` between the last two sizes.
    pub const fn order(self, least: f64) -> Self {
        self.order_within(least, f64::INFINITY)
    }

    /// Requires an order of convergence from `least` to `most` between the last two sizes.
    pub const fn order_within(mut self, least: f64, most: f64) -> Self {
        self.order = Some(Order { least, most, overall: false });
        self
    }

    /// Requires an order of convergence of at least `least` between the first and the last size.
    pub const fn overall_order(mut self, least: f64) -> Self {
        self.order = Some(Order { least, most: f64::INFINITY, overall: true });
        self
    }

    /// Replaces the kind of the quantity, and with it the smallest gate in single precision.
    pub const fn floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// Returns the expected number, if there is one, at the size with index `size` of `n` sizes.
    pub fn expected_at(&self, size: usize, n: usize) -> Option<f64> {
        let k = (size + self.expected.len()).checked_sub(n)?;
        Some(self.expected[k]).filter(|expected| !expected.is_nan())
    }
}

/// The sizes that are run.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    /// Like `Quick`, but with at most this many sizes.
    First(usize),
    /// The first sizes of each series: the default tests.
    Quick,
    /// All sizes.
    Full,
}

impl Series {
    /// Returns the sizes of a scope.
    pub fn sizes(&self, scope: Scope) -> &'static [u32] {
        match scope {
            Scope::First(n) => &self.sizes[..self.quick.min(n)],
            Scope::Quick => &self.sizes[..self.quick],
            Scope::Full => self.sizes,
        }
    }

    /// Returns the number of cells per unit length, up to a constant factor. The size of a sphere
    /// is its number of subdivisions.
    fn fineness(&self, size: u32) -> f64 {
        if self.mesh.starts_with("ico") { f64::from(size).exp2() } else { f64::from(size) }
    }
}

/// The results of one series.
pub struct Outcome {
    /// The series.
    pub series: &'static Series,
    /// The sizes that were run.
    pub sizes: &'static [u32],
    /// The measured numbers, `[size][row]`.
    pub measured: Vec<Vec<f64>>,
}

/// The verdict on one row.
pub struct Verdict {
    /// The row.
    pub row: &'static Row,
    /// The measured number at each size.
    pub measured: Vec<f64>,
    /// The number that the companion lists for each size, if it has one.
    pub expected: Vec<Option<f64>>,
    /// The gate at each size as text, if there is one.
    pub gates: Vec<Option<String>>,
    /// The measured order, if the row requires one.
    pub order: Option<f64>,
    /// Descriptions of the failures. Empty if the row passes.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Returns the verdict on each row.
    pub fn verdicts(&self, setting: &Setting) -> Vec<Verdict> {
        (0..self.series.rows.len()).map(|k| self.verdict(k, setting)).collect()
    }

    fn verdict(&self, k: usize, setting: &Setting) -> Verdict {
        let row = &self.series.rows[k];
        let n = self.series.sizes.len();
        let mut verdict = Verdict {
            row,
            measured: self.measured.iter().map(|numbers| numbers[k]).collect(),
            expected: (0..self.sizes.len()).map(|i| row.expected_at(i, n)).collect(),
            gates: Vec::new(),
            order: None,
            failures: Vec::new(),
        };
        for (i, &size) in self.sizes.iter().enumerate() {
            let floor = setting.floor(row.floor, self.series.fineness(size));
            let value = verdict.measured[i];
            let gate = judge(value, row.gate, verdict.expected[i], floor, size);
            // NaN fails every comparison, so it fails wherever there is a gate.
            if let Some((false, gate)) = &gate {
                let what = row.quantity;
                verdict.failures.push(format!("{what} at {size} is {value:.3e}, gate {gate}"));
            }
            verdict.gates.push(gate.map(|(_, gate)| gate));
        }
        if let Some(order) = row.order {
            self.judge_order(order, setting, &mut verdict);
        }
        verdict
    }

    fn judge_order(&self, order: Order, setting: &Setting, verdict: &mut Verdict) {
        let last = self.sizes.len().saturating_sub(1);
        let first = if order.overall { 0 } else { last.saturating_sub(1) };
        // An order over all sizes has no meaning before all of them have been run.
        if last == first || order.overall && self.sizes.len() < self.series.sizes.len() {
            return;
        }
        let [n, m] = [first, last].map(|i| self.series.fineness(self.sizes[i]));
        let [coarse, fine] = [first, last].map(|i| verdict.measured[i]);
        let measured = (coarse / fine).ln() / (m / n).ln();
        verdict.order = Some(measured);
        // Rounding errors hide the order if the error is below ten times the smallest gate.
        let is_resolved = fine > 10.0 * setting.floor(verdict.row.floor, m);
        if is_resolved && !(measured >= order.least && measured <= order.most) {
            verdict.failures.push(format!("order of {} is {measured:.2}", verdict.row.quantity));
        }
    }
}

/// Returns whether a number passes, and the gate as text. Returns `None` if there is no gate.
fn judge(
    value: f64,
    gate: Gate,
    expected: Option<f64>,
    floor: f64,
    size: u32,
) -> Option<(bool, String)> {
    let at_most = |limit: f64| (value.abs() <= limit, crate::document::number(limit));
    let near = |target: f64, within: f64| {
        ((value - target).abs() <= within, format!("{target} ± {within}"))
    };
    match (gate, expected) {
        (Gate::Times(factor), Some(expected)) => {
            Some(at_most((factor * expected.abs()).max(floor)))
        }
        (Gate::AtMost(limit), _) => Some(at_most(limit.max(floor))),
        (Gate::Near(target, within, from), _) if size >= from => {
            Some(near(target, within.max(floor)))
        }
        (Gate::Within(within), Some(expected)) => Some(near(expected, within.max(floor))),
        _ => None,
    }
}
