//! Objects that are at work without getting anywhere: runs that change nothing, rounds through the same phases, the same
//! command again and again. Whatever it is, it is found and slowed down here.

use std::time::Duration;

use tokio::time::Instant;

use crate::{
    engine::{
        print::Print,
        report::{Next, Report},
    },
    mutant::{Mutant, mutated},
};

/// Runs within this window that change nothing make a hot object.
const HOT_WINDOW: Duration = Duration::from_secs(10);
/// So many of them. A poll each second is a tenth of it.
const HOT_RUNS: u32 = 30;
/// How far a hot object is slowed down.
pub(crate) const HOT_DELAY: Duration = Duration::from_secs(30);

/// How often a phase may be entered, without rest and without a change, before that is a loop.
const ENTRIES: u32 = 5;
/// How often the outside may be told to do something in one stay in a phase that comes of nothing.
const COMMANDS: u32 = 20;
/// What comes after a longer pause than this is no part of a loop.
const PAUSE: Duration = Duration::from_secs(60);
/// The same for a loop that was slowed down: a few phases, each with a run or two.
const SLOW_PAUSE: Duration = Duration::from_secs(300);

/// What one object spends without a change.
#[derive(Default)]
pub(crate) struct Heat {
    since: Option<Instant>,
    runs: u32,
    last: (u64, &'static str),
    rounds: Rounds,
    /// Whether the last run found it hot.
    pub(crate) hot: bool,
}

impl Heat {
    /// Whether the last run was part of a loop through phases, or of commands that come of nothing.
    pub(crate) fn is_looping(&self) -> bool {
        self.rounds.is_loop
    }

    /// The same for a run that begins with what `now` stands for: a change ends a loop.
    pub(crate) fn is_looping_at(&self, now: Print) -> bool {
        self.is_looping() && self.rounds.handled == now.all
    }

    /// Counts a run; true if the object is hot. An eager one wants the next at once: what was hot stays hot for as long as
    /// it does, or one slow run would be followed by a new burst.
    pub(crate) fn run(&mut self, report: &Report, now: Instant) -> bool {
        let circles = matches!(report.next, Next::Cycle);
        let stays = self.hot && (circles || matches!(report.next, Next::Again));
        let window = if stays { HOT_DELAY * 2 } else { HOT_WINDOW };
        let last = (report.handled.all, report.phase);
        let recent = self.since.is_some_and(|since| now - since < window);
        if self.last != last || !recent {
            self.since = Some(now);
            self.runs = 0;
            self.last = last;
        } else if stays {
            self.since = Some(now);
        }
        self.runs += 1;
        // One run that went in a circle is enough.
        let spins = (self.runs > HOT_RUNS || circles) && !mutated(Mutant::HotLoop);
        self.hot = self.rounds.run(report, now) || spins;
        self.hot
    }
}

/// Counts what begins anew with every round of a loop.
#[derive(Default)]
struct Rounds {
    /// The trigger at which it goes round.
    handled: u64,
    /// The phases that were entered, how often, and when last.
    entries: Vec<(&'static str, u32, Instant)>,
    commands: u32,
    commanded_at: Option<Instant>,
    is_loop: bool,
}

impl Rounds {
    fn run(&mut self, report: &Report, now: Instant) -> bool {
        // A circle within one run needs no counting.
        let rests = matches!(report.next, Next::Settled { .. } | Next::Cycle);
        if rests || self.handled != report.handled.all {
            *self = Self {
                handled: report.handled.all,
                ..Self::default()
            };
        }
        let pause = if self.is_loop { SLOW_PAUSE } else { PAUSE };
        self.entries.retain(|(_, _, at)| now - *at <= pause);
        if self.commanded_at.is_some_and(|at| now - at > pause) || !report.entered.is_empty() {
            self.commands = 0;
        }
        for phase in report.entered.iter().filter(|_| !rests) {
            match self.entries.iter_mut().find(|(name, ..)| name == phase) {
                Some((_, count, at)) => {
                    *count += 1;
                    *at = now;
                }
                None => self.entries.push((*phase, 1, now)),
            }
        }
        if report.commanded_in_vain {
            self.commands += 1;
            self.commanded_at = Some(now);
        }
        let goes_round = self.entries.iter().any(|(_, count, _)| *count > ENTRIES);
        self.is_loop = (goes_round || self.commands > COMMANDS) && !mutated(Mutant::UpdateLoop);
        self.is_loop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::key::ObjectKey;

    fn report(handled: u64, entered: &[&'static str], next: Next) -> Report {
        Report {
            key: ObjectKey::of(&Default::default()),
            uid: String::new(),
            handled: Print::of(handled),
            version: 0,
            next,
            phase: entered.last().copied().unwrap_or("Building"),
            entered: entered.to_vec(),
            commanded_in_vain: false,
            observed_in: None,
            gone: Default::default(),
            cleanup_overdue: false,
            words: Default::default(),
            took: Duration::ZERO,
            deadline_in: None,
            entered_at: None,
            failure: None,
        }
    }

    fn waits() -> Next {
        Next::Wait {
            reason: String::new(),
            after: Duration::from_secs(5),
        }
    }

    /// After how many rounds of that length it is hot, of at most twenty.
    fn hot_after(every: Duration, mut of_round: impl FnMut(u64) -> Report) -> Option<u64> {
        let (mut heat, from) = (Heat::default(), Instant::now());
        (0..20).find(|round| heat.run(&of_round(*round), from + every * (*round as u32)))
    }

    #[test]
    fn a_round_without_rest_or_change_is_a_loop() {
        let round = |_| report(1, &["Ready", "Building"], waits());
        assert_eq!(hot_after(Duration::from_secs(5), round), Some(5));
        // Rare ones are none.
        assert_eq!(hot_after(Duration::from_secs(90), round), None);
        // Nor is what changes on the way, or comes to rest.
        let changed = |n| report(n / 3, &["Ready", "Building"], waits());
        assert_eq!(hot_after(Duration::from_secs(5), changed), None);
        let rested = |n| {
            let next = if n % 4 == 3 {
                Next::Settled { resync: None }
            } else {
                waits()
            };
            report(1, &["Ready", "Building"], next)
        };
        assert_eq!(hot_after(Duration::from_secs(5), rested), None);
    }

    #[test]
    fn a_slow_round_does_not_end_a_loop_and_a_pause_does() {
        let (mut heat, mut now) = (Heat::default(), Instant::now());
        let mut round = |after: u64| {
            now += Duration::from_secs(after);
            heat.run(&report(1, &["Ready", "Building"], waits()), now)
        };
        assert!((0..6).any(|_| round(5)));
        assert!(round(120) && round(290));
        assert!(!round(310));
    }

    #[test]
    fn commands_in_vain_are_a_loop() {
        let command = |in_vain| {
            move |_| Report {
                commanded_in_vain: in_vain,
                ..report(1, &[], waits())
            }
        };
        let (mut heat, from) = (Heat::default(), Instant::now());
        let first = (0..40).find(|n| {
            let at = from + Duration::from_secs(5) * *n;
            heat.run(&command(true)(0), at)
        });
        assert_eq!(first, Some(20));
        assert_eq!(hot_after(Duration::from_secs(5), command(false)), None);
    }
}
