impl Provider for Http {
    fn ping<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>> {
        ::std::boxed::Box::pin(async move { Ok(()) })
    }
}
::core::compile_error! {
    "the bounds belong to the trait; on an impl write `#[timeout_client]` alone"
}
