//! What is sent: the child as its handler wants it, with what makes it ours.

use serde_json::{Map, Value, json};

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{
        ChildError, ChildResource, OwnedOptions, content,
        owner::{OWNER_KIND_LABEL, Owner, OwnerKind, is_namespaced},
    },
    engine::key::ObjectKey,
    reference::reasons,
};

/// The annotation by which a child is known to be as last desired: a hash of what was sent, and of nothing else, so
/// that a new version of the operator that desires the same writes nothing.
pub const DESIRED_HASH_ANNOTATION: &str = "opgen.dev/desired-hash";
/// Marks that the yielded fields have been handed over.
pub(crate) const YIELDED_ANNOTATION: &str = "opgen.dev/yielded";

/// Metadata that only the server writes.
const SERVERS: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generateName",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The desired state of one child.
#[derive(Clone, Debug)]
pub(super) struct Desired {
    pub(super) key: ObjectKey,
    /// What an update sends: without the yielded fields.
    pub(super) body: Value,
    /// What a create sends: the yielded fields have their first value in it.
    pub(super) whole: Value,
    pub(super) hash: String,
    /// Names the set of yielded fields; empty if there are none.
    yields: String,
}

impl Desired {
    pub(super) fn new<T: ChildResource>(
        kind: &OwnerKind,
        owner: &Owner,
        child: &T,
        options: &OwnedOptions,
    ) -> Result<Self, ChildError> {
        let wrong = |message: String| ChildError::wrong(reasons::INVALID_CHILD, message);
        let mut body = match serde_json::to_value(child) {
            Ok(Value::Object(body)) => body,
            Ok(_) => return Err(wrong(format!("a {} is no JSON object", T::kind(&())))),
            Err(error) => {
                return Err(wrong(format!(
                    "the {} does not serialise: {error}",
                    T::kind(&())
                )));
            }
        };
        body.insert("apiVersion".to_owned(), T::api_version(&()).into());
        body.insert("kind".to_owned(), T::kind(&()).into());
        body.remove("status");
        let key = place::<T>(kind, owner, child)?;
        let mut meta = match body.remove("metadata") {
            Some(Value::Object(meta)) => meta,
            _ => Map::new(),
        };
        for name in SERVERS {
            meta.remove(*name);
        }
        if let Some(namespace) = &key.namespace {
            meta.insert("namespace".to_owned(), (&**namespace).into());
        }
        set(&mut meta, "labels", OWNER_KIND_LABEL, &kind.label());
        let mut owners = match meta.remove("ownerReferences") {
            Some(Value::Array(owners)) => owners,
            _ => Vec::new(),
        };
        owners.retain(|other| other["uid"] != owner.uid.as_str());
        owners.push(json!(kind.reference(owner)));
        meta.insert("ownerReferences".to_owned(), owners.into());
        body.insert("metadata".to_owned(), meta.into());
        let mut body = Value::Object(body);
        drop_empty(&mut body);
        let mut whole = body.clone();
        take_out(&mut body, &options.yields);
        let hash = format!("{:016x}", content::hash(&body, &[]));
        annotate(&mut body, DESIRED_HASH_ANNOTATION, &hash);
        annotate(&mut whole, DESIRED_HASH_ANNOTATION, &hash);
        let yields = if options.yields.is_empty() {
            String::new()
        } else {
            format!("{:08x}", content::hash(&json!(options.yields), &[]) >> 32)
        };
        Ok(Self {
            key,
            body,
            whole,
            hash,
            yields,
        })
    }

    /// What an update of that object sends. A namesake has another uid and is refused by the server.
    pub(super) fn to_update(&self, uid: &str) -> Value {
        let mut body = self.body.clone();
        body["metadata"]["uid"] = uid.into();
        body
    }

    /// Whether the yielded fields of `live` are still ours.
    pub(super) fn has_to_yield(&self, live: &Value) -> bool {
        let told = live["metadata"]["annotations"].get(YIELDED_ANNOTATION);
        !self.yields.is_empty() && told != Some(&Value::from(self.yields.as_str()))
    }

