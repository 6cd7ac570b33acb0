//! One case: one side, one number of objects, one kind of trouble.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kube::Client;
use opgen_runtime::{RunOptions, clients::Clients};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::{
    controller,
    cpu::{self, SERVER, Spent},
    figure::Figure,
    link::{Link, Weather},
    machine::{self, Context},
    probe::Probe,
    provider::Slow,
    world::World,
};

/// A case has failed to go on once no object became Ready for so long.
const PATIENCE: Duration = Duration::from_secs(15);
/// What the last status writes set off belongs to the work.
const AFTERMATH: Duration = Duration::from_millis(500);

/// Which operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// On opgen's runtime.
    Opgen,
    /// On kube-runtime's `Controller`, tuned.
    Tuned,
    /// On kube-runtime's `Controller`, as documented.
    Documented,
}

impl Side {
    /// As the report calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Opgen => "opgen",
            Self::Tuned => "`Controller`, tuned",
            Self::Documented => "`Controller`, documented",
        }
    }
}

/// What goes wrong during a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// Nothing.
    #[default]
    None,
    /// The provider calls of one object in a hundred never return.
    Hang,
    /// One write in twenty is answered 409.
    Conflict,
    /// Every watch is cut after five seconds.
    Cut,
}

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Case {
    /// Which operator.
    pub side: Side,
    /// How many objects.
    pub objects: usize,
    /// How long one provider call takes.
    pub provider_ms: u64,
    /// Runs at a time (the documented `Controller` has no limit).
    pub in_flight: usize,
    /// What goes wrong.
    pub trouble: Trouble,
}

impl Case {
    /// Runs it to its end.
    ///
    /// # Errors
    /// If there is no runtime to be had, or the server refuses the objects.
    pub fn run(&self) -> Result<Figure, String> {
        let world = World::new(self.objects)?;
        let server = workers(SERVER)?;
        let operator = workers("operator")?;
        let here = Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| format!("no runtime: {error}"))?;
        let figure = here.block_on(self.measure(&world, &server, &operator));
        operator.shutdown_background();
        server.shutdown_background();
        Ok(figure)
    }

    async fn measure(&self, world: &World, server: &Runtime, operator: &Runtime) -> Figure {
        let hung = match self.trouble {
            Trouble::Hang => world.hung,
            _ => 0,
        };
        let wanted = self.objects - hung;
        let probe = Arc::new(Probe::new(self.objects, wanted));
        let link = Link::new(
            &world.cluster,
            server.handle().clone(),
            Arc::clone(&probe),
            self.weather(),
        );
        let provider = Slow::new(
            Duration::from_millis(self.provider_ms),
            self.trouble == Trouble::Hang,
        );
        let (spent, started) = (Spent::now(), Instant::now());
        let running = operator.spawn(run(
            self.side,
            self.in_flight,
            link.client(),
            provider.clone(),
            RunOptions::default(),
        ));
        let converged = probe.all_ready(PATIENCE).await;
        let times = probe.times();
        let seconds = if converged {
            started.elapsed().as_secs_f64()
        } else {
            times.last().copied().unwrap_or_default().as_secs_f64()
        };
        tokio::time::sleep(AFTERMATH).await;
        let spent = Spent::now().since(spent);
        running.abort();
        Figure {
            case: *self,
            wanted,
            ready: times.len(),
            seconds,
            operator_seconds: spent.operator.as_secs_f64(),
            server_seconds: spent.server.as_secs_f64(),
            p50_seconds: percentile(&times, 50),
            p99_seconds: percentile(&times, 99),
            requests: probe.requests(),
            provider_calls: provider.made(),
            peak_bytes: cpu::peak_memory(),
        }
    }

    fn weather(&self) -> Weather {
        match self.trouble {
            Trouble::Conflict => Weather {
                conflict_every: 20,
                ..Weather::default()
            },
            Trouble::Cut => Weather {
                cut_after: Some(Duration::from_secs(5)),
                ..Weather::default()
            },
            Trouble::None | Trouble::Hang => Weather::default(),
        }
    }
}

/// Runs the operator until it is dropped.
pub(crate) async fn run(
    side: Side,
    in_flight: usize,
    client: Client,
    provider: Slow,
    options: RunOptions,
) {
    match side {
        Side::Opgen => {
            let operator = machine::operator(in_flight);
            let clients = Clients::in_process(client);
            let context = Context::new(provider, in_flight);
            let ended = operator.run(clients, context, options).await;
            assert!(ended.is_ok(), "{ended:?}");
        }
        Side::Tuned => controller::tuned(client, provider, in_flight).await,
        Side::Documented => controller::documented(client, provider).await,
    }
}

pub(crate) fn workers(name: &str) -> Result<Runtime, String> {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name(name)
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for {name}: {error}"))
}

/// Of sorted times, in seconds; 0 if there are none.
#[must_use]
pub fn percentile(times: &[Duration], percent: usize) -> f64 {
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times
        .get(rank - 1)
        .copied()
        .unwrap_or_default()
        .as_secs_f64()
}
