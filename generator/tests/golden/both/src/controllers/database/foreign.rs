//! Kinds of others, as far as this operator has to do with them. What has no field here stays as others set it.

use std::collections::BTreeMap;

use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a `Certificate` has beside its metadata and its status.
#[derive(CustomResource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[kube(
    group = "cert-manager.io",
    version = "v1",
    kind = "Certificate",
    plural = "certificates",
    namespaced,
    no_spec,
    status = "ForeignStatus",
    schema = "disabled"
)]
pub struct CertificateFields {
    /// What is wanted. Not every object has it, nor every kind: where there is nothing, nothing is sent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spec: BTreeMap<String, Value>,
}

/// As much of a status as most kinds have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForeignStatus {
    /// What holds.
    #[serde(default)]
    pub conditions: Vec<ForeignCondition>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignCondition {
    /// Such as `Ready`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
}
