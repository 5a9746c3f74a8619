//! The `zeroset` program; everything it does is in [`zeroset::cli`].

use std::process::ExitCode;

use zeroset::cli::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    zeroset::cli::main()
}
