//! The life of a `Till`: its phases, what each does, and the provider it is made at.

mod handlers;
pub mod phase;
pub mod provider;

pub use phase::TillPhase;
