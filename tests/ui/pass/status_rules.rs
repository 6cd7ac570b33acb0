//! Every rule, under the names that serde gives.

use opgen_runtime::prelude::*;
use opgen_runtime::status::{FieldRule, MachinePaths, MachineStatus, Rule, StatusDiff};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[status(phase = "/state/phase", conditions = "/state/conditions")]
pub struct Status {
    #[status(volatile)]
    pub last_seen: Option<String>,
    #[serde(rename = "volumes/all", default)]
    #[status(key = "name", nested)]
    pub volumes: Vec<Volume>,
    #[status(keys("host", "port"), bounded = 20)]
    pub peers: Vec<String>,
    #[status(nested)]
    pub by_zone: BTreeMap<String, Option<Volume>>,
    #[serde(flatten)]
    #[status(nested)]
    pub more: More,
    #[serde(skip)]
    pub scratch: u8,
}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[status(part)]
pub struct Volume {
    pub name: String,
    #[status(quantity)]
    pub size: String,
}

#[derive(StatusDiff, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[status(part)]
pub struct More {
    #[status(time)]
    pub expires_at: Option<String>,
}

fn rule(path: &str, rule: Rule) -> FieldRule {
    FieldRule { path: path.to_owned(), rule }
}

fn main() {
    let keys = |keys: &[&str]| Rule::ListMap(keys.iter().map(|key| (*key).to_owned()).collect());
    assert_eq!(
        Status::rules(),
        [
            rule("/state/conditions", keys(&["type"])),
            rule("/lastSeen", Rule::Volatile),
            rule("/volumes~1all", keys(&["name"])),
            rule("/peers", keys(&["host", "port"])),
            rule("/peers", Rule::Bounded(20)),
            rule("/volumes~1all/*/size", Rule::Quantity),
            rule("/byZone/*/size", Rule::Quantity),
            rule("/EXPIRES_AT", Rule::Time),
        ]
    );
    assert_eq!(
        Status::PATHS,
        MachinePaths { phase: "/state/phase", conditions: "/state/conditions", ..MachinePaths::DEFAULT }
    );
    assert_eq!(Status::default().scratch, 0);
}
