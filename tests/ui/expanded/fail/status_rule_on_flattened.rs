#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for Part {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![]
    }
}
::core::compile_error! {
    "a flattened field has no place of its own in the JSON, so only `nested` fits; put the rule on the fields inside"
}
