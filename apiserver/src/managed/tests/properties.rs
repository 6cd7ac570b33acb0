//! What holds for all objects.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::managed::compare::Comparison;
use crate::managed::{FieldSet, PathElement, TypeRef, fields, merging, removal};

fn element() -> impl Strategy<Value = PathElement> {
    prop_oneof![
        "[a-c]{1,2}".prop_map(|name| PathElement::field(&name)),
        ("[a-c]", 0..3i64).prop_map(|(name, port)| PathElement::key(vec![
            ("port".into(), json!(port)),
            ("name".into(), json!(name)),
        ])),
        "[a-c]".prop_map(|text| PathElement::Value(json!(text))),
        (0..3i64).prop_map(PathElement::Index),
    ]
}

fn field_set() -> impl Strategy<Value = FieldSet> {
    let path = prop::collection::vec(element(), 1..4);
    prop::collection::vec(path, 0..8).prop_map(|paths| {
        let mut set = FieldSet::new();
        paths.iter().for_each(|path| set.insert(path));
        set
    })
}

/// No empty lists or objects: what is left of them after a removal is `null`, as in the real server, and the next
/// apply brings them back.
fn spec() -> impl Strategy<Value = Value> {
    let port = ("[a-c]", 1..3i64).prop_map(|(name, port)| json!({"name": name, "port": port}));
    let ports = prop::collection::vec(port, 1..3).prop_map(|mut ports| {
        ports.sort_by_key(|port| port["name"].to_string());
        ports.dedup_by_key(|port| port["name"].clone());
        Value::from(ports)
    });
    let groups = prop::collection::btree_set("[a-d]", 1..3).prop_map(|set| json!(set));
    let opts = ("[xy]", prop::option::of(0..3i64)).prop_map(|(a, x)| {
        let mut opts = Map::from_iter([("a".to_owned(), json!(a))]);
        opts.extend(x.map(|x| ("deep".to_owned(), json!({"x": x}))));
        Value::Object(opts)
    });
    let maybe = |values: BoxedStrategy<Value>| prop::option::of(values);
    (
        (0..3i64).prop_map(|replicas| Some(json!(replicas))),
        maybe(ports.boxed()),
        maybe(groups.boxed()),
        maybe(opts.boxed()),
    )
        .prop_map(|(replicas, ports, groups, opts)| {
            let named = [
                ("replicas", replicas),
                ("ports", ports),
                ("groups", groups),
                ("opts", opts),
            ];
            named
                .into_iter()
                .filter_map(|(name, value)| Some((name.to_owned(), value?)))
                .collect::<Map<_, _>>()
                .into()
        })
}

proptest! {
    #[test]
    fn fields_v1_survives_a_round_trip(set in field_set()) {
        prop_assert_eq!(FieldSet::from_value(&set.to_value()).unwrap(), set);
    }

    #[test]
    fn sets_obey_their_laws(a in field_set(), b in field_set()) {
        prop_assert_eq!(a.union(&b), b.union(&a));
        prop_assert_eq!(a.intersection(&b), b.intersection(&a));
        prop_assert_eq!(a.difference(&b).union(&a.intersection(&b)), a.clone());
        prop_assert!(a.difference(&b).intersection(&b).is_empty());
        let key = &mut String::new();
        prop_assert_eq!(a.meets(&b.to_value(), key), !a.intersection(&b).is_empty());
        prop_assert_eq!(a.is_within(&b.to_value(), key), a.difference(&b).is_empty());
    }

    #[test]
    fn an_apply_is_idempotent(before in spec(), first in spec(), second in spec()) {
        let live = applied(None, "other", before).unwrap();
        let forced = |live: &Value, spec: &Value, now| {
            apply(&widget(), Some(live), &config(spec.clone()), &ApplyOptions { force: true, now, ..options("me") }).unwrap()
        };
        let live = forced(&live, &first, NOW);
        let live = forced(&live, &second, NOW);
        prop_assert_eq!(forced(&live, &second, LATER), live);
    }

    #[test]
    fn applies_of_disjoint_fields_commute(one in spec(), two in spec()) {
        let (one, two) = (json!({"opts": one.get("opts"), "groups": one.get("groups")}), json!({"replicas": two.get("replicas"), "ports": two.get("ports")}));
        let clean = |value: Value| -> Value {
            value.as_object().unwrap().iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect::<Map<_, _>>().into()
        };
        let (one, two) = (clean(one), clean(two));
        let start = applied(None, "start", json!({"name": "x"})).unwrap();
        let run = |order: [(&str, &Value); 2]| {
            order.iter().fold(start.clone(), |live, (manager, spec)| applied(Some(&live), manager, (*spec).clone()).unwrap())
        };
        let (a, b) = (run([("m1", &one), ("m2", &two)]), run([("m2", &two), ("m1", &one)]));
        prop_assert_eq!(&a["spec"], &b["spec"]);
        prop_assert_eq!(owned(&a, "m1"), owned(&b, "m1"));
        prop_assert_eq!(owned(&a, "m2"), owned(&b, "m2"));
    }

    #[test]
    fn a_merge_keeps_all_that_the_configuration_says(live in spec(), new in spec()) {
        let schema = widget();
        let (live, new) = (config(live), config(new));
        let merged = merging::merge(TypeRef::Object(&schema), &live, &new).unwrap();
        let again = merging::merge(TypeRef::Object(&schema), &merged, &new).unwrap();
        prop_assert_eq!(&again, &merged);
        let owned = fields::of_value(TypeRef::Object(&schema), &new);
        prop_assert!(owned.difference(&fields::of_value(TypeRef::Object(&schema), &merged)).paths().iter()
            .all(|path| path.last().is_some_and(|last| matches!(last, PathElement::Field(_)))));
    }

    #[test]
    fn nothing_differs_from_itself_and_all_can_be_removed(one in spec(), two in spec()) {
        let schema = widget();
        let kind = TypeRef::Object(&schema);
        let (one, two) = (config(one), config(two));
        prop_assert!(Comparison::of(kind, &one, &one).is_empty());
        let (there, back) = (Comparison::of(kind, &one, &two), Comparison::of(kind, &two, &one));
        prop_assert_eq!(&there.added, &back.removed);
        prop_assert_eq!(&there.modified, &back.modified);
        let without = removal::remove(kind, two, &there.added);
        prop_assert!(Comparison::of(kind, &one, &without).added.is_empty());
    }

    #[test]
    fn an_update_leaves_every_changed_field_with_its_writer(one in spec(), two in spec()) {
        let mut live = config(one);
        update(&widget(), None, &mut live, &updater("creator"));
        let mut new = config(two);
        update(&widget(), Some(&live), &mut new, &updater("editor"));
        let (creator, editor) = (owned(&new, "creator"), owned(&new, "editor"));
        let read = |value: Value| if value.is_null() { FieldSet::new() } else { FieldSet::from_value(&value).unwrap() };
        prop_assert!(read(creator).intersection(&read(editor)).is_empty());
    }
}
