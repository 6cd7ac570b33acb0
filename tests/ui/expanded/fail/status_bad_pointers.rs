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
    "`phase` is not a JSON pointer relative to the status; write it like \"/phase\""
}
::core::compile_error! {
    "`/conditions/` is not a JSON pointer relative to the status; write it like \"/conditions\""
}
