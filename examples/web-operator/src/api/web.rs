//! `webs.web.example.com/v1alpha1`.

use kube::CustomResource;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controllers::web::WebPhase;

/// What a user asks for.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "web.example.com",
    version = "v1alpha1",
    kind = "Web",
    plural = "webs",
    namespaced,
    status = "WebStatus",
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct WebSpec {
    /// The image that its pods run.
    #[schemars(length(min = 1))]
    pub image: String,
    /// How many pods it has.
    #[schemars(range(min = 0))]
    pub replicas: i32,
    /// The port that it listens on.
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,
}

/// What the operator found out.
#[derive(StatusDiff, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebStatus {
    /// Phase, conditions and observedGeneration: the runtime writes them, handlers read them.
    #[serde(flatten)]
    pub machine: MachineState<WebPhase>,
}
