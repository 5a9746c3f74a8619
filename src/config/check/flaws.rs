//! The list of flaws in a case, with the checks of single values.

use crate::config::{Config, Precision};
use crate::expression::Expression;

/// An error found in a case.
pub(in crate::config) struct Flaw {
    /// Dotted path of the key.
    pub key: String,
    pub what: String,
    pub remedy: String,
}

impl Flaw {
    /// Returns a message such as "evolve.cfl must be ...".
    pub(in crate::config) fn message(&self) -> String {
        if self.key.is_empty() {
            return self.what.clone();
        }
        format!("{} {}", self.key, self.what)
    }
}

/// The flaws found so far, at most one for each key. A later flaw of a key may be a consequence of
/// the first one.
#[derive(Default)]
pub(super) struct Flaws(Vec<Flaw>);

impl Flaws {
    pub(super) fn into_vec(self) -> Vec<Flaw> {
        self.0
    }

    pub(super) fn add(&mut self, key: &str, what: impl Into<String>, remedy: impl Into<String>) {
        if key.is_empty() || self.0.iter().all(|flaw| flaw.key != key) {
            let (what, remedy) = (what.into(), remedy.into());
            self.0.push(Flaw { key: key.to_string(), what, remedy });
        }
    }

    pub(super) fn require(
        &mut self,
        holds: bool,
        key: &str,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        if !holds {
            self.add(key, what, remedy);
        }
    }

    pub(super) fn positive(&mut self, key: &str, x: Option<f64>) {
        if let Some(x) = x.filter(|x| !(*x > 0.0 && x.is_finite())) {
            self.add(key, format!("must be > 0 and finite, but is {x}"), "");
        }
    }

    pub(super) fn at_least_one(&mut self, key: &str, n: Option<u64>) {
        self.require(n != Some(0), key, "must be at least 1, is 0", "");
    }

    pub(super) fn finite(&mut self, key: &str, values: &[f64]) {
        let all = values.iter().all(|x| x.is_finite());
        let found = match values {
            [value] => value.to_string(),
            values => format!("{values:?}"),
        };
        self.require(all, key, format!("must be finite, is {found}"), "use a finite number");
    }

    /// Adds a flaw if a number is not finite, or too large for the precision of the case.
    pub(super) fn held(&mut self, config: &Config, key: &str, values: &[f64]) {
        self.finite(key, values);
        let most = match config.precision() {
            Precision::F64 => return,
            Precision::F32 => f64::from(f32::MAX),
        };
        if let Some(beyond) = values.iter().find(|x| x.abs() > most) {
            let what = format!("is {beyond:e}, but the largest f32 number is 3.4e38");
            self.add(key, what, "rescale the units, or use precision = \"f64\"");
        }
    }

    pub(super) fn timeless(&mut self, key: &str, expression: &Expression) {
        let remedy = "for an array named t, write {t}";
        self.require(!expression.uses_time(), key, "must not depend on the time t", remedy);
    }
}
