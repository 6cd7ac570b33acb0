#[allow(dead_code)]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Ready>> {
    Ok(Step::settled())
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Pending {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::ZERO;
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        let _ = cx;
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "this handler is given phase `Pending` but decides for `Ready`: return `Result<Step<Pending>>`"
}
