use opgen_runtime::prelude::*;

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    #[default]
    #[phase(steady)]
    Ready,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(context = ())]
pub enum Other {
    #[default]
    #[phase(steady)]
    Idle,
}

fn main() {}
