//! A table that is kept up to date at the foot of a terminal while lines scroll above it; lines alone elsewhere.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

use super::{Shell, say};
use crate::error::Failure;

/// What a long-running command shows. Clones show on the same screen.
#[derive(Clone, Debug)]
pub struct Board {
    shell: Shell,
    bar: Option<ProgressBar>,
}

impl Board {
    /// Begins to show; the table appears on terminals only.
    pub fn start(shell: Shell) -> Self {
        let bar = (shell.is_live() && io::stdout().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self { shell, bar }
    }

    /// Whether there is a table.
    pub fn is_live(&self) -> bool {
        self.bar.is_some()
    }

    fn above(&self, write: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// A step that was done.
    pub fn status(&self, verb: &str, text: &str) {
        self.above(|| self.shell.status(verb, text));
    }

    /// Lines of another program: a log, a compiler's message.
    pub fn text(&self, text: &str) {
        self.above(|| self.shell.note(text));
    }

    /// What went wrong, while the command goes on.
    pub fn failure(&self, failure: &Failure) {
        self.above(|| self.shell.failure(failure));
    }

    /// Something that changed: a line on standard output where there is no table, an object for machines.
    pub fn change(&self, line: &str, data: &Value) {
        self.shell.data(data);
        if self.bar.is_none() && self.shell.is_human() {
            say(&mut io::stdout().lock(), line);
        }
    }

    /// Something that only machines want to hear.
    pub fn data(&self, data: &Value) {
        self.shell.data(data);
    }

    /// Draws the table anew; shown on a terminal only. Longer lines are cut, so that one line stays one line.
    pub fn table(&self, lines: &[String]) {
        if let Some(bar) = &self.bar {
            let width = console_width();
            let lines: Vec<String> = lines.iter().map(|line| cut(line, width)).collect();
            bar.set_message(lines.join("\n"));
            bar.tick();
        }
    }

    /// Takes the table away; what was said above it stays.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Columns of the terminal, one left free so that the cursor never wraps.
fn console_width() -> usize {
    let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| width.0);
    usize::from(width.max(20)) - 1
}

fn cut(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let mut short: String = line.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}
