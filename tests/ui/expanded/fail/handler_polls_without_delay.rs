#[allow(dead_code)]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    if cx.spec_changed() {
        return Ok(Step::poll_in(secs(0)));
    }
    if cx.remaining().is_zero() {
        return Ok(Step::<Pending>::poll_in(std::time::Duration::ZERO));
    }
    Ok(Step::wait("soon", std::time::Duration::from_secs(0)))
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
    "`Step::poll_in` with no delay spins; give one of a second or more, or move on with `Step::to`, or end with `Step::settled()`"
}
::core::compile_error! {
    "`Step::poll_in` with no delay spins; give one of a second or more, or move on with `Step::to`, or end with `Step::settled()`"
}
::core::compile_error! {
    "`Step::wait` with no delay spins; give one of a second or more, or move on with `Step::to`, or end with `Step::settled()`"
}
