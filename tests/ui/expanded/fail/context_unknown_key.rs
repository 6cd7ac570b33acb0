#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Context {}
const _: () = {
    const fn bounded<T: ::opgen_runtime::context::ContextField>() {}
    bounded::<String>();
};
::core::compile_error! {
    "`#[context]` has no `dat`; did you mean `data`?"
}
::core::compile_error! {
    "a field is a client or data, not both; keep one"
}
