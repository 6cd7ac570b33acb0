//! Laws of the status engine, on random statuses.

#![allow(clippy::unwrap_used)]

mod status_support;

use opgen_runtime::status::{
    Conditions, Limits, MachineFields, MachinePaths, PlanInput, Planned, Rules, normalise, plan,
    semantically_equal, three_way,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use status_support::{FAILED, NESTED, PENDING, STEADY, apply, rules, time};

/// Anything, small.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3_i64).prop_map(Value::from),
        prop_oneof![Just(1.0), Just(1.5)].prop_map(Value::from),
        prop_oneof![Just("1"), Just("1000m"), Just("1Ki"), Just("x"), Just("")]
            .prop_map(Value::from),
        prop_oneof![Just("2026-01-02T03:04:05Z"), Just("2026-01-02T03:04:05.0Z")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c/~]", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A list-map's items: unique keys in any order, or anything at all.
fn items(key: &'static str, kinds: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let item = (
        prop::sample::select(kinds),
        prop::option::of(any_value()),
        prop::option::of(0..3_i64),
    );
    let item = item.prop_map(move |(kind, status, seen)| {
        let mut item = Map::from_iter([(key.to_owned(), kind.into())]);
        item.extend(status.map(|status| ("status".to_owned(), status)));
        item.extend(seen.map(|seen| ("seen".to_owned(), seen.into())));
        Value::Object(item)
    });
    let unique = prop::collection::vec(item, 0..5).prop_map(move |mut items| {
        let mut seen = Vec::new();
        items.retain(|item| {
            let fresh = !seen.contains(&item[key]);
            seen.push(item[key].clone());
            fresh
        });
        Value::Array(items)
    });
    let junk = prop::collection::vec(any_value(), 0..3).prop_map(Value::from);
    prop_oneof![8 => unique, 1 => junk]
}

/// A status: members with rules, members without, the runtime's at either place.
fn status() -> impl Strategy<Value = Value> {
    let conditions = || items("type", &["Ready", "Stalled", "Paused", "Mine", "Other"]);
    let phase = || {
        prop_oneof![
            Just(json!("Pending")),
            Just(json!("Steady")),
            Just(json!(1))
        ]
    };
    let opgen = (prop::option::of(phase()), prop::option::of(conditions())).prop_map(
        |(phase, conditions)| {
            let mut members = Map::new();
            members.extend(phase.map(|phase| ("phase".to_owned(), phase)));
            members.extend(conditions.map(|conditions| ("conditions".to_owned(), conditions)));
            Value::Object(members)
        },
    );
    let member = prop_oneof![
        3 => ("[a-c/~]", any_value()),
        1 => (Just("vol".to_owned()), any_value()),
        1 => (Just("deep".to_owned()), prop::collection::btree_map("(vol|a)", any_value(), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()))),
        1 => (Just("cpu".to_owned()), any_value()),
        1 => (Just("at".to_owned()), any_value()),
        2 => (Just("parts".to_owned()), items("name", &["a", "b", "c"])),
        1 => (Just("history".to_owned()), prop::collection::vec(any_value(), 0..6).prop_map(Value::from)),
        1 => (Just("phase".to_owned()), phase()),
        1 => (Just("conditions".to_owned()), conditions()),
        1 => (Just("opgen".to_owned()), opgen),
    ];
    prop::collection::vec(member, 0..8)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn any_rules() -> impl Strategy<Value = Rules> {
    any::<bool>().prop_map(|nested| {
        rules(if nested {
            NESTED
        } else {
            MachinePaths::DEFAULT
        })
    })
}

fn any_conditions() -> impl Strategy<Value = Conditions> {
    let phase = prop::sample::select(&[PENDING, STEADY, FAILED][..]);
    prop_oneof![
        Just(Conditions::none()),
        Just(Conditions::none().without("Stalled").without("Paused")),
        (phase, 1..3_i64, prop::option::of(1..3_i64)).prop_map(|(phase, generation, converged)| {
            Conditions::of_phase(&phase, generation, converged)
        }),
    ]
}

fn any_next() -> impl Strategy<Value = MachineFields<'static>> {
    let phase = prop::option::of(prop::sample::select(&["Pending", "Steady"][..]));
    let entered = prop::option::of(Just("2026-01-01T00:00:00.000000Z"));
    (phase, entered, prop::option::of(1..3_i64)).prop_map(
        |(phase, phase_entered_at, observed_generation)| MachineFields {
            phase,
            phase_entered_at,
            observed_generation,
        },
    )
}

fn input<'a>(
    rules: &'a Rules,
    server: Option<&'a Value>,
    typed: (&'a Value, &'a Value),
    next: MachineFields<'a>,
    conditions: &'a Conditions,
) -> PlanInput<'a> {
    PlanInput {
        rules,
        uid: "u1",
        server_status: server,
        typed_before: typed.0,
        typed_after: typed.1,
        expected: MachineFields::read(rules, server),
        next,
        conditions,
        now: time("2026-01-01T00:00:00Z"),
        limits: Limits::default(),
    }
}

/// A status without what the runtime owns and without what a bound may take.
fn authors_part(rules: &Rules, status: &Value) -> Value {
    let mut part = three_way(rules, None, &json!({}), status);
    part.as_object_mut().unwrap().remove("history");
    normalise(rules, &part)
}

