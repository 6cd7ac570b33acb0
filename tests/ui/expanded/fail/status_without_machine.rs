#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for Status {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![]
    }
}
#[automatically_derived]
impl ::opgen_runtime::status::MachineStatus for Status {
    const PATHS: ::opgen_runtime::status::MachinePaths = ::opgen_runtime::status::MachinePaths::DEFAULT;
}
::core::compile_error! {
    "this status has no place for the machine: flatten one into it, `#[serde(flatten)] pub machine: MachineState<YourPhase>`; or name the paths of an adopted CRD, `#[status(phase = \"/phase\", conditions = \"/conditions\")]`; or mark a struct that is only a part of a status, `#[status(part)]`"
}
