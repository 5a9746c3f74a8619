//! Measures the CPU seconds of this process and its children, and the peak memory of a child.

use std::process::Child;
use std::time::Duration;

/// Returns the CPU seconds of this process and of the children it has waited for. They come from
/// `/proc`, in ticks of 10 ms.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    // The state, the first field after the name, is a letter and is therefore dropped. Of the
    // remaining fields, counted from 0, 10 to 13 are utime, stime, cutime and cstime.
    fields.get(10..14).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / 100.0)
}

/// Follows a child until it ends. Returns its peak resident memory in bytes.
pub fn peak_of(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().is_ok_and(|ended| ended.is_none()) {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}
