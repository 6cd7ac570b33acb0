//! CustomResourceDefinitions: what is refused and how, what is filled in, which names are accepted.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use opgen_apiserver::crd::{self, served};
use opgen_apiserver::schema::{NOT_IMPLEMENTED, causes_text};
use serde_json::{Value, json};

const NOW: &str = "2020-01-01T00:00:00Z";

fn definition(plural: &str, kind: &str) -> Value {
    let mut definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com",
            "names": {"plural": plural, "kind": kind},
            "scope": "Namespaced",
            "versions": [version("v1", json!({"type": "object"}))]
        }
    });
    crd::default(&mut definition);
    crd::prepare_create(&mut definition);
    definition
}

fn version(name: &str, schema: Value) -> Value {
    json!({"name": name, "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}})
}

fn with_spec(node: Value) -> Value {
    let mut definition = definition("others", "Other");
    definition["spec"]["versions"] = json!([version(
        "v1",
        json!({"type": "object", "properties": {"spec": node}})
    )]);
    definition
}

#[test]
fn names_conversion_and_status_are_filled_in() {
    let definition = definition("widgets", "Widget");
    assert_eq!(
        definition["spec"]["names"],
        json!({"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"})
    );
    assert_eq!(
        definition["spec"]["conversion"],
        json!({"strategy": "None"})
    );
    assert_eq!(
        definition["status"],
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]})
    );
    assert_eq!(crd::validate(&definition, None), []);
}

