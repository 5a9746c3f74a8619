//! The option `--threads`.

use clap::builder::RangedI64ValueParser;

use zeroset::config::MOST_THREADS;

/// How many threads a command takes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Threads {
    /// CPU threads; 0 takes all cores
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = number())]
    pub threads: usize,
}

/// Reads a number of threads, and refuses more than a case may ask for.
pub fn number() -> RangedI64ValueParser<usize> {
    RangedI64ValueParser::new().range(0..=MOST_THREADS as i64)
}
