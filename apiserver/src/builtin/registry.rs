//! All built-in kinds, made from their tables once.

use std::sync::{LazyLock, OnceLock};

use super::{BuiltIn, Column, GROUPS, Group, Subresource, dsl};
use crate::schema::Schema;

pub(super) struct Registry {
    pub(super) types: dsl::Types,
    kinds: Vec<BuiltIn>,
}

pub(super) static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut types = dsl::Types::default();
    let mut kinds = Vec::new();
    for group in GROUPS {
        for text in types.read(group.text()) {
            kinds.push(built_in(*group, text));
        }
    }
    Registry { types, kinds }
});

const VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

fn built_in(behaviour: &'static dyn Group, text: dsl::KindText) -> BuiltIn {
    let list = |key: &str| -> Vec<&'static str> {
        let value = text.words.iter().find_map(|word| word.strip_prefix(key));
        value
            .map(|value| value.split(',').collect())
            .unwrap_or_default()
    };
    let has = |word: &str| text.words.contains(&word);
    let (group, version) = behaviour.name();
    let mut verbs = if has("create-only") {
        vec!["create"]
    } else {
        VERBS.to_vec()
    };
    if has("keep-collection") {
        verbs.retain(|verb| *verb != "deletecollection");
    }
    BuiltIn {
        group,
        version,
        kind: text.name,
        plural: text.plural,
        singular: text.name.to_lowercase(),
        list_kind: format!("{}List", text.name),
        short_names: list("short="),
        categories: list("categories="),
        namespaced: !has("cluster"),
        verbs,
        status: has("status"),
        scale: has("scale"),
        generation: has("generation"),
        subresources: subresources(group, text.name),
        selectable_fields: list("select="),
        columns: text.columns.iter().map(Column::new).collect(),
        behaviour,
        schema: OnceLock::new(),
    }
}

fn subresources(group: &str, kind: &str) -> Vec<Subresource> {
    let sub = |name, kind, verbs| Subresource { name, kind, verbs };
    match (group, kind) {
        ("", "Namespace") => vec![sub("finalize", ("", "v1", "Namespace"), &["update"])],
        ("", "Pod") => vec![
            sub("binding", ("", "v1", "Binding"), &["create"]),
            sub("eviction", ("policy", "v1", "Eviction"), &["create"]),
        ],
        ("", "ServiceAccount") => {
            vec![sub(
                "token",
                ("authentication.k8s.io", "v1", "TokenRequest"),
                &["create"],
            )]
        }
        _ => Vec::new(),
    }
}

/// All built-in resources, in the order of their groups.
pub fn all() -> &'static [BuiltIn] {
    &REGISTRY.kinds
}

/// The resource with that group, version and plural name.
pub fn find(group: &str, version: &str, plural: &str) -> Option<&'static BuiltIn> {
    all()
        .iter()
        .find(|kind| kind.group == group && kind.version == version && kind.plural == plural)
}

/// The schema of `metadata`, for every kind, built in or not.
pub fn object_meta() -> &'static Schema {
    static META: LazyLock<Schema> = LazyLock::new(|| REGISTRY.types.schema("ObjectMeta"));
    &META
}
