//! `opgen-bench-server CASE`: the server of a case by HTTPS. `opgen-bench` starts it.
//!
//! A program of its own, with an allocator of its own: it stands for a server on another machine, and takes less of this one
//! so. The operators have the allocator that a generated project has.
#![allow(clippy::print_stderr, reason = "the output of a program")]

use std::process::ExitCode;

use mimalloc::MiMalloc;
use opgen_bench::{case::Case, remote};

#[global_allocator]
static HEAP: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let case = std::env::args().nth(1).unwrap_or_default();
    match Case::read(&case).and_then(|case| remote::serve(&case)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
