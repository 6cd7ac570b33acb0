//! Status writes for controllers that do not use the driver.

use std::fmt::Debug;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{
    Api, ResourceExt,
    api::{Patch, PatchParams},
    core::object::HasStatus,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{
    FieldRule, Rules, StatusDiff,
    normal::{Volatile, same},
    rules::Node,
};

/// Writes a status only if it means something else than before, and never onto a namesake: the uid goes with it.
///
/// Every call makes one request at most. Machines do not need it: their driver sends JSON patches that are also tested
/// on the phase.
///
/// ```no_run
/// use std::{sync::Arc, time::Duration};
///
/// use kube::{Api, Client, CustomResource, ResourceExt, runtime::controller::Action};
/// use opgen_runtime::status::{FieldRule, Rule, StatusDiff, StatusPatcher};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
/// #[kube(group = "example.com", version = "v1", kind = "Queue", namespaced, status = "QueueStatus")]
/// struct QueueSpec {}
///
/// #[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
/// #[serde(rename_all = "camelCase")]
/// struct QueueStatus {
///     error: Option<String>,
///     last_poll: Option<String>,
/// }
///
/// impl StatusDiff for QueueStatus {
///     fn rules() -> Vec<FieldRule> {
///         // A new poll time alone is no reason to write.
///         vec![FieldRule { path: "/lastPoll".to_owned(), rule: Rule::Volatile }]
///     }
/// }
///
/// // The `reconcile` of a `kube::runtime::Controller`.
/// async fn reconcile(queue: Arc<Queue>, client: Arc<Client>) -> Result<Action, kube::Error> {
///     let namespace = queue.namespace().unwrap_or_default();
///     let api = Api::<Queue>::namespaced((*client).clone(), &namespace);
///     let mut status = queue.status.clone().unwrap_or_default();
///     status.error = None; // becomes an explicit null: the old message goes
///     StatusPatcher::new(api, "queue-operator").merge(&queue, &status).await?;
///     Ok(Action::requeue(Duration::from_secs(600)))
/// }
/// # let _ = reconcile;
/// ```
#[derive(Clone, Debug)]
pub struct StatusPatcher<K> {
    api: Api<K>,
    field_manager: String,
}

impl<K> StatusPatcher<K>
where
    K: kube::Resource<DynamicType = ()> + HasStatus + Clone + Debug + DeserializeOwned,
    K::Status: StatusDiff + Serialize,
{
    /// A patcher; `field_manager` names the writer in managedFields.
    pub fn new(api: Api<K>, field_manager: impl Into<String>) -> Self {
        Self {
            api,
            field_manager: field_manager.into(),
        }
    }

    /// Writes what differs between the object's status and `after`, as a merge patch: what was cleared as an explicit
    /// null, so that it goes. A merge patch replaces lists whole; one that does carries the resourceVersion, lest it
    /// drop what another writer added. `None`: nothing differed, nothing was sent.
    ///
    /// # Errors
    /// What the API answered: 409 if a list changed and the object did too, 422 if the object is another one by now.
    pub async fn merge(&self, object: &K, after: &K::Status) -> Result<Option<K>, kube::Error> {
        let (before, after) = (to_value(object.status())?, to_value(Some(after))?);
        let Some(change) = merge_patch(&K::Status::rules(), &before, &after) else {
            return Ok(None);
        };
        let mut metadata = json!({ "uid": object.uid() });
        if holds_list(&change) {
            metadata["resourceVersion"] = object.resource_version().into();
        }
        let body = json!({ "metadata": metadata, "status": change });
        let params = PatchParams {
            field_manager: Some(self.field_manager.clone()),
            ..PatchParams::default()
        };
        self.send(object, &params, &Patch::Merge(body)).await
    }

    /// Applies `after` by server-side apply, taking over fields of other managers: `after` has to be everything this
    /// manager wants in the status; what it applied before and left out now goes. Lists merge by key where the CRD
    /// says so. `None`: nothing differed, nothing was sent.
    ///
    /// # Errors
    /// What the API answered; 422 if the object is another one by now.
    pub async fn apply(&self, object: &K, after: &K::Status) -> Result<Option<K>, kube::Error> {
        let (before, after) = (to_value(object.status())?, to_value(Some(after))?);
        let rules = Rules::plain(&K::Status::rules());
        if same(rules.root(), Some(&before), Some(&after), Volatile::Ignored) {
            return Ok(None);
        }
        let body = json!({
            "apiVersion": K::api_version(&()),
            "kind": K::kind(&()),
            "metadata": { "name": object.name_any(), "uid": object.uid() },
            "status": without_nulls(after),
        });
        let params = PatchParams::apply(&self.field_manager).force();
        self.send(object, &params, &Patch::Apply(body)).await
    }

    /// Writes what differs as one JSON patch that is tested on uid and resourceVersion, so that a decision made on a stale
    /// view moves nothing. Fields are the status' own members; one that changes is written whole. `None`: nothing
    /// differed, nothing was sent.
    ///
    /// # Errors
    /// What the API answered: 422 if the object was changed meanwhile, or is another one by now.
    pub async fn json(&self, object: &K, after: &K::Status) -> Result<Option<K>, kube::Error> {
        let (before, after) = (to_value(object.status())?, to_value(Some(after))?);
        let change = merge_patch(&K::Status::rules(), &before, &after);
        let Some(Value::Object(change)) = change else {
            return Ok(None);
        };
        let patch = tested(object.meta(), &before, &change);
        let patch = serde_json::from_value(patch).map_err(kube::Error::SerdeError)?;
        let params = PatchParams {
            field_manager: Some(self.field_manager.clone()),
            ..PatchParams::default()
        };
        self.send(object, &params, &Patch::Json::<()>(patch)).await
    }

    async fn send<P: Serialize + Debug>(
        &self,
        object: &K,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Option<K>, kube::Error> {
        let name = object.name_any();
        self.api.patch_status(&name, params, patch).await.map(Some)
    }
}

/// The merge patch (RFC 7386) from `before` to `after`, with null for what was cleared; `None` if nothing differs but
/// volatile fields.
#[must_use]
pub fn merge_patch(rules: &[FieldRule], before: &Value, after: &Value) -> Option<Value> {
    let rules = Rules::plain(rules);
    let root = rules.root();
    if same(root, Some(before), Some(after), Volatile::Ignored) {
        return None;
    }
    change(root, Some(before), Some(after))
}

/// The JSON patch (RFC 6902) that does what the merge patch `change` does, if the object is still the one that was seen.
fn tested(meta: &ObjectMeta, before: &Value, change: &Map<String, Value>) -> Value {
    let test =
        |path: &str, value: &Option<String>| json!({"op": "test", "path": path, "value": value});
    let mut patch = vec![
        test("/metadata/uid", &meta.uid),
        test("/metadata/resourceVersion", &meta.resource_version),
    ];
    let known = before.as_object();
    if known.is_none() {
        patch.push(json!({"op": "add", "path": "/status", "value": {}}));
    }
    for (name, value) in change {
        let path = format!("/status/{}", name.replace('~', "~0").replace('/', "~1"));
        // As the merge patch would leave it: what it says about members of a member is not all of it.
        let new = match (known.and_then(|known| known.get(name)), value) {
            (Some(old @ Value::Object(_)), Value::Object(_)) => {
                let mut merged = old.clone();
                ::json_patch::merge(&mut merged, value);
                merged
            }
            _ => value.clone(),
        };
        let is_there = known
            .and_then(|known| known.get(name))
            .is_some_and(|old| !old.is_null());
        match new {
            Value::Null if is_there => patch.push(json!({"op": "remove", "path": path})),
            Value::Null => {}
            new => patch.push(json!({"op": "add", "path": path, "value": new})),
        }
    }
    Value::Array(patch)
}

fn change(node: &Node, before: Option<&Value>, after: Option<&Value>) -> Option<Value> {
    if same(node, before, after, Volatile::Counts) {
        return None;
    }
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let cleared = old.keys().filter(|name| !new.contains_key(*name));
            let members: Map<_, _> = new
                .keys()
                .chain(cleared)
                .filter_map(|name| {
                    let change = change(node.child(name), old.get(name), new.get(name))?;
                    Some((name.clone(), change))
                })
                .collect();
            Some(Value::Object(members))
        }
        (_, after) => Some(after.cloned().map_or(Value::Null, without_nulls)),
    }
}

fn holds_list(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(members) => members.values().any(holds_list),
        _ => false,
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

fn to_value<S: Serialize>(status: Option<&S>) -> Result<Value, kube::Error> {
    serde_json::to_value(status).map_err(kube::Error::SerdeError)
}
