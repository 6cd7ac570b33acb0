pub trait Dns: ::core::marker::Send + ::core::marker::Sync + 'static {
    fn resolve<'call>(
        &'call self,
        name: &'call str,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<String>,
    >;
}
/// A [`Dns`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a [`DnsHandle`] of it.
#[derive(Clone)]
pub struct BoundedDns {
    inner: ::std::sync::Arc<dyn Dns>,
    guard: ::opgen_runtime::external::Guard,
}
#[automatically_derived]
#[allow(dead_code)]
impl BoundedDns {
    /// Bounds `inner` as the trait's attribute says.
    pub fn new(inner: impl Dns) -> Self {
        Self::from_arc(::std::sync::Arc::new(inner))
    }
    /// Bounds a shared client as the trait's attribute says.
    #[must_use]
    pub fn from_arc(inner: ::std::sync::Arc<dyn Dns>) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("dns", Self::settings());
        Self { inner, guard }
    }
    /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
    pub fn with_settings(
        inner: impl Dns,
        settings: ::opgen_runtime::external::ClientSettings,
    ) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("dns", settings);
        Self {
            inner: ::std::sync::Arc::new(inner),
            guard,
        }
    }
    /// The bounds that the trait's attribute gives.
    #[must_use]
    pub fn settings() -> ::opgen_runtime::external::ClientSettings {
        ::core::default::Default::default()
    }
    /// The same client for a target with permits and a breaker of its own.
    #[must_use]
    pub fn for_target(
        &self,
        target: impl ::core::convert::Into<::opgen_runtime::external::Target>,
    ) -> Self {
        Self {
            inner: ::std::sync::Arc::clone(&self.inner),
            guard: self.guard.for_target(target),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for BoundedDns {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.debug_struct("BoundedDns").field("guard", &self.guard).finish_non_exhaustive()
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::ContextField for BoundedDns {}
#[automatically_derived]
impl ::opgen_runtime::context::BoundedClient for BoundedDns {
    type Handle = DnsHandle;
    fn handle(&self, scope: ::opgen_runtime::external::CallScope) -> DnsHandle {
        DnsHandle {
            client: ::core::clone::Clone::clone(self),
            scope,
        }
    }
    fn guard(&self) -> &::opgen_runtime::external::Guard {
        &self.guard
    }
    fn guarded_by(self, guard: ::opgen_runtime::external::Guard) -> Self {
        Self { guard, ..self }
    }
}
/// A [`BoundedDns`] within one handler: no call outlives the handler's time.
#[derive(Clone, Debug)]
pub struct DnsHandle {
    client: BoundedDns,
    scope: ::opgen_runtime::external::CallScope,
}
#[automatically_derived]
#[allow(dead_code)]
impl DnsHandle {
    /// The same handle for a target with permits and a breaker of its own.
    #[must_use]
    pub fn for_target(
        &self,
        target: impl ::core::convert::Into<::opgen_runtime::external::Target>,
    ) -> Self {
        Self {
            client: self.client.for_target(target),
            scope: ::core::clone::Clone::clone(&self.scope),
        }
    }
    /// Calls [`Dns::resolve`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn resolve(&self, name: &str) -> CallResult<String> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("resolve"),
                || Dns::resolve(&*self.client.inner, name),
            )
            .await
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Context {}
const _: () = {
    const fn bounded<T: ::opgen_runtime::context::ContextField>() {}
    bounded::<support::BoundedDns>();
    bounded::<Resolver>();
    bounded::<Option<support::BoundedDns>>();
    bounded::<PerSecret<support::BoundedDns>>();
    bounded::<Vec<String>>();
};
/// The clients of [`Context`] as methods of `Cx`; handlers import it.
pub trait ContextClients {
    /// `dns`, bound to this handler's time.
    fn dns(
        &self,
    ) -> <support::BoundedDns as ::opgen_runtime::context::BoundedClient>::Handle;
    /// `fallback`, bound to this handler's time.
    fn fallback(&self) -> <Resolver as ::opgen_runtime::context::BoundedClient>::Handle;
    /// The client of `tenants` that belongs to the secret, bound to this handler's time.
    ///
    /// # Errors
    /// If no client can be made from the secret.
    fn tenants_for(
        &self,
        secret: &::opgen_runtime::__private::Secret,
    ) -> ::opgen_runtime::error::Result<
        <support::BoundedDns as ::opgen_runtime::context::BoundedClient>::Handle,
    >;
}
#[automatically_derived]
impl<P> ContextClients for ::opgen_runtime::cx::Cx<'_, P>
where
    P: ::opgen_runtime::phase::Phase<
        Machine: ::opgen_runtime::phase::PhaseMachine<Context = Context>,
    >,
{
    fn dns(
        &self,
    ) -> <support::BoundedDns as ::opgen_runtime::context::BoundedClient>::Handle {
        self.bounded(&self.context().dns)
    }
    fn fallback(&self) -> <Resolver as ::opgen_runtime::context::BoundedClient>::Handle {
        self.bounded(&self.context().fallback)
    }
    fn tenants_for(
        &self,
        secret: &::opgen_runtime::__private::Secret,
    ) -> ::opgen_runtime::error::Result<
        <support::BoundedDns as ::opgen_runtime::context::BoundedClient>::Handle,
    > {
        self.bounded_for(&self.context().tenants, secret)
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Empty {}
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
    type Resource = super::resource::Database;
    type Context = super::Context;
    const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
    const BUDGET: ::core::time::Duration = ::core::time::Duration::from_secs(60u64);
    const ALL: &'static [Self] = &[Self::Ready];
    fn name(self) -> &'static str {
        self.info().name
    }
    fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
        &Self::GRAPH.phases[self as usize]
    }
    fn crd() -> ::opgen_runtime::__private::serde_json::Value {
        ::opgen_runtime::__private::serde_json::to_value(
                <super::resource::Database as ::opgen_runtime::__private::kube::CustomResourceExt>::crd(),
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
    let name = cx.dns().resolve("a").await?;
    let secret = Default::default();
    cx.tenants_for(&secret)?.resolve(&name).await?;
    cx.fallback().resolve(&name).await?;
    if cx.context().sizes.small > 1 {
        return Ok(Step::poll_in(secs(5)));
    }
    Ok(Step::settled())
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Ready {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(30u64);
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
    "phase `Ready` may take 30s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
