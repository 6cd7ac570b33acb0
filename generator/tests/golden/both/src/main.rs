//! `run` (the default), `manifests` and `graph`: see `--help`.

use std::process::ExitCode;

use database_operator::{context::Context, operator};

fn main() -> ExitCode {
    opgen_runtime::cli::main(operator(), |_clients| Context::from_env())
}
