//! PodDisruptionBudgets.

use serde_json::{Value, json};

use super::Group;
use crate::schema::Cause;

pub(super) struct Policy;

impl Group for Policy {
    fn name(&self) -> (&'static str, &'static str) {
        ("policy", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        let spec = &object["spec"];
        if spec.get("minAvailable").is_some() && spec.get("maxUnavailable").is_some() {
            return vec![Cause::invalid(
                "spec",
                spec,
                "minAvailable and maxUnavailable cannot be both set",
            )];
        }
        Vec::new()
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        let bound = |name: &str| {
            object["spec"]
                .get(name)
                .cloned()
                .unwrap_or_else(|| json!("N/A"))
        };
        match column {
            "Min Available" => bound("minAvailable"),
            "Max Unavailable" => bound("maxUnavailable"),
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind PodDisruptionBudget poddisruptionbudgets short=pdb status generation
| Name string .metadata.name
| Min_Available string
| Max_Unavailable string
| Allowed_Disruptions integer .status.disruptionsAllowed
| Age string age
PodDisruptionBudget
  spec PodDisruptionBudgetSpec!
  status PodDisruptionBudgetStatus!
PodDisruptionBudgetSpec
  minAvailable ios
  selector LabelSelector replace
  maxUnavailable ios
  unhealthyPodEvictionPolicy str*
PodDisruptionBudgetStatus
  observedGeneration long
  disruptedPods <time>
  disruptionsAllowed int!
  currentHealthy int!
  desiredHealthy int!
  expectedPods int!
  conditions [Condition] key=type merge=type
"#;