    /// What hands the yielded fields over: applied under another manager's name, with the values they have, so that
    /// leaving them out afterwards does not remove them.
    pub(super) fn to_yield(&self, live: &Value, with_fields: bool, pointers: &[String]) -> Value {
        let mut body = json!({
            "apiVersion": self.body["apiVersion"],
            "kind": self.body["kind"],
            "metadata": {
                "name": &*self.key.name,
                "uid": live["metadata"]["uid"],
                "annotations": {YIELDED_ANNOTATION: self.yields},
            },
        });
        if let Some(namespace) = &self.key.namespace {
            body["metadata"]["namespace"] = (&**namespace).into();
        }
        for pointer in pointers.iter().filter(|_| with_fields) {
            if let Some(value) = live.pointer(pointer) {
                insert(&mut body, pointer, value.clone());
            }
        }
        body
    }

    /// Whether `live` bears the mark of this very desired state.
    pub(super) fn is_marked(&self, live: &Value) -> bool {
        live["metadata"]["annotations"].get(DESIRED_HASH_ANNOTATION)
            == Some(&Value::from(self.hash.as_str()))
    }
}

/// Where the child lives, if its owner may own it there.
fn place<T: ChildResource>(
    kind: &OwnerKind,
    owner: &Owner,
    child: &T,
) -> Result<ObjectKey, ChildError> {
    let child_kind = T::kind(&());
    let meta = child.meta();
    let Some(name) = meta.name.as_deref().filter(|name| !name.is_empty()) else {
        return Err(ChildError::wrong(
            reasons::INVALID_CHILD,
            format!(
                "a {child_kind} has no name: give it one by `cx.child_name(\"..\")`; a generated name would make a new one at every run"
            ),
        ));
    };
    let namespaced = is_namespaced::<T>();
    let owners = owner.key.namespace.as_deref();
    let wanted = meta
        .namespace
        .as_deref()
        .filter(|namespace| !namespace.is_empty());
    let refused = |message: String| Err(ChildError::wrong(reasons::CROSS_NAMESPACE_OWNER, message));
    let namespace = match (namespaced, owners, wanted) {
        (false, Some(_), _) => {
            return refused(format!(
                "{child_kind} {name} is cluster-scoped and {} {} is not: an owner reference across scopes would get it collected at once",
                kind.kind, owner.key
            ));
        }
        (false, None, _) => None,
        (true, Some(owners), Some(wanted))
            if owners != wanted && !mutated(Mutant::OwnerNamespace) =>
        {
            return refused(format!(
                "{child_kind} {name} is to be made in namespace {wanted}, but its owner is in {owners}: an owner reference across namespaces would get it collected at once"
            ));
        }
        (true, Some(owners), _) => Some(owners),
        (true, None, None) => {
            return Err(ChildError::wrong(
                reasons::INVALID_CHILD,
                format!("{child_kind} {name} needs a namespace: its owner has none"),
            ));
        }
        (true, None, wanted) => wanted,
    };
    Ok(ObjectKey::new(namespace, name))
}

/// Sets one label or annotation.
fn set(meta: &mut Map<String, Value>, group: &str, name: &str, value: &str) {
    let entries = meta.entry(group.to_owned()).or_insert(Value::Null);
    if !entries.is_object() {
        *entries = json!({});
    }
    entries[name] = value.into();
}

fn annotate(body: &mut Value, name: &str, value: &str) {
    if let Some(meta) = body["metadata"].as_object_mut() {
        set(meta, "annotations", name, value);
    }
}

/// Takes out nulls: to server-side apply they are values.
fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_empty);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty),
        _ => {}
    }
}

fn take_out(body: &mut Value, pointers: &[String]) {
    for pointer in pointers {
        let Some((parent, field)) = pointer.rsplit_once('/') else {
            continue;
        };
        let field = field.replace("~1", "/").replace("~0", "~");
        if let Some(Value::Object(fields)) = body.pointer_mut(parent) {
            fields.remove(&field);
        }
    }
}

/// Puts a value at a pointer, making the objects on the way.
fn insert(body: &mut Value, pointer: &str, value: Value) {
    let mut place = body;
    for field in pointer.split('/').skip(1) {
        let field = field.replace("~1", "/").replace("~0", "~");
        if !place.is_object() {
            if !place.is_null() {
                return;
            }
            *place = json!({});
        }
        place = &mut place[field.as_str()];
    }
    *place = value;
}
