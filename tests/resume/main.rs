//! Tests that resumed runs are bitwise identical to uninterrupted ones.

mod evolution;
mod folder;
mod program;
mod refusals;
mod runs;
mod trouble;
