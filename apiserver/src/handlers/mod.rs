//! What the server does for each verb.

mod apply;
mod create;
mod decode;
mod definitions;
mod delete;
mod delete_options;
mod dispatch;
mod duplicates;
mod list;
mod metadata;
mod page;
mod patch;
mod pods;
mod prepare;
mod read;
mod review;
mod scale;
mod update;
mod write;

pub(crate) use decode::{metadata_types, sync_await_limit};
