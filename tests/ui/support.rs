//! What the cases share: a resource whose status has room for any machine, and an empty context.
#![allow(dead_code)]

use kube::CustomResource;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "db.example.com", version = "v1", kind = "Database", namespaced, status = "DatabaseStatus")]
pub struct DatabaseSpec {
    pub size: u32,
}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[status(phase = "/phase")]
pub struct DatabaseStatus {
    pub phase: Option<String>,
}

#[derive(MachineContext)]
pub struct Context {}
