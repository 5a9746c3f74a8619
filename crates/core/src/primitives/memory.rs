//! The memory that this process may still use, and lists that grow only if there is enough of it.

use std::cell::Cell;

use crate::error::{DeviceFault, Error, Result};

/// Returns the number of bytes that this process may still allocate, according to the system. It is
/// the minimum of the free memory of the machine, of the control group and of the address space.
/// Returns `None` if this is unknown, as on all systems except Linux.
pub fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let machine = kibibytes(&read("/proc/meminfo"), "MemAvailable:");
    let group = group_folder(&read("/proc/self/cgroup")).and_then(|folder| {
        let file = |name: &str| read(&format!("{folder}/{name}"));
        free_of_group(&file("memory.max"), &file("memory.stat"))
    });
    [machine, group, addresses()].into_iter().flatten().min()
}

/// Returns the number of free bytes in the address space of this process, if it is limited.
fn addresses() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let taken = kibibytes(&read("/proc/self/status"), "VmSize:");
    address_space(&read("/proc/self/limits"), taken.unwrap_or(0))
}

/// Returns the largest size of the main thread's stack, in bytes, if it is known and limited.
pub fn stack() -> Option<u64> {
    limit(&std::fs::read_to_string("/proc/self/limits").ok()?, "Max stack size")
}

/// Returns true if the address space has room for `threads` more threads or is not limited. A
/// thread that cannot allocate its first bytes would end the program without calling any handler.
pub fn room_for_threads(threads: usize) -> bool {
    let stacks = THREAD.saturating_mul(threads as u64).saturating_add(BESIDE);
    addresses().is_none_or(|left| left >= stacks)
}

/// Returns the peak memory of this process in bytes, or `None` on all systems except Linux.
pub fn peak() -> Option<u64> {
    kibibytes(&std::fs::read_to_string("/proc/self/status").unwrap_or_default(), "VmHWM:")
}

/// Parses a line such as "MemAvailable: 24000 kB" and returns the number of bytes, or `None` if no
/// line begins with `key` or if its number is invalid.
fn kibibytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the folder of the control group (version 2), or `None` if `text` does not name one.
fn group_folder(text: &str) -> Option<String> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(format!("/sys/fs/cgroup{}", path.trim_end_matches('/')))
}

/// Returns the number of free bytes of a control group. Its cached files count as free, because
/// they can be reclaimed. Returns `None` if the group has no limit.
fn free_of_group(most: &str, statistics: &str) -> Option<u64> {
    let most: u64 = most.trim().parse().ok()?;
    let part = |key: &str| {
        let line = statistics.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        line.and_then(|value| value.trim().parse::<u64>().ok()).unwrap_or(0)
    };
    Some(most.saturating_sub(part("anon") + part("shmem") + part("kernel")))
}

/// Returns the number of free bytes in an address space of which `taken` bytes are in use, or
/// `None` if the address space has no limit.
fn address_space(text: &str, taken: u64) -> Option<u64> {
    Some(limit(text, "Max address space")?.saturating_sub(taken))
}

/// Parses a line of the limits of a process, such as "Max stack size 8388608 unlimited bytes".
/// Returns `None` if there is no limit.
fn limit(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The size of a list in bytes above which the free memory is checked.
const LOOK: u64 = 4 << 20;
/// The number of bytes that must remain free.
const SPARE: u64 = 16 << 20;

/// The address space in bytes that a thread takes: Rust's stack of 2 MiB, a stack for signals and
/// its first allocations.
const THREAD: u64 = (2 << 20) + (256 << 10);
/// The address space in bytes that may be taken elsewhere while the threads start.
const BESIDE: u64 = 2 << 20;

thread_local! {
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true while this thread requests memory that may be refused. An allocator that ends the
/// program when memory runs out must not do so during this time.
pub fn may_be_refused() -> bool {
    // The value does not exist if the thread is ending.
    MAY_BE_REFUSED.try_with(Cell::get).unwrap_or(false)
}

/// Reserves capacity for exactly `more` items and returns true if there was enough memory.
pub fn try_reserve<T>(items: &mut Vec<T>, more: usize) -> bool {
    let mark = |may: bool| MAY_BE_REFUSED.try_with(|cell| cell.set(may)).unwrap_or_default();
    mark(true);
    let reserved = items.try_reserve_exact(more).is_ok();
    mark(false);
    reserved
}

/// Reserves capacity for `more` items at the end of a list. If the list becomes larger than 4 MiB,
/// 16 MiB must remain free. For a list that is not empty, an extra eighth of the new length is
/// reserved if there is enough memory. The items of the list are kept.
///
/// # Errors
/// Returns [`Error::Device`] if there is not enough memory or if the system refuses it.
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
    // Systems may promise more memory than they have, and end a program that uses it. Small lists
    // need no check.
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
            "not enough memory for {more} {what}: {} needed{}",
            gibibytes(bytes(more)),
            free.map_or(String::new(), |free| format!(", {} free", gibibytes(free)))
        ),
        remedy,
    ))
}

/// Formats a number of bytes as "3.2 GiB" or "12.5 MiB".
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
        assert_eq!(
            limit("Max stack size  65536  unlimited  bytes\n", "Max stack size"),
            Some(65536)
        );
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
