//! What is made from a CRD is what an API server takes: schemas with additions, samples and instances.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "crd/corpus.rs"]
mod corpus;

use cargo_opgen::crd::{Additions, Choice, CrdFile, instances, sample};
use opgen_apiserver::schema::{Schema, default, prune, structural_causes, validate};
use serde_json::Value;

/// Each CRD as it is emitted.
fn emitted() -> Vec<(String, CrdFile)> {
    corpus::crds()
        .into_iter()
        .map(|(name, text, version)| {
            let choice = Choice {
                version,
                ..Choice::default()
            };
            let crd =
                CrdFile::choose(&text, &name, choice).unwrap_or_else(|error| panic!("{error}"));
            let additions = Additions::for_crd(&crd).unwrap_or_else(|error| panic!("{error}"));
            let before = structural_causes(crd.schema(), "");
            assert_eq!(
                structural_causes(additions.schema(), ""),
                before,
                "{name}: additions are structural"
            );
            let emitted = CrdFile::choose(additions.yaml(), &name, choice)
                .unwrap_or_else(|error| panic!("{error}"));
            (name, emitted)
        })
        .collect()
}

/// A schema without its CEL rules, which instances know nothing of.
fn without_rules(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields
                .iter()
                .filter(|(name, value)| *name != "x-kubernetes-validations" || !value.is_array());
            kept.map(|(name, value)| (name.clone(), without_rules(value)))
                .collect()
        }
        Value::Array(items) => items.iter().map(without_rules).collect(),
        value => value.clone(),
    }
}

/// What a server would say of creating `object`.
fn complaints(schema: &Value, object: &Value) -> Vec<String> {
    let schema = Schema::parse(schema).unwrap();
    let mut stored = object.clone();
    let mut said: Vec<String> = prune(&schema, &mut stored)
        .into_iter()
        .map(|path| format!("unknown field {path}"))
        .collect();
    default(&schema, &mut stored);
    said.extend(
        validate(&schema, &stored, None)
            .iter()
            .map(|cause| cause.line()),
    );
    said
}

#[test]
fn samples_are_valid() {
    for (name, crd) in emitted() {
        let mut object = sample(&crd);
        assert_eq!(
            complaints(crd.schema(), &object),
            [""; 0],
            "{name}: {object:#}"
        );
        object["spec"] = "a text".into();
        object["undeclared"] = 1.into();
        let said = complaints(crd.schema(), &object);
        let keeps_all = crd.schema()["x-kubernetes-preserve-unknown-fields"] == true;
        assert!(
            !said.is_empty() || keeps_all,
            "{name}: the check sees what is wrong"
        );
    }
}

#[test]
fn instances_are_valid_but_for_rules() {
    let mut bad = 0;
    for (name, crd) in emitted() {
        let schema = without_rules(crd.schema());
        for (index, object) in instances(&crd, 7, 50).iter().enumerate() {
            let said = complaints(&schema, object);
            if !said.is_empty() {
                bad += 1;
                eprintln!(
                    "{name} {index}: {}",
                    said.join("; ").chars().take(600).collect::<String>()
                );
            }
        }
    }
    assert_eq!(bad, 0);
}
