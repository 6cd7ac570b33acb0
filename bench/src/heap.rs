//! What an operator keeps in memory per object, told by a counting allocator.
//!
//! The counter is shared by all threads and would slow a busy operator down, so only the program `opgen-bench-heap` has
//! one. What is counted is exact: the heap before the operator is dropped, less the heap after that.

use std::{sync::Arc, time::Duration};

use opgen_runtime::RunOptions;
use serde::{Deserialize, Serialize};

use crate::{
    case::{Access, Side, run, workers},
    cpu::SERVER,
    link::{Link, Weather},
    machine::Thing,
    plan::IN_FLIGHT,
    probe::Probe,
    provider::Slow,
    world::World,
};

/// Until nothing is under way any more.
const CALM: Duration = Duration::from_secs(2);

/// Bytes of one side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeapFigure {
    /// Which operator.
    pub side: Side,
    /// How many objects, all of them Ready.
    pub objects: usize,
    /// What the operator holds, per object.
    pub operator_bytes: f64,
    /// What the typed objects alone take, without managedFields, each in an `Arc`.
    pub typed_bytes: f64,
}

impl HeapFigure {
    /// What the operator holds per object beyond the typed object.
    #[must_use]
    pub fn beyond(&self) -> f64 {
        self.operator_bytes - self.typed_bytes
    }
}

/// Measures one side; `allocated` tells the bytes of the heap in use.
///
/// # Errors
/// If not every object became Ready, or if one does not decode.
pub fn measure(
    side: Side,
    objects: usize,
    allocated: impl Fn() -> usize,
) -> Result<HeapFigure, String> {
    let world = World::new(objects)?;
    let (server, operator) = (workers(SERVER)?, workers("operator")?);
    let probe = Arc::new(Probe::new(objects, objects));
    let link = Link::new(
        &world.cluster,
        server.handle().clone(),
        Arc::clone(&probe),
        Weather::default(),
    );
    operator.spawn(run(
        side,
        IN_FLIGHT,
        Access::Client(link.client(operator.handle())),
        Slow::new(Duration::ZERO, false),
        RunOptions::default(),
    ));
    if !server.block_on(probe.all_ready(Duration::from_secs(60))) {
        return Err(format!("only {} of {objects} are Ready", probe.ready()));
    }
    std::thread::sleep(CALM);
    let before = allocated();
    operator.shutdown_timeout(CALM);
    // The server notices that its watches have no reader.
    std::thread::sleep(CALM);
    let after = allocated();
    let typed = typed(&world, objects, &allocated)?;
    server.shutdown_background();
    let each = |bytes: usize| bytes as f64 / objects as f64;
    Ok(HeapFigure {
        side,
        objects,
        operator_bytes: each(before.saturating_sub(after)),
        typed_bytes: each(typed),
    })
}

fn typed(world: &World, objects: usize, allocated: impl Fn() -> usize) -> Result<usize, String> {
    let before = allocated();
    let mut things = Vec::with_capacity(objects);
    for number in 0..objects {
        let name = format!("thing-{number}");
        let raw = world
            .cluster
            .get_raw("things.bench.example.com", "default", &name);
        let mut raw = raw.map_err(|error| format!("{name} cannot be read: {error}"))?;
        if let Some(meta) = raw["metadata"].as_object_mut() {
            meta.remove("managedFields");
        }
        let thing: Thing = serde_json::from_value(raw)
            .map_err(|error| format!("{name} does not decode: {error}"))?;
        things.push(Arc::new(thing));
    }
    let bytes = allocated().saturating_sub(before);
    drop(things);
    Ok(bytes)
}
