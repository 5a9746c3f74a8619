//! The estimate as a table for the screen.

use std::fmt::{self, Display, Formatter};

use super::figures::{Estimate, Span};
use crate::primitives::memory::gibibytes;
use crate::words::counted;

impl Display for Estimate {
    /// Writes one line per resource.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let time = match self.seconds {
            Some(seconds) => duration(seconds),
            None => "unknown, because nothing in the case limits the number of steps".into(),
        };
        let at_least = if self.may_have_more_steps { "at least " } else { "" };
        let earlier = if self.may_end_earlier { ", unless the run ends earlier" } else { "" };
        writeln!(f, "time    {at_least}{time}{earlier}: {}", self.parts())?;
        if let Some(states) = self.states {
            writeln!(f, "states  {}{}", number(states), self.sizes())?;
        }
        let disk = self.disk.map_or("unknown".into(), bytes);
        let checkpoint = self.checkpoint.map_or(String::new(), |size| {
            format!(", and {} for a checkpoint until the run ends", self::size(size as f64))
        });
        let free = free(self.free_disk, "free");
        writeln!(f, "disk    {disk}{checkpoint}{free}")?;
        let peak = self.peak_memory.map_or("unknown".into(), gibibytes);
        let available = self::free(self.available_memory, "available");
        writeln!(f, "memory  {peak} at most in the measured part{available}")?;
        writeln!(f, "sample  {}", self.measured())
    }
}

impl Estimate {
    /// Returns the parts of the time, such as "setup 2 s, 11800 steps of 15 ms, output 8 s".
    fn parts(&self) -> String {
        let steps = match (self.steps, self.step_seconds) {
            (Some(steps), Some(each)) => {
                format!(", {} steps of {}", number(steps), duration(each))
            }
            (None, Some(each)) => format!(", steps of {}", duration(each)),
            (_, None) => String::new(),
        };
        let setup = duration(Span::exact(self.setup_seconds));
        format!("setup {setup}{steps}, output {}", duration(self.output_seconds))
    }

    /// Returns the sizes of the files that each state adds.
    fn sizes(&self) -> String {
        let files = self.files.iter().filter(|file| file.is_per_state);
        let sizes: Vec<String> =
            files.map(|file| format!("{} {}", file.name, size(file.bytes as f64))).collect();
        if sizes.is_empty() { String::new() } else { format!(", each {}", sizes.join(", ")) }
    }

    /// Returns a description of the measured part.
    fn measured(&self) -> String {
        let sample = &self.sample;
        let seconds = duration(Span::exact(sample.seconds));
        let done = match &sample.part {
            Some(part) => format!("{} of {} {} in {seconds}", part.done, part.whole, part.items),
            None => format!(
                "{} to time {} and {} in {seconds}",
                counted(sample.steps as usize, ["step", "steps"]),
                sample.time,
                counted(sample.states, ["state", "states"])
            ),
        };
        match self.is_complete {
            true => format!("the whole run: {done}; nothing is extrapolated"),
            false => format!("{done}; the rest is extrapolated"),
        }
    }
}

/// Returns a phrase such as "; 20.0 GiB free", or an empty string if the number is unknown.
fn free(bytes: Option<u64>, what: &str) -> String {
    bytes.map_or(String::new(), |bytes| format!("; {} {what}", gibibytes(bytes)))
}

/// Returns a range of whole numbers.
fn number(range: Span) -> String {
    between(range, |x| format!("{x:.0}"))
}

/// Returns a range of sizes.
fn bytes(range: Span) -> String {
    between(range, size)
}

/// Returns a size with a unit.
fn size(bytes: f64) -> String {
    match bytes {
        x if x < 1024.0 => format!("{x:.0} bytes"),
        x if x < 1024.0 * 1024.0 => format!("{:.1} KiB", x / 1024.0),
        x => gibibytes(x as u64),
    }
}

/// Returns a range of durations.
fn duration(range: Span) -> String {
    between(range, |seconds| match seconds {
        s if s < 1e-3 => format!("{:.3} ms", s * 1e3),
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s if s < 90.0 => format!("{s:.1} s"),
        s if s < 5400.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86400.0),
    })
}

/// Returns both ends of a range as text, or only one if both ends look the same. Equal units are
/// written once.
fn between(range: Span, written: impl Fn(f64) -> String) -> String {
    let (low, high) = (written(range.low), written(range.high));
    if low == high {
        return high;
    }
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_string());
    match (unit(&low), unit(&high)) {
        (Some(a), Some(b)) if a == b => {
            format!("{} to {high}", low.split(' ').next().unwrap_or_default())
        }
        _ => format!("{low} to {high}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_short() {
        assert_eq!(duration(Span::new(180.0, 240.0)), "3.0 to 4.0 min");
        assert_eq!(duration(Span::new(80.0, 120.0)), "80.0 s to 2.0 min");
        assert_eq!(duration(Span::exact(0.015)), "15.0 ms");
        assert_eq!(duration(Span::exact(2e-5)), "0.020 ms");
        assert_eq!(number(Span::new(11.6, 11.9)), "12");
        assert_eq!(bytes(Span::new(500.0, 2048.0)), "500 bytes to 2.0 KiB");
    }
}
