//! A provider in memory, for tests and for trying things out. It takes its time, as real ones do.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use opgen_runtime::{external::CallResult, observed::StatusCode, prelude::*};
use tokio::time::Instant;

use super::{Instance, InstanceId, InstanceState, ShopProvider};
use crate::api::ShopSpec;

/// How long an instance is being built, changed or removed.
const WORK: Duration = Duration::from_secs(3);

/// Clones share the same world: it outlives the operator, as a real provider does.
#[derive(Clone, Debug, Default)]
pub struct SimulatedProvider {
    world: Arc<Mutex<World>>,
}

#[derive(Debug, Default)]
struct World {
    instances: BTreeMap<InstanceId, Simulated>,
    created: usize,
    hangs_on: Option<String>,
}

#[derive(Debug)]
struct Simulated {
    size: i64,
    running_at: Instant,
    gone_at: Option<Instant>,
}

impl SimulatedProvider {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many instances were ever made.
    pub fn created(&self) -> usize {
        self.world().created
    }

    /// The instances that exist now.
    pub fn instances(&self) -> Vec<InstanceId> {
        let mut world = self.world();
        world.forget_gone();
        world.instances.keys().cloned().collect()
    }

    /// From now on, calls for keys that contain `text` never return.
    pub fn hang_on(&self, text: &str) {
        self.world().hangs_on = Some(text.to_owned());
    }

    /// Every call returns again.
    pub fn recover(&self) {
        self.world().hangs_on = None;
    }

    async fn answer(&self, key: &str) -> MutexGuard<'_, World> {
        let hangs = self
            .world()
            .hangs_on
            .as_ref()
            .is_some_and(|text| key.contains(text));
        if hangs {
            std::future::pending::<()>().await;
        }
        let mut world = self.world();
        world.forget_gone();
        world
    }
}

impl World {
    fn forget_gone(&mut self) {
        let now = Instant::now();
        self.instances
            .retain(|_, instance| instance.gone_at.is_none_or(|at| at > now));
    }
}

#[timeout_client]
impl ShopProvider for SimulatedProvider {
    async fn create(&self, key: &IdempotencyKey, spec: &ShopSpec) -> CallResult<InstanceId> {
        let mut world = self.answer(key.as_str()).await;
        let id = key.to_string();
        if !world.instances.contains_key(&id) {
            world.created += 1;
            let instance = Simulated {
                size: spec.size,
                running_at: Instant::now() + WORK,
                gone_at: None,
            };
            world.instances.insert(id.clone(), instance);
        }
        Ok(id)
    }

    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>> {
        let world = self.answer(key.as_str()).await;
        let Some(found) = world.instances.get(key.as_str()) else {
            return Ok(Observed::by_status(key, StatusCode::NOT_FOUND));
        };
        let state = if found.running_at > Instant::now() {
            InstanceState::Building
        } else {
            InstanceState::Running
        };
        Ok(Observed::Present(Instance {
            id: key.to_string(),
            size: found.size,
            state,
        }))
    }

    async fn update(&self, id: &InstanceId, spec: &ShopSpec) -> CallResult<()> {
        let mut world = self.answer(id).await;
        if let Some(instance) = world.instances.get_mut(id) {
            instance.size = spec.size;
            instance.running_at = Instant::now() + WORK;
        }
        Ok(())
    }

    async fn destroy(&self, id: &InstanceId) -> CallResult<()> {
        let mut world = self.answer(id).await;
        if let Some(instance) = world.instances.get_mut(id) {
            instance.gone_at.get_or_insert(Instant::now() + WORK);
        }
        Ok(())
    }
}
