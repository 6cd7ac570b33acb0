//! Children, dependencies and fields of the spec, as templates name them.

use std::collections::BTreeMap;

use heck::{ToKebabCase as _, ToLowerCamelCase as _, ToSnakeCase as _};
use serde::Serialize;

use crate::model::{BuiltIn, External, K8sVersion, Progress, Related, Resource, Role, Scope, Take};
use crate::uses;

/// What a kind has to do with others.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Relations {
    /// The minor version of Kubernetes: types differ.
    k8s_minor: u8,
    /// Whether there is anything to tell the builder.
    is_related: bool,
    has_children: bool,
    /// In the order in which they are applied.
    pub(crate) children: Vec<Child>,
    /// Those whose readiness shows in their status.
    waiting: Vec<Child>,
    waits: bool,
    fails: bool,
    has_recreated: bool,
    has_scaled: bool,
    /// Every kind of the table of built-in ones, and whether it is owned.
    owns: BTreeMap<&'static str, bool>,
    /// Expressions for what children take from the spec.
    take: TakeValues,
    /// What stands for fields of the spec where the types are not ours.
    constants: Vec<Constant>,
    children_take_spec: bool,
    takes_namespace: bool,
    pub(crate) has_pods: bool,
    pub(crate) has_selectors: bool,
    has_pod_templates: bool,
    has_port: bool,
    pod_needs_name: bool,
    pod_parameters: String,
    pod_arguments: String,
    template_parameters: String,
    template_arguments: String,
    references: Vec<Reference>,
    checks_references: bool,
    /// Whether pods take their environment from what is referred to.
    mounts: bool,
    mounts_secret: bool,
    mounts_config: bool,
    pub(crate) foreign: Vec<ForeignValues>,
    /// The `use` lines of the modules that name types of Kubernetes.
    options_uses: String,
    references_uses: String,
    /// The fields of a spec of our own, in order.
    fields: Vec<Field>,
    /// A spec with its sample values, as JSON.
    spec_json: String,
    spec_has_map: bool,
    has_size: bool,
    /// Whether the status repeats the size that was worked on.
    records_own_size: bool,
    /// A child that takes its time to be ready; empty if none does.
    slow_child: String,
    /// A field whose change reaches a child.
    change: Option<Change>,
    /// The name of containers and the end of names: `database-cluster`.
    label: String,
}

/// A kind of children.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Child {
    pub(crate) name: String,
    /// The function that makes it.
    function: String,
    parameters: String,
    /// The call of that function.
    call: String,
    api_version: String,
    pub(crate) is_foreign: bool,
    cluster: bool,
    waits: bool,
    fails: bool,
    /// Whether an autoscaler moves its replicas.
    is_scaled: bool,
    /// Whether a change that is refused makes it anew.
    is_recreated: bool,
    /// What is around its spec: an `Option` in most versions.
    open: &'static str,
    close: &'static str,
    /// Its resource, as tests ask for it.
    resource: String,
    /// A change that somebody makes by hand, as JSON, and where it shows.
    edit: String,
    edited: &'static str,
}

/// A kind that is referred to.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reference {
    name: String,
    snake: String,
    /// The field of the spec.
    field: String,
    json: String,
    /// The end of the annotation with its version.
    label: String,
    /// The `ObjectRef` of `to`.
    key: String,
    api_version: String,
    plural: String,
    is_foreign: bool,
    cluster: bool,
    takes_namespace: bool,
    /// Whether pods take their environment from it.
    is_mounted: bool,
    /// The name in a test's name, and whether an object of it is easily made there.
    stem: String,
    is_tested: bool,
}

/// A kind of somebody else.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ForeignValues {
    name: String,
    /// The function that makes its definition, in tests.
    function: String,
    group: String,
    version: String,
    plural: String,
    cluster: bool,
}

/// A field of a spec.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Field {
    name: String,
    json: String,
    ty: String,
    docs: Vec<String>,
    attributes: Vec<String>,
    /// A value, as JSON; empty where the sample leaves it out.
    sample: String,
}

