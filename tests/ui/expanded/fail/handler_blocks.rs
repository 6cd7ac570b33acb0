#[allow(dead_code)]
async fn pending(_: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let _ = std::fs::read_to_string("/etc/hosts");
    let _ = ::std::net::TcpStream::connect("db:5432");
    let _ = std::process::Command::new("ls").status();
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
    "`std::fs` blocks the worker on the disk; move it into `cx.blocking(|| ..)`, which runs it on a bounded pool"
}
::core::compile_error! {
    "`std::net::TcpStream` blocks the worker on the network; call through an async client behind `#[timeout_client]`"
}
::core::compile_error! {
    "`std::process::Command` blocks the worker on another process; move it into `cx.blocking(|| ..)`, which runs it on a bounded pool"
}
