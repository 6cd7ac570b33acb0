//! `shops.shop.example.com/v1alpha1`.

use std::collections::BTreeMap;

use kube::CustomResource;
use opgen_runtime::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::controllers::shop::ShopPhase;

/// What a user asks for.
#[derive(CustomResource, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "shop.example.com",
    version = "v1alpha1",
    kind = "Shop",
    plural = "shops",
    namespaced,
    status = "ShopStatus",
    printcolumn = r#"{"name": "Phase", "type": "string", "jsonPath": ".status.phase"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
pub struct ShopSpec {
    /// How big it is to be, in the provider's units.
    #[schemars(range(min = 1))]
    pub size: i64,
    /// What it is told, as keys and values.
    #[serde(default)]
    pub config: BTreeMap<String, String>,
}

/// What the operator found out.
#[derive(StatusDiff, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShopStatus {
    /// Phase, conditions and observedGeneration: the runtime writes them, handlers read them.
    #[serde(flatten)]
    pub machine: MachineState<ShopPhase>,
    /// The provider's name for the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
}
