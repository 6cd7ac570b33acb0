#[allow(dead_code)]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    loop {
        let later = async { cx.blocking(|| ()).await };
        drop(later);
    }
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
    "`loop` without `.await` holds the worker, and no timeout can end it; return `Step::poll_in(secs(..))` and look again in the next run, or iterate over something that ends"
}
