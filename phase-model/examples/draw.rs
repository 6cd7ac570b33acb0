//! `cargo run -p opgen-phase-model --example draw -- FILE.rs > picture.svg`: draws the phase enum of a source file.
#![expect(clippy::print_stdout, reason = "the picture is the output")]

use opgen_phase_model::{Machine, graph};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("name a source file with a phase enum")?;
    let file = syn::parse_file(&std::fs::read_to_string(&path)?)?;
    let machines = Machine::find_in_file(&file)?;
    let machine = machines
        .first()
        .ok_or_else(|| format!("{path} has no phase enum"))?;
    print!("{}", graph::svg(&graph::Graph::from(machine)));
    Ok(())
}
