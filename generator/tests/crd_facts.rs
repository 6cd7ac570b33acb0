//! What real CRDs do to a type generator, each in a fixture of our own with the Rust that must come of it.
#![allow(clippy::unwrap_used)]

use cargo_opgen::crd::{Additions, CrdFile, Scope, instances, sample, types};
use serde_json::{Value, json};

const FIXTURE: &str = include_str!("crd/facts.yaml");

fn crd() -> CrdFile {
    CrdFile::parse(FIXTURE, "facts.yaml").unwrap()
}

fn source() -> String {
    let crd = crd();
    let additions = Additions::for_crd(&crd).unwrap();
    types::generate(&crd, &additions).unwrap().text().to_owned()
}

/// Asserts that each snippet is there, whatever the white space.
fn assert_has(text: &str, snippets: &[&str]) {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let all = squeeze(text);
    for snippet in snippets {
        assert!(
            all.contains(&squeeze(snippet)),
            "missing:\n{snippet}\nin:\n{text}"
        );
    }
}

#[test]
fn fact_1_keywords_are_raw_or_renamed() {
    assert_has(
        &source(),
        &[
            "pub r#type: String,",
            // Serde's camel case drops the underscore again.
            "pub self_: bool,",
            "pub r#for: Option<String>,",
            "#[serde(rename = \"$ref\", skip_serializing_if = \"Option::is_none\")] pub r#ref: Option<String>,",
        ],
    );
}

#[test]
fn fact_2_names_that_are_none_get_one() {
    assert_has(
        &source(),
        &[
            "#[serde(rename = \"-XX\", skip_serializing_if = \"Option::is_none\")] pub xx: Option<BTreeMap<String, String>>,",
            "#[serde(rename = \"config.json\", skip_serializing_if = \"Option::is_none\")] pub config_json",
            "#[serde(rename = \"2fa\", skip_serializing_if = \"Option::is_none\")] pub n2fa: Option<bool>,",
            "pub mirror_percent: Option<i64>,",
            "#[serde(rename = \"mirror_percent\", skip_serializing_if = \"Option::is_none\")] pub mirror_percent_2: Option<i64>,",
            "#[default] #[serde(rename = \"head\")] Head,",
            "#[serde(rename = \"HEAD\")] HeadUpper,",
            "#[serde(rename = \"*\")] Star,",
            "#[serde(rename = \"\")] Empty,",
            "#[serde(rename = \"14\")] V14,",
            "#[serde(rename = \"s3:ObjectCreated:*\")] S3ObjectCreated,",
            "#[serde(rename = \"read, write\")] ReadWrite,",
            "Unrecognized, /// A value that this version of the schema does not list, kept as it is. #[serde(untagged)] UnrecognizedValue(String),",
        ],
    );
}

#[test]
fn fact_3_names_of_the_resource_are_carried_over() {
    let crd = crd();
    assert_eq!((crd.kind(), crd.type_name().as_str()), ("gadget", "Gadget"));
    assert_eq!(
        (crd.plural(), crd.singular().as_str()),
        ("gadgets", "gadget")
    );
    assert_eq!(
        (crd.short_names(), crd.categories()),
        (vec!["gd"], vec!["all"])
    );
    assert_eq!(
        (crd.scope(), crd.api_version().as_str()),
        (Scope::Namespaced, "facts.example.com/v1")
    );
    assert_has(
        &source(),
        &[
            "pub struct Gadget {",
            "map.serialize_entry(\"kind\", \"gadget\")?;",
            "type Scope = k8s_openapi::NamespaceResourceScope;",
        ],
    );
}

#[test]
fn fact_4_descriptions_stay_prose() {
    assert_has(
        &source(),
        &[
            "/// Generic Vec\\<T\\>, a \\[link\\] and a \\\\ backslash, a \\*/ and a \"#. ///
           /// let indented = true; /// /// ```text /// assert!(false); /// ```",
        ],
    );
    assert!(
        !source().contains("///     let"),
        "an indented line is a doctest"
    );
}

#[test]
fn fact_5_other_top_level_fields_are_kept() {
    assert_has(
        &source(),
        &[
            "pub data: Option<BTreeMap<String, Value>>,",
            "if let Some(value) = &self.data { map.serialize_entry(\"data\", value)?; }",
            "pub fn new(name: &str, spec: GadgetSpec) -> Self {",
        ],
    );
}

#[test]
fn fact_6_a_status_gets_room_and_a_default() {
    let additions = Additions::for_crd(&crd()).unwrap();
    let added: Vec<String> = additions
        .items()
        .iter()
        .map(|item| item.pointer())
        .collect();
    let status = "/spec/versions/1/schema/openAPIV3Schema/properties/status/properties";
    assert_eq!(
        added,
        [
            format!("{status}/opgenPhase"),
            format!("{status}/opgenPhaseEnteredAt"),
            format!("{status}/observedGeneration"),
            format!("{status}/opgenConditions"),
            "/spec/versions/1/subresources".to_owned(),
            "/spec/versions/2/schema/openAPIV3Schema/properties".to_owned(),
            "/spec/versions/2/subresources/status".to_owned(),
        ]
    );
    assert_has(
        &source(),
        &[
            "#[status(phase = \"/opgenPhase\", phase_entered_at = \"/opgenPhaseEnteredAt\", observed_generation = \"/observedGeneration\", conditions = \"/opgenConditions\")] pub struct GadgetStatus {",
            "pub opgen_phase: Option<String>,",
            "impl Default for GadgetStatus { fn default() -> Self { Self {",
            "weight: Number::from(0),",
            "pub enum GadgetState { /// `Up` #[default] Up,",
            "pub phase: Option<GadgetPhase>,",
            "pub status: Option<GadgetStatus>,",
        ],
    );
}

