//! StorageClasses.

use serde_json::{Value, json};

use super::Group;
use crate::schema::Cause;

pub(super) struct Storage;

impl Group for Storage {
    fn name(&self) -> (&'static str, &'static str) {
        ("storage.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, old: Option<&Value>) -> Vec<Cause> {
        let mut causes = Vec::new();
        if object["provisioner"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
        {
            causes.push(Cause::required("provisioner", ""));
        }
        if let Some(old) = old {
            for name in [
                "provisioner",
                "parameters",
                "reclaimPolicy",
                "volumeBindingMode",
            ] {
                if old.get(name) != object.get(name) {
                    causes.push(Cause::forbidden(
                        name,
                        format!("updates to {name} are forbidden."),
                    ));
                }
            }
        }
        causes
    }

    fn cell(&self, _kind: &str, column: &str, object: &Value) -> Value {
        match column {
            "AllowVolumeExpansion" => json!(object["allowVolumeExpansion"] == true),
            _ => Value::Null,
        }
    }
}

const TEXT: &str = r#"
kind StorageClass storageclasses short=sc cluster
| Name string .metadata.name
| Provisioner string .provisioner
| ReclaimPolicy string .reclaimPolicy
| VolumeBindingMode string .volumeBindingMode
| AllowVolumeExpansion string
| Age string age
StorageClass
  provisioner str!
  parameters <str>
  reclaimPolicy str* ="Delete"
  mountOptions [str] atomic
  allowVolumeExpansion bool*
  volumeBindingMode str* ="Immediate"
  allowedTopologies [TopologySelectorTerm] atomic
"#;
