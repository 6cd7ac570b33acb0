//! `man`: the manual page of the program, or of one of its commands.

use clap::CommandFactory as _;

use crate::cli::{Cli, Man};
use crate::error::{Failure, Place, Problem, Result};
use crate::shell::Shell;

pub(crate) fn run(flags: &Man, shell: Shell) -> Result<()> {
    let mut program = Cli::command();
    // Passes the global flags on to the commands.
    program.build();
    let page = match &flags.command {
        None => program,
        Some(name) => {
            let names: Vec<String> = program
                .get_subcommands()
                .map(|command| command.get_name().to_owned())
                .collect();
            let command = program.find_subcommand(name).ok_or_else(|| {
                Problem::new(format!("there is no command `{name}`"))
                    .at(Place::Flag("COMMAND"))
                    .mend(format!("the commands are {}", names.join(", ")))
                    .input()
            })?;
            command.clone()
        }
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut roff)
        .map_err(|error| -> Failure {
            Problem::new(format!("the page cannot be made: {error}")).environment()
        })?;
    shell.product(&String::from_utf8_lossy(&roff));
    Ok(())
}
