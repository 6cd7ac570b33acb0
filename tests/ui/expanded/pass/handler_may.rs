/// The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Ready {
    type Machine = Life;
    const PHASE: Life = Life::Ready;
}
#[automatically_derived]
impl Life {
    /// The phases and their arrows, as data.
    pub const GRAPH: ::opgen_runtime::graph::PhaseGraph = ::opgen_runtime::graph::PhaseGraph {
        machine: "Life",
        phases: &[
            ::opgen_runtime::graph::PhaseInfo {
                name: "Ready",
                doc: "",
                to: &[],
                initial: true,
                steady: true,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
        ],
        mermaid: "..",
        svg: "..",
    };
}
#[automatically_derived]
impl ::opgen_runtime::phase::PhaseMachine for Life {
    type Resource = Database;
    type Context = Context;
    const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
    const BUDGET: ::core::time::Duration = ::core::time::Duration::from_secs(90u64);
    const ALL: &'static [Self] = &[Self::Ready];
    fn name(self) -> &'static str {
        self.info().name
    }
    fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
        &Self::GRAPH.phases[self as usize]
    }
    fn crd() -> ::opgen_runtime::__private::serde_json::Value {
        ::opgen_runtime::__private::serde_json::to_value(
                <Database as ::opgen_runtime::__private::kube::CustomResourceExt>::crd(),
            )
            .expect("a CRD is made of JSON")
    }
    fn dispatch<'a>(
        self,
        object: &'a Self::Resource,
        run: &'a mut ::opgen_runtime::cx::Run<Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Outcome<Self>>,
    > {
        match self {
            Self::Ready => ::opgen_runtime::__private::run_phase::<Ready>(object, run),
        }
    }
}
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let text = cx.blocking(|| std::fs::read_to_string("/etc/hostname")).await??;
    let address: std::net::IpAddr = "127.0.0.1".parse()?;
    fn nap() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    loop {
        cx.blocking(nap).await?;
        if !text.is_empty() || address.is_loopback() {
            break;
        }
    }
    for _ in text.lines() {}
    Ok(Step::poll_in(secs(10)))
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Ready {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(90u64);
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        ::std::boxed::Box::pin(ready(cx))
    }
}
const _: () = ::core::assert!(
    ::opgen_runtime::__private::within(< Ready as ::opgen_runtime::phase::ReconcilePhase
    > ::TIMEOUT, << Ready as ::opgen_runtime::phase::Phase > ::Machine as
    ::opgen_runtime::phase::PhaseMachine > ::BUDGET,),
    "phase `Ready` may take 1m30s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
