//! Owned objects and watched dependencies, through their front door: a small operator against the in-memory server, in
//! virtual time.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod adoption;
mod fights;
mod healing;
mod isolation;
mod life;
mod metadata;
mod names;
mod preflight;
mod related;
mod site;
