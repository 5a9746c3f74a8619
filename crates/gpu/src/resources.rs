//! The multiprocessor resources that each kernel uses, parsed from the log of `ptxas -v`.

use serde::Serialize;

/// The kernels that may spill registers to memory. For each kernel, the list has the largest
/// allowed number of spilled bytes per thread (stores plus loads), and the reason. If one of these
/// kernels spills more, or if any other kernel spills, `zeroset devices --compile` fails.
const MAY_SPILL: &[(&str, u32, &str)] =
    &[("tiles_stage", 16, "two registers spill with all terms of WENO5 in f32 on sm_75")];

/// The resources of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Resources {
    /// The name of the kernel.
    pub kernel: String,
    /// The registers per thread.
    pub registers: u32,
    /// The static shared memory per block in bytes, without the dynamic shared memory of a launch.
    pub shared: u32,
    /// The stack per thread in bytes.
    pub stack: u32,
    /// The bytes of spilled registers stored per thread.
    pub spill_stores: u32,
    /// The bytes of spilled registers loaded per thread.
    pub spill_loads: u32,
}

impl Resources {
    /// Returns the reason why this kernel may spill as many bytes as it does, or `None` if it may
    /// not.
    pub fn may_spill(&self) -> Option<&'static str> {
        let bytes = self.spill_stores + self.spill_loads;
        let is_for = |kernel: &str, most: u32| kernel == self.kernel && bytes <= most;
        let found = MAY_SPILL.iter().find(|(kernel, most, _)| is_for(kernel, *most));
        found.map(|(_, _, reason)| *reason)
    }

    /// Returns true if the kernel spills without permission.
    pub fn spills_wrongly(&self) -> bool {
        self.spill_stores + self.spill_loads > 0 && self.may_spill().is_none()
    }
}

/// Returns the resources of the kernels in a log, in order. Functions that were not inlined are
/// counted with the kernel listed before them.
pub fn parse(log: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or(rest).to_string();
            found.push(Resources { kernel, ..Resources::default() });
        }
        let Some(kernel) = found.last_mut() else { continue };
        let number = |unit: &str| number_before(line, unit);
        if let Some(bytes) = number(" bytes stack frame") {
            kernel.stack = kernel.stack.max(bytes);
            kernel.spill_stores += number(" bytes spill stores").unwrap_or(0);
            kernel.spill_loads += number(" bytes spill loads").unwrap_or(0);
        }
        if let Some(registers) = number(" registers") {
            kernel.registers = kernel.registers.max(registers);
            kernel.shared = number(" bytes smem").unwrap_or(0);
        }
    }
    found
}

/// Returns the number directly before `unit` in a line, if there is one.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let before = &line[..line.find(unit)?];
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_of_ptxas_is_read() {
        let log = "\
ptxas info    : 0 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function 'a_first' for 'sm_90'
ptxas info    : Function properties for a_first
    1040 bytes stack frame, 1036 bytes spill stores, 2068 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 1040 bytes cumulative stack size, 2048 bytes smem
ptxas info    : Compile time = 4.123 ms
ptxas info    : Compiling entry function 'a_second' for 'sm_90'
ptxas info    : Function properties for a_second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
";
        let first = Resources {
            kernel: "a_first".into(),
            registers: 255,
            shared: 2048,
            stack: 1040,
            spill_stores: 1036,
            spill_loads: 2068,
        };
        let second = Resources { kernel: "a_second".into(), registers: 10, ..Resources::default() };
        assert!(first.spills_wrongly() && !second.spills_wrongly());
        assert_eq!(parse(log), [first, second]);
        assert_eq!(parse("warning: 3 registers"), []);
    }
}
