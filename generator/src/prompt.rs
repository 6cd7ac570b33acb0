//! Asks the person at the terminal. The only module that reads standard input.

use std::io::IsTerminal as _;

use inquire::validator::Validation;
use inquire::{InquireError, Select, Text};

use crate::answers::Ask;
use crate::error::{Problem, Result};

/// The person at the terminal.
#[derive(Clone, Copy, Debug)]
pub struct Terminal;

/// Whether somebody can be asked: input and output are a terminal.
pub fn somebody_is_there() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

impl Ask for Terminal {
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>> {
        Text::new(question)
            .with_default(default)
            .with_validator(move |text: &str| {
                Ok(match check(text) {
                    Ok(()) => Validation::Valid,
                    Err(problem) => Validation::Invalid(problem.what.into()),
                })
            })
            .prompt()
            .map(Some)
            .map_err(|error| ended(&error))
    }

    fn choice(
        &mut self,
        question: &str,
        choices: &[(&'static str, &'static str)],
    ) -> Result<Option<String>> {
        let lines = choices
            .iter()
            .map(|(name, what)| format!("{name}: {what}"))
            .collect();
        let chosen = Select::new(question, lines)
            .raw_prompt()
            .map_err(|error| ended(&error))?;
        Ok(choices
            .get(chosen.index)
            .map(|(name, _)| (*name).to_owned()))
    }
}

fn ended(error: &InquireError) -> crate::error::Failure {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => {
            Problem::new("the conversation was broken off; nothing was written")
                .mend("answer with flags, or pass --yes to take every default")
                .input()
        }
        other => Problem::new(format!("the terminal cannot be asked: {other}"))
            .mend("answer with flags, or pass --yes to take every default")
            .environment(),
    }
}
