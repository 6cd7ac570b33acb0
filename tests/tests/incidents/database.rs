//! A database operator as its author would write it, and a cloud that can be told to misbehave.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use kube::CustomResource;
use opgen_runtime::{
    Operator, Placement, RunOptions,
    clients::Clients,
    external::{CallError, CallResult},
    observed::{Page, StatusCode},
    prelude::*,
};
use opgen_testkit::{Cluster, Outside, Scenario};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::Instant};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "db.example.com",
    version = "v1",
    kind = "Database",
    namespaced,
    status = "DatabaseStatus"
)]
pub struct DatabaseSpec {
    pub size: String,
    /// Which mistake of an author its handlers make: `forever`, `spin`, `circle`, `restless`, `diarist`,
    /// `literal`, `swing`.
    #[serde(default)]
    pub habit: String,
    /// The clean-up looks through a listing instead of asking for its own key.
    #[serde(default)]
    pub lists: bool,
    #[serde(default)]
    pub tenant: String,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseStatus {
    #[serde(flatten)]
    pub machine: MachineState<DatabasePhase>,
    /// As the cloud words it.
    #[status(quantity)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    #[status(bounded = 10)]
    #[serde(default)]
    pub history: Vec<String>,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Database, context = Context, budget = "60s")]
pub enum DatabasePhase {
    #[default]
    #[phase(to(Provisioning))]
    Pending,
    #[phase(to(Ready, Failed), deadline = "30m", on_deadline = Failed)]
    Provisioning,
    #[phase(to(Provisioning), steady, resync = "10m")]
    Ready,
    #[phase(failed, to(Pending))]
    Failed,
    #[phase(finalizer)]
    Deleting,
}

/// What the cloud says of an instance.
#[derive(Clone, Debug)]
pub struct Instance {
    pub is_running: bool,
    pub capacity: String,
}

#[timeout_client(timeout = "5s", bulkhead = 8, settle = "30s")]
pub trait Provider: Send + Sync + 'static {
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()>;
    #[call(idempotent)]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>>;
    #[call(idempotent)]
    async fn search(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>>;
    #[call(idempotent)]
    async fn update(&self, key: &IdempotencyKey, size: &str) -> CallResult<()>;
    #[call(idempotent)]
    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()>;
}

#[derive(MachineContext)]
pub struct Context {
    provider: BoundedProvider,
}

pub fn context(cloud: &Cloud) -> Context {
    Context {
        provider: BoundedProvider::new(cloud.clone()),
    }
}

pub fn operator() -> Operator<Context> {
    Operator::new("database-operator").kind::<DatabasePhase>()
}

pub fn scenario(cloud: impl Fn() -> Cloud + Send + Sync + 'static) -> Scenario<Context, Cloud> {
    scenario_of(operator, cloud)
}

pub fn scenario_of(
    operator: impl Fn() -> Operator<Context> + Send + Sync + 'static,
    cloud: impl Fn() -> Cloud + Send + Sync + 'static,
) -> Scenario<Context, Cloud> {
    Scenario::new(operator, cloud, context).outside(|cloud| Outside {
        created: cloud.created(),
        live: cloud.live(),
    })
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    let key = cx.idempotency_key("db");
    match &*cx.object.spec.habit {
        "forever" => {
            cx.provider().observe(&key).await?;
            std::future::pending::<()>().await;
        }
        "spin" => {
            cx.provider().observe(&key).await?;
            // Not a literal, which would not compile: what is left until a moment that has passed.
            let left = Instant::now().duration_since(Instant::now());
            return Ok(Step::poll_in(left));
        }
        _ => {}
    }
    cx.provider().create(&key).await?;
    Ok(Step::to(Provisioning))
}

