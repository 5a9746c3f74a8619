//! The option `--threads`.

use clap::builder::RangedI64ValueParser;

use crate::config::MOST_THREADS;

/// The number of threads of a command.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Threads {
    /// Number of CPU threads; 0 uses all cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number())]
    pub threads: usize,
}

/// Returns the parser for the number of threads, with the same limit as in a case.
pub fn number() -> RangedI64ValueParser<usize> {
    RangedI64ValueParser::new().range(0..=MOST_THREADS as i64)
}
