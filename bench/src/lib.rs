//! The same operator on opgen's runtime and on kube-runtime's `Controller`, against the same in-memory server.
//!
//! A case is one operator, one number of objects and one kind of trouble, run in a process of its own ([`case`]). The
//! server and the operator have separate threads ([`link`]), so the CPU of each is told apart ([`cpu`]).

pub mod case;
pub mod controller;
pub mod cpu;
pub mod facts;
pub mod figure;
pub mod heap;
pub mod idle;
pub mod link;
pub mod machine;
pub mod plan;
pub mod probe;
pub mod provider;
pub mod remote;
pub mod report;
pub mod world;