#[reconcile_phase(timeout = "10s")]
async fn provisioning(cx: &mut Cx<'_, Provisioning>) -> Result<Step<Provisioning>> {
    let key = cx.idempotency_key("db");
    let spec = &cx.object.spec;
    match cx.provider().observe(&key).await? {
        // Compared word by word, and the cloud has words of its own: it will never be the same.
        Observed::Present(found) if spec.habit == "literal" && found.capacity != spec.size => {
            cx.provider().update(&key, &spec.size).await?;
            Ok(Step::poll_in(secs(5)))
        }
        // Sent, and taken for done.
        Observed::Present(found) if spec.habit == "swing" && found.capacity != spec.size => {
            cx.provider().update(&key, &spec.size).await?;
            Ok(Step::to(Ready))
        }
        Observed::Present(found) if found.is_running => {
            cx.status_mut().capacity = Some(found.capacity);
            Ok(Step::to(Ready))
        }
        Observed::Present(_) => Ok(Step::wait("the cloud builds it", secs(5))),
        Observed::Absent(_) => {
            cx.provider().create(&key).await?;
            Ok(Step::poll_in(secs(5)))
        }
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

#[reconcile_phase(timeout = "10s")]
async fn ready(cx: &mut Cx<'_, Ready>) -> Result<Step<Ready>> {
    if cx.spec_changed() || cx.object.spec.habit == "circle" {
        return Ok(Step::to(Provisioning));
    }
    let key = cx.idempotency_key("db");
    match cx.provider().observe(&key).await? {
        Observed::Present(found) => {
            let differs = found.capacity != cx.object.spec.size;
            cx.status_mut().capacity = Some(found.capacity);
            if cx.object.spec.habit == "swing" && differs {
                let age = cx.now().duration_since(cx.phase_entered_at());
                return Ok(if age.as_secs() < 3 {
                    Step::poll_in(secs(3))
                } else {
                    Step::to(Provisioning)
                });
            }
            if cx.object.spec.habit == "restless" {
                return Ok(Step::poll_in(secs(5)));
            }
            if cx.object.spec.habit == "diarist" {
                let now = cx.now().to_string();
                cx.status_mut().history.push(now);
                return Ok(Step::poll_in(secs(5)));
            }
            Ok(Step::settled())
        }
        Observed::Absent(_) => Ok(Step::to(Provisioning)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(30))),
    }
}

#[reconcile_phase]
async fn failed(cx: &mut Cx<'_, Failed>) -> Result<Step<Failed>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}

#[reconcile_phase(timeout = "10s")]
async fn deleting(cx: &mut Cx<'_, Deleting>) -> Result<Step<Deleting>> {
    let key = cx.idempotency_key("db");
    let seen = if cx.object.spec.lists {
        cx.provider().search(&key).await?
    } else {
        cx.provider().observe(&key).await?
    };
    match seen {
        Observed::Present(_) => {
            cx.provider().destroy(&key).await?;
            Ok(Step::poll_in(secs(5)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(5))),
    }
}

/// How the cloud is today.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    #[default]
    Well,
    /// Takes calls and never answers.
    Hangs,
    /// Answers every look, and every order, with that status and nothing else.
    Says(u16),
    /// 429, with `Retry-After` in seconds.
    Throttles(u64),
    /// The connection breaks after the first page of a listing.
    CutsPages,
    /// The first page of a listing comes again and again.
    RepeatsPages,
}

/// The outside. Clones share it.
#[derive(Clone, Default)]
pub struct Cloud(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    mood: Mood,
    live: BTreeMap<String, Live>,
    created: usize,
    calls: Vec<(&'static str, Instant)>,
    under_way: usize,
    most_at_once: usize,
    /// So many creates never return from now on.
    hanging: usize,
    create_time: Duration,
    build_time: Duration,
    /// How long a new instance cannot be found.
    hidden_for: Duration,
}

impl State {
    fn hangs_once(&mut self) -> bool {
        let hangs = self.hanging > 0;
        self.hanging = self.hanging.saturating_sub(1);
        hangs
    }
}

struct Live {
    running_at: Instant,
    found_at: Instant,
}

struct UnderWay(Cloud);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.state().under_way -= 1;
    }
}

impl Cloud {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn with(self, set: impl FnOnce(&mut State)) -> Self {
        set(&mut self.state());
        self
    }

    pub fn with_create_time(self, time: Duration) -> Self {
        self.with(|state| state.create_time = time)
    }

    pub fn whose_first_creates_hang(self, count: usize) -> Self {
        self.with(|state| state.hanging = count)
    }

    pub fn with_build_time(self, time: Duration) -> Self {
        self.with(|state| state.build_time = time)
    }

    pub fn that_hides_what_is_new(self, time: Duration) -> Self {
        self.with(|state| state.hidden_for = time)
    }

    pub fn is(&self, mood: Mood) {
        self.state().mood = mood;
    }

    pub fn created(&self) -> usize {
        self.state().created
    }

    pub fn live(&self) -> usize {
        self.state().live.len()
    }

    pub fn most_at_once(&self) -> usize {
        self.state().most_at_once
    }

    /// Somebody removes everything by hand.
    pub fn lose_all(&self) {
        self.state().live.clear();
    }

    /// When that method was called, attempt by attempt.
    pub fn calls(&self, method: &str) -> Vec<Instant> {
        let state = self.state();
        let of = state.calls.iter().filter(|(name, _)| *name == method);
        of.map(|(_, at)| *at).collect()
    }

    pub fn all_calls(&self) -> Vec<Instant> {
        self.state().calls.iter().map(|(_, at)| *at).collect()
    }

    async fn begin(&self, method: &'static str) -> CallResult<UnderWay> {
        let mood = {
            let mut state = self.state();
            state.calls.push((method, Instant::now()));
            state.under_way += 1;
            state.most_at_once = state.most_at_once.max(state.under_way);
            state.mood
        };
        let under_way = UnderWay(self.clone());
        match mood {
            Mood::Hangs => std::future::pending().await,
            Mood::Throttles(seconds) => Err(CallError::Throttled {
                retry_after: Some(secs(seconds)),
            }),
            Mood::Says(status) if status >= 500 => {
                let status = StatusCode::from_u16(status).unwrap();
                Err(CallError::from_response(status, &Default::default(), ""))
            }
            _ => Ok(under_way),
        }
    }

    fn look(&self, key: &IdempotencyKey) -> Option<Instance> {
        let state = self.state();
        let now = Instant::now();
        let live = state
            .live
            .get(key.as_str())
            .filter(|live| live.found_at <= now)?;
        // One of two machines behind the load balancer words it otherwise.
        let capacity = if state.calls.len().is_multiple_of(2) {
            "1Gi"
        } else {
            "1024Mi"
        };
        Some(Instance {
            is_running: live.running_at <= now,
            capacity: capacity.to_owned(),
        })
    }

    /// The first page holds nothing of interest.
    fn page(&self, cursor: Option<&str>) -> CallResult<Page<String>> {
        let state = self.state();
        match (state.mood, cursor) {
            (Mood::CutsPages, Some(_)) => Err(CallError::transport("connection reset by peer")),
            (Mood::RepeatsPages, _) | (_, None) => Ok(Page {
                items: vec!["somebody-elses".to_owned()],
                next: Some("2".to_owned()),
            }),
            (_, Some(_)) => Ok(Page {
                items: state.live.keys().cloned().collect(),
                next: None,
            }),
        }
    }
}

#[timeout_client]
impl Provider for Cloud {
    async fn create(&self, key: &IdempotencyKey) -> CallResult<()> {
        let _under_way = self.begin("create").await?;
        if self.state().hangs_once() {
            std::future::pending::<()>().await;
        }
        let time = self.state().create_time;
        tokio::time::sleep(time).await;
        let mut state = self.state();
        if !state.live.contains_key(key.as_str()) {
            state.created += 1;
            let live = Live {
                running_at: Instant::now() + state.build_time,
                found_at: Instant::now() + state.hidden_for,
            };
            state.live.insert(key.to_string(), live);
        }
        Ok(())
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        let _under_way = self.begin("observe").await?;
        let mood = self.state().mood;
        match mood {
            // An empty answer, a refused credential: whatever the status, it is not about this instance.
            Mood::Says(status) => Ok(Observed::by_status(
                key,
                StatusCode::from_u16(status).unwrap(),
            )),
            _ => Ok(match self.look(key) {
                Some(found) => Observed::Present(found),
                None => Observed::by_status(key, StatusCode::NOT_FOUND),
            }),
        }
    }

    async fn search(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        let _under_way = self.begin("search").await?;
        let all: Complete<String> =
            Complete::read(|cursor| async move { self.page(cursor.as_deref()) }).await?;
        Ok(
            match Absent::by_listing(key, &all, |name| name == key.as_str()) {
                Some(proof) => Observed::Absent(proof),
                None => Observed::Present(Instance {
                    is_running: true,
                    capacity: "1Gi".to_owned(),
                }),
            },
        )
    }

    async fn update(&self, _key: &IdempotencyKey, _size: &str) -> CallResult<()> {
        self.begin("update").await.map(drop)
    }

    async fn destroy(&self, key: &IdempotencyKey) -> CallResult<()> {
        let _under_way = self.begin("destroy").await?;
        self.state().live.remove(key.as_str());
        Ok(())
    }
}

pub fn database(name: &str) -> Value {
    database_with(name, json!({}))
}

pub fn database_with(name: &str, more: Value) -> Value {
    let mut object = json!({
        "apiVersion": "db.example.com/v1",
        "kind": "Database",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"size": "1Gi"},
    });
    for (field, value) in more.as_object().unwrap() {
        object["spec"][field] = value.clone();
    }
    object
}

/// A cluster with the operator's manifests.
pub fn cluster() -> Cluster {
    let cluster = Cluster::new();
    let home =
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "database-operator"}});
    cluster.apply_manifests(&[home]).unwrap();
    cluster.apply_manifests(&operator().manifests()).unwrap();
    cluster
}

/// A process of the operator; aborted, it has crashed.
pub fn process(cluster: &Cluster, cloud: &Cloud) -> JoinHandle<()> {
    let clock = cluster.clock();
    let options = RunOptions {
        placement: Placement::Inline,
        clock: Arc::new(move || clock.now()),
        ..RunOptions::default()
    };
    let run = operator().run(
        Clients::in_process(cluster.client()),
        context(cloud),
        options,
    );
    tokio::spawn(async move {
        let _ = run.await;
    })
}
