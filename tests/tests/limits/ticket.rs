//! An operator whose objects say what they want to go through.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use kube::CustomResource;
use opgen_runtime::{
    Operator,
    external::{CallError, CallResult},
    observed::StatusCode,
    operator::KindOptions,
    prelude::*,
};
use opgen_testkit::Scenario;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "desk.example.com",
    version = "v1",
    kind = "Ticket",
    namespaced,
    status = "TicketStatus"
)]
pub struct TicketSpec {
    /// What its handler does: `work`, `count`, `poll`, `job`, `block`.
    pub mode: String,
    #[serde(default)]
    pub tenant: String,
    #[serde(default)]
    pub params: String,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TicketStatus {
    #[serde(flatten)]
    pub machine: MachineState<TicketPhase>,
    #[serde(default)]
    pub count: i64,
    #[serde(default)]
    pub answer: String,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Ticket, context = Context, budget = "60s")]
pub enum TicketPhase {
    #[default]
    #[phase(to(Done))]
    Open,
    #[phase(to(Open), steady)]
    Done,
    #[phase(finalizer)]
    Closing,
}

#[timeout_client(timeout = "20s", bulkhead = 10000, settle = "1s")]
pub trait Desk: Send + Sync + 'static {
    async fn work(&self, name: &str) -> CallResult<()>;
    /// How much there was to do.
    async fn take(&self, name: &str) -> CallResult<usize>;
    async fn look(&self, name: &str) -> CallResult<()>;
    async fn long(&self, key: &IdempotencyKey) -> CallResult<String>;
    async fn destroy(&self, name: &str) -> CallResult<()>;
    async fn observe(&self, key: &IdempotencyKey, name: &str) -> CallResult<Observed<()>>;
}

#[derive(MachineContext)]
pub struct Context {
    desk: BoundedDesk,
}

pub type Options = KindOptions<TicketPhase>;

pub fn operator(options: impl FnOnce(Options) -> Options) -> Operator<Context> {
    Operator::new("desk").kind_with::<TicketPhase>(options)
}

pub fn context(fake: &Fake) -> Context {
    Context {
        desk: BoundedDesk::new(fake.clone()),
    }
}

pub fn scenario(
    options: impl Fn(Options) -> Options + Send + Sync + 'static,
) -> Scenario<Context, Fake> {
    let options = Arc::new(options);
    Scenario::new(
        move || {
            let options = Arc::clone(&options);
            operator(move |kind| options(kind))
        },
        Fake::default,
        context,
    )
}

#[reconcile_phase(timeout = "25s")]
async fn open(cx: &mut Cx<'_, Open>) -> Result<Step<Open>> {
    let name = cx.object.metadata.name.clone().unwrap_or_default();
    match &*cx.object.spec.mode {
        "count" => {
            cx.status_mut().count += 1;
            Ok(Step::poll_in(secs(1)))
        }
        "poll" => {
            let found = cx.desk().take(&name).await?;
            Ok(Step::poll_backoff(found, secs(1)..=secs(60)))
        }
        "job" => job(cx),
        "cycle" => Ok(Step::to(Done)),
        "block" => {
            block(Duration::from_secs(3));
            Ok(Step::to(Done))
        }
        mode @ ("block long" | "yield and block") => {
            if mode != "block long" {
                // What this run has woken has its turn first.
                tokio::task::yield_now().await;
            }
            block(BLOCKED);
            Ok(Step::to(Done))
        }
        _ => {
            cx.desk().work(&name).await?;
            Ok(Step::to(Done))
        }
    }
}

/// Longer than an end may take.
pub const BLOCKED: Duration = Duration::from_secs(20);

/// Twenty calls one after the other: longer than any handler may take.
fn job(cx: &mut Cx<'_, Open>) -> Result<Step<Open>> {
    let params = cx.object.spec.params.clone();
    let job = cx.job("restore", &params, |job| async move {
        let mut answer = String::new();
        for _ in 0..20 {
            let desk = job.bounded(|context: &Context| &context.desk);
            answer = desk.long(job.key()).await?;
        }
        Ok(answer)
    });
    match job {
        Job::Started | Job::Running(_) => Ok(Step::wait("restoring", secs(3600))),
        Job::Done(answer) => {
            cx.status_mut().answer = answer;
            Ok(Step::to(Done))
        }
        Job::Failed(error) => Err(error.into()),
    }
}

/// What no handler may do.
#[allow(clippy::disallowed_methods)]
fn block(time: Duration) {
    std::thread::sleep(time);
}

#[reconcile_phase]
async fn done(cx: &mut Cx<'_, Done>) -> Result<Step<Done>> {
    if cx.spec_changed() || cx.object.spec.mode == "cycle" {
        return Ok(Step::to(Open));
    }
    let name = cx.object.metadata.name.clone().unwrap_or_default();
    cx.desk().look(&name).await?;
    Ok(Step::settled())
}

