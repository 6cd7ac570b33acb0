//! Tests across the crates of opgen: see `tests/`.
