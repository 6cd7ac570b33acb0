//! Objects with credentials of their own, and children of a kind whose schema is laxer than the operator's type.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod account;
mod credentials;
mod undecodable;
