//! Children as templates name them: one function each, with its parameters and its call.

use heck::ToSnakeCase as _;
use serde::Serialize;

use super::relations::{built_in, takes};
use crate::model::{Progress, Related, Take};

/// A kind of children.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Child {
    pub(crate) name: String,
    /// The function that makes it.
    pub(super) function: String,
    pub(super) parameters: String,
    /// The call of that function.
    pub(super) call: String,
    pub(super) api_version: String,
    pub(crate) is_foreign: bool,
    pub(super) cluster: bool,
    pub(super) waits: bool,
    pub(super) fails: bool,
    /// Whether an autoscaler moves its replicas.
    pub(super) is_scaled: bool,
    /// Whether a change that is refused makes it anew.
    pub(super) is_recreated: bool,
    /// What is around its spec: an `Option` in most versions.
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Its resource, as tests ask for it.
    pub(super) resource: String,
    /// A change that somebody makes by hand, as JSON, and where it shows.
    pub(super) edit: String,
    pub(super) edited: &'static str,
}

/// Names of functions in the children's module.
const FUNCTIONS: &[&str] = &["apply", "labels", "pod", "selector", "template"];

/// What decides about the parameters of functions.
pub(super) struct Shape {
    pub(super) adopted: bool,
    /// Of Kubernetes.
    pub(super) minor: u8,
    pub(super) spec: String,
    pub(super) mounts: bool,
    pub(super) pod_needs_meta: bool,
    pub(super) scaler: bool,
}

impl Shape {
    pub(super) fn parameters(&self, meta: bool, spec: bool, versions: bool) -> String {
        let mut all = Vec::new();
        if meta {
            all.push("meta: &ObjectMeta".to_owned());
        }
        if spec && !self.adopted {
            all.push(format!("spec: {}", self.spec));
        }
        if versions && self.mounts {
            all.push("versions: &BTreeMap<String, String>".to_owned());
        }
        all.join(", ")
    }

    pub(super) fn arguments(
        &self,
        meta_is: &str,
        meta: bool,
        spec: bool,
        versions: bool,
    ) -> String {
        let mut all = Vec::new();
        if meta {
            all.push(meta_is);
        }
        if spec && !self.adopted {
            all.push("spec");
        }
        if versions && self.mounts {
            all.push("versions");
        }
        all.join(", ")
    }
}

pub(super) fn child(related: &Related, shape: &Shape) -> Child {
    let name = related.kind().to_owned();
    let row = built_in(&related);
    let snake = name.to_snake_case();
    let function = match row {
        Some(row) if row.kind == "Pod" => "single_pod".to_owned(),
        Some(_) => snake,
        None if FUNCTIONS.contains(&snake.as_str()) || crate::model::is_keyword(&snake) => {
            format!("{snake}_child")
        }
        None => snake,
    };
    let spec = !takes(related).is_empty();
    let versions = row.is_some_and(|row| row.has_pods() && row.kind != "Pod");
    let meta = if related.is_cluster_scoped() {
        "&ObjectMeta { namespace: None, ..meta.clone() }"
    } else {
        "&meta"
    };
    let is_plain = row
        .and_then(|row| row.spec_since)
        .is_some_and(|since| shape.minor >= since);
    let (open, close) = if is_plain { ("", "") } else { ("Some(", ")") };
    let progress = row.map_or(Progress::Waits, |row| row.progress);
    let is_scaled = shape.scaler
        && matches!(row, Some(row) if row.kind == "Deployment" || row.kind == "StatefulSet");
    let scaled_by_hand = takes(related).contains(&Take::Replicas) && !is_scaled;
    let (edit, edited) = if scaled_by_hand {
        (r#"{ "spec": { "replicas": 7 } }"#, "/spec/replicas")
    } else {
        (
            r#"{ "metadata": { "labels": { "app.kubernetes.io/managed-by": "somebody" } } }"#,
            "/metadata/labels",
        )
    };
    Child {
        parameters: shape.parameters(true, spec, versions),
        call: format!(
            "{function}({})",
            shape.arguments(meta, true, spec, versions)
        ),
        api_version: match related {
            Related::BuiltIn(row) => row.api_version(),
            Related::Foreign(foreign) => format!("{}/{}", foreign.group, foreign.version),
        },
        open,
        close,
        resource: match related {
            Related::BuiltIn(row) => row.kind.to_owned(),
            Related::Foreign(foreign) => format!("{}.{}", foreign.plural, foreign.group),
        },
        is_foreign: row.is_none(),
        cluster: related.is_cluster_scoped(),
        waits: progress != Progress::AtOnce,
        fails: progress == Progress::WaitsOrFails,
        is_scaled,
        is_recreated: matches!(row, Some(row) if row.kind == "Job" || row.kind == "Pod"),
        edit: edit.to_owned(),
        edited,
        function,
        name,
    }
}
