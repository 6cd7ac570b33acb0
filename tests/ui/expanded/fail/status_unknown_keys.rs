#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for Status {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/list"), rule :
            ::opgen_runtime::status::Rule::ListMap(::std::vec![::std::string::String::from("name")]),
            }
        ]
    }
}
#[automatically_derived]
impl ::opgen_runtime::status::MachineStatus for Status {
    const PATHS: ::opgen_runtime::status::MachinePaths = ::opgen_runtime::status::MachinePaths::DEFAULT;
}
::core::compile_error! {
    "`#[status]` has no `parts`; did you mean `part`?"
}
::core::compile_error! {
    "`#[status]` has no `volatil`; did you mean `volatile`?"
}
::core::compile_error! {
    "`key` and `keys` say the same; keep `keys(\"a\", \"b\")`"
}
::core::compile_error! {
    "`bounded` takes a whole number above zero: `bounded = 32`"
}
