//! How much memory the process holds, and what happens where there is no more.
//!
//! A program that sets [`Counting`] as its allocator knows the bytes that it holds at any moment: each thread counts for itself and
//! adds up when it has a little together. The system's allocator may keep more than that: who looks at the process from outside
//! [tells](set_resident) how much it is. [`held`] is the larger of both, and 0 in programs that do neither.
//!
//! Allocation cannot fail in Rust without ending the program by a signal. Where the system refuses memory, or the process holds more
//! than the [ceiling](set_ceiling), the thread that asks sleeps for ever instead, and [`is_exhausted`] tells a [guardian](guard), which has
//! some memory put by for it: it says what is known and ends the process.

// An allocator must be unsafe code; it counts, and hands everything to the system's allocator.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

/// The system's allocator, with a count of the bytes that are in use.
pub struct Counting;

/// What a thread counts for itself before it adds up.
const TOGETHER: i64 = 64 << 10;
/// What the guardian has put by.
const RESERVE: usize = 16 << 20;

static LIVE: AtomicI64 = AtomicI64::new(0);
static RESIDENT: AtomicU64 = AtomicU64::new(0);
static CEILING: AtomicI64 = AtomicI64::new(i64::MAX);
static EXHAUSTED: AtomicBool = AtomicBool::new(false);
static RESERVED: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static GUARDIAN: OnceLock<Thread> = OnceLock::new();

thread_local! {
    static OWN: Cell<i64> = const { Cell::new(0) };
    static IS_GUARDIAN: Cell<bool> = const { Cell::new(false) };
}

/// Bytes that the process holds, to within a little for each thread.
pub fn held() -> u64 {
    u64::try_from(LIVE.load(Ordering::Relaxed)).unwrap_or(0).max(RESIDENT.load(Ordering::Relaxed))
}

/// So much memory the process was last seen to have.
pub fn set_resident(bytes: u64) {
    RESIDENT.store(bytes, Ordering::Relaxed);
}

/// Threads that make the process hold more than so many bytes are put to sleep, once there is a guardian.
pub fn set_ceiling(bytes: Option<u64>) {
    CEILING.store(bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(i64::MAX), Ordering::Relaxed);
}

/// Whether a thread was put to sleep because there is no memory for it.
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}

/// Makes this thread the guardian: it is woken (`unpark`) when memory is exhausted, and has some left then.
pub fn guard() {
    IS_GUARDIAN.set(true);
    let _ = GUARDIAN.set(std::thread::current());
    if let Ok(layout) = Layout::from_size_align(RESERVE, 16) {
        // SAFETY: the layout has a size; nothing is written to the place, and it is given back once, with the same layout.
        RESERVED.store(unsafe { System.alloc(layout) }, Ordering::Relaxed);
    }
}

/// Gives the guardian its reserve and waits for it to end the process. Without a guardian there is nothing to wait for.
#[cold]
fn exhausted() {
    if IS_GUARDIAN.get() {
        return;
    }
    let Some(guardian) = GUARDIAN.get() else { return };
    let reserved = RESERVED.swap(std::ptr::null_mut(), Ordering::Relaxed);
    if let (false, Ok(layout)) = (reserved.is_null(), Layout::from_size_align(RESERVE, 16)) {
        // SAFETY: it was allocated in `guard` with this layout, and the swap hands it to one thread only.
        unsafe { System.dealloc(reserved, layout) }
    }
    EXHAUSTED.store(true, Ordering::Relaxed);
    guardian.unpark();
    loop {
        std::thread::park_timeout(Duration::from_secs(3600));
    }
}

/// Counts bytes that came or went.
#[inline]
fn count(bytes: i64) {
    // A thread that ends has no cell any more.
    let _ = OWN.try_with(|own| {
        let sum = own.get() + bytes;
        if sum.abs() < TOGETHER {
            return own.set(sum);
        }
        own.set(0);
        if LIVE.fetch_add(sum, Ordering::Relaxed) + sum > CEILING.load(Ordering::Relaxed) && sum > 0 {
            exhausted();
        }
    });
}

// SAFETY: every call is handed on as it is; what is counted does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`.
        let place = unsafe { System.alloc(layout) };
        if place.is_null() {
            exhausted();
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: as above.
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() {
            exhausted();
        }
        place
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: as above.
        let place = unsafe { System.realloc(old, layout, size) };
        if place.is_null() {
            exhausted();
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}
