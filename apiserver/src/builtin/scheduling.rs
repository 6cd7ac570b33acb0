//! PriorityClasses.

use serde_json::{Value, json};

use super::Group;
use crate::schema::Cause;

pub(super) struct Scheduling;

impl Group for Scheduling {
    fn name(&self) -> (&'static str, &'static str) {
        ("scheduling.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        match old {
            Some(old) if old["value"] != object["value"] => {
                vec![Cause::forbidden(
                    "value",
                    "may not be changed in an update.",
                )]
            }
            _ => Vec::new(),
        }
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        match column {
            "Global-Default" => json!(object["globalDefault"] == true),
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind PriorityClass priorityclasses short=pc cluster generation
| Name string .metadata.name
| Value integer .value
| Global-Default boolean
| Age string age
| PreemptionPolicy string .preemptionPolicy
PriorityClass
  value int!
  globalDefault bool
  description str
  preemptionPolicy str* ="PreemptLowerPriority"
"#;
