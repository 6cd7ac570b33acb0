//! An operator at work, from the first check to the last run.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{sync::watch, task::JoinSet};

use super::{
    Operator, OperatorError,
    kinds::Shared,
    options::{Placement, RunOptions},
};
use crate::{
    blocking::BlockingPool,
    clients::Clients,
    clock::SharedClock,
    engine::{events::Events, stall},
    inspect::Inspector,
    lease::{self, Candidacy, LeaderElection},
    mutant::{Mutant, mutated},
    preflight, probes,
};

impl<C: Send + Sync + 'static> Operator<C> {
    /// Runs until the shutdown signal, then drains.
    ///
    /// # Errors
    /// If the cluster is not ready for the operator (every reason is named), if the probes cannot listen, if the lease
    /// was lost, or if a loop ended by itself.
    pub async fn run(
        self,
        clients: Clients,
        context: C,
        options: RunOptions,
    ) -> Result<(), OperatorError> {
        let RunOptions {
            placement,
            clock,
            probe_addr,
            drain,
            leader_election,
            observer,
            mut shutdown,
        } = options;
        let metrics = clients.metrics().clone();
        let inspector = Arc::new(Inspector::new(
            metrics.clone(),
            self.graphs(),
            clock.clone(),
        ));
        let _probes = match probe_addr {
            Some(addr) => Some(
                serve_probes(placement, addr, &inspector)
                    .map_err(|source| OperatorError::Probes { addr, source })?,
            ),
            None => None,
        };
        let _watchdog = match placement {
            Placement::Threads => stall::watch(self.name.clone(), metrics.clone())
                .inspect_err(|error| tracing::warn!(%error, "no watchdog for the executor"))
                .ok(),
            // It looks at real time.
            Placement::Inline => None,
        };
        let needs = self.needs();
        tokio::select! {
            checked = preflight::check(&clients, &needs, &inspector) => {
                checked.map_err(OperatorError::Preflight)?;
            }
            () = &mut shutdown => return Ok(()),
        }
        let candidacy = match leader_election {
            Some(election) => {
                let candidacy = self.candidate(election, placement, &clients, &clock)?;
                tokio::select! {
                    led = candidacy.led() => led.map_err(not_ready)?,
                    () = &mut shutdown => return Ok(()),
                }
                Some(candidacy)
            }
            None => None,
        };
        let (stop, stopped) = watch::channel(false);
        let (events, write_events) = Events::new(clients.call.clone(), &self.name, metrics.clone());
        let shared = Shared {
            name: self.name,
            clients,
            context: Arc::new(context),
            started_at: clock.now(),
            clock,
            metrics,
            drain,
            only_in: self.only_in,
            blocking: BlockingPool::new(16),
            inspector,
            stopped,
            events,
            observer,
        };
        let mut writer = JoinSet::new();
        writer.spawn(write_events);
        let mut loops = JoinSet::new();
        for kind in &self.kinds {
            loops.spawn(kind.start(&shared));
        }
        tracing::info!(operator = %shared.name, kinds = self.kinds.len(), "running");
        let worked = tokio::select! {
            biased;
            // Not a drain: what is under way is cut, another process may begin it anew.
            why = lost(candidacy.as_ref()) => Err(OperatorError::LostLease(why)),
            ended = work(&mut loops, shutdown, &stop, drain) => ended,
        };
        // A task that blocks its thread cannot be cut: the process has to end all the same.
        if tokio::time::timeout(CUT, loops.shutdown()).await.is_err() {
            tracing::error!("a loop does not end although it was cut: a handler blocks its thread");
        }
        if let (Ok(()), Some(candidacy)) = (&worked, candidacy) {
            candidacy.release().await;
        }
        worked
    }

    fn candidate(
        &self,
        election: LeaderElection,
        placement: Placement,
        clients: &Clients,
        clock: &SharedClock,
    ) -> Result<Candidacy, OperatorError> {
        let place = lease::Place {
            namespace: self.home.clone(),
            name: self.lease_name(),
        };
        Candidacy::start(placement, election, place, clients, Arc::clone(clock)).map_err(not_ready)
    }
}

fn not_ready(why: String) -> OperatorError {
    OperatorError::Preflight(vec![why])
}

/// How much longer than its own bounds a loop may take.
const BEYOND: Duration = Duration::from_secs(1);
/// How long what was cut may take to end.
const CUT: Duration = Duration::from_secs(5);

/// Until the signal, then until what is under way has ended.
async fn work(
    loops: &mut JoinSet<()>,
    shutdown: impl Future<Output = ()>,
    stop: &watch::Sender<bool>,
    drain: Duration,
) -> Result<(), OperatorError> {
    tokio::select! {
        () = shutdown => {}
        Some(ended) = loops.join_next() => {
            let why = ended.err().map_or_else(|| "without a reason".to_owned(), |error| error.to_string());
            return Err(OperatorError::Loop(why));
        }
    }
    tracing::info!("shutting down: runs in flight may end");
    stop.send_replace(true);
    // A loop bounds itself, if it is run at all: a handler that blocks its thread may keep it from that.
    let ended = async { while loops.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(drain + CUT + BEYOND, ended).await;
    Ok(())
}

async fn lost(candidacy: Option<&Candidacy>) -> String {
    match candidacy {
        Some(candidacy) => candidacy.lost().await,
        None => std::future::pending().await,
    }
}

fn serve_probes(
    placement: Placement,
    addr: SocketAddr,
    inspector: &Arc<Inspector>,
) -> std::io::Result<probes::ProbeServer> {
    let source: Arc<dyn probes::ProbeSource> = Arc::clone(inspector) as _;
    match placement {
        Placement::Threads if !mutated(Mutant::ProbeThread) => probes::serve(addr, source),
        Placement::Threads | Placement::Inline => probes::serve_inline(addr, source),
    }
}
