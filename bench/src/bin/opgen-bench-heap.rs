//! `opgen-bench-heap SIDE OBJECTS`: bytes per cached object, as JSON. `opgen-bench` builds and calls it.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the output of a program"
)]

use std::{alloc::System, process::ExitCode};

use cap::Cap;
use opgen_bench::{case::Side, heap};

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

fn main() -> ExitCode {
    match measured(std::env::args().skip(1)) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measured(mut arguments: impl Iterator<Item = String>) -> Result<String, String> {
    let side = arguments.next().unwrap_or_else(|| "opgen".to_owned());
    let side: Side = serde_json::from_value(side.into()).map_err(|error| error.to_string())?;
    let objects = arguments.next().map_or(Ok(10_000), |text| text.parse());
    let objects = objects.map_err(|error| format!("the number of objects: {error}"))?;
    let figure = heap::measure(side, objects, || HEAP.allocated())?;
    serde_json::to_string(&figure).map_err(|error| error.to_string())
}
