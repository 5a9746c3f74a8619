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
    /// What a reader of the numbers should know: choices of ours, deviations and their cause.
    pub note: &'static str,
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
    /// Bounds of the order of convergence between the last two sizes.
    pub order: Option<[f64; 2]>,
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
    /// Only reported.
    None,
}

/// Smallest gate in single precision.
#[derive(Clone, Copy)]
pub enum Floor {
    /// Lengths and values: 2e-6 of the diagonal of the box.
    Length,
    /// Rates and relative areas: 1e-4.
    Rate,
    /// Lengths of curvature flows: 1e-3 mean edges, at least that of lengths.
    Curvature,
    /// Agreement with the fixed point: 4e-7 of the diagonal of the box.
    FixedPoint,
}

impl Row {
    /// A length, to be at most 1.5 times the expected one.
    pub const fn new(quantity: &'static str, expected: &'static [f64]) -> Self {
        Row { quantity, expected, gate: Gate::Times(1.5), order: None, floor: Floor::Length }
    }

    /// Another gate.
    pub const fn gate(mut self, gate: Gate) -> Self {
        self.gate = gate;
        self
    }

    /// Least order of convergence.
    pub const fn order(mut self, least: f64) -> Self {
        self.order = Some([least, f64::INFINITY]);
        self
    }

    /// Range of the order of convergence.
    pub const fn order_within(mut self, least: f64, most: f64) -> Self {
        self.order = Some([least, most]);
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
    /// The first ones of each series: the default tests.
    Quick,
    /// All.
    Full,
}

impl Series {
    /// Sizes of a scope.
    pub fn sizes(&self, scope: Scope) -> &'static [u32] {
        match scope {
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
    /// Seconds over all sizes.
    pub seconds: f64,
}

/// Verdict on one row.
pub struct Verdict {
    /// The row.
    pub row: &'static Row,
    /// Numbers at each size.
    pub measured: Vec<f64>,
    /// Gate at each size in words; empty without one.
    pub gates: Vec<String>,
    /// Order between the last two sizes, where one is asked for.
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
        let measured: Vec<f64> = self.measured.iter().map(|numbers| numbers[k]).collect();
        let mut verdict =
            Verdict { row, measured, gates: Vec::new(), order: None, failures: vec![] };
        for (i, &size) in self.sizes.iter().enumerate() {
            let floor = setting.floor(row.floor, self.series.fineness(size));
            let value = verdict.measured[i];
            let at_most = |limit: f64| (value.abs() <= limit, format!("{limit:.2e}"));
            let expected = row.expected_at(i, self.series.sizes.len());
            let (passes, gate) = match (row.gate, expected) {
                (Gate::Times(factor), Some(expected)) => {
                    at_most((factor * expected.abs()).max(floor))
                }
                (Gate::AtMost(limit), _) => at_most(limit.max(floor)),
                (Gate::Near(target, within, from), _) if size >= from => {
                    let within = within.max(floor);
                    ((value - target).abs() <= within, format!("{target} +- {within}"))
                }
                _ => (true, "-".to_string()),
            };
            // A number that is none passes no comparison, so it fails wherever there is a gate.
            if !passes {
                verdict.failures.push(format!("{} at {size}: {value:.3e}", row.quantity));
            }
            verdict.gates.push(gate);
        }
        if let (Some([least, most]), [.., coarse, fine]) = (row.order, &verdict.measured[..])
            && let [.., n, m] = self.sizes
        {
            let ratio = self.series.fineness(*m) / self.series.fineness(*n);
            let order = (coarse / fine).ln() / ratio.ln();
            // Below ten times what rounding allows there is no order to be seen.
            let resolved = *fine > 10.0 * setting.floor(row.floor, self.series.fineness(*m));
            if resolved && !(order >= least && order <= most) {
                verdict.failures.push(format!("order of {}: {order:.2}", row.quantity));
            }
            verdict.order = Some(order);
        }
        verdict
    }
}
