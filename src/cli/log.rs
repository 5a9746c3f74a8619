//! Prints log events of the library on standard error without disturbing the progress bar.

use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::Ui;

/// Starts printing the events of all zeroset crates. Only the first call in a process has an
/// effect.
pub(super) fn install(ui: &Ui) {
    let subscriber = tracing_subscriber::registry().with(Lines { ui: ui.clone() });
    let _ = tracing::subscriber::set_global_default(subscriber);
}

struct Lines {
    ui: Ui,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        let most = match (self.ui.is_quiet(), self.ui.verbosity()) {
            (true, _) => Level::ERROR,
            (false, 0) => Level::WARN,
            (false, 1) => Level::INFO,
            (false, _) => Level::DEBUG,
        };
        *metadata.level() <= most && metadata.target().starts_with("zeroset")
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let level = *event.metadata().level();
        if level == Level::WARN {
            return self.ui.warn(message.0);
        }
        if self.ui.is_json() {
            let level = level.as_str().to_lowercase();
            let line = serde_json::json!({ "event": "log", "level": level, "message": message.0 });
            return self.ui.complain(&line.to_string());
        }
        let label = if level == Level::ERROR { "error: " } else { "" };
        self.ui.complain(&format!("{label}{}", message.0));
    }
}

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
