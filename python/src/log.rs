//! Events of the library, for the package's logger.

use std::collections::VecDeque;
use std::fmt::{Debug, Write};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Events that Python has not fetched yet, oldest first.
static WAITING: Mutex<VecDeque<(u8, String)>> = Mutex::new(VecDeque::new());

/// The largest number of waiting events. Older ones are dropped.
const MOST: usize = 10_000;

/// Starts collecting events. A program that embeds the interpreter may have its own subscriber,
/// which then stays in place.
pub fn install() {
    let _ = tracing::subscriber::set_global_default(Collector);
}

/// Returns the waiting events, oldest first: the level of `logging` and the text.
#[pyfunction]
pub fn events() -> Vec<(u8, String)> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
}

/// Adds the beginning of a stage of a call, at the level DEBUG.
pub fn stage(name: &str) {
    add(10, name.to_string());
}

fn add(level: u8, text: String) {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if waiting.len() == MOST {
        waiting.pop_front();
    }
    waiting.push_back((level, text));
}

/// Collects the events of the zeroset crates. Spans have no effect.
struct Collector;

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::DEBUG && metadata.target().starts_with("zeroset")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        let level = match *event.metadata().level() {
            Level::ERROR => 40,
            Level::WARN => 30,
            Level::INFO => 20,
            _ => 10,
        };
        add(level, text.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
