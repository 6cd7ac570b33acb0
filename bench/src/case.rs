//! One case: one side, one number of objects, one kind of trouble.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kube::{Client, Config};
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
    remote::{Account, Remote, Seen},
    world::World,
};

/// A case has failed to go on once no object became Ready for so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);
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

/// How an operator reaches the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// By plain calls within the process, which cost all sides the same and little.
    #[default]
    Calls,
    /// By HTTPS, to a server in a process of its own: as in a cluster.
    Https,
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
    /// The way to the server.
    #[serde(default)]
    pub way: Way,
}

impl Case {
    /// Reads one from its JSON.
    ///
    /// # Errors
    /// If that is none.
    pub fn read(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("the case does not read: {error}"))
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// If there is no runtime to be had, or the server refuses the objects.
    pub fn run(&self) -> Result<Figure, String> {
        match self.way {
            Way::Calls => self.by_calls(),
            Way::Https => self.by_https(),
        }
    }

    fn by_calls(&self) -> Result<Figure, String> {
        let world = World::new(self.objects)?;
        let server = workers(SERVER)?;
        let operator = workers("operator")?;
        let here = Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| format!("no runtime: {error}"))?;
        let wanted = self.objects - self.hung(&world);
        let probe = Arc::new(Probe::new(self.objects, wanted));
        let link = Link::new(
            &world.cluster,
            server.handle().clone(),
            Arc::clone(&probe),
            self.weather(),
        );
        let (spent, started) = (Spent::now(), Instant::now());
        let client = link.client(operator.handle());
        let provider = self.start(&operator, Access::Client(client));
        let converged = here.block_on(probe.all_ready(PATIENCE));
        let seen = Seen {
            converged,
            seconds: started.elapsed().as_secs_f64(),
            times: probe.times(),
        };
        std::thread::sleep(AFTERMATH);
        let spent = Spent::now().since(spent);
        let account = Account {
            requests: probe.requests(),
            server_seconds: spent.server.as_secs_f64(),
        };
        let figure = self.figure(wanted, &seen, &account, spent.operator, &provider);
        operator.shutdown_background();
        server.shutdown_background();
        Ok(figure)
    }

    fn by_https(&self) -> Result<Figure, String> {
        let mut remote = Remote::start(self)?;
        let config = remote.config()?;
        let operator = workers("operator")?;
        let wanted = self.objects - remote.hung();
        remote.go()?;
        let spent = Spent::now();
        let provider = self.start(&operator, Access::Config(Box::new(config)));
        let seen = remote.seen()?;
        std::thread::sleep(AFTERMATH);
        let spent = Spent::now().since(spent);
        let account = remote.end()?;
        let figure = self.figure(wanted, &seen, &account, spent.operator, &provider);
        operator.shutdown_background();
        Ok(figure)
    }

    fn start(&self, operator: &Runtime, access: Access) -> Slow {
        let provider = Slow::new(
            Duration::from_millis(self.provider_ms),
            self.trouble == Trouble::Hang,
        );
        operator.spawn(run(
            self.side,
            self.in_flight,
            access,
            provider.clone(),
            RunOptions::default(),
        ));
        provider
    }

    fn figure(
        &self,
        wanted: usize,
        seen: &Seen,
        account: &Account,
        operator: Duration,
        provider: &Slow,
    ) -> Figure {
        let last = seen.times.last().copied().unwrap_or_default();
        Figure {
            case: *self,
            wanted,
            ready: seen.times.len(),
            seconds: if seen.converged {
                seen.seconds
            } else {
                last.as_secs_f64()
            },
            operator_seconds: operator.as_secs_f64(),
            server_seconds: account.server_seconds,
            p50_seconds: percentile(&seen.times, 50),
            p99_seconds: percentile(&seen.times, 99),
            requests: account.requests,
            provider_calls: provider.made(),
            peak_bytes: cpu::peak_memory(),
        }
    }

    /// How many objects can never become Ready.
    pub(crate) fn hung(&self, world: &World) -> usize {
        match self.trouble {
            Trouble::Hang => world.hung,
            _ => 0,
        }
    }

    pub(crate) fn weather(&self) -> Weather {
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

/// How an operator gets its clients.
pub(crate) enum Access {
    /// From one that is there.
    Client(Client),
    /// As it does in a cluster.
    Config(Box<Config>),
}

/// Runs the operator until it is dropped.
pub(crate) async fn run(
    side: Side,
    in_flight: usize,
    access: Access,
    provider: Slow,
    options: RunOptions,
) {
    if side == Side::Opgen {
        let clients = match access {
            Access::Client(client) => Clients::in_process(client),
            Access::Config(config) => Clients::from_config(*config).expect("a client"),
        };
        let operator = machine::operator(in_flight);
        let context = Context::new(provider, in_flight);
        let ended = operator.run(clients, context, options).await;
        assert!(ended.is_ok(), "{ended:?}");
        return;
    }
    let client = match access {
        Access::Client(client) => client,
        Access::Config(config) => Client::try_from(*config).expect("a client"),
    };
    match side {
        Side::Tuned => controller::tuned(client, provider, in_flight).await,
        _ => controller::documented(client, provider).await,
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
