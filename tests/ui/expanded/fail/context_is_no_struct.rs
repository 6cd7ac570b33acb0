#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Context {}
::core::compile_error! {
    "a context is a struct: one field per client or setting"
}
#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Pair {}
::core::compile_error! {
    "a context names its fields: a client's field is the method by which handlers reach it"
}
