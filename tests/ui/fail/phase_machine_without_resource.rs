#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(context = Context)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

fn main() {}
