//! What an operator asks of the server when nothing happens: whole hours of it, in virtual time.

use std::{sync::Arc, time::Duration};

use opgen_apiserver::{Cluster, LogEntry};
use opgen_runtime::{Placement, RunOptions, clock::SharedClock};
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;

use crate::{
    case::{Access, Side, run},
    plan::{IN_FLIGHT, PROVIDER_MS},
    provider::Slow,
    world::World,
};

const HOUR: Duration = Duration::from_secs(3600);

/// Requests of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdleFigure {
    /// Which operator.
    pub side: Side,
    /// How many objects, all of them Ready.
    pub objects: usize,
    /// How many virtual hours were watched.
    pub hours: u32,
    /// Writes until all were Ready, of the object.
    pub main_writes: usize,
    /// The same, of the status.
    pub status_writes: usize,
    /// Writes of any kind after that.
    pub idle_writes: usize,
    /// Requests of any kind after that.
    pub idle_requests: usize,
}

/// Measures one side on a runtime whose clock is virtual.
///
/// # Errors
/// If the server refuses the objects, or they do not become Ready within a virtual minute.
pub fn measure(side: Side, objects: usize, hours: u32) -> Result<IdleFigure, String> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    runtime.block_on(async {
        let world = World::new(objects)?;
        world.cluster.clock().rebase();
        let cluster = world.cluster;
        let begin = cluster.log().last();
        let time = cluster.clock();
        let clock: SharedClock = Arc::new(move || time.now());
        let options = RunOptions {
            placement: Placement::Inline,
            clock,
            ..RunOptions::default()
        };
        let provider = Slow::new(Duration::from_millis(PROVIDER_MS), false);
        let operator = tokio::spawn(run(
            side,
            IN_FLIGHT,
            Access::Client(cluster.client()),
            provider,
            options,
        ));
        tokio::time::sleep(Duration::from_secs(60)).await;
        let first = cluster.log().since(begin);
        let of = |subresource: &str| {
            let is_one = |entry: &&LogEntry| {
                entry.is_write_verb()
                    && entry.resource == "things"
                    && entry.subresource == subresource
            };
            first.iter().filter(is_one).count()
        };
        let ready = (0..objects)
            .filter(|number| is_ready(&cluster, *number))
            .count();
        if ready < objects {
            return Err(format!("only {ready} of {objects} objects are Ready"));
        }
        let idle = cluster.log().last();
        tokio::time::sleep(HOUR * hours).await;
        let later = cluster.log().since(idle);
        if operator.is_finished() {
            return Err("the operator has ended".to_owned());
        }
        operator.abort();
        Ok(IdleFigure {
            side,
            objects,
            hours,
            main_writes: of(""),
            status_writes: of("status"),
            idle_writes: later.iter().filter(|entry| entry.is_write_verb()).count(),
            idle_requests: later.len(),
        })
    })
}

fn is_ready(cluster: &Cluster, number: usize) -> bool {
    let name = format!("thing-{number}");
    let thing = cluster.get_raw("things.bench.example.com", "default", &name);
    thing.is_ok_and(|thing| thing["status"]["phase"] == "Ready")
}
