//! What a manager may never own, and what an endpoint may not touch.

use std::sync::LazyLock;

use serde_json::Value;

use super::set::FieldSet;

/// The part of an object that the strategy of an endpoint resets: changes there are neither made nor owned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Nothing: the resource has no status subresource, or the endpoint takes what it gets.
    #[default]
    Nothing,
    /// The main endpoint of a resource with a status subresource.
    Status,
    /// The status endpoint.
    AllButStatus,
}

impl Reset {
    /// What the endpoint of `subresource` resets; `has_status`: whether the resource has a status subresource.
    pub fn of_endpoint(subresource: &str, has_status: bool) -> Self {
        match subresource {
            "status" => Self::AllButStatus,
            "" if has_status => Self::Status,
            _ => Self::Nothing,
        }
    }

    /// Whether the top-level field `name` is reset.
    pub(super) fn covers(self, name: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::Status => name == "status",
            Self::AllButStatus => name != "status",
        }
    }

    pub(super) fn filter(self, set: &mut FieldSet) {
        match self {
            Self::Nothing => {}
            Self::Status => set.drop_field("status"),
            Self::AllButStatus => set.keep_field("status"),
        }
    }

    /// Undoes, in `new`, changes of what the endpoint resets.
    pub(super) fn restore(self, live: &Value, new: &mut Value) {
        match self {
            Self::Nothing => {}
            Self::Status => copy_status(live, new),
            Self::AllButStatus => {
                let mut restored = live.clone();
                copy_status(new, &mut restored);
                *new = restored;
            }
        }
    }
}

fn copy_status(from: &Value, to: &mut Value) {
    let Some(to) = to.as_object_mut() else { return };
    match from.get("status") {
        Some(status) => {
            to.insert("status".to_owned(), status.clone());
        }
        None => {
            to.remove("status");
        }
    }
}

/// Fields that the server itself owns, whoever sends them.
const STRIPPED: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
];

static STRIP: LazyLock<FieldSet> = LazyLock::new(|| {
    let mut set = FieldSet::new();
    for name in ["apiVersion", "kind", "metadata"] {
        set = set.union(&FieldSet::of_fields(&[name]));
    }
    STRIPPED.iter().fold(set, |set, name| {
        set.union(&FieldSet::of_fields(&["metadata", name]))
    })
});

/// The set without what no manager may own.
pub(super) fn strip(mut set: FieldSet) -> FieldSet {
    set.subtract(&STRIP);
    set
}
