//! `completions`: a script for a shell.

use clap::CommandFactory as _;

use crate::cli::{Cli, Completions};
use crate::error::Result;
use crate::shell::Shell;

pub(crate) fn run(flags: &Completions, shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "cargo-opgen", &mut script);
    shell.product(&String::from_utf8_lossy(&script));
    Ok(())
}
