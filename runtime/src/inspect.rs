//! What a running operator tells of itself: readiness, every object that is not settled, the graphs.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    clock::SharedClock,
    engine::board::{Board, Notes},
    graph::PhaseGraph,
    metrics::Metrics,
    probes::{GraphView, ProbeSource, ReconcileView},
};

/// A loop that has not turned for so long is stuck.
const BEAT_LIMIT: Duration = Duration::from_secs(30);

/// Reads the boards of every kind for the probes.
pub(crate) struct Inspector {
    metrics: Metrics,
    graphs: Vec<PhaseGraph>,
    clock: SharedClock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    boards: Vec<(Arc<str>, Board)>,
    /// What the start-up check waits for.
    waits_for: Option<String>,
    checked: bool,
}

impl Inspector {
    pub(crate) fn new(metrics: Metrics, graphs: Vec<PhaseGraph>, clock: SharedClock) -> Self {
        Self {
            metrics,
            graphs,
            clock,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, kind: Arc<str>, board: Board) {
        self.state().boards.push((kind, board));
    }

    pub(crate) fn waits_for(&self, what: String) {
        self.state().waits_for = Some(what);
    }

    pub(crate) fn preflight_done(&self) {
        let mut state = self.state();
        state.checked = true;
        state.waits_for = None;
    }
}

impl Inspector {
    /// `instant` as a wall-clock time.
    fn timestamp(&self, instant: Instant) -> Timestamp {
        let (now, here) = (self.clock.now(), Instant::now());
        let ago =
            SignedDuration::try_from(here.saturating_duration_since(instant)).unwrap_or_default();
        let ahead =
            SignedDuration::try_from(instant.saturating_duration_since(here)).unwrap_or_default();
        now.saturating_sub(ago)
            .and_then(|time| time.saturating_add(ahead))
            .unwrap_or(now)
    }

    fn lines(&self, kind: &str, notes: &Notes) -> Vec<ReconcileView> {
        let view = |(key, line): (&crate::engine::key::ObjectKey, &crate::engine::board::Line)| {
            ReconcileView {
                kind: kind.to_owned(),
                namespace: key.namespace.as_deref().map(str::to_owned),
                name: key.name.to_string(),
                phase: line.phase.to_owned(),
                state: line.state,
                since: self.timestamp(line.since),
                why: line.why.clone(),
                next: line.next.map(|next| self.timestamp(next)),
            }
        };
        notes.objects().into_iter().map(view).collect()
    }
}

/// Every reason, or none.
fn verdict(reasons: Vec<String>) -> Result<(), Vec<String>> {
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(reasons)
    }
}

impl ProbeSource for Inspector {
    fn live(&self) -> Result<(), Vec<String>> {
        if mutated(Mutant::Liveness) {
            return Ok(());
        }
        let state = self.state();
        let stuck = |(kind, board): &(Arc<str>, Board)| {
            let age = board.notes().beat?.elapsed();
            (age > BEAT_LIMIT).then(|| format!("the loop of {kind} has not turned for {age:.0?}"))
        };
        verdict(state.boards.iter().filter_map(stuck).collect())
    }

    fn ready(&self) -> Result<(), Vec<String>> {
        if mutated(Mutant::Readiness) {
            return Ok(());
        }
        let state = self.state();
        if !state.checked {
            let waits_for = state.waits_for.clone();
            return Err(vec![
                waits_for.unwrap_or_else(|| "the start-up check is not done".to_owned()),
            ]);
        }
        let missing = |(kind, board): &(Arc<str>, Board)| {
            let notes = board.notes();
            match (&notes.trouble, notes.synced) {
                (Some(trouble), _) => Some(trouble.clone()),
                (_, false) => Some(format!("{kind}: the first list is not complete")),
                (_, true) => None,
            }
        };
        verdict(state.boards.iter().filter_map(missing).collect())
    }

    fn metrics(&self) -> String {
        for (kind, board) in &self.state().boards {
            let calm = board.notes().calm();
            self.metrics.synced(kind, calm.synced);
            self.metrics.converged(kind, calm.converged);
            self.metrics.quiescent(kind, calm.quiescent);
        }
        self.metrics.encode()
    }

    fn reconciles(&self) -> Vec<ReconcileView> {
        let state = self.state();
        state
            .boards
            .iter()
            .flat_map(|(kind, board)| self.lines(kind, &board.notes()))
            .collect()
    }

    fn graphs(&self) -> Vec<GraphView> {
        let view = |graph: &PhaseGraph| GraphView {
            kind: graph.machine.to_owned(),
            mermaid: graph.mermaid.to_owned(),
            svg: Some(graph.svg.to_owned()),
        };
        self.graphs.iter().map(view).collect()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    #[tokio::test(start_paused = true)]
    async fn live_means_that_every_loop_turns() {
        let inspector = Inspector::new(Metrics::new(), Vec::new(), Arc::new(SystemClock));
        let (turns, sticks) = (Board::default(), Board::default());
        inspector.add("Fine".into(), turns.clone());
        inspector.add("Stuck".into(), sticks.clone());
        assert_eq!(
            inspector.live(),
            Ok(()),
            "one that starts is no reason to kill it"
        );
        sticks.idle(true);
        tokio::time::advance(BEAT_LIMIT).await;
        turns.idle(true);
        assert_eq!(inspector.live(), Ok(()));
        tokio::time::advance(Duration::from_secs(1)).await;
        let reasons = inspector.live().expect_err("it is stuck");
        assert_eq!(reasons, ["the loop of Stuck has not turned for 31s"]);
        sticks.idle(false);
        assert_eq!(inspector.live(), Ok(()), "it turns again");
    }
}