#[derive(Clone, Debug, Serialize)]
struct Constant {
    name: &'static str,
    ty: &'static str,
    value: &'static str,
    doc: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct TakeValues {
    image: String,
    replicas: String,
    port: String,
    config: String,
    storage: String,
    schedule: String,
    host: String,
}

#[derive(Clone, Debug, Serialize)]
struct Change {
    json: String,
    value: String,
    child: String,
}

/// What is known of a field that children take.
struct TakeRow {
    take: Take,
    name: &'static str,
    ty: &'static str,
    doc: &'static str,
    attribute: &'static str,
    sample: &'static str,
    /// Another value, where it may change.
    other: Option<&'static str>,
    constant: Option<(&'static str, &'static str)>,
}

const TAKES: &[TakeRow] = &[
    TakeRow {
        take: Take::Image,
        name: "image",
        ty: "String",
        doc: "The image that its pods run.",
        attribute: "schemars(length(min = 1))",
        sample: "\"nginx:1.29\"",
        other: Some("\"nginx:1.30\""),
        constant: Some(("IMAGE", "&str")),
    },
    TakeRow {
        take: Take::Replicas,
        name: "replicas",
        ty: "i32",
        doc: "How many pods it has.",
        attribute: "schemars(range(min = 0))",
        sample: "1",
        other: Some("2"),
        constant: Some(("REPLICAS", "i32")),
    },
    TakeRow {
        take: Take::Port,
        name: "port",
        ty: "i32",
        doc: "The port that it listens on.",
        attribute: "schemars(range(min = 1, max = 65535))",
        sample: "80",
        other: Some("81"),
        constant: Some(("PORT", "i32")),
    },
    TakeRow {
        take: Take::Config,
        name: "config",
        ty: "BTreeMap<String, String>",
        doc: "What it is told, as keys and values.",
        attribute: "serde(default)",
        sample: "{\"greeting\": \"hello\"}",
        other: Some("{\"greeting\": \"good day\"}"),
        constant: None,
    },
    TakeRow {
        take: Take::Storage,
        name: "storage",
        ty: "String",
        doc: "How much it may store, such as `1Gi`.",
        attribute: "schemars(length(min = 1))",
        sample: "\"1Gi\"",
        other: None,
        constant: Some(("STORAGE", "&str")),
    },
    TakeRow {
        take: Take::Schedule,
        name: "schedule",
        ty: "String",
        doc: "When it runs, as cron writes it.",
        attribute: "schemars(length(min = 1))",
        sample: "\"0 3 * * *\"",
        other: Some("\"0 4 * * *\""),
        constant: Some(("SCHEDULE", "&str")),
    },
    TakeRow {
        take: Take::Host,
        name: "host",
        ty: "String",
        doc: "The name under which it is reached.",
        attribute: "schemars(length(min = 1))",
        sample: "\"sample.example.com\"",
        other: Some("\"other.example.com\""),
        constant: Some(("HOST", "&str")),
    },
];

/// Names of functions in the children's module.
const FUNCTIONS: &[&str] = &["apply", "labels", "pod", "selector", "template"];

impl Relations {
    pub(crate) fn new(resource: &Resource, k8s: K8sVersion) -> Self {
        let mut owned: Vec<&Related> = resource.owns.iter().collect();
        owned.sort_by_key(|related| related.rank());
        let is_owned = |kind: &str| {
            owned
                .iter()
                .any(|related| matches!(related, Related::BuiltIn(row) if row.kind == kind))
        };
        let adopted = resource.adopted.is_some();
        let takes: Vec<&TakeRow> = TAKES
            .iter()
            .filter(|row| {
                owned
                    .iter()
                    .any(|related| takes(related).contains(&row.take))
            })
            .collect();
        let references = references(resource, &owned);
        let mounted = |kind: &str| {
            references
                .iter()
                .any(|one| one.is_mounted && one.name == kind)
        };
        let mounts_secret = mounted("Secret");
        let mounts_config = mounted("ConfigMap");
        let rows = || owned.iter().filter_map(|related| built_in(related));
        let shape = Shape {
            adopted,
            minor: k8s.minor(),
            spec: format!("&{}Spec", resource.kind),
            mounts: mounts_secret || mounts_config,
            pod_needs_meta: [
                "ConfigMap",
                "Secret",
                "PersistentVolumeClaim",
                "ServiceAccount",
            ]
            .iter()
            .any(|kind| is_owned(kind)),
            scaler: is_owned("HorizontalPodAutoscaler"),
        };
        let children: Vec<Child> = owned.iter().map(|related| child(related, &shape)).collect();
        let waiting: Vec<Child> = children
            .iter()
            .filter(|child| child.waits)
            .cloned()
            .collect();
        let takes_namespace = resource.scope == Scope::Cluster
            && owned.iter().any(|related| !related.is_cluster_scoped());
        let fields = fields(resource, &takes, takes_namespace, &references);
        let own_size = !adopted && takes.is_empty() && resource.external == External::None;
        let paths = |all: &[&Related]| uses::render(all.iter().filter_map(|one| path(one)));
        let both: Vec<&Related> = owned.iter().copied().chain(&resource.watches).collect();
        Self {
            k8s_minor: k8s.minor(),
            is_related: !both.is_empty(),
            has_children: !children.is_empty(),
            waits: !waiting.is_empty(),
            fails: waiting.iter().any(|child| child.fails),
            has_recreated: children.iter().any(|child| child.is_recreated),
            has_scaled: children.iter().any(|child| child.is_scaled),
            owns: crate::model::built_in_kinds()
                .map(|kind| (kind, is_owned(kind)))
                .collect(),
            take: TakeValues::new(adopted),
            constants: constants(adopted, &takes, takes_namespace),
            children_take_spec: !adopted && !takes.is_empty(),
            takes_namespace,
            has_pods: rows().any(BuiltIn::has_pods),
            has_selectors: rows().any(has_selector),
            has_pod_templates: rows().any(|row| row.has_pods() && row.kind != "Pod"),
            has_port: takes.iter().any(|row| row.take == Take::Port),
            pod_needs_name: ["ConfigMap", "Secret", "PersistentVolumeClaim"]
                .iter()
                .any(|kind| is_owned(kind)),
            pod_parameters: shape.parameters(shape.pod_needs_meta, true, false),
            pod_arguments: shape.arguments("meta", shape.pod_needs_meta, true, false),
            template_parameters: shape.parameters(true, true, true),
            template_arguments: shape.arguments("meta", true, true, true),
            checks_references: !adopted && !references.is_empty(),
            mounts: shape.mounts,
            mounts_secret,
            mounts_config,
            foreign: foreign(&both),
            options_uses: paths(&both),
            references_uses: paths(&resource.watches.iter().collect::<Vec<_>>()),
            spec_json: spec_json(&fields),
            fields,
            spec_has_map: !adopted && takes.iter().any(|row| row.take == Take::Config),
            has_size: own_size || !adopted && resource.external != External::None,
            records_own_size: own_size,
            slow_child: waiting
                .iter()
                .find(|child| !child.is_foreign && super::waits_for_children(resource))
                .map(|child| child.name.clone())
                .unwrap_or_default(),
            change: change(adopted, &takes, &owned),
            label: resource.kind.as_str().to_kebab_case(),
            children,
            waiting,
            references,
        }
    }
}

/// What decides about the parameters of functions.
struct Shape {
    adopted: bool,
    /// Of Kubernetes.
    minor: u8,
    spec: String,
    mounts: bool,
    pod_needs_meta: bool,
    scaler: bool,
}

impl Shape {
    fn parameters(&self, meta: bool, spec: bool, versions: bool) -> String {
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

    fn arguments(&self, meta_is: &str, meta: bool, spec: bool, versions: bool) -> String {
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

fn built_in<'a>(related: &&'a Related) -> Option<&'a BuiltIn> {
    match related {
        Related::BuiltIn(row) => Some(row),
        Related::Foreign(_) => None,
    }
}

fn takes(related: &Related) -> &'static [Take] {
    match related {
        Related::BuiltIn(row) => row.takes.unwrap_or_default(),
        Related::Foreign(_) => &[],
    }
}

fn has_selector(row: &BuiltIn) -> bool {
    matches!(
        row.kind,
        "Deployment"
            | "StatefulSet"
            | "ReplicaSet"
            | "DaemonSet"
            | "NetworkPolicy"
            | "PodDisruptionBudget"
    )
}

/// The path of a built-in kind's Rust type.
fn path(related: &Related) -> Option<String> {
    match related {
        Related::BuiltIn(row) => Some(format!("k8s_openapi::api::{}::{}", row.module, row.kind)),
        Related::Foreign(_) => None,
    }
}

fn child(related: &Related, shape: &Shape) -> Child {
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

fn references(resource: &Resource, owned: &[&Related]) -> Vec<Reference> {
    let has_templates = owned
        .iter()
        .filter_map(built_in)
        .any(|row| row.has_pods() && row.kind != "Pod");
    resource
        .watches
        .iter()
        .map(|related| {
            let name = related.kind().to_owned();
            let cluster = related.is_cluster_scoped();
            let takes_namespace = resource.scope == Scope::Cluster && !cluster;
            let snake = name.to_snake_case();
            let is_mounted = has_templates
                && resource.adopted.is_none()
                && !takes_namespace
                && matches!(built_in(&related), Some(row) if row.kind == "Secret" || row.kind == "ConfigMap");
            let key = if takes_namespace {
                "ObjectRef::in_namespace(to.namespace.as_str(), to.name.as_str())"
            } else {
                "ObjectRef::new(to.name.as_str())"
            };
            let (api_version, plural) = match related {
                Related::BuiltIn(row) => (row.api_version(), format!("{}s", row.kind.to_lowercase())),
                Related::Foreign(foreign) => (
                    format!("{}/{}", foreign.group, foreign.version),
                    foreign.plural.to_string(),
                ),
            };
            Reference {
                field: format!("{snake}_ref"),
                json: format!("{}Ref", name.to_lower_camel_case()),
                label: format!("{}-version", name.to_kebab_case()),
                key: key.to_owned(),
                is_foreign: built_in(&related).is_none(),
                is_tested: waits_first(resource) && is_plain(related),
                stem: snake.clone(),
                snake: if crate::model::is_keyword(&snake) { format!("{snake}_") } else { snake },
                name,
                api_version,
                plural,
                cluster,
                takes_namespace,
                is_mounted,
            }
        })
        .collect()
}

/// Whether a new object waits in a phase that has no end of its own.
fn waits_first(resource: &Resource) -> bool {
    let first = resource.machine.phases().first();
    resource.adopted.is_none()
        && first.is_some_and(|phase| phase.role == Role::Moving && phase.deadline.is_none())
}

/// Whether an object needs nothing but a name.
fn is_plain(related: &Related) -> bool {
    built_in(&related).is_none_or(|row| {
        matches!(
            row.kind,
            "Secret" | "ConfigMap" | "ServiceAccount" | "Namespace" | "Role" | "ClusterRole"
        )
    })
}

fn foreign(all: &[&Related]) -> Vec<ForeignValues> {
    let mut found: Vec<ForeignValues> = Vec::new();
    for related in all {
        if let Related::Foreign(foreign) = related
            && !found.iter().any(|one| one.name == foreign.kind.as_str())
        {
            found.push(ForeignValues {
                function: format!("{}_definition", foreign.kind.as_str().to_snake_case()),
                name: foreign.kind.to_string(),
                group: foreign.group.to_string(),
                version: foreign.version.to_string(),
                plural: foreign.plural.to_string(),
                cluster: foreign.cluster,
            });
        }
    }
    found
}

/// Those of all kinds, each once.
pub(crate) fn all_foreign(kinds: &[super::Kind]) -> Vec<ForeignValues> {
    let mut all: Vec<ForeignValues> = Vec::new();
    for foreign in kinds.iter().flat_map(|kind| &kind.relations.foreign) {
        if !all.contains(foreign) {
            all.push(foreign.clone());
        }
    }
    all
}

fn fields(
    resource: &Resource,
    takes: &[&TakeRow],
    takes_namespace: bool,
    references: &[Reference],
) -> Vec<Field> {
    if resource.adopted.is_some() {
        return Vec::new();
    }
    let field = |name: &str, ty: &str, doc: &str, attribute: &str, sample: &str| Field {
        name: name.to_owned(),
        json: name.to_lower_camel_case(),
        ty: ty.to_owned(),
        docs: vec![doc.to_owned()],
        attributes: vec![attribute.to_owned()],
        sample: sample.to_owned(),
    };
    let mut all = Vec::new();
    let provider = resource.external != External::None;
    if provider || takes.is_empty() {
        let doc = if provider {
            "How big it is to be, in the provider's units."
        } else {
            "How big it is to be."
        };
        all.push(field("size", "i64", doc, "schemars(range(min = 1))", "1"));
    }
    if takes_namespace {
        all.push(field(
            "namespace",
            "String",
            "The namespace that its children live in.",
            "schemars(length(min = 1))",
            "\"default\"",
        ));
    }
    all.extend(
        takes
            .iter()
            .map(|row| field(row.name, row.ty, row.doc, row.attribute, row.sample)),
    );
    all.extend(references.iter().map(|reference| {
        field(
            &reference.field,
            &format!("Option<{}Ref>", reference.name),
            &format!("The {} that it needs, if it needs one.", reference.name),
            "serde(default, skip_serializing_if = \"Option::is_none\")",
            "",
        )
    }));
    all
}

fn spec_json(fields: &[Field]) -> String {
    let written = fields.iter().filter(|field| !field.sample.is_empty());
    let all: Vec<String> = written
        .map(|field| format!("\"{}\": {}", field.json, field.sample))
        .collect();
    format!("{{ {} }}", all.join(", "))
}

fn constants(adopted: bool, takes: &[&TakeRow], takes_namespace: bool) -> Vec<Constant> {
    if !adopted {
        return Vec::new();
    }
    let namespace = takes_namespace.then_some(Constant {
        name: "NAMESPACE",
        ty: "&str",
        value: "\"default\"",
        doc: "The namespace that the children live in.",
    });
    let taken = takes.iter().filter_map(|row| {
        let (name, ty) = row.constant?;
        Some(Constant {
            name,
            ty,
            value: row.sample,
            doc: row.doc,
        })
    });
    namespace.into_iter().chain(taken).collect()
}

/// A field whose change shows in a child that can be changed.
fn change(adopted: bool, takes: &[&TakeRow], owned: &[&Related]) -> Option<Change> {
    if adopted {
        return None;
    }
    takes.iter().find_map(|row| {
        let value = row.other?;
        let child = owned.iter().find(|related| {
            self::takes(related).contains(&row.take)
                && !(row.take == Take::Image && related.kind() == "Pod")
        })?;
        Some(Change {
            json: row.name.to_owned(),
            value: value.to_owned(),
            child: child.kind().to_owned(),
        })
    })
}

impl TakeValues {
    fn new(adopted: bool) -> Self {
        let pick = |fresh: &str, constant: &str| if adopted { constant } else { fresh }.to_owned();
        Self {
            image: pick("spec.image.clone()", "IMAGE.to_owned()"),
            replicas: pick("spec.replicas", "REPLICAS"),
            port: pick("spec.port", "PORT"),
            config: pick(
                "spec.config.clone()",
                "BTreeMap::from([(\"greeting\".to_owned(), \"hello\".to_owned())])",
            ),
            storage: pick("spec.storage.clone()", "STORAGE.to_owned()"),
            schedule: pick("spec.schedule.clone()", "SCHEDULE.to_owned()"),
            host: pick("spec.host.clone()", "HOST.to_owned()"),
        }
    }
}
