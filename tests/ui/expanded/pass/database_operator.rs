#[automatically_derived]
impl ::opgen_runtime::status::StatusDiff for DatabaseStatus {
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
impl ::opgen_runtime::status::MachineStatus for DatabaseStatus {
    const PATHS: ::opgen_runtime::status::MachinePaths = ::opgen_runtime::status::MachinePaths::DEFAULT;
}
/// Accepted; nothing exists outside the cluster yet. (A phase of [`DatabasePhase`].)
#[derive(Clone, Copy, Debug)]
pub struct Pending;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Pending {
    type Machine = DatabasePhase;
    const PHASE: DatabasePhase = DatabasePhase::Pending;
}
/// The provider is building the instance. (A phase of [`DatabasePhase`].)
#[derive(Clone, Copy, Debug)]
pub struct Provisioning;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Provisioning {
    type Machine = DatabasePhase;
    const PHASE: DatabasePhase = DatabasePhase::Provisioning;
}
/// The phase `Ready` of [`DatabasePhase`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Ready {
    type Machine = DatabasePhase;
    const PHASE: DatabasePhase = DatabasePhase::Ready;
}
/// Where a permanent error leads, from every phase but the finalizer's. (A phase of [`DatabasePhase`].)
#[derive(Clone, Copy, Debug)]
pub struct Failed;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Failed {
    type Machine = DatabasePhase;
    const PHASE: DatabasePhase = DatabasePhase::Failed;
}
/// Entered from any phase when the object is deleted. (A phase of [`DatabasePhase`].)
#[derive(Clone, Copy, Debug)]
pub struct Deleting;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Deleting {
    type Machine = DatabasePhase;
    const PHASE: DatabasePhase = DatabasePhase::Deleting;
}
#[automatically_derived]
impl DatabasePhase {
    /// The phases and their arrows, as data.
    pub const GRAPH: ::opgen_runtime::graph::PhaseGraph = ::opgen_runtime::graph::PhaseGraph {
        machine: "DatabasePhase",
        phases: &[
            ::opgen_runtime::graph::PhaseInfo {
                name: "Pending",
                doc: "Accepted; nothing exists outside the cluster yet.",
                to: &["Provisioning", "Failed"],
                initial: true,
                steady: false,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Provisioning",
                doc: "The provider is building the instance.",
                to: &["Ready", "Failed"],
                initial: false,
                steady: false,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::Some(
                    ::core::time::Duration::from_secs(1800u64),
                ),
                on_deadline: ::core::option::Option::Some("Failed"),
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Ready",
                doc: "",
                to: &["Provisioning", "Failed"],
                initial: false,
                steady: true,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::Some(
                    ::core::time::Duration::from_secs(600u64),
                ),
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Failed",
                doc: "Where a permanent error leads, from every phase but the finalizer's.",
                to: &["Pending"],
                initial: false,
                steady: false,
                failed: true,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Deleting",
                doc: "Entered from any phase when the object is deleted.",
                to: &[],
                initial: false,
                steady: false,
                failed: false,
                finalizer: true,
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
impl ::opgen_runtime::phase::PhaseMachine for DatabasePhase {
    type Resource = Database;
    type Context = Context;
    const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
    const BUDGET: ::core::time::Duration = ::core::time::Duration::from_secs(60u64);
    const ALL: &'static [Self] = &[
        Self::Pending,
        Self::Provisioning,
        Self::Ready,
        Self::Failed,
        Self::Deleting,
    ];
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
            Self::Pending => {
                ::opgen_runtime::__private::run_phase::<Pending>(object, run)
            }
            Self::Provisioning => {
                ::opgen_runtime::__private::run_phase::<Provisioning>(object, run)
            }
            Self::Ready => ::opgen_runtime::__private::run_phase::<Ready>(object, run),
            Self::Failed => ::opgen_runtime::__private::run_phase::<Failed>(object, run),
            Self::Deleting => {
                ::opgen_runtime::__private::run_phase::<Deleting>(object, run)
            }
        }
    }
}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Provisioning> for Pending {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Failed> for Pending {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Ready> for Provisioning {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Failed> for Provisioning {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Provisioning> for Ready {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Failed> for Ready {}
#[automatically_derived]
impl ::opgen_runtime::phase::MovesTo<Pending> for Failed {}
#[automatically_derived]
impl ::opgen_runtime::phase::FinalizerPhase for Deleting {}
pub trait DatabaseProvider: Send + Sync + 'static {
    /// Creates what the key names.
    fn create<'call>(
        &'call self,
        key: &'call IdempotencyKey,
        spec: &'call DatabaseSpec,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<String>,
    >;
    fn observe<'call>(
        &'call self,
        key: &'call IdempotencyKey,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Observed<Instance>>,
    >;
    fn destroy<'call>(
        &'call self,
        id: String,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>>;
    /// Whether the instance is as wanted.
    fn matches(&self, spec: &DatabaseSpec, instance: &Instance) -> bool;
}
/// A [`DatabaseProvider`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a [`DatabaseProviderHandle`] of it.
#[derive(Clone)]
pub struct BoundedDatabaseProvider {
    inner: ::std::sync::Arc<dyn DatabaseProvider>,
    guard: ::opgen_runtime::external::Guard,
}
#[automatically_derived]
#[allow(dead_code)]
impl BoundedDatabaseProvider {
    /// Bounds `inner` as the trait's attribute says.
    pub fn new(inner: impl DatabaseProvider) -> Self {
        Self::from_arc(::std::sync::Arc::new(inner))
    }
    /// Bounds a shared client as the trait's attribute says.
    #[must_use]
    pub fn from_arc(inner: ::std::sync::Arc<dyn DatabaseProvider>) -> Self {
        let guard = ::opgen_runtime::external::Guard::new(
            "database_provider",
            Self::settings(),
        );
        Self { inner, guard }
    }
    /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
    pub fn with_settings(
        inner: impl DatabaseProvider,
        settings: ::opgen_runtime::external::ClientSettings,
    ) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("database_provider", settings);
        Self {
            inner: ::std::sync::Arc::new(inner),
            guard,
        }
    }
    /// The bounds that the trait's attribute gives.
    #[must_use]
    pub fn settings() -> ::opgen_runtime::external::ClientSettings {
        ::opgen_runtime::external::ClientSettings {
            timeout: ::core::time::Duration::from_secs(5u64),
            bulkhead: 32usize,
            settle: ::core::time::Duration::from_secs(30u64),
            ..::core::default::Default::default()
        }
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
impl ::core::fmt::Debug for BoundedDatabaseProvider {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.debug_struct("BoundedDatabaseProvider")
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::ContextField for BoundedDatabaseProvider {}
#[automatically_derived]
impl ::opgen_runtime::context::BoundedClient for BoundedDatabaseProvider {
    type Handle = DatabaseProviderHandle;
    fn handle(
        &self,
        scope: ::opgen_runtime::external::CallScope,
    ) -> DatabaseProviderHandle {
        DatabaseProviderHandle {
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
/// A [`BoundedDatabaseProvider`] within one handler: no call outlives the handler's time.
#[derive(Clone, Debug)]
pub struct DatabaseProviderHandle {
    client: BoundedDatabaseProvider,
    scope: ::opgen_runtime::external::CallScope,
}
#[automatically_derived]
#[allow(dead_code)]
impl DatabaseProviderHandle {
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
    /// Creates what the key names.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn create(
        &self,
        key: &IdempotencyKey,
        spec: &DatabaseSpec,
    ) -> CallResult<String> {
        self.client
            .guard
            .create(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("create").idempotent(),
                key,
                || DatabaseProvider::create(&*self.client.inner, key, spec),
            )
            .await
    }
    /// Calls [`DatabaseProvider::observe`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        self.client
            .guard
            .observe(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("observe")
                    .idempotent()
                    .timeout(::core::time::Duration::from_secs(2u64)),
                ::core::option::Option::Some(key),
                || DatabaseProvider::observe(&*self.client.inner, key),
            )
            .await
    }
    /// Calls [`DatabaseProvider::destroy`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn destroy(&self, id: String) -> CallResult<()> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("destroy"),
                || DatabaseProvider::destroy(
                    &*self.client.inner,
                    ::core::clone::Clone::clone(&id),
                ),
            )
            .await
    }
    /// Whether the instance is as wanted.
    pub fn matches(&self, spec: &DatabaseSpec, instance: &Instance) -> bool {
        DatabaseProvider::matches(&*self.client.inner, spec, instance)
    }
}
impl DatabaseProvider for Simulated {
    fn create<'call>(
        &'call self,
        key: &'call IdempotencyKey,
        _: &'call DatabaseSpec,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<String>,
    > {
        ::std::boxed::Box::pin(async move { Ok(key.to_string()) })
    }
    fn observe<'call>(
        &'call self,
        key: &'call IdempotencyKey,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Observed<Instance>>,
    > {
        ::std::boxed::Box::pin(async move {
            let id = self.create(key, &DatabaseSpec { size: 1 }).await?;
            Ok(Observed::Present(Instance { id, running: true }))
        })
    }
    fn destroy<'call>(
        &'call self,
        id: String,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>> {
        ::std::boxed::Box::pin(async move {
            drop(id);
            Ok(())
        })
    }
    fn matches(&self, spec: &DatabaseSpec, instance: &Instance) -> bool {
        spec.size == 1 && instance.running
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::MachineContext for Context {}
const _: () = {
    const fn bounded<T: ::opgen_runtime::context::ContextField>() {}
    bounded::<BoundedDatabaseProvider>();
    bounded::<String>();
};
/// The clients of [`Context`] as methods of `Cx`; handlers import it.
pub trait ContextClients {
    /// `provider`, bound to this handler's time.
    fn provider(
        &self,
    ) -> <BoundedDatabaseProvider as ::opgen_runtime::context::BoundedClient>::Handle;
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
    ) -> <BoundedDatabaseProvider as ::opgen_runtime::context::BoundedClient>::Handle {
        self.bounded(&self.context().provider)
    }
}
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let key = cx.idempotency_key("create");
    let id = cx.provider().create(&key, &cx.object.spec).await?;
    cx.status_mut().instance_id = Some(id);
    Ok(Step::to(Provisioning))
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Pending {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(10u64);
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
    "phase `Pending` may take 10s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn provisioning(cx: &mut Cx<'_, Provisioning>) -> Result<Step<Provisioning>> {
    let key = cx.idempotency_key("create");
    match cx.provider().observe(&key).await? {
        Observed::Present(found) if cx.provider().matches(&cx.object.spec, &found) => {
            Ok(Step::to(Ready))
        }
        Observed::Present(_) => Ok(Step::poll_in(secs(10))),
        Observed::Absent(_) => Err(Error::msg("it vanished").permanent()),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Provisioning {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(10u64);
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        ::std::boxed::Box::pin(provisioning(cx))
    }
}
const _: () = ::core::assert!(
    ::opgen_runtime::__private::within(< Provisioning as
    ::opgen_runtime::phase::ReconcilePhase > ::TIMEOUT, << Provisioning as
    ::opgen_runtime::phase::Phase > ::Machine as ::opgen_runtime::phase::PhaseMachine >
    ::BUDGET,),
    "phase `Provisioning` may take 10s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    if cx.spec_changed() {
        return Ok(Step::to(Provisioning));
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
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn failed(cx: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    if cx.spec_changed() { Ok(Step::to(Pending)) } else { Ok(Step::settled()) }
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Failed {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(30u64);
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        ::std::boxed::Box::pin(failed(cx))
    }
}
const _: () = ::core::assert!(
    ::opgen_runtime::__private::within(< Failed as ::opgen_runtime::phase::ReconcilePhase
    > ::TIMEOUT, << Failed as ::opgen_runtime::phase::Phase > ::Machine as
    ::opgen_runtime::phase::PhaseMachine > ::BUDGET,),
    "phase `Failed` may take 30s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
#[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)]
async fn deleting(cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    let key = cx.idempotency_key("create");
    match cx.provider().observe(&key).await? {
        Observed::Present(found) => {
            cx.provider().destroy(found.id).await?;
            Ok(Step::poll_in(secs(10)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(10))),
    }
}
#[automatically_derived]
impl ::opgen_runtime::phase::ReconcilePhase for Deleting {
    const TIMEOUT: ::core::time::Duration = ::core::time::Duration::from_secs(5u64);
    fn reconcile<'a>(
        cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
    > {
        ::std::boxed::Box::pin(deleting(cx))
    }
}
const _: () = ::core::assert!(
    ::opgen_runtime::__private::within(< Deleting as
    ::opgen_runtime::phase::ReconcilePhase > ::TIMEOUT, << Deleting as
    ::opgen_runtime::phase::Phase > ::Machine as ::opgen_runtime::phase::PhaseMachine >
    ::BUDGET,),
    "phase `Deleting` may take 5s, longer than the budget of its machine: lower the timeout here, `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
);
