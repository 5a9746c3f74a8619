//! Out of memory: one sentence and exit code 5 instead of an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::io::atomic;

/// Exit code of a device or memory that is too small.
const TOO_SMALL: i32 = 5;

/// What may be done about it.
const REMEDY: &str = "take precision = \"f32\", a narrower band, a coarser mesh or a larger \
                      machine (see also `ulimit -v`); a run that has written a checkpoint goes on \
                      with --resume";

/// The allocator of the program: the system's, but where there is no memory left the program says
/// what it was doing and ends with exit code 5.
///
/// The files in the making are removed; states, measures and checkpoints written so far stay.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every request goes to the system's allocator unchanged; null is never returned, which
// callers need not know.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        some(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

fn some(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() { exhausted(size) } else { pointer }
}

/// What the program is doing, in memory of its own.
struct Doing {
    text: [u8; 64],
    length: usize,
    json: bool,
}

static DOING: Mutex<Doing> = Mutex::new(Doing { text: [0; 64], length: 0, json: false });

/// Notes what the program is doing, for the message.
pub(super) fn doing(what: &str) {
    let mut doing = DOING.lock().unwrap_or_else(PoisonError::into_inner);
    // Cut at 64 bytes; ours are shorter, and plain ASCII.
    doing.length = what.len().min(doing.text.len());
    let length = doing.length;
    doing.text[..length].copy_from_slice(&what.as_bytes()[..length]);
}

/// Makes the message a JSON event.
pub(super) fn say_json() {
    DOING.lock().unwrap_or_else(PoisonError::into_inner).json = true;
}

/// Says that `size` bytes are not to be had, and ends the program. Takes no memory.
#[cold]
fn exhausted(size: usize) -> *mut u8 {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is about to end the program; if it is this one, there is no other way out.
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        std::process::abort();
    }
    let mut line = Line { bytes: [0; 640], length: 0 };
    let _ = match DOING.try_lock() {
        Ok(doing) => message(&mut line, size, &doing),
        Err(_) => message(&mut line, size, &Doing { text: [0; 64], length: 0, json: false }),
    };
    let _ = std::io::stderr().write_all(&line.bytes[..line.length]);
    atomic::abandon();
    std::process::exit(TOO_SMALL);
}

fn message(line: &mut Line, size: usize, doing: &Doing) -> std::fmt::Result {
    use std::fmt::Write;
    let what = str::from_utf8(&doing.text[..doing.length]).unwrap_or_default();
    let what = if what.is_empty() { "starting" } else { what };
    let (size, unit) = if size < 1 << 20 { (size, "bytes") } else { (size >> 20, "MiB") };
    if doing.json {
        // The remedy has quotes.
        write!(
            line,
            "{{\"event\":\"error\",\"kind\":\"device\",\"message\":\"device: out of memory while \
             {what}: {size} {unit} more are not to be had; "
        )?;
        for part in REMEDY.split_inclusive('"') {
            match part.strip_suffix('"') {
                Some(part) => write!(line, "{part}\\\"")?,
                None => write!(line, "{part}")?,
            }
        }
        return writeln!(line, "\",\"exit_code\":{TOO_SMALL}}}");
    }
    writeln!(
        line,
        "error: device: out of memory while {what}: {size} {unit} more are not to be had; {REMEDY}"
    )
}

/// Text of a bounded length.
struct Line {
    bytes: [u8; 640],
    length: usize,
}

impl std::fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = &mut self.bytes[self.length..];
        let n = text.len().min(room.len());
        room[..n].copy_from_slice(&text.as_bytes()[..n]);
        self.length += n;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: bool) -> String {
        let mut doing = Doing { text: [0; 64], length: 7, json };
        doing.text[..7].copy_from_slice(b"writing");
        let mut line = Line { bytes: [0; 640], length: 0 };
        message(&mut line, 3 << 20, &doing).unwrap();
        String::from_utf8(line.bytes[..line.length].to_vec()).unwrap()
    }

    #[test]
    fn the_message_fits_its_room_and_is_json_where_asked() {
        let text = said(false);
        assert!(text.starts_with("error: device: out of memory while writing: 3 MiB"), "{text}");
        assert!(text.ends_with("--resume\n"), "{text}");
        let event: serde_json::Value = serde_json::from_str(&said(true)).unwrap();
        assert_eq!((&event["event"], &event["exit_code"]), (&"error".into(), &5.into()));
        let message = event["message"].as_str().unwrap();
        assert_eq!(format!("error: {message}\n"), text);
    }
}