#[test]
fn invalid_definitions_are_refused_with_the_texts_of_the_server() {
    let mut unnamed = definition("others", "Other");
    unnamed["metadata"]["name"] = json!("wrong");
    let mut bare = definition("others", "Other");
    bare["spec"]["versions"] = json!([{"name": "v1", "served": true, "storage": true}]);
    let mut galaxy = definition("others", "Other");
    galaxy["spec"]["scope"] = json!("Galaxy");
    let mut twice = definition("others", "Other");
    let open = json!({"type": "object", "properties": {"spec": {"type": "object"}}});
    twice["spec"]["versions"] = json!([version("v1", open.clone()), version("v2", open)]);
    let mut protected = definition("others", "Other");
    protected["spec"]["group"] = json!("x.k8s.io");
    protected["metadata"]["name"] = json!("others.x.k8s.io");
    let base = "spec.validation.openAPIV3Schema.properties[spec]";
    for (definition, wanted) in [
        (unnamed, "metadata.name: Invalid value: \"wrong\": must be spec.names.plural+\".\"+spec.group".to_owned()),
        (bare, "spec.versions[0].schema.openAPIV3Schema: Required value".to_owned()),
        (galaxy, "spec.scope: Unsupported value: \"Galaxy\": supported values: \"Cluster\", \"Namespaced\"".to_owned()),
        (
            twice,
            "[spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":true,\"Deprecated\":false,\
             \"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\
             \"SelectableFields\":null},{\"Name\":\"v2\",\"Served\":true,\"Storage\":true,\"Deprecated\":false,\
             \"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\
             \"SelectableFields\":null}]: must have exactly one version marked as storage version, \
             status.storedVersions: Invalid value: [\"v1\"]: must have the storage version v2]"
                .to_owned(),
        ),
        (
            protected,
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
             annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"
                .to_owned(),
        ),
        (
            with_spec(json!({"type": "object", "properties": {"a": {"properties": {"b": {"type": "string"}}}}})),
            format!("{base}.properties[a].type: Required value: must not be empty for specified object fields"),
        ),
        (
            with_spec(json!({"type": "object", "properties": {"n": {"type": "integer", "default": "x"}}})),
            format!(
                "{base}.properties[n].default: Invalid value: \"string\":  in body must be of type integer: \"string\""
            ),
        ),
        (with_spec(json!({"type": "array"})), format!("{base}.items: Required value: must be specified")),
        (
            with_spec(json!({"type": "object", "properties": {"a": {"type": "string"}},
                             "additionalProperties": {"type": "string"}})),
            format!("{base}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"),
        ),
        (
            with_spec(json!({"type": "array", "items": {"type": "object", "properties": {"k": {"type": "string"}}},
                             "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]})),
            format!(
                "{base}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, \
                 so it must have a default or be a required property"
            ),
        ),
        (
            with_spec(json!({"type": "object", "anyOf": [{"properties": {"x": {"minimum": 1}}}]})),
            format!("{base}.properties[x]: Required value: because it is defined in {base}.anyOf[0].properties[x]"),
        ),
        (
            with_spec(json!({"type": "string", "anyOf": [{"type": "string"}]})),
            format!("{base}.anyOf[0].type: Forbidden: must be empty to be structural"),
        ),
    ] {
        assert_eq!(causes_text(&crd::validate(&definition, None)), wanted);
    }
}

#[test]
fn an_established_definition_keeps_its_scope() {
    let mut old = definition("widgets", "Widget");
    old["status"] = crd::accept_names(&old, &[], NOW);
    let mut new = old.clone();
    new["spec"]["scope"] = json!("Cluster");
    let causes = crd::validate(&new, Some(&old));
    assert_eq!(
        causes_text(&causes),
        "spec.scope: Invalid value: \"Cluster\": field is immutable"
    );
}

#[test]
fn free_names_are_accepted_and_taken_ones_are_not() {
    let mut first = definition("widgets", "Widget");
    first["status"] = crd::accept_names(&first, &[], NOW);
    assert_eq!(first["status"]["acceptedNames"], first["spec"]["names"]);
    assert_eq!(
        first["status"]["conditions"],
        json!([
            {"type": "NamesAccepted", "status": "True", "lastTransitionTime": NOW, "reason": "NoConflicts",
             "message": "no conflicts found"},
            {"type": "Established", "status": "True", "lastTransitionTime": NOW, "reason": "InitialNamesAccepted",
             "message": "the initial names have been accepted"}
        ])
    );
    let second = definition("widgetz", "Widget");
    let status = crd::accept_names(&second, &[&first, &second], NOW);
    assert_eq!(
        status["acceptedNames"],
        json!({"plural": "widgetz", "kind": ""})
    );
    assert_eq!(
        status["conditions"],
        json!([
            {"type": "NamesAccepted", "status": "False", "lastTransitionTime": NOW, "reason": "ListKindConflict",
             "message": "\"WidgetList\" is already in use"},
            {"type": "Established", "status": "False", "lastTransitionTime": NOW, "reason": "NotAccepted",
             "message": "not all names are accepted"}
        ])
    );
}

#[test]
fn a_new_storage_version_is_added_to_the_stored_ones() {
    let old = definition("widgets", "Widget");
    let mut new = old.clone();
    new["spec"]["versions"][0]["storage"] = json!(false);
    let second = version("v2", json!({"type": "object"}));
    new["spec"]["versions"].as_array_mut().unwrap().push(second);
    crd::prepare_update(&mut new, &old, "");
    assert_eq!(new["status"]["storedVersions"], json!(["v1", "v2"]));
    assert_eq!(crd::validate(&new, Some(&old)), []);
}

#[test]
fn deprecated_versions_name_the_best_newer_one() {
    let mut definition = definition("widgets", "Widget");
    let version = |name: &str, served: bool, deprecated: bool| {
        json!({"name": name, "served": served, "storage": name == "v1", "deprecated": deprecated,
               "schema": {"openAPIV3Schema": {"type": "object"}}})
    };
    definition["spec"]["versions"] = json!([
        version("v1alpha1", false, false),
        version("v1beta1", true, true),
        version("v1", true, false),
        version("v2", true, false)
    ]);
    let served = served(&definition).unwrap();
    let warning = served
        .version("v1beta1")
        .unwrap()
        .deprecation_warning
        .clone();
    assert_eq!(
        warning.as_deref(),
        Some("example.com/v1beta1 Widget is deprecated; use example.com/v2 Widget")
    );
    assert!(served.version("v1alpha1").is_none());
    assert_eq!(served.storage_version().unwrap().name, "v1");
}

/// The folder of real definitions, if there is one.
fn real_definitions() -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .parent()?
        .to_owned();
    let shared =
        std::env::var_os("OPGEN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    Some(shared.join("crds")).filter(|folder| folder.is_dir())
}

#[test]
fn real_definitions_are_accepted_and_compiled() {
    let Some(folder) = real_definitions() else {
        use std::io::Write as _;
        let line =
            "skipped: no folder `crds` in $OPGEN_SHARED or in `shared` beside the workspace\n";
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    };
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let mut definition: Value = serde_saphyr::from_str(&text).unwrap();
        crd::default(&mut definition);
        crd::prepare_create(&mut definition);
        let causes = crd::validate(&definition, None);
        assert!(
            causes.is_empty(),
            "{}: {}",
            path.display(),
            causes_text(&causes)
        );
        let served = served(&definition).unwrap();
        assert!(served.storage_version().is_some(), "{}", path.display());
        assert!(causes.iter().all(|cause| cause.reason != NOT_IMPLEMENTED));
        files += 1;
    }
    assert!(files > 0, "no definitions in {}", folder.display());
}
