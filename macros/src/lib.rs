//! The derives and attributes of opgen. Use them through `opgen_runtime`, whose paths the generated code names.
//!
//! Every macro keeps the item it stands on when it refuses it, and still writes what other code expects of it, so that
//! one mistake gives one message.

mod machine_context;
mod phase_machine;
mod reconcile_phase;
mod report;
mod status_diff;
mod timeout_client;

#[cfg(test)]
mod corpus;

use proc_macro::TokenStream;

/// Makes an enum a phase machine: its variants are the phases, its attributes the arrows.
///
/// ```ignore
/// #[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
/// #[machine(resource = Database, context = Context, budget = "60s")]
/// pub enum DatabasePhase {
///     /// Accepted; nothing exists outside the cluster yet.
///     #[default]
///     #[phase(to(Provisioning))]
///     Pending,
///     #[phase(to(Ready), deadline = "30m", on_deadline = Failed)]
///     Provisioning,
///     #[phase(to(Provisioning), steady, resync = "10m")]
///     Ready,
///     #[phase(failed, to(Pending))]
///     Failed,
///     #[phase(finalizer)]
///     Deleting,
/// }
/// ```
///
/// On the enum, `#[machine(..)]`:
///
/// | key | meaning | default |
/// |---|---|---|
/// | `resource = Type` | the custom resource | required |
/// | `context = Type` | what handlers may use | required |
/// | `budget = "60s"` | the longest one run may take, chained phases together | 60 s |
/// | `crd = "path"` | the CRD file that is the truth, relative to the source file | the type's own CRD |
///
/// On a variant, `#[default]` marks the initial phase, and `#[phase(..)]` takes:
///
/// | key | meaning |
/// |---|---|
/// | `to(A, B)` | the phases it may move to |
/// | `steady` | the object is as wanted: Ready |
/// | `failed` | where permanent errors lead, from every phase but the finalizer's |
/// | `finalizer` | entered by deletion, left with proof that the outside is gone |
/// | `deadline = "30m"`, `on_deadline = A` | how long an object may stay, and where it goes then |
/// | `resync = "10m"` | how often a settled object is looked at without an event |
///
/// Beside the enum appear one unit struct per phase, which handlers name: `Cx<'_, Pending>`, `Step::to(Ready)`.
#[proc_macro_derive(PhaseMachine, attributes(machine, phase, default))]
pub fn derive_phase_machine(item: TokenStream) -> TokenStream {
    phase_machine::run(item.into()).into()
}

/// Makes an async function the handler of a phase.
///
/// ```ignore
/// #[reconcile_phase(timeout = "10s")]
/// async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> { .. }
/// ```
///
/// `timeout` is how long one call may take, 30 s if it is not given; it must fit into the machine's budget.
///
/// The body may not block: what does so by its full path (`std::thread::sleep`, `std::fs`, `block_on`, ..), a `loop`
/// that never awaits, and a constant zero delay do not compile. `cx.blocking(|| ..)` is the place for blocking code.
#[proc_macro_attribute]
pub fn reconcile_phase(args: TokenStream, item: TokenStream) -> TokenStream {
    reconcile_phase::run(args.into(), item.into()).into()
}

/// Says how a status compares, and where the machine's own fields are in it.
///
/// ```ignore
/// #[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
/// #[serde(rename_all = "camelCase")]
/// pub struct DatabaseStatus {
///     #[serde(flatten)]
///     pub machine: MachineState<DatabasePhase>,
///     #[status(volatile)]
///     pub last_seen: Option<String>,
///     #[status(key = "name")]
///     pub replicas: Vec<Replica>,
/// }
/// ```
///
/// On a field, `#[status(..)]`:
///
/// | key | meaning |
/// |---|---|
/// | `volatile` | never a reason to write by itself |
/// | `key = "name"`, `keys("a", "b")` | a list whose items are told apart by these fields, in no order |
/// | `quantity` | a Kubernetes quantity: `1000m` equals `1` |
/// | `time` | an RFC 3339 time, compared as an instant |
/// | `bounded = 20` | a list that keeps its newest items only |
/// | `nested` | the field's type has rules of its own (it derives `StatusDiff` too) |
///
/// On the struct, `#[status(part)]` says that it is only a part of a status. A status of an adopted CRD names JSON
/// pointers instead of flattening a `MachineState`: `phase`, `phase_entered_at`, `observed_generation`, `conditions`.
///
/// Names follow `#[serde(rename)]`, `rename_all` and `flatten`.
#[proc_macro_derive(StatusDiff, attributes(status))]
pub fn derive_status_diff(item: TokenStream) -> TokenStream {
    status_diff::run(item.into()).into()
}

/// Makes an async trait usable as `dyn`, and writes the bounded client around it.
///
/// ```ignore
/// #[timeout_client(timeout = "5s", bulkhead = 32, settle = "30s")]
/// pub trait DatabaseProvider: Send + Sync + 'static {
///     #[call(idempotent, creates)]
///     async fn create(&self, key: &IdempotencyKey, spec: &DatabaseSpec) -> CallResult<InstanceId>;
///     #[call(idempotent, timeout = "2s")]
///     async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>>;
///     async fn destroy(&self, id: &InstanceId) -> CallResult<()>;
/// }
/// ```
///
/// Makes `BoundedDatabaseProvider`, which stands in the context, and `DatabaseProviderHandle`, which handlers get from
/// it: the same methods, each with a timeout, a permit, a breaker, and retries if it is `idempotent`.
///
/// On a method, `#[call(idempotent)]` allows retries, `creates` starts the settle window of its key, and
/// `timeout = "2s"` replaces the client's, and `target = region` (an argument) or `target = "eu"` gives the calls to that
/// target permits and a breaker of their own. A method that returns `CallResult<Observed<T>>` never fails for a timeout, a
/// transport error or a refused credential: it answers `Observed::Unknown`.
///
/// Implementations carry the same attribute: `#[timeout_client] impl DatabaseProvider for Http { async fn .. }`.
#[proc_macro_attribute]
pub fn timeout_client(args: TokenStream, item: TokenStream) -> TokenStream {
    timeout_client::run(args.into(), item.into()).into()
}

/// Makes a struct the context of a machine: every client in it must be a bounded one.
///
/// ```ignore
/// #[derive(MachineContext)]
/// pub struct Context {
///     pub provider: BoundedDatabaseProvider,
///     pub region: String,
///     #[context(data)]
///     pub sizes: SizeTable,
/// }
/// ```
///
/// Fields whose type is called `Bounded..`, or that are marked `#[context(client)]`, become methods of `Cx` through the
/// trait `ContextClients`, which handlers import: `cx.provider().create(..)`. `#[context(data)]` says that a type of
/// your own makes no calls.
#[proc_macro_derive(MachineContext, attributes(context))]
pub fn derive_machine_context(item: TokenStream) -> TokenStream {
    machine_context::run(item.into()).into()
}
