//! Runs every incident against its mutants and demands that it fails.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use opgen_runtime::__mutants::{Mutant, with};

use crate::table::{Incident, hazards};

/// A mutant that takes longer in real time is not failing but hanging: the incident lacks a bound.
const PATIENCE: Duration = Duration::from_secs(150);

/// How an incident ended on a mutant.
enum Fate {
    /// It failed, and with these words.
    Died(String),
    Survived,
    Hangs,
}

fn words(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

/// On a thread of its own: the switch is the thread's, and one that hangs can be left behind.
fn fate(incident: &'static Incident, mutant: Mutant) -> Fate {
    let (tell, told) = mpsc::channel();
    let run = incident.run;
    std::thread::spawn(move || {
        let ended = catch_unwind(AssertUnwindSafe(|| with(mutant, run)));
        let _ = tell.send(ended.map_err(|panic| words(&*panic)));
    });
    match told.recv_timeout(PATIENCE) {
        Ok(Ok(())) => Fate::Survived,
        Ok(Err(words)) => Fate::Died(words),
        Err(_) => Fate::Hangs,
    }
}

#[test]
fn every_mutant_dies() {
    let wanted = std::env::var("MUTANT").ok();
    let pairs = hazards().into_iter().flat_map(|hazard| {
        let of =
            |incident: &'static Incident| incident.mutants.iter().map(move |it| (incident, *it));
        hazard.incidents.iter().flat_map(of)
    });
    let mut seen = BTreeSet::new();
    let pairs: Vec<_> = pairs
        .filter(|(incident, mutant)| seen.insert((incident.name, *mutant)))
        .filter(|(_, mutant)| {
            wanted
                .as_ref()
                .is_none_or(|name| *name == format!("{mutant:?}"))
        })
        .collect();
    assert!(!pairs.is_empty(), "no mutant is called {wanted:?}");
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((incident, mutant)) = pairs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let began = Instant::now();
                    let fate = fate(incident, *mutant);
                    let took = began.elapsed();
                    let line = match fate {
                        Fate::Died(words) => {
                            let first = words.lines().next().unwrap_or_default().to_owned();
                            println!(
                                "{mutant:?} dies in {took:.1?} by {}: {first}",
                                incident.name
                            );
                            continue;
                        }
                        Fate::Survived => format!("{mutant:?} survives {}", incident.name),
                        Fate::Hangs => format!("{mutant:?} makes {} hang: bound it", incident.name),
                    };
                    wrong.lock().unwrap().push(line);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        pairs.len(),
        wrong.join("\n")
    );
}
