//! What is looked at now and then, for the metrics: objects and ages per phase, work in progress.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use tokio::time::Instant;

use crate::engine::state::ObjectState;

/// A look at all objects of one kind.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Survey {
    /// By phase: how many, and since when the oldest is there.
    pub(crate) phases: BTreeMap<&'static str, (usize, Option<Timestamp>)>,
    pub(crate) paused: usize,
    /// Clean-ups held by the brake on mass deletions.
    pub(crate) held_destroys: usize,
    /// Of all running reconciles together.
    pub(crate) unfinished: Duration,
    pub(crate) longest: Duration,
}

impl Survey {
    pub(crate) fn of<'a>(states: impl Iterator<Item = &'a ObjectState>, now: Instant) -> Self {
        let mut survey = Self::default();
        for state in states {
            if !state.phase.is_empty() && !state.released {
                let (count, oldest) = survey.phases.entry(state.phase).or_default();
                *count += 1;
                *oldest = match (*oldest, state.entered_at) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                };
            }
            survey.paused += usize::from(state.is_paused);
            survey.held_destroys += usize::from(state.destroy_at.is_some_and(|at| at > now));
            if let Some(since) = state.running_since {
                let spent = now.saturating_duration_since(since);
                survey.unfinished += spent;
                survey.longest = survey.longest.max(spent);
            }
        }
        survey
    }

    /// How many are in that phase, and how long the oldest has been there.
    pub(crate) fn phase(&self, name: &str, now: Timestamp) -> (usize, Duration) {
        let (count, since) = self.phases.get(name).copied().unwrap_or_default();
        let age = since.map(|since| now.duration_since(since));
        let age = age.and_then(|age| Duration::try_from(age).ok());
        (count, age.unwrap_or_default())
    }
}
