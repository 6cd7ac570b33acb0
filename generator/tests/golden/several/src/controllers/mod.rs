//! One folder per kind.

pub mod shop;
pub mod sign;
pub mod till;