#[test]
fn fact_7_null_absent_and_untyped_are_told_apart() {
    assert_has(
        &source(),
        &[
            "#[serde(default, deserialize_with = \"present\", skip_serializing_if = \"Option::is_none\")] pub maybe: Option<Option<GadgetMaybe>>,",
            "#[serde(default, deserialize_with = \"present\", skip_serializing_if = \"Option::is_none\")] pub untyped: Option<Value>,",
            "pub known: Option<String>, /// Fields that the schema keeps without declaring them. #[serde(flatten)] pub other: BTreeMap<String, Value>,",
            "pub struct GadgetNothing { }",
            "pub holes: Option<Vec<Option<i64>>>,",
        ],
    );
    assert!(!source().contains("Null,"), "null is no variant");
}

#[test]
fn fact_8_constraints_are_no_types() {
    assert_has(
        &source(),
        &[
            "pub left: Option<GadgetLeft>,",
            "pub struct GadgetLeft { }",
            "pub right: Option<GadgetRight>,",
        ],
    );
}

#[test]
fn fact_9_numbers_are_as_wide_as_what_the_server_admits() {
    assert_has(
        &source(),
        &[
            "pub count: Option<i64>,",
            "pub small: Option<i32>,",
            "pub port: Option<u16>,",
            "pub unbounded: Option<i64>,",
            "pub ratio: Option<Number>,",
            "pub size: Option<IntOrString>,",
        ],
    );
}

#[test]
fn fact_10_type_names_are_short_and_unique() {
    let text = source();
    assert_has(
        &text,
        &[
            "pub struct GadgetSpec {",
            "pub struct GadgetTemplateSpec {",
            "pub struct GadgetSpecSelector { /// `b`.",
            "pub struct GadgetOtherSelector { /// `a`.",
        ],
    );
    assert_eq!(
        text.matches("pub selector: Option<GadgetOtherSelector>")
            .count(),
        2,
        "equal types are one"
    );
}

#[test]
fn fact_11_the_stored_version_is_taken() {
    let crd = crd();
    assert_eq!(crd.version(), "v1");
    assert!(!crd.has_status(), "the subresource is missing");
    assert_eq!(crd.notes().len(), 1, "{:?}", crd.notes());
}

#[test]
fn fact_12_nothing_is_lost_from_the_crd() {
    let additions = Additions::for_crd(&crd()).unwrap();
    assert!(additions.keeps_text());
    let emitted = CrdFile::parse(additions.yaml(), "emitted").unwrap();
    let mut value = emitted.value().clone();
    for item in additions.items() {
        let parent = value
            .pointer_mut(&item.parent)
            .unwrap()
            .as_object_mut()
            .unwrap();
        assert_eq!(
            parent.remove(&item.key),
            Some(item.value.clone()),
            "{}",
            item.pointer()
        );
    }
    assert_eq!(value, *crd().value(), "the file plus the listed additions");
    for comment in ["# 3: lower case", "# 12: list-map keys"] {
        assert!(additions.yaml().contains(comment), "{comment}");
    }
    let again = Additions::for_crd(&emitted).unwrap();
    assert_eq!(
        (again.items(), again.status_paths()),
        ([].as_slice(), additions.status_paths()),
        "room is made once"
    );
    assert_has(
        &source(),
        &[
            "#[status(keys(\"name\", \"zone\"), nested)] pub replicas: Option<Vec<GadgetReplica>>,",
            "#[status(time)] pub seen_at: Option<String>,",
            "#[status(part)] pub struct GadgetReplica {",
            "/// Items are told apart by `name`, `protocol`.",
        ],
    );
}

#[test]
fn a_sample_is_small_and_valid() {
    let expected = json!({
        "apiVersion": "facts.example.com/v1",
        "kind": "gadget",
        "metadata": { "name": "example" },
        "spec": { "type": "example", "self": false, "ports": [] },
    });
    assert_eq!(sample(&crd()), expected);
}

#[test]
fn instances_follow_the_schema_and_the_seed() {
    let crd = crd();
    let made = instances(&crd, 3, 200);
    assert_eq!(made, instances(&crd, 3, 200));
    assert_ne!(made, instances(&crd, 4, 200));
    let specs: Vec<&Value> = made
        .iter()
        .filter_map(|object| object.get("spec"))
        .collect();
    assert!(
        specs.len() > 50 && specs.len() < made.len(),
        "the spec is optional"
    );
    let has = |test: &dyn Fn(&Value) -> bool| specs.iter().any(|spec| test(spec));
    assert!(
        has(&|spec| spec.get("maybe") == Some(&Value::Null))
            && has(&|spec| spec.get("maybe").is_none())
    );
    assert!(
        has(&|spec| spec["size"].is_string())
            && has(&|spec| spec["size"].as_i64() > Some(i64::from(u32::MAX)))
    );
    assert!(has(&|spec| spec["loose"].get("x-not-declared").is_some()));
    assert!(
        has(&|spec| spec["holes"] == json!([])),
        "an empty list is not an absent one"
    );
    for spec in specs {
        assert!(spec["type"].is_string() && spec["self"].is_boolean());
        if let Some(choice) = spec["choice"].as_object() {
            assert_eq!(choice.len(), 1, "one of two: {choice:?}");
        }
        let ports = spec["ports"].as_array().unwrap();
        let mut keys: Vec<_> = ports
            .iter()
            .map(|port| (port["name"].to_string(), port["protocol"].to_string()))
            .collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), ports.len(), "keys are unique");
    }
}
