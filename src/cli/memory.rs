//! If memory runs out, ends the program with one message and exit code 5 instead of an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::atomic;
use crate::primitives::memory::may_be_refused;

/// The exit code for a device or machine with too little memory.
const TOO_SMALL: i32 = 5;

/// The program's allocator. If memory runs out, it ends the program with a message and exit code 5.
///
/// Memory comes from the system allocator. Partial files are removed, but complete states, measures
/// and checkpoints are kept. Requests through [`primitives::memory`](crate::primitives::memory) may
/// fail without ending the program. Their callers handle the failure.
#[derive(Debug)]
pub struct Allocator;

// SAFETY: every request goes to the system allocator unchanged. Null is returned only to callers
// that expect it.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        some(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        some(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        some(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

fn some(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && !may_be_refused() { exhausted(size) } else { pointer }
}

/// A line of text in its own fixed memory, truncated if it is too long. Control characters become
/// spaces.
struct Text {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Text {
    const MOST: usize = 192;
    const EMPTY: Text = Text { bytes: [0; Self::MOST], length: 0 };

    fn set(&mut self, text: &str) {
        let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
        self.length = ends.take_while(|end| *end <= Self::MOST).last().unwrap_or(0);
        let bytes = &mut self.bytes[..self.length];
        bytes.copy_from_slice(&text.as_bytes()[..self.length]);
        bytes.iter_mut().filter(|byte| byte.is_ascii_control()).for_each(|byte| *byte = b' ');
    }

    fn get(&self) -> &str {
        str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// The current action of the program.
struct Doing {
    what: Text,
    /// The main file of the command.
    file: Text,
    /// Advice to the user if memory runs out.
    remedy: &'static str,
    json: bool,
}

const STARTING: Doing =
    Doing { what: Text::EMPTY, file: Text::EMPTY, remedy: "see `ulimit -v`", json: false };

static DOING: Mutex<Doing> = Mutex::new(STARTING);

/// Notes what the program is doing, for the message that is printed if memory runs out.
pub(super) fn doing(what: &str) {
    DOING.lock().unwrap_or_else(PoisonError::into_inner).what.set(what);
}

/// Notes the advice to the user for the message that is printed if memory runs out.
pub(super) fn remedy(remedy: &'static str) {
    DOING.lock().unwrap_or_else(PoisonError::into_inner).remedy = remedy;
}

/// Notes the main file, the remedy, and whether the message is a JSON event.
pub(super) fn about(file: &Path, remedy: &'static str, json: bool) {
    let mut doing = DOING.lock().unwrap_or_else(PoisonError::into_inner);
    doing.file.set(&file.to_string_lossy());
    (doing.remedy, doing.json) = (remedy, json);
}

/// Memory that is reserved for ending the program.
///
/// The C library allocates a few bytes for each thread that ends or is first used, and aborts if it
/// cannot.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// The size of the reserve. The allocator would return a much larger block to the system as soon as
/// it is freed.
const RESERVED: Layout = match Layout::from_size_align(64 << 10, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("the alignment is a power of two"),
};

/// Allocates the reserve, once.
pub(super) fn reserve() {
    if RESERVE.load(Ordering::Relaxed).is_null() {
        // SAFETY: the layout is not empty. If the allocation fails, there is no reserve.
        let kept = unsafe { System.alloc(RESERVED) };
        RESERVE.store(kept, Ordering::Release);
    }
}

/// Returns the reserve to the allocator.
fn release() {
    let kept = RESERVE.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if !kept.is_null() {
        // SAFETY: `reserve` allocated this memory with this layout, and no other pointer to it is
        // left.
        unsafe { System.dealloc(kept, RESERVED) }
    }
}

/// Reports that `size` bytes are not available and ends the program.
///
/// This function uses no new memory except the reserve.
#[cold]
fn exhausted(size: usize) -> *mut u8 {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is ending the program, or this thread has run out of memory again while
        // ending it. In the second case, the only option left is to abort.
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        std::process::abort();
    }
    release();
    let mut line = Line { bytes: [0; 1024], length: 0 };
    let _ = match DOING.try_lock() {
        Ok(doing) => message(&mut line, size, &doing),
        Err(_) => message(&mut line, size, &STARTING),
    };
    let _ = std::io::stderr().write_all(&line.bytes[..line.length]);
    atomic::abandon();
    std::process::exit(TOO_SMALL);
}

fn message(line: &mut Line, size: usize, doing: &Doing) -> std::fmt::Result {
    use std::fmt::Write;
    let what = if doing.what.get().is_empty() { "starting" } else { doing.what.get() };
    let file = doing.file.get();
    let [open, close] = if file.is_empty() { ["", ""] } else { [" (", ")"] };
    let (size, unit) = if size < 1 << 20 { (size, "bytes") } else { (size >> 20, "MiB") };
    let remedy = doing.remedy;
    if !doing.json {
        return writeln!(
            line,
            "error: device: out of memory while {what}{open}{file}{close}: cannot allocate \
             {size} {unit}; {remedy}"
        );
    }
    write!(
        line,
        "{{\"event\":\"error\",\"kind\":\"device\",\"message\":\"device: out of memory while \
         {what}{open}"
    )?;
    Quoted(line).write_str(file)?;
    write!(line, "{close}: cannot allocate {size} {unit}; ")?;
    Quoted(line).write_str(remedy)?;
    writeln!(line, "\",\"exit_code\":{TOO_SMALL}}}")
}

/// Writes text inside a JSON string and escapes quotes and backslashes.
struct Quoted<'a>(&'a mut Line);

impl std::fmt::Write for Quoted<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for part in text.split_inclusive(['"', '\\']) {
            match part.strip_suffix(['"', '\\']) {
                Some(plain) => {
                    self.0.write_str(plain)?;
                    self.0.write_str("\\")?;
                    self.0.write_str(&part[plain.len()..])?;
                }
                None => self.0.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// Text of bounded length.
struct Line {
    bytes: [u8; 1024],
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

    fn said(file: &str, json: bool) -> String {
        let mut doing = Doing { remedy: "take precision = \"f32\"", json, ..STARTING };
        doing.what.set("reading the mesh");
        doing.file.set(file);
        let mut line = Line { bytes: [0; 1024], length: 0 };
        message(&mut line, 3 << 20, &doing).unwrap();
        String::from_utf8(line.bytes[..line.length].to_vec()).unwrap()
    }

    #[test]
    fn the_message_fits_its_room_and_is_json_where_asked() {
        for (file, named) in [
            ("", ": cannot allocate 3 MiB"),
            ("a.ply", " (a.ply): cannot allocate 3 MiB"),
            ("C:\\a \"b\".ply", " (C:\\a \"b\".ply): cannot allocate 3 MiB"),
            ("a\nb", " (a b): cannot allocate 3 MiB"),
            ("\u{20ac}".repeat(100).as_str(), " (\u{20ac}"),
        ] {
            let text = said(file, false);
            let begins = format!("error: device: out of memory while reading the mesh{named}");
            assert!(text.starts_with(&begins), "{text}");
            assert!(text.ends_with("3 MiB; take precision = \"f32\"\n"), "{text}");
            let event: serde_json::Value = serde_json::from_str(&said(file, true)).unwrap();
            assert_eq!((&event["event"], &event["exit_code"]), (&"error".into(), &5.into()));
            let message = event["message"].as_str().unwrap();
            assert_eq!(format!("error: {message}\n"), text);
        }
    }
}
