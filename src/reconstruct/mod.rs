//! Surfaces from clouds of points.

pub mod potential;
