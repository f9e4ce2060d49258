//! Waking a thread that takes over from the one that wakes it.
//!
//! A thread that is woken by `unpark` is queued on the core where it ran last. If another thread is busy there, it waits for the next
//! tick of the kernel, up to 4 ms, though the core of the one that woke it is idle from then on. What is written to a
//! socket is taken as a message: the one who reads it is queued on the core of the one who writes, who is expected to wait next.
//! That is what happens when a place changes hands ([`turns`](crate::turns)), so bells are sockets where there are any.
//!
//! Cost: two files a thread, and two system calls each time a place changes hands.

#[cfg(unix)]
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{Thread, current, park_timeout};
use std::time::Duration;

/// Rings for one thread.
#[derive(Clone, Debug)]
pub struct Bell {
    thread: Thread,
    /// The end that is written to and the one that is read. Without them (there may be too many files) the thread is parked.
    #[cfg(unix)]
    ends: Option<Arc<(UnixStream, UnixStream)>>,
}

impl Bell {
    /// The bell of this thread.
    pub fn new() -> Bell {
        Bell {
            thread: current(),
            #[cfg(unix)]
            ends: pair().ok().map(Arc::new),
        }
    }

    /// Wakes the thread, or keeps it from waiting the next time.
    pub fn ring(&self) {
        #[cfg(unix)]
        if let Some(ends) = &self.ends {
            // Where there is no room, it has been rung often enough.
            let _ = (&ends.0).write(&[1]);
            return;
        }
        self.thread.unpark();
    }

    /// Waits until it rings, or for `longest`, about. May return sooner.
    pub fn wait(&self, longest: Duration) {
        #[cfg(unix)]
        if let Some(ends) = &self.ends
            && ends.1.set_read_timeout(Some(longest)).is_ok()
        {
            let _ = (&ends.1).read(&mut [0; 64]);
            return;
        }
        park_timeout(longest);
    }
}

#[cfg(unix)]
fn pair() -> std::io::Result<(UnixStream, UnixStream)> {
    let (write, read) = UnixStream::pair()?;
    write.set_nonblocking(true)?;
    Ok((write, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn who_waits_is_woken() {
        let bell = Bell::new();
        let (hour, started) = (Duration::from_secs(3600), Instant::now());
        // Before it waits, many times, and while it waits.
        for _ in 0..100_000 {
            bell.ring();
        }
        bell.wait(hour);
        while started.elapsed() < Duration::from_secs(60) {
            let before = Instant::now();
            bell.wait(Duration::from_millis(5));
            if before.elapsed() >= Duration::from_millis(5) {
                break;
            }
        }
        let ringer = bell.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                ringer.ring();
            });
            bell.wait(hour);
        });
        assert!(started.elapsed() < hour);
    }
}
