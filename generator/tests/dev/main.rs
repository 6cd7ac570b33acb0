//! `dev` as a whole process: what a person sees in the terminal, and what kubectl finds beside it.
//!
//! The project is built in the folder that the compile tests share, so its dependencies are built once. Takes minutes
//! when cold.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod demo;
mod init;
mod kubectl;
mod real;
mod restart;
mod session;
