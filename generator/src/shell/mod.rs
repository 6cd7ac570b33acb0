//! Everything the program says. The only module that prints, the conversation apart.

mod board;
mod picture;
mod progress;

pub use board::Board;
pub use progress::Progress;

use std::io::{self, IsTerminal as _, Write};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use crate::cli::{Color, Format, Output};
use crate::error::{Failure, Place, Problem};

/// Where output goes, and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Shell {
    quiet: bool,
    format: Format,
    colored_out: bool,
    colored_err: bool,
    recorder: Option<&'static Recorder>,
}

/// What was said to people, for a picture of it.
#[derive(Debug, Default)]
pub struct Recorder {
    lines: Mutex<Vec<Said>>,
}

/// A line that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    /// A step: its verb and the rest.
    Step(String, String),
    /// Anything else.
    Line(String),
}

impl Recorder {
    fn push(&self, said: Said) {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(said);
    }

    /// A terminal with this command and what it said so far. Each text of `replaced` gives way to the other one: a
    /// picture must not show whose machine it was made on.
    pub fn picture(&self, command: &str, replaced: &[(String, &str)]) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        picture::svg(command, &lines, replaced)
    }
}

impl Shell {
    /// A shell as the flags ask for it.
    pub fn new(output: Output) -> Self {
        let colored = |terminal: bool| match output.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => match std::env::var("CARGO_TERM_COLOR").as_deref() {
                Ok("always") => true,
                Ok("never") => false,
                _ => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            },
        };
        Self {
            quiet: output.quiet,
            format: output.format,
            colored_out: colored(io::stdout().is_terminal()),
            colored_err: colored(io::stderr().is_terminal()),
            recorder: None,
        }
    }

    /// The same shell, with everything that it and its copies say kept.
    pub fn recorded(self) -> (Self, &'static Recorder) {
        // One small thing for the whole life of the program, so that shells can be copied.
        let recorder: &'static Recorder = Box::leak(Box::default());
        let shell = Self {
            recorder: Some(recorder),
            ..self
        };
        (shell, recorder)
    }

    fn record(&self, said: Said) {
        if let Some(recorder) = self.recorder {
            recorder.push(said);
        }
    }

    /// Whether people read this.
    pub fn is_human(&self) -> bool {
        self.format == Format::Human && !self.quiet
    }

    /// Whether a program reads this.
    pub fn is_for_machines(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether a progress display makes sense.
    pub fn is_live(&self) -> bool {
        self.is_human() && io::stderr().is_terminal()
    }

    /// What the programs that we run are told about colours on standard error.
    pub fn color_word(&self) -> &'static str {
        if self.colored_err { "always" } else { "never" }
    }

    /// A step that was done, in cargo's form, on standard error.
    pub fn status(&self, verb: &str, text: &str) {
        self.record(Said::Step(verb.to_owned(), text.to_owned()));
        if !self.is_human() {
            return;
        }
        let line = if self.colored_err {
            format!("\u{1b}[1;32m{verb:>12}\u{1b}[0m {text}")
        } else {
            format!("{verb:>12} {text}")
        };
        say(&mut io::stderr().lock(), &line);
    }

    /// A line of explanation on standard error.
    pub fn note(&self, text: &str) {
        if self.is_human() {
            say(&mut io::stderr().lock(), text);
        }
    }

    /// The result for people, on standard output.
    pub fn result(&self, text: &str) {
        text.lines()
            .for_each(|line| self.record(Said::Line(line.to_owned())));
        if self.is_human() {
            say(&mut io::stdout().lock(), text);
        }
    }

    /// The result for machines, on standard output, where they asked for it.
    pub fn data(&self, value: &Value) {
        if self.format == Format::Json {
            say(&mut io::stdout().lock(), &value.to_string());
        }
    }

    /// Text that is itself the product, such as a completion script.
    pub fn product(&self, text: &str) {
        let mut out = io::stdout().lock();
        // A reader that went away has had enough.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// Text of clap's, which has its own colours.
    pub fn usage(&self, error: &clap::Error) {
        let rendered = error.render();
        let help = !error.use_stderr();
        let colored = if help {
            self.colored_out
        } else {
            self.colored_err
        };
        let text = if colored {
            rendered.ansi().to_string()
        } else {
            rendered.to_string()
        };
        if help {
            say(&mut io::stdout().lock(), text.trim_end());
        } else {
            say(&mut io::stderr().lock(), text.trim_end());
        }
    }

    /// Why the command ended early, on standard error.
    pub fn failure(&self, failure: &Failure) {
        let mut err = io::stderr().lock();
        if self.format == Format::Json {
            say(&mut err, &as_json(failure).to_string());
            return;
        }
        let renderer = if self.colored_err {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        for problem in &failure.problems {
            say(&mut err, &report(&renderer, problem));
        }
    }
}

/// Writes a line; a reader that went away has had enough.
fn say(to: &mut dyn Write, line: &str) {
    let _ = writeln!(to, "{line}").and_then(|()| to.flush());
}

fn report(renderer: &Renderer, problem: &Problem) -> String {
    let mut main = Group::with_title(Level::ERROR.primary_title(problem.what.as_str()));
    let path;
    match problem.place.as_deref() {
        Some(Place::Text {
            source,
            span,
            field,
        }) => {
            path = source.path.display().to_string();
            let mut annotation = AnnotationKind::Primary.span(visible(&source.text, span));
            if let Some(field) = field {
                annotation = annotation.label(field.as_str());
            }
            main = main.element(
                Snippet::source(&*source.text)
                    .path(path.as_str())
                    .fold(true)
                    .annotation(annotation),
            );
        }
        Some(Place::Path(file)) => {
            path = file.display().to_string();
            main = main.element(Origin::path(path.as_str()));
        }
        Some(Place::Flag(flag)) => main = main.element(Origin::path(*flag)),
        Some(Place::Derived(flag)) => {
            path = format!("the default of {flag}");
            main = main.element(Origin::path(path.as_str()));
        }
        None => {}
    }
    if let Some(mend) = &problem.mend {
        main = main.element(Level::HELP.message(mend.as_str()));
    }
    renderer.render(&[main])
}

/// The stretch cut to its first line: a whole table underlined says less.
fn visible(text: &str, span: &Range<usize>) -> Range<usize> {
    let end = text
        .get(span.clone())
        .and_then(|part| part.find('\n'))
        .map_or(span.end, |newline| span.start + newline);
    span.start.min(text.len())..end.min(text.len())
}

fn as_json(failure: &Failure) -> Value {
    let problems: Vec<Value> = failure
        .problems
        .iter()
        .map(|problem| json!({"what": problem.what, "where": place_json(problem.place.as_deref()), "mend": problem.mend}))
        .collect();
    json!({"status": "error", "exit": failure.exit as u8, "problems": problems})
}

fn place_json(place: Option<&Place>) -> Value {
    match place {
        None => Value::Null,
        Some(Place::Flag(flag)) => json!({"flag": flag}),
        Some(Place::Derived(flag)) => json!({"default-of": flag}),
        Some(Place::Path(path)) => json!({"path": path}),
        Some(text @ Place::Text { source, field, .. }) => {
            let (line, column) = text.line_column().unzip();
            json!({"path": source.path, "line": line, "column": column, "field": field})
        }
    }
}
