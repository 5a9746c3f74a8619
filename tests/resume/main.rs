//! Runs that stop and go on: the same bits as without the stop.

mod evolution;
mod folder;
mod program;
mod refusals;
mod runs;
mod trouble;
