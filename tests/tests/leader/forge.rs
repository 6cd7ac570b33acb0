//! An operator that is always at work, and an outside that knows who is at work on what.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use kube::CustomResource;
use opgen_runtime::{
    Operator,
    external::{CallError, CallResult},
    observed::StatusCode,
    prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "forge.example.com",
    version = "v1",
    kind = "Sword",
    namespaced,
    status = "SwordStatus"
)]
pub struct SwordSpec {
    /// How long the handler blocks its thread.
    #[serde(default)]
    pub blocks_ms: u64,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SwordStatus {
    #[serde(flatten)]
    pub machine: MachineState<SwordPhase>,
    #[serde(default)]
    pub strokes: i64,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Sword, context = Context, budget = "60s")]
pub enum SwordPhase {
    #[default]
    #[phase(to(Done))]
    Forging,
    #[phase(to(Forging), steady)]
    Done,
}

/// Every stroke takes long, and two strokes at once on one sword are what must never be.
#[timeout_client(timeout = "20s")]
pub trait Anvil: Send + Sync + 'static {
    async fn strike(&self, sword: &str) -> CallResult<()>;
}

#[derive(MachineContext)]
pub struct Context {
    anvil: BoundedAnvil,
}

pub fn operator() -> Operator<Context> {
    Operator::new("forge").kind::<SwordPhase>()
}

pub fn context(smithy: &Smithy, replica: &'static str) -> Context {
    Context {
        anvil: BoundedAnvil::new(Smith {
            smithy: smithy.clone(),
            replica,
        }),
    }
}

#[reconcile_phase(timeout = "25s")]
async fn forging(cx: &mut Cx<'_, Forging>) -> Result<Step<Forging>> {
    if cx.object.spec.blocks_ms > 0 {
        block(Duration::from_millis(cx.object.spec.blocks_ms));
    }
    let name = cx.object.metadata.name.clone().unwrap_or_default();
    cx.anvil().strike(&name).await?;
    cx.status_mut().strokes += 1;
    Ok(Step::poll_in(secs(1)))
}

/// What no handler may do.
#[allow(clippy::disallowed_methods)]
fn block(time: Duration) {
    std::thread::sleep(time);
}

#[reconcile_phase]
async fn done(cx: &mut Cx<'_, Done>) -> Result<Step<Done>> {
    let _ = cx.now();
    Ok(Step::settled())
}

/// One stroke, as far as it came.
#[derive(Clone, Debug)]
pub struct Stroke {
    pub replica: &'static str,
    pub began: Instant,
    pub ended: Option<Instant>,
    pub is_whole: bool,
}

/// What all replicas work on. Clones share it.
#[derive(Clone, Default)]
pub struct Smithy(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    time: Duration,
    strokes: BTreeMap<String, Vec<Stroke>>,
    together: usize,
}

impl Smithy {
    pub fn with_stroke_of(time: Duration) -> Self {
        let smithy = Self::default();
        smithy.state().time = time;
        smithy
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// How often a stroke began while another one was under way on the same sword.
    pub fn together(&self) -> usize {
        self.state().together
    }

    pub fn strokes(&self) -> Vec<Stroke> {
        self.state().strokes.values().flatten().cloned().collect()
    }

    pub fn of(&self, replica: &str) -> Vec<Stroke> {
        let mut strokes = self.strokes();
        strokes.retain(|stroke| stroke.replica == replica);
        strokes
    }
}

struct Smith {
    smithy: Smithy,
    replica: &'static str,
}

/// Notes the end of a stroke, also of one that is given up.
struct Ending {
    smithy: Smithy,
    sword: String,
    index: usize,
    is_whole: bool,
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.smithy.state();
        if let Some(stroke) = state
            .strokes
            .get_mut(&self.sword)
            .and_then(|strokes| strokes.get_mut(self.index))
        {
            stroke.ended = Some(Instant::now());
            stroke.is_whole = self.is_whole;
        }
    }
}

#[timeout_client]
impl Anvil for Smith {
    async fn strike(&self, sword: &str) -> CallResult<()> {
        if sword.starts_with("cursed") {
            return Err(CallError::from_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                &Default::default(),
                "cursed",
            ));
        }
        let (mut ending, time) = {
            let mut state = self.smithy.state();
            let strokes = state.strokes.entry(sword.to_owned()).or_default();
            let together = strokes.iter().any(|stroke| stroke.ended.is_none());
            strokes.push(Stroke {
                replica: self.replica,
                began: Instant::now(),
                ended: None,
                is_whole: false,
            });
            let index = strokes.len() - 1;
            state.together += usize::from(together);
            let ending = Ending {
                smithy: self.smithy.clone(),
                sword: sword.to_owned(),
                index,
                is_whole: false,
            };
            (ending, state.time)
        };
        tokio::time::sleep(time).await;
        ending.is_whole = true;
        Ok(())
    }
}

pub fn sword(name: &str) -> Value {
    json!({
        "apiVersion": "forge.example.com/v1",
        "kind": "Sword",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {},
    })
}
