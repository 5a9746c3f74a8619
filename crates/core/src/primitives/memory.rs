//! How much memory there is left for this process, and lists that grow only where there is enough.

use std::cell::Cell;

use crate::error::{DeviceFault, Error, Result};

/// Bytes that this process may still take, as far as the system says: the least of what is free in
/// the machine, in its control group, and in its address space. `None` where that is not known, as
/// on all systems but Linux.
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let machine = kibibytes(&read("/proc/meminfo"), "MemAvailable:");
    let group = group_folder(&read("/proc/self/cgroup")).and_then(|folder| {
        let file = |name: &str| read(&format!("{folder}/{name}"));
        free_of_group(&file("memory.max"), &file("memory.stat"))
    });
    [machine, group, addresses()].into_iter().flatten().min()
}

/// What is left of the addresses of this process, where they are limited.
fn addresses() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let taken = kibibytes(&read("/proc/self/status"), "VmSize:");
    address_space(&read("/proc/self/limits"), taken.unwrap_or(0))
}

/// Whether `threads` may begin: one that finds no room for its first bytes ends the program, and no
/// handler of this program is asked.
pub fn room_for_threads(threads: usize) -> bool {
    let stacks = THREAD.saturating_mul(threads as u64).saturating_add(BESIDE);
    addresses().is_none_or(|left| left >= stacks)
}

/// Most bytes of memory that this process has held at once; `None` on all systems but Linux.
pub fn peak() -> Option<u64> {
    kibibytes(&std::fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmHWM:")
}

/// "MemAvailable:   24000 kB" in bytes.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Folder of the control group, version 2.
fn group_folder(text: &str) -> Option<String> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(format!("/sys/fs/cgroup{}", path.trim_end_matches('/')))
}

/// What a control group has left; its cached files can be given up.
fn free_of_group(most: &str, statistics: &str) -> Option<u64> {
    let most: u64 = most.trim().parse().ok()?;
    let part = |key: &str| {
        let line = statistics.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    Some(most.saturating_sub(part("anon") + part("shmem") + part("kernel")))
}

/// What is left of a limited address space of which `taken` bytes are in use.
fn address_space(text: &str, taken: u64) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(taken))
}

/// Bytes of a list from which on it is worth asking what is free, and what is left for all else then.
const LOOK: u64 = 4 << 20;
const SPARE: u64 = 16 << 20;

/// What a thread takes of the addresses: Rust's stack of 2 MiB, a stack for its signals, its first
/// bytes; and what the others must find meanwhile.
const THREAD: u64 = (2 << 20) + (256 << 10);
const BESIDE: u64 = 2 << 20;

thread_local! {
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread asks for memory that may be refused: an allocator that ends the program where memory
/// gives out must not do so then.
pub fn may_be_refused() -> bool {
    // Without a place for it: a thread that ends.
    MAY_BE_REFUSED.try_with(Cell::get).unwrap_or(false)
}

/// Makes room for exactly `more` items; whether there was memory for them.
pub fn try_reserve<T>(items: &mut Vec<T>, more: usize) -> bool {
    let mark = |may: bool| MAY_BE_REFUSED.try_with(|cell| cell.set(may)).unwrap_or_default();
    mark(true);
    let reserved = items.try_reserve_exact(more).is_ok();
    mark(false);
    reserved
}

/// Makes room for `more` items at the end of a list: for an eighth beyond that where a list grows
/// that has items already, if there is memory for so much and 16 MiB beside. What is in the list stays.
///
/// # Errors
/// [`Error::Device`] if there is less memory than that, or where the system refuses it.
pub fn reserve<T>(
    items: &mut Vec<T>,
    more: usize,
    what: &str,
    remedy: impl Into<String>,
) -> Result<()> {
    if more <= items.capacity() - items.len() {
        return Ok(());
    }
    let slack = if items.is_empty() { 0 } else { items.len().saturating_add(more) / 8 };
    let bytes = |n: usize| (n as u64).saturating_mul(size_of::<T>() as u64);
    // Systems promise more than they have, and end who takes it; small arrays need no look.
    let free = if bytes(items.len().saturating_add(more)) > LOOK { available() } else { None };
    let fits = |n: usize| free.is_none_or(|free| bytes(n).saturating_add(SPARE) <= free);
    let with_slack = more.saturating_add(slack);
    if fits(with_slack) && try_reserve(items, with_slack) {
        return Ok(());
    }
    if fits(more) && try_reserve(items, more) {
        return Ok(());
    }
    Err(Error::device_fault(
        DeviceFault::Memory { needed: Some(bytes(more)), free },
        format!(
            "no memory for {more} {what}: {} needed{}",
            gibibytes(bytes(more)),
            free.map_or(String::new(), |free| format!(", {} free", gibibytes(free)))
        ),
        remedy,
    ))
}

/// A number of bytes for people: "3.2 GiB", "12.5 MiB".
pub fn gibibytes(bytes: u64) -> String {
    match bytes >> 30 {
        0 => format!("{:.1} MiB", bytes as f64 / 1024_f64.powi(2)),
        _ => format!("{:.1} GiB", bytes as f64 / 1024_f64.powi(3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_read() {
        let meminfo = "MemTotal:       24564640 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(kibibytes(meminfo, "MemAvailable:"), Some(23_000_000 * 1024));
        let limits = "Max data size             unlimited    unlimited    bytes\n\
                      Max address space         1048576      unlimited    bytes\n";
        assert_eq!(address_space(limits, 48_576), Some(1_000_000));
        assert_eq!(address_space(&limits.replace("1048576", "unlimited"), 0), None);
        assert_eq!(group_folder("0::/user/a\n").as_deref(), Some("/sys/fs/cgroup/user/a"));
        assert_eq!(free_of_group("1000\n", "anon 300\nfile 5000\nshmem 100\n"), Some(600));
        assert_eq!(free_of_group("max\n", "anon 300\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_memory() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
        assert!(peak().is_some_and(|bytes| bytes > 1 << 20));
    }
}
