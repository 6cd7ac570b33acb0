#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for ThingStatus {
    fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
        ::std::vec![
            ::opgen_runtime::status::FieldRule { path :
            ::std::string::String::from("/conditions"), rule :
            ::opgen_runtime::status::Rule::ListMap(::std::vec![::std::string::String::from("type")]),
            }
        ]
    }
}
#[automatically_derived]
impl ::opgen_runtime::status::MachineStatus for ThingStatus {
    const PATHS: ::opgen_runtime::status::MachinePaths = ::opgen_runtime::status::MachinePaths::DEFAULT;
}
/// The phase `Pending` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Pending {
    type Machine = Life;
    const PHASE: Life = Life::Pending;
}
/// The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready;
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
                name: "Pending",
                doc: "",
                to: &["Ready"],
                initial: true,
                steady: false,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Ready",
                doc: "",
                to: &[],
                initial: false,
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
    type Resource = Thing;
    type Context = Context;
    const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
    const BUDGET: ::core::time::Duration = ::core::time::Duration::from_secs(60u64);
    const ALL: &'static [Self] = &[Self::Pending, Self::Ready];
    fn name(self) -> &'static str {
        self.info().name
    }
    fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
        &Self::GRAPH.phases[self as usize]
    }
    fn crd() -> ::opgen_runtime::__private::serde_json::Value {
        ::opgen_runtime::__private::serde_json::to_value(
                <Thing as ::opgen_runtime::__private::kube::CustomResourceExt>::crd(),
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
            Self::Pending => {
                ::opgen_runtime::__private::run_phase::<Pending>(object, run)
            }
            Self::Ready => ::opgen_runtime::__private::run_phase::<Ready>(object, run),
        }
    }
}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Ready> for Pending {}
pub(crate) trait Provider: ::core::marker::Send + ::core::marker::Sync + 'static {
    fn ping<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>>;
}
/// A [`Provider`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a [`ProviderHandle`] of it.
#[derive(Clone)]
pub(crate) struct BoundedProvider {
    inner: ::std::sync::Arc<dyn Provider>,
    guard: ::opgen_runtime::external::Guard,
}
#[automatically_derived]
#[allow(dead_code)]
impl BoundedProvider {
    /// Bounds `inner` as the trait's attribute says.
    pub fn new(inner: impl Provider) -> Self {
        Self::from_arc(::std::sync::Arc::new(inner))
    }
    /// Bounds a shared client as the trait's attribute says.
    #[must_use]
    pub fn from_arc(inner: ::std::sync::Arc<dyn Provider>) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("provider", Self::settings());
        Self { inner, guard }
    }
    /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
    pub fn with_settings(
        inner: impl Provider,
        settings: ::opgen_runtime::external::ClientSettings,
    ) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("provider", settings);
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
impl ::core::fmt::Debug for BoundedProvider {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.debug_struct("BoundedProvider")
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::ContextField for BoundedProvider {}
#[automatically_derived]
impl ::opgen_runtime::context::BoundedClient for BoundedProvider {
    type Handle = ProviderHandle;
    fn handle(&self, scope: ::opgen_runtime::external::CallScope) -> ProviderHandle {
        ProviderHandle {
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
/// A [`BoundedProvider`] within one handler: no call outlives the handler's time.
#[derive(Clone, Debug)]
pub(crate) struct ProviderHandle {
    client: BoundedProvider,
    scope: ::opgen_runtime::external::CallScope,
}
#[automatically_derived]
#[allow(dead_code)]
impl ProviderHandle {
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
    /// Calls [`Provider::ping`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn ping(&self) -> CallResult<()> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("ping"),
                || Provider::ping(&*self.client.inner),
            )
            .await
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Context {}
const _: () = {
    const fn bounded<T: ::opgen_runtime::context::ContextField>() {}
    bounded::<BoundedProvider>();
};
/// The clients of [`Context`] as methods of `Cx`; handlers import it.
pub(crate) trait ContextClients {
    /// `provider`, bound to this handler's time.
    fn provider(
        &self,
    ) -> <BoundedProvider as ::opgen_runtime::context::BoundedClient>::Handle;
}
#[automatically_derived]
impl<P> ContextClients for ::opgen_runtime::cx::Cx<'_, P>
where
    P: ::opgen_runtime::phase::Phase<
        Machine: ::opgen_runtime::phase::PhaseMachine<Context = Context>,
    >,
{
    fn provider(
        &self,
    ) -> <BoundedProvider as ::opgen_runtime::context::BoundedClient>::Handle {
        self.bounded(&self.context().provider)
    }
}
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    cx.provider().ping().await?;
    if cx.object.spec.size > 0 { Ok(Step::to(Ready)) } else { Ok(Step::settled()) }
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Pending {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(30u64);
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        ::std::boxed::Box::pin(pending(cx))
    }
}
const _: () = ::core::assert!(
    ::opgen_runtime::__private::within(< Pending as
    ::opgen_runtime::phase::ReconcilePhase > ::TIMEOUT, << Pending as
    ::opgen_runtime::phase::Phase > ::Machine as ::opgen_runtime::phase::PhaseMachine >
    ::BUDGET,),
    "phase `Pending` may take 30s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    let _ = cx.status().machine.phase();
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