fn object(server: Option<&Value>) -> Value {
    match server {
        Some(status) => json!({"metadata": {"uid": "u1"}, "status": status}),
        None => json!({"metadata": {"uid": "u1"}}),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equality_is_that_of_normal_forms(rules in any_rules(), a in status(), b in status()) {
        prop_assert!(semantically_equal(&rules, &a, &a));
        let equal = semantically_equal(&rules, &a, &b);
        prop_assert_eq!(equal, semantically_equal(&rules, &b, &a));
        prop_assert_eq!(equal, normalise(&rules, &a) == normalise(&rules, &b));
        prop_assert!(semantically_equal(&rules, &a, &normalise(&rules, &a)));
    }

    #[test]
    fn a_handler_that_changed_nothing_changes_nothing(rules in any_rules(), server in status(), typed in status()) {
        prop_assert_eq!(three_way(&rules, Some(&server), &typed, &typed), server);
    }

    #[test]
    fn a_fully_known_status_becomes_what_the_handler_left(rules in any_rules(), server in status(), after in status()) {
        let merged = three_way(&rules, Some(&server), &server, &after);
        prop_assert_eq!(authors_part(&rules, &merged), authors_part(&rules, &after));
    }

    #[test]
    fn the_patch_makes_what_was_planned(
        rules in any_rules(),
        server in prop::option::weighted(0.9, status()),
        before in prop::option::of(status()),
        after in status(),
        next in any_next(),
        conditions in any_conditions(),
    ) {
        let before = before.or_else(|| server.clone()).unwrap_or(json!({}));
        let input = input(&rules, server.as_ref(), (&before, &after), next, &conditions);
        let object = object(server.as_ref());
        let Planned::Patch(write) = plan(&input).unwrap() else {
            let merged = three_way(&rules, server.as_ref(), &before, &after);
            let server = server.unwrap_or(json!({}));
            // A status that is absent is not created for what the handler did not change.
            let idle = semantically_equal(&rules, &before, &after);
            prop_assert!(idle || semantically_equal(&rules, &server, &merged));
            return Ok(());
        };
        // No more and no less than three_way and the runtime's fields.
        let patched = apply(&object, &write.patch).map_err(TestCaseError::fail)?;
        prop_assert_eq!(&patched["status"], &write.status);
        let merged = three_way(&rules, server.as_ref(), &before, &after);
        prop_assert_eq!(authors_part(&rules, &write.status), authors_part(&rules, &merged));
        let have = MachineFields::read(&rules, Some(&write.status));
        let old = MachineFields::read(&rules, server.as_ref());
        prop_assert_eq!(have.phase, next.phase.or(old.phase));
        prop_assert_eq!(have.phase_entered_at, next.phase_entered_at.or(old.phase_entered_at));
        prop_assert_eq!(have.observed_generation, next.observed_generation.or(old.observed_generation));
        // Once written, there is nothing left to write.
        let status = Some(&write.status);
        let again = self::input(&rules, status, (&write.status, &write.status), next, &conditions);
        prop_assert_eq!(plan(&again).unwrap(), Planned::Unchanged);
        // A namesake refuses it.
        let mut namesake = object;
        namesake["metadata"]["uid"] = "u2".into();
        prop_assert!(apply(&namesake, &write.patch).is_err());
    }

    #[test]
    fn what_others_write_meanwhile_survives(
        rules in any_rules(),
        server in status(),
        after in status(),
        conditions in any_conditions(),
        first in any::<bool>(),
    ) {
        let next = MachineFields { phase: Some("Pending"), ..MachineFields::default() };
        let input = input(&rules, Some(&server), (&server, &after), next, &conditions);
        let Planned::Patch(write) = plan(&input).unwrap() else { return Ok(()); };
        let mut live = object(Some(&server));
        let foreign = json!({"type": "Foreign", "name": "foreign", "status": "True"});
        live["status"]["foreign"] = 1.into();
        for pointer in ["/status/conditions", "/status/opgen/conditions", "/status/parts"] {
            if let Some(Value::Array(items)) = live.pointer_mut(pointer) {
                items.insert(if first { 0 } else { items.len() }, foreign.clone());
            }
        }
        // Either refused, or theirs and ours are both there.
        if let Ok(patched) = apply(&live, &write.patch) {
            prop_assert_eq!(&patched["status"]["foreign"], &json!(1));
            let pointer = rules.paths().conditions;
            let list = |object: &Value| object["status"].pointer(pointer).and_then(Value::as_array).cloned();
            if let Some(theirs) = list(&live).filter(|list| list.contains(&foreign))
                && theirs.iter().all(Value::is_object)
                && unique(&theirs)
            {
                prop_assert!(list(&patched).unwrap_or_default().contains(&foreign));
            }
        }
    }
}

fn unique(list: &[Value]) -> bool {
    let mut kinds: Vec<_> = list.iter().map(|item| item["type"].to_string()).collect();
    kinds.sort();
    let all = kinds.len();
    kinds.dedup();
    kinds.len() == all && kinds.iter().all(|kind| kind.starts_with('"'))
}
