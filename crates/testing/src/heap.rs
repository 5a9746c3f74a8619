//! A counting allocator for tests and benchmarks that measure memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// The system allocator, with counters of the requested bytes.
pub struct Meter {
    held: AtomicU64,
    peak: AtomicU64,
}

impl Meter {
    /// Creates an allocator whose counters are zero.
    #[expect(clippy::new_without_default, reason = "a static needs a const function")]
    pub const fn new() -> Self {
        Meter { held: AtomicU64::new(0), peak: AtomicU64::new(0) }
    }

    /// Returns the number of bytes that are currently held.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns the result of `work`, and the largest number of bytes held while it runs.
    pub fn peak_during<T>(&self, work: impl FnOnce() -> T) -> (T, u64) {
        self.take_peak();
        let result = work();
        (result, self.take_peak())
    }

    /// Returns the largest number of bytes held since the last call, or since the start.
    pub fn take_peak(&self) -> u64 {
        self.peak.swap(self.held(), Ordering::Relaxed)
    }

    fn add(&self, n: usize) {
        let held = self.held.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        self.peak.fetch_max(held, Ordering::Relaxed);
    }

    fn sub(&self, n: usize) {
        self.held.fetch_sub(n as u64, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed to the system allocator unchanged.
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
