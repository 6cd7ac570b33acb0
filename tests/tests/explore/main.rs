//! The explorations of the test kit through their public door: a good operator passes each, and each has an operator
//! with a planted defect that it finds.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod crashes;
mod faults;
mod partitions;
mod roles;
mod shop;
mod worlds;
