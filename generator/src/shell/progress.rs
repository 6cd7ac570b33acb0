//! One line that moves on a terminal, and plain lines elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::Shell;

/// Work that takes a while. What is told through it stays on the screen, above the line that moves.
#[derive(Debug)]
pub struct Progress {
    shell: Shell,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins to show what is going on.
    pub fn start(shell: Shell, text: &str) -> Self {
        let bar = shell.is_live().then(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner:>12} {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar.set_message(text.to_owned());
            bar
        });
        if bar.is_none() {
            shell.status("Working", text);
        }
        Self { shell, bar }
    }

    /// What is going on now; shown on a terminal only.
    pub fn now(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    /// Something that happened and stays on the screen.
    pub fn tell(&self, verb: &str, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.shell.status(verb, text)),
            None => self.shell.status(verb, text),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
