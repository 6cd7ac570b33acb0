//! `signs.shop.example.com/v1alpha1`.

use kube::CustomResource;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controllers::sign::SignPhase;

/// What a user asks for.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "shop.example.com",
    version = "v1alpha1",
    kind = "Sign",
    plural = "signs",
    namespaced,
    status = "SignStatus",
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct SignSpec {
    /// The image that its pods run.
    #[schemars(length(min = 1))]
    pub image: String,
    /// How many pods it has.
    #[schemars(range(min = 0))]
    pub replicas: i32,
    /// The port that it listens on.
    #[schemars(range(min = 1, max = 65535))]
    pub port: i32,
    /// The Secret that it needs, if it needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
}

/// A reference to a Secret in the same namespace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretRef {
    /// Its name.
    pub name: String,
}

/// What the operator found out.
#[derive(StatusDiff, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignStatus {
    /// Phase, conditions and observedGeneration: the runtime writes them, handlers read them.
    #[serde(flatten)]
    pub machine: MachineState<SignPhase>,
}
