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
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let mut text = "\r\x1b[2K".to_owned();
        if statistics.explored > 0 || statistics.steps == 0 {
            let Statistics { explored, stored, waiting, bytes, .. } = *statistics;
            let (rate, mega) = (rate(explored), bytes >> 20);
            text += &format!("{explored} explored, {stored} stored, {waiting} waiting, {rate:.0}/s, {mega} MB, ");
        }
        if statistics.steps > 0 {
            let Statistics { walks, steps, walk_depth, walk_delays: (early, late), best_steps, .. } = *statistics;
            text += &format!("{walks} walks, {steps} steps, {:.0}/s, up to {walk_depth} a walk, ", rate(steps));
            text += &format!("delays {early}/{}/{late} %, ", 100 - early.min(100) - late.min(100 - early.min(100)));
            if let Some(best) = best_steps {
                text += &format!("best run {best} steps, ");
            }
        }
        text += &format!("{seconds:.1} s");
        let mut stream = std::io::stderr().lock();
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[2K");
        }
    }
}
