//! The kind: a name and where it points.

use kube::CustomResource;
use opgen_runtime::status::{FieldRule, Rule, StatusDiff};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a user wants.
#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "dns.example.com",
    version = "v1",
    kind = "Record",
    namespaced,
    status = "RecordStatus"
)]
pub struct RecordSpec {
    /// Where it points.
    pub address: String,
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordStatus {
    /// Where it points at the provider.
    pub address: Option<String>,
    /// What went wrong last.
    pub error: Option<String>,
    /// When it was looked at last.
    pub looked_at: Option<String>,
}

/// `#[derive(StatusDiff)]` wants room for a machine in the status; without a machine the rules are named by hand.
impl StatusDiff for RecordStatus {
    fn rules() -> Vec<FieldRule> {
        vec![FieldRule {
            // A new time alone is no reason to write.
            path: "/lookedAt".to_owned(),
            rule: Rule::Volatile,
        }]
    }
}
