//! Asks the person at the terminal. The only module that reads standard input.

use std::io::IsTerminal as _;

use inquire::validator::Validation;
use inquire::{InquireError, Select, Text};

use crate::conversation::{Person, Reply, ended};
use crate::error::{Problem, Result};

/// Shown below each question.
const KEYS: &str = "Esc goes back, Ctrl-C ends without a trace";

/// The person at the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal;

/// Whether somebody can be asked: input and both outputs are a terminal.
pub fn somebody_is_there() -> bool {
    std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && std::io::stderr().is_terminal()
}

impl Person for Terminal {
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Reply> {
        let mut prompt = Text::new(question);
        if !default.is_empty() {
            prompt = prompt.with_default(default);
        }
        let answer = prompt
            .with_help_message(KEYS)
            .with_validator(move |text: &str| {
                Ok(match check(text) {
                    Ok(()) => Validation::Valid,
                    Err(Problem { what, mend, .. }) => {
                        let said = [Some(what), mend].into_iter().flatten();
                        Validation::Invalid(said.collect::<Vec<_>>().join(": ").into())
                    }
                })
            })
            .prompt();
        reply(answer)
    }

    fn choice(
        &mut self,
        question: &str,
        choices: &[(&'static str, &'static str)],
    ) -> Result<Reply> {
        let lines = choices
            .iter()
            .map(|(name, what)| format!("{name}: {what}"))
            .collect();
        let chosen = Select::new(question, lines)
            .with_help_message(KEYS)
            .raw_prompt();
        reply(chosen.map(|chosen| {
            choices
                .get(chosen.index)
                .map(|(name, _)| (*name).to_owned())
                .unwrap_or_default()
        }))
    }

    #[expect(
        clippy::print_stderr,
        reason = "part of the conversation, as the questions are"
    )]
    fn show(&mut self, text: &str) {
        eprintln!("\n{text}\n");
    }
}

fn reply(answer: Result<String, InquireError>) -> Result<Reply> {
    match answer {
        Ok(answer) => Ok(Reply::Said(answer)),
        Err(InquireError::OperationCanceled) => Ok(Reply::Back),
        Err(InquireError::OperationInterrupted) => Err(ended()),
        Err(other) => Err(
            Problem::new(format!("the terminal cannot be asked: {other}"))
                .mend("answer with flags, or pass --yes to take every default")
                .environment(),
        ),
    }
}