#[reconcile_phase]
async fn closing(cx: &mut Cx<'_, Closing>) -> Result<Step<Closing>> {
    let name = cx.object.metadata.name.clone().unwrap_or_default();
    let key = cx.idempotency_key("ticket");
    match cx.desk().observe(&key, &name).await? {
        Observed::Present(()) => {
            cx.desk().destroy(&name).await?;
            Ok(Step::poll_in(secs(1)))
        }
        Observed::Absent(proof) => Ok(Step::gone(proof)),
        Observed::Unknown(why) => Ok(Step::wait(why, secs(1))),
    }
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: &'static str,
    pub about: String,
    pub at: Instant,
    pub ended: Option<Instant>,
}

/// The outside. Clones share it.
#[derive(Clone, Default)]
pub struct Fake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    gone: BTreeSet<String>,
    fails: bool,
    panics: bool,
    found: usize,
    work_time: Duration,
    look_time: Duration,
}

struct Under(Fake, usize);

impl Drop for Under {
    fn drop(&mut self) {
        self.0.state().calls[self.1].ended = Some(Instant::now());
    }
}

impl Fake {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn fail(&self, fails: bool) {
        self.state().fails = fails;
    }

    pub fn panic(&self, panics: bool) {
        self.state().panics = panics;
    }

    pub fn found(&self, found: usize) {
        self.state().found = found;
    }

    pub fn work_takes(&self, time: Duration) {
        self.state().work_time = time;
    }

    pub fn look_takes(&self, time: Duration) {
        self.state().look_time = time;
    }

    pub fn calls(&self, method: &str) -> Vec<Call> {
        let mut calls = self.state().calls.clone();
        calls.retain(|call| call.method == method);
        calls
    }

    /// The most calls of that method at the same time, of those whose subject has the prefix.
    pub fn most_at_once(&self, method: &str, prefix: &str) -> usize {
        let mut calls = self.calls(method);
        calls.retain(|call| call.about.starts_with(prefix));
        let overlaps = |one: &Call| {
            calls
                .iter()
                .filter(|other| {
                    other.at <= one.at && other.ended.is_none_or(|ended| ended > one.at)
                })
                .count()
        };
        calls.iter().map(overlaps).max().unwrap_or(0)
    }

    fn begin(&self, method: &'static str, about: &str) -> CallResult<Under> {
        let mut state = self.state();
        state.calls.push(Call {
            method,
            about: about.to_owned(),
            at: Instant::now(),
            ended: None,
        });
        let under = Under(self.clone(), state.calls.len() - 1);
        let (fails, panics) = (state.fails, state.panics);
        drop(state);
        assert!(!panics, "told to panic");
        if fails {
            return Err(CallError::Rejected {
                status: StatusCode::CONFLICT,
                message: "out of order".to_owned(),
            });
        }
        Ok(under)
    }
}

#[timeout_client]
impl Desk for Fake {
    async fn work(&self, name: &str) -> CallResult<()> {
        let _under = self.begin("work", name)?;
        let time = self.state().work_time;
        tokio::time::sleep(time).await;
        Ok(())
    }

    async fn take(&self, name: &str) -> CallResult<usize> {
        let _under = self.begin("take", name)?;
        Ok(self.state().found)
    }

    async fn look(&self, name: &str) -> CallResult<()> {
        let _under = self.begin("look", name)?;
        let time = self.state().look_time;
        tokio::time::sleep(time).await;
        Ok(())
    }

    async fn long(&self, key: &IdempotencyKey) -> CallResult<String> {
        let _under = self.begin("long", key.as_str())?;
        tokio::time::sleep(secs(15)).await;
        Ok(key.to_string())
    }

    async fn destroy(&self, name: &str) -> CallResult<()> {
        let _under = self.begin("destroy", name)?;
        self.state().gone.insert(name.to_owned());
        Ok(())
    }

    async fn observe(&self, key: &IdempotencyKey, name: &str) -> CallResult<Observed<()>> {
        if self.state().gone.contains(name) {
            return Ok(Observed::by_status(key, StatusCode::NOT_FOUND));
        }
        Ok(Observed::Present(()))
    }
}

pub fn ticket(name: &str, mode: &str) -> Value {
    json!({
        "apiVersion": "desk.example.com/v1",
        "kind": "Ticket",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"mode": mode},
    })
}

/// The largest number of moments within one window.
pub fn densest(moments: &[Instant], window: Duration) -> usize {
    let mut moments = moments.to_vec();
    moments.sort();
    let from = |start: &Instant| {
        moments
            .iter()
            .filter(|moment| **moment >= *start && **moment < *start + window)
            .count()
    };
    moments.iter().map(from).max().unwrap_or(0)
}
