#[path = "../support.rs"]
mod support;

use opgen_runtime::prelude::*;
use support::{Context, Database};

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context)]
pub struct Life;

fn main() {}
