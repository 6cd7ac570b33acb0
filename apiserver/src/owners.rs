//! Admission of owner references, as the plugin `OwnerReferencesPermissionEnforcement` does it.
//!
//! Garbage collection lets whoever may set an owner reference have the object deleted, or hold up the deletion of the
//! owner. With the plugin on, the first takes the right to delete the object, the second that to update the
//! owner's finalizers.

use serde_json::Value;

use crate::call::Call;
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult};
use crate::object;
use crate::rbac::Attempt;
use crate::resource::Resource;
use crate::webhook::Change;

impl Shared {
    /// Refuses owner references that the user may not set. Does nothing unless the plugin is on.
    pub(crate) fn guard_owners(
        &self,
        call: &Call,
        resource: &Resource,
        change: &Change<'_>,
    ) -> ApiResult<()> {
        let (Some(new), true) = (change.new, self.owner_permissions && !call.internal) else {
            return Ok(());
        };
        let is_pod_status =
            resource.group.is_empty() && resource.plural == "pods" && is_status(call);
        let (after, before) = (references(new), change.old.map_or(&[][..], references));
        if is_pod_status || after == before {
            return Ok(());
        }
        let refused = |why: &str| {
            let name = match object::meta(new, "name") {
                "" => object::meta(new, "generateName"),
                name => name,
            };
            Err(ApiError::forbidden(
                &resource.group,
                &resource.plural,
                name,
                why,
            ))
        };
        if change.operation != "CREATE" {
            let delete = Attempt {
                verb: "delete",
                ..Attempt::of(&call.info)
            };
            let decision = self.decide(&call.user, &delete);
            if !decision.allowed {
                return refused(&format!(
                    "cannot set an ownerRef on a resource you can't delete: {}, <nil>",
                    decision.reason
                ));
            }
        }
        for owner in after.iter().filter(|owner| blocks_anew(owner, before)) {
            if let Err(why) = self.may_block(call, owner) {
                return refused(&why);
            }
        }
        Ok(())
    }

    /// Whether the user may update the finalizers of an owner.
    fn may_block(&self, call: &Call, owner: &Value) -> Result<(), String> {
        let text = |field: &str| owner[field].as_str().unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let (group, version) = object::split_api_version(api_version);
        let registry = self.registry();
        let Some(found) = registry.find_kind(group, version, kind) else {
            return Err(format!(
                "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {api_version} Kind {kind}: no matches for kind {kind:?} in version {api_version:?}"
            ));
        };
        let update = Attempt {
            verb: "update",
            group,
            resource: &found.plural,
            subresource: "finalizers",
            namespace: if found.namespaced {
                &call.info.namespace
            } else {
                ""
            },
            name: text("name"),
            path: None,
        };
        let decision = self.decide(&call.user, &update);
        if decision.allowed {
            return Ok(());
        }
        Err(format!(
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: {}, <nil>",
            decision.reason
        ))
    }
}

fn is_status(call: &Call) -> bool {
    call.info.subresource == "status"
}

fn references(object: &Value) -> &[Value] {
    object["metadata"]["ownerReferences"]
        .as_array()
        .map_or(&[], Vec::as_slice)
}

fn blocks(owner: &Value) -> bool {
    owner["blockOwnerDeletion"] == true
}

/// Whether a reference holds up the deletion of an owner that the ones before did not hold up.
fn blocks_anew(owner: &Value, before: &[Value]) -> bool {
    blocks(owner)
        && !before
            .iter()
            .any(|earlier| earlier["uid"] == owner["uid"] && blocks(earlier))
}
