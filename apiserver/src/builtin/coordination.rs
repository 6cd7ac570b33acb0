//! Leases.

use serde_json::Value;

use super::Group;
use crate::schema::Cause;

pub(super) struct Coordination;

impl Group for Coordination {
    fn name(&self) -> (&'static str, &'static str) {
        ("coordination.k8s.io", "v1")
    }

    fn text(&self) -> &'static str {
        TEXT
    }

    fn check(&self, _kind: &str, object: &Value, _old: Option<&Value>) -> Vec<Cause> {
        let spec = &object["spec"];
        let mut causes = Vec::new();
        if spec["leaseDurationSeconds"]
            .as_i64()
            .is_some_and(|seconds| seconds <= 0)
        {
            let value = &spec["leaseDurationSeconds"];
            causes.push(Cause::invalid(
                "spec.leaseDurationSeconds",
                value,
                "must be greater than 0",
            ));
        }
        if spec["leaseTransitions"]
            .as_i64()
            .is_some_and(|count| count < 0)
        {
            let value = &spec["leaseTransitions"];
            causes.push(Cause::invalid(
                "spec.leaseTransitions",
                value,
                "must be greater than or equal to 0",
            ));
        }
        causes
    }
}

const TEXT: &str = r#"
kind Lease leases
| Name string .metadata.name
| Holder string .spec.holderIdentity
| Age string age
Lease
  spec LeaseSpec!
LeaseSpec
  holderIdentity str*
  leaseDurationSeconds int*
  acquireTime microtime
  renewTime microtime
  leaseTransitions int*
  strategy str*
  preferredHolder str*
"#;
