//! The life of a `Database`: its phases and what each does.

mod handlers;
pub mod phase;

pub use phase::DatabasePhase;
