//! What benches measure with: bytes on the heap, CPU seconds, the peak memory of a child.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The system's allocator, counting the bytes asked for.
pub struct Meter {
    held: AtomicU64,
    peak: AtomicU64,
}

impl Meter {
    pub const fn new() -> Self {
        Meter { held: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Bytes held now.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// The result of `work`, and the most bytes held meanwhile.
    pub fn peak_during<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        self.peak.store(self.held(), Ordering::Relaxed);
        let result = work();
        (result, self.peak.load(Ordering::Relaxed))
    }

    fn add(&self, n: usize) {
        let held = self.held.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        self.peak.fetch_max(held, Ordering::Relaxed);
    }

    fn sub(&self, n: usize) {
        self.held.fetch_sub(n as u64, Ordering::Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.sub(layout.size());
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.sub(layout.size());
        self.add(size);
        unsafe { System.realloc(at, layout, size) }
    }
}

/// CPU seconds of this process and the children it has waited for, from `/proc`; ticks of 10 ms.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    // The first field behind the name is a letter; then utime, stime, cutime, cstime.
    fields.get(10..14).map_or(0.0, |ticks| ticks.iter().sum::<f64>() / 100.0)
}

/// The peak resident memory of a child in bytes, followed until it ends.
pub fn peak_of(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().is_ok_and(|ended| ended.is_none()) {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}
