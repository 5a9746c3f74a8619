//! A verification case as data: what is measured, what is expected, what passes.

use crate::domains::Setting;

/// One case of the verification table.
pub struct Case {
    /// Number in the table of the numerics companion.
    pub id: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Data and exact solution.
    pub exact: &'static str,
    /// What a reader of the numbers should know; may be empty.
    pub note: &'static str,
    /// Where data, numbers or gates are not those of the companion, and why; empty if they are.
    pub deviation: &'static str,
    /// Runs the case on one mesh; gives one number per row of the series.
    pub measure: fn(&Setting, &'static str, u32) -> Vec<f64>,
    /// Meshes, sizes and gates.
    pub series: &'static [Series],
}

/// One mesh at several sizes.
pub struct Series {
    /// Name of a mesh in [`crate::domains::mesh`], perhaps with a variant of the case behind a
    /// colon.
    pub mesh: &'static str,
    /// From coarse to fine.
    pub sizes: &'static [u32],
    /// How many of the sizes the default tests take, from the first.
    pub quick: usize,
    /// What `measure` returns, in its order.
    pub rows: &'static [Row],
}

/// One quantity of a series.
#[derive(Clone, Copy)]
pub struct Row {
    /// What is measured.
    pub quantity: &'static str,
    /// Numbers of the companion, NaN where it has none; a list shorter than the sizes belongs to
    /// the last of them.
    pub expected: &'static [f64],
    /// What passes at each size.
    pub gate: Gate,
    /// Bounds of the order of convergence.
    pub order: Option<Order>,
    /// What single precision is allowed at least.
    pub floor: Floor,
}

/// What passes at one size.
#[derive(Clone, Copy)]
pub enum Gate {
    /// At most this many times the expected size, whatever the sign; nothing where no number is
    /// expected.
    Times(f64),
    /// At most this size, whatever the sign.
    AtMost(f64),
    /// Within the second number of the first, from a size on.
    Near(f64, f64, u32),
    /// Within this of the expected number.
    Within(f64),
    /// Only reported.
    None,
}

/// Bounds of an order of convergence.
#[derive(Clone, Copy)]
pub struct Order {
    /// Smallest order that passes.
    pub least: f64,
    /// Largest order that passes.
    pub most: f64,
    /// Between the first and the last size instead of the last two.
    pub overall: bool,
}

/// Smallest gate in single precision.
#[derive(Clone, Copy, PartialEq)]
pub enum Floor {
    /// Lengths and values: 2e-6 of the diagonal of the box.
    Length,
    /// Rates and relative areas: 1e-4.
    Rate,
    /// Lengths of curvature flows: 1e-3 of a cell, at least that of lengths.
    Curvature,
    /// Agreement with the fixed point: 4e-7 of the diagonal of the box.
    FixedPoint,
    /// Agreement of CPU and GPU: 2e-6.
    Agreement,
    /// Numbers of things: none; they may depend on the partition.
    Count,
}

impl Row {
    /// A length, to be at most 1.5 times the expected one.
    pub const fn new(quantity: &'static str, expected: &'static [f64]) -> Self {
        Row { quantity, expected, gate: Gate::Times(1.5), order: None, floor: Floor::Length }
    }

    /// Relative difference of an area or a volume, to be at most 1.5 times the expected one.
    pub const fn area(expected: &'static [f64]) -> Self {
        Row::new("area", expected).floor(Floor::Rate)
    }

    /// A number of things that may not exceed `most`.
    pub const fn count(quantity: &'static str, most: f64) -> Self {
        Row::new(quantity, &[]).gate(Gate::AtMost(most)).floor(Floor::Count)
    }

    /// Another gate.
    pub const fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// Least order of convergence between the last two sizes.
    pub const fn order(self, least: f64) -> Self {
        self.order_within(least, f64::INFINITY)
    }

    /// Range of the order of convergence between the last two sizes.
    pub const fn order_within(mut self, least: f64, most: f64) -> Self {
        self.order = Some(Order { least, most, overall: false });
        self
    }

    /// Least order of convergence between the first and the last size.
    pub const fn overall_order(mut self, least: f64) -> Self {
        self.order = Some(Order { least, most: f64::INFINITY, overall: true });
        self
    }

    /// Another floor in single precision.
    pub const fn floor(mut self, floor: Floor) -> Self {
        self.floor = floor;
        self
    }

    /// Expected number at one of `n` sizes.
    pub fn expected_at(&self, size: usize, n: usize) -> Option<f64> {
        let k = (size + self.expected.len()).checked_sub(n)?;
        Some(self.expected[k]).filter(|expected| !expected.is_nan())
    }
}

/// Which sizes are run.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    /// At most so many of those of `Quick`.
    First(usize),
    /// The first ones of each series: the default tests.
    Quick,
    /// All.
    Full,
}

impl Series {
    /// Sizes of a scope.
    pub fn sizes(&self, scope: Scope) -> &'static [u32] {
        match scope {
            Scope::First(n) => &self.sizes[..self.quick.min(n)],
            Scope::Quick => &self.sizes[..self.quick],
            Scope::Full => self.sizes,
        }
    }

    /// Cells per length, up to a factor: sizes of spheres are numbers of subdivisions.
    fn fineness(&self, size: u32) -> f64 {
        if self.mesh.starts_with("ico") { f64::from(size).exp2() } else { f64::from(size) }
    }
}

/// What was measured in one series.
pub struct Outcome {
    /// The series.
    pub series: &'static Series,
    /// Sizes run.
    pub sizes: &'static [u32],
    /// Numbers, `[size][row]`.
    pub measured: Vec<Vec<f64>>,
}

/// Verdict on one row.
pub struct Verdict {
    /// The row.
    pub row: &'static Row,
    /// Numbers at each size.
    pub measured: Vec<f64>,
    /// Companion's numbers at each size, where it has some.
    pub expected: Vec<Option<f64>>,
    /// Gate at each size in words, where there is one.
    pub gates: Vec<Option<String>>,
    /// Measured order, where one is asked for.
    pub order: Option<f64>,
    /// What is wrong; empty if the row passes.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Judges every row.
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
            // A number that is none passes no comparison, so it fails wherever there is a gate.
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
        // An order over all sizes says little before all have been run.
        if last == first || order.overall && self.sizes.len() < self.series.sizes.len() {
            return;
        }
        let [n, m] = [first, last].map(|i| self.series.fineness(self.sizes[i]));
        let [coarse, fine] = [first, last].map(|i| verdict.measured[i]);
        let measured = (coarse / fine).ln() / (m / n).ln();
        verdict.order = Some(measured);
        // Below ten times what rounding allows there is no order to be seen.
        let is_resolved = fine > 10.0 * setting.floor(verdict.row.floor, m);
        if is_resolved && !(measured >= order.least && measured <= order.most) {
            verdict.failures.push(format!("order of {} is {measured:.2}", verdict.row.quantity));
        }
    }
}

/// Whether a number passes, and the gate in words; `None` without a gate.
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
