//! The command `cargo opgen`.

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_opgen::run(std::env::args_os())
}
