#[allow(dead_code)]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    Ok(Step::to(Ready))
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
    "`0s` is no time at all: give a duration above zero"
}
