//! One line about long work, rewritten in place. On terminals only.

use engine::limits::Statistics;
use std::io::{IsTerminal, Write};

/// Clears the line when it goes.
pub struct Line {
    visible: bool,
    shown: bool,
}

impl Line {
    pub fn new() -> Line {
        Line { visible: std::io::stderr().is_terminal(), shown: false }
    }

    pub fn show(&mut self, statistics: &Statistics) {
        if !self.visible {
            return;
        }
        self.shown = true;
        let seconds = statistics.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { statistics.explored as f64 / seconds } else { 0.0 };
        let walked = format!(
            "\r\x1b[2K{} walks, {} steps, {:.0}/s, up to {} steps a walk, {:.1} s",
            statistics.walks,
            statistics.steps,
            if seconds > 0.0 { statistics.steps as f64 / seconds } else { 0.0 },
            statistics.walk_depth,
            seconds
        );
        let explored = format!(
            "\r\x1b[2K{} explored, {} stored, {} waiting, {:.0}/s, {} MB, {:.1} s",
            statistics.explored,
            statistics.stored,
            statistics.waiting,
            rate,
            statistics.bytes >> 20,
            seconds
        );
        let text = if statistics.walks > 0 || statistics.steps > 0 { walked } else { explored };
        let mut stream = std::io::stderr().lock();
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[2K");
        }
    }
}
