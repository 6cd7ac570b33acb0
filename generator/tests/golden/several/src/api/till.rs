//! `tills.shop.example.com/v1alpha1`.

use kube::CustomResource;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controllers::till::TillPhase;

/// What a user asks for.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "shop.example.com",
    version = "v1alpha1",
    kind = "Till",
    plural = "tills",
    namespaced,
    status = "TillStatus",
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct TillSpec {
    /// How big it is to be, in the provider's units.
    #[schemars(range(min = 1))]
    pub size: i64,
}

/// What the operator found out.
#[derive(StatusDiff, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TillStatus {
    /// Phase, conditions and observedGeneration: the runtime writes them, handlers read them.
    #[serde(flatten)]
    pub machine: MachineState<TillPhase>,
    /// The provider's name for the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
}
