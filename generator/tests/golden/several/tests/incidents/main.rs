//! The incidents that take operators down, as tests: an in-memory API server, virtual time, no cluster.

mod shop;
mod sign;
mod till;
