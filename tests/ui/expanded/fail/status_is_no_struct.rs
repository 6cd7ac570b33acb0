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
    "a status is a struct with named fields, as a CRD's schema is"
}
