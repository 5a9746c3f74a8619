//! Compiles every kernel for given architectures and reports the resources of each.

use serde::Serialize;

use crate::error::Result;
use crate::gpu::nvrtc::Nvrtc;
use crate::gpu::resources::{Resources, parse};
use crate::gpu::{cache, sources};
use crate::parallel::*;

/// The result of compiling every compilation unit for every architecture.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    /// Version of NVRTC.
    pub nvrtc: String,
    pub units: Vec<Unit>,
}

#[derive(Debug, Serialize)]
pub(super) struct Unit {
    pub arch: String,
    pub unit: &'static str,
    pub variant: String,
    pub kernels: Vec<Kernel>,
    /// The compiler's messages if compilation failed.
    pub error: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Kernel {
    #[serde(flatten)]
    pub resources: Resources,
    /// The reason why the kernel is allowed to spill registers; `None` if it is not.
    pub may_spill: Option<&'static str>,
}

impl Table {
    /// Compiles all units for the given architectures. A unit that fails has an entry with its
    /// error.
    pub fn of(architectures: &[String]) -> Result<Self> {
        let (major, minor) = Nvrtc::get()?.version();
        let units = sources::all_units();
        let jobs: Vec<_> = architectures
            .iter()
            .flat_map(|arch| units.iter().map(move |unit| (arch, unit)))
            .collect();
        let compile = |(arch, unit): &(&String, &sources::Unit)| {
            let (kernels, error) = match cache::renew(unit, arch) {
                Ok(compiled) => (parse(&compiled.log).into_iter().map(kernel).collect(), None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            Unit {
                arch: arch.to_string(),
                unit: unit.name,
                variant: unit.variant(),
                kernels,
                error,
            }
        };
        let units = jobs.par_iter().map(compile).collect();
        Ok(Table { nvrtc: format!("{major}.{minor}"), units })
    }

    /// Returns true if all units compiled and no kernel spills without permission.
    pub fn good(&self) -> bool {
        let fine = |kernel: &Kernel| !kernel.resources.spills_wrongly();
        self.units.iter().all(|unit| unit.error.is_none() && unit.kernels.iter().all(fine))
    }

    /// Returns the table for the screen: one line per kernel, then notes and the verdict.
    pub fn text(&self) -> String {
        let header =
            ["arch", "unit", "variant", "kernel", "registers", "shared", "stack", "spills"];
        let mut rows = vec![header.map(str::to_string).to_vec()];
        let mut notes = Vec::new();
        for unit in &self.units {
            let place = [unit.arch.clone(), unit.unit.to_string(), unit.variant.clone()];
            if let Some(error) = &unit.error {
                rows.push([&place[..], &["failed".to_string()]].concat());
                notes.push(error.clone());
            }
            for Kernel { resources: r, may_spill } in &unit.kernels {
                let spills = r.spill_stores + r.spill_loads;
                let numbers = [r.registers, r.shared, r.stack, spills].map(|n| n.to_string());
                rows.push([&place[..], std::slice::from_ref(&r.kernel), &numbers].concat());
                match may_spill {
                    Some(reason) if spills > 0 => {
                        notes.push(format!("{} may spill: {reason}", r.kernel));
                    }
                    None if spills > 0 => {
                        notes.push(format!("{} ({}) must not spill", r.kernel, unit.arch));
                    }
                    _ => {}
                }
            }
        }
        notes.dedup();
        let verdict = if self.good() { "all kernels compile" } else { "failed" };
        let notes: String = notes.into_iter().map(|note| note + "\n").collect();
        format!("{}{notes}NVRTC {}: {verdict}\n", aligned(&rows), self.nvrtc)
    }
}

fn kernel(resources: Resources) -> Kernel {
    let may_spill = resources.may_spill();
    Kernel { resources, may_spill }
}

/// Formats rows as columns two spaces apart, with text left-aligned and numbers right-aligned.
fn aligned(rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.len()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0..4 => format!("{cell:<0$}", width(column)),
            _ => format!("{cell:>0$}", width(column)),
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(spill: u32, error: Option<&str>) -> Table {
        let resources = Resources {
            kernel: "a_b".into(),
            registers: 40,
            spill_loads: spill,
            ..Resources::default()
        };
        let unit = Unit {
            arch: "sm_90".into(),
            unit: "a",
            variant: "REAL=double".into(),
            kernels: if error.is_none() { vec![kernel(resources)] } else { Vec::new() },
            error: error.map(str::to_string),
        };
        Table { nvrtc: "13.0".into(), units: vec![unit] }
    }

    #[test]
    fn the_table_says_what_is_wrong() {
        let good = table(0, None);
        assert!(good.good());
        let expected = "\
arch   unit  variant      kernel  registers  shared  stack  spills
sm_90  a     REAL=double  a_b            40       0      0       0
NVRTC 13.0: all kernels compile
";
        assert_eq!(good.text(), expected);
        let spills = table(8, None);
        assert!(!spills.good());
        assert!(spills.text().ends_with("a_b (sm_90) must not spill\nNVRTC 13.0: failed\n"));
        let fails = table(0, Some("line 3: no"));
        assert!(!fails.good());
        assert!(fails.text().contains("failed\nline 3: no\n"), "{}", fails.text());
    }
}
