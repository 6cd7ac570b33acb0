#[automatically_derived]
impl<T: Send + Sync + 'static> ::opgen_runtime::context::MachineContext for Context<T> {}
::core::compile_error! {
    "a context takes no generics: handlers name it, so its types are settled; keep a `dyn` trait behind a `Bounded..` client"
}
