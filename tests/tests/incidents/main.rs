//! The incidents of HAZARDS.md, each against the operator as it is, and against mutants of it that have to fail.
//!
//! `table/` says which incidents stand for which hazard and which mutants they kill; `docs/HAZARDS.md` is written from
//! it. One mutant alone: `MUTANT=CallTimeout cargo test -p opgen-tests --test incidents mutant`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout, // what dies and what is skipped is said aloud
    clippy::print_stderr,
    missing_docs,
    unreachable_pub
)]

// Fixtures: six small operators and their outsides.
mod database;
#[path = "../leader/forge.rs"]
mod forge;
#[path = "../engine/gadget.rs"]
mod gadget;
mod kubelet;
#[path = "../leader/replicas.rs"]
mod replicas;
#[path = "../children/site.rs"]
mod site;
#[path = "../limits/ticket.rs"]
mod ticket;

#[path = "../dependencies/account.rs"]
mod account;

// What the runtime guarantees, test by test.
#[path = "../children/adoption.rs"]
mod adoption;
#[path = "../limits/brake.rs"]
mod brake;
#[path = "../limits/buckets.rs"]
mod buckets;
#[path = "../dependencies/credentials.rs"]
mod credentials;
#[path = "../engine/failures.rs"]
mod failures;
#[path = "../leader/fence.rs"]
mod fence;
#[path = "../children/fights.rs"]
mod fights;
#[path = "../engine/finalizer.rs"]
mod finalizer;
#[path = "../engine/gate.rs"]
mod gate;
#[path = "../limits/groups.rs"]
mod groups;
#[path = "../leader/hand_over.rs"]
mod hand_over;
#[path = "../engine/handles.rs"]
mod handles;
#[path = "../children/healing.rs"]
mod healing;
#[path = "../children/isolation.rs"]
mod isolation;
#[path = "../limits/jobs.rs"]
mod jobs;
#[path = "../children/life.rs"]
mod life;
#[path = "../children/metadata.rs"]
mod metadata;
#[path = "../limits/metrics.rs"]
mod metrics;
#[path = "../children/names.rs"]
mod names;
#[path = "../leader/partition.rs"]
mod partition;
#[path = "../limits/polls.rs"]
mod polls;
#[path = "../children/preflight.rs"]
mod preflight;
#[path = "../engine/proof.rs"]
mod proof;
#[path = "../children/related.rs"]
mod related;
#[path = "../engine/restore.rs"]
mod restore;
#[path = "../limits/shutdown.rs"]
mod shutdown;
#[path = "../engine/signals.rs"]
mod signals;
#[path = "../limits/stall.rs"]
mod stall;
#[path = "../engine/start.rs"]
mod start;
#[path = "../engine/status.rs"]
mod status;
#[path = "../leader/thread.rs"]
mod thread;
#[path = "../dependencies/undecodable.rs"]
mod undecodable;
#[path = "../limits/uninstall.rs"]
mod uninstall;
#[path = "../engine/watch.rs"]
mod watch;

// Incidents in the author's terms, one file per group of hazards.
mod cache;
mod deletion;
mod hangs;
mod identity;
mod operation;
mod people;
mod provider;
mod queue;
mod writes;

mod document;
mod driver;
mod table;
