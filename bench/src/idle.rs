//! What an operator asks of the server when nothing happens: whole hours of it, in virtual time.

use std::{sync::Arc, time::Duration};

use opgen_apiserver::{Cluster, LogEntry};
use opgen_runtime::{Placement, RunOptions, clients::Clients, clock::SharedClock};
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;

use crate::{
    case::Side,
    controller,
    machine::{self, Context},
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
        let operator = tokio::spawn(run(side, cluster.clone()));
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

async fn run(side: Side, cluster: Cluster) {
    let (client, in_flight) = (cluster.client(), 256);
    let provider = Slow::new(Duration::from_millis(100), false);
    match side {
        Side::Opgen => {
            let time = cluster.clock();
            let clock: SharedClock = Arc::new(move || time.now());
            let options = RunOptions {
                placement: Placement::Inline,
                clock,
                ..RunOptions::default()
            };
            let run = machine::operator(in_flight).run(
                Clients::in_process(client),
                Context::new(provider, in_flight),
                options,
            );
            let ended = run.await;
            assert!(ended.is_ok(), "{ended:?}");
        }
        Side::Tuned => controller::tuned(client, provider, in_flight).await,
        Side::Documented => controller::documented(client, provider).await,
    }
}
