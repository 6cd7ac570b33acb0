//! What bounds an operator: retries, reads, tenants, deletions, jobs; and how it tells. In virtual time.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod brake;
mod buckets;
mod groups;
mod jobs;
mod metrics;
mod polls;
mod shutdown;
mod stall;
mod ticket;
mod uninstall;
