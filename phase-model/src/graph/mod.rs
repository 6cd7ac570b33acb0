//! Pictures of machines.
