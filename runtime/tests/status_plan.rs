//! The status patch: what is in it, and who refuses it.

#![allow(clippy::unwrap_used)]

mod status_support;

use opgen_runtime::status::{
    Conditions, Limits, MachineFields, MachinePaths, PlanError, PlanInput, Planned, Rules,
    StatusWrite,
    conditions::{Truth, UNKNOWN_PHASE},
    json_bytes, only_condition, plan,
};
use serde_json::{Value, json};
use status_support::{NESTED, PENDING, apply, rules, time};

const NOW: &str = "2026-01-01T00:00:00Z";
const AT: &str = "2026-01-01T00:00:00.000000Z";

/// A plan's input, with what a test does not care about filled in.
struct Case {
    rules: Rules,
    server: Option<Value>,
    before: Value,
    after: Value,
    next: MachineFields<'static>,
    conditions: Conditions,
    limits: Limits,
}

impl Case {
    fn new(server: Option<Value>, after: Value) -> Self {
        Self {
            rules: rules(MachinePaths::DEFAULT),
            before: server.clone().unwrap_or(json!({})),
            server,
            after,
            next: MachineFields::default(),
            conditions: Conditions::none(),
            limits: Limits::default(),
        }
    }

    fn plan(&self) -> Result<Planned, PlanError> {
        plan(&PlanInput {
            rules: &self.rules,
            uid: "u1",
            server_status: self.server.as_ref(),
            typed_before: &self.before,
            typed_after: &self.after,
            expected: MachineFields::read(&self.rules, self.server.as_ref()),
            next: self.next,
            conditions: &self.conditions,
            now: time(NOW),
            limits: self.limits,
        })
    }

    #[track_caller]
    fn operations(&self) -> Value {
        serde_json::to_value(written(self.plan().unwrap()).patch).unwrap()
    }
}

#[track_caller]
fn written(planned: Planned) -> StatusWrite {
    match planned {
        Planned::Patch(write) => write,
        Planned::Unchanged => panic!("nothing to write"),
    }
}

#[test]
fn nothing_changed_nothing_sent() {
    let server = json!({"phase": "P", "x": 1, "cpu": "1000m", "conditions": [
        {"type": "Ready", "status": "False", "reason": "Pending", "message": "Accepted."},
        {"type": "Reconciling", "status": "True", "reason": "Pending", "message": "Accepted.", "observedGeneration": 1},
        {"type": "Stalled", "status": "False", "reason": "Pending", "message": "Accepted.", "observedGeneration": 1},
    ]});
    let mut after = server.clone();
    after["cpu"] = "1".into();
    after["vol"] = 7.into();
    let mut case = Case::new(Some(server), after);
    case.next.phase = Some("P");
    case.conditions = Conditions::of_phase(&PENDING, 1, None);
    assert_eq!(case.plan(), Ok(Planned::Unchanged));
    // Nor does a status that was never there appear for nothing.
    assert_eq!(
        Case::new(None, json!({"l": []})).plan(),
        Ok(Planned::Unchanged)
    );
}

#[test]
fn the_first_write_is_tested_on_the_absence_of_a_status() {
    let mut case = Case::new(None, json!({"x": 1, "none": null}));
    case.next = MachineFields {
        phase: Some("P"),
        phase_entered_at: Some(AT),
        observed_generation: Some(1),
    };
    let status = json!({"x": 1, "phase": "P", "phaseEnteredAt": AT, "observedGeneration": 1});
    assert_eq!(
        case.operations(),
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "u1"},
            {"op": "test", "path": "/status", "value": null},
            {"op": "add", "path": "/status", "value": status},
        ])
    );
}

#[test]
fn a_move_is_tested_on_phase_and_entry_time() {
    let mut case = Case::new(
        Some(json!({"phase": "P", "error": "old", "x": 1})),
        json!({"x": 2, "y/~": 3}),
    );
    case.next = MachineFields {
        phase: Some("Q"),
        phase_entered_at: Some(AT),
        observed_generation: None,
    };
    assert_eq!(
        case.operations(),
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "u1"},
            {"op": "test", "path": "/status/phase", "value": "P"},
            {"op": "test", "path": "/status/phaseEnteredAt", "value": null},
            {"op": "remove", "path": "/status/error"},
            {"op": "replace", "path": "/status/phase", "value": "Q"},
            {"op": "add", "path": "/status/phaseEnteredAt", "value": AT},
            {"op": "replace", "path": "/status/x", "value": 2},
            {"op": "add", "path": "/status/y~1~0", "value": 3},
        ])
    );
}

#[test]
fn items_are_tested_by_key_and_removed_from_the_end() {
    let item = |name: &str, n: i32| json!({"name": name, "n": n});
    let server = json!({"parts": [item("a", 1), item("b", 1), item("c", 1), item("d", 1)]});
    let case = Case::new(
        Some(server),
        json!({"parts": [item("e", 1), item("c", 2), item("b", 1)]}),
    );
    let operations = case.operations();
    assert_eq!(
        operations.as_array().unwrap()[3..],
        json!([
            {"op": "test", "path": "/status/parts/2/name", "value": "c"},
            {"op": "replace", "path": "/status/parts/2/n", "value": 2},
            {"op": "test", "path": "/status/parts/3/name", "value": "d"},
            {"op": "remove", "path": "/status/parts/3"},
            {"op": "test", "path": "/status/parts/0/name", "value": "a"},
            {"op": "remove", "path": "/status/parts/0"},
            {"op": "add", "path": "/status/parts/-", "value": item("e", 1)},
        ])
        .as_array()
        .unwrap()[..]
    );
}

#[test]
fn nested_paths_are_tested_on_the_parent_that_is_missing() {
    let mut case = Case::new(Some(json!({"x": 1})), json!({"x": 1}));
    case.rules = rules(NESTED);
    case.next.phase = Some("P");
    assert_eq!(
        case.operations(),
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "u1"},
            {"op": "test", "path": "/status/opgen", "value": null},
            {"op": "add", "path": "/status/opgen", "value": {"phase": "P"}},
        ])
    );
}

#[test]
fn a_run_that_lost_a_race_has_no_plan() {
    let case = Case::new(Some(json!({"phase": "Q"})), json!({"x": 1}));
    let input = |expected| PlanInput {
        rules: &case.rules,
        uid: "u1",
        server_status: case.server.as_ref(),
        typed_before: &case.before,
        typed_after: &case.after,
        expected,
        next: case.next,
        conditions: &case.conditions,
        now: time(NOW),
        limits: case.limits,
    };
    let moved = Err(PlanError::Moved {
        found: Some("Q".to_owned()),
    });
    let started = |phase, at| MachineFields {
        phase,
        phase_entered_at: at,
        observed_generation: None,
    };
    assert_eq!(plan(&input(started(Some("P"), None))), moved);
    assert_eq!(plan(&input(started(None, None))), moved);
    // The same phase, entered again.
    assert_eq!(plan(&input(started(Some("Q"), Some(AT)))), moved);
    assert!(plan(&input(started(Some("Q"), None))).is_ok());
}

#[test]
fn namesakes_and_moved_objects_refuse_the_patch() {
    let status = json!({"phase": "P", "phaseEnteredAt": AT, "x": 1});
    let write = written(
        Case::new(Some(status.clone()), json!({"x": 2}))
            .plan()
            .unwrap(),
    );
    let object = json!({"metadata": {"uid": "u1"}, "status": status});
    assert_eq!(
        apply(&object, &write.patch).unwrap()["status"],
        write.status
    );
    for (pointer, value) in [
        ("/metadata/uid", json!("u2")),
        ("/status/phase", json!("Q")),
        (
            "/status/phaseEnteredAt",
            json!("2026-01-01T00:00:00.000001Z"),
        ),
        ("/status", json!({})),
    ] {
        let mut other = object.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        assert!(apply(&other, &write.patch).is_err(), "{pointer}");
    }
    let first = written(Case::new(None, json!({"x": 2})).plan().unwrap());
    assert!(apply(&json!({"metadata": {"uid": "u1"}}), &first.patch).is_ok());
    assert!(apply(&object, &first.patch).is_err());
}

#[test]
fn a_list_of_conditions_that_others_began_meanwhile_is_not_overwritten() {
    let mut case = Case::new(Some(json!({"phase": "P"})), json!({"phase": "P"}));
    case.conditions = Conditions::of_phase(&PENDING, 1, None);
    let write = written(case.plan().unwrap());
    let object = json!({"metadata": {"uid": "u1"}, "status": {"phase": "P", "conditions": [{"type": "Foreign"}]}});
    assert!(apply(&object, &write.patch).is_err());
}

#[test]
fn a_phase_of_the_wrong_type_is_mended_not_looped_over() {
    let mut case = Case::new(
        Some(json!({"phase": {"odd": 1}, "conditions": "odd"})),
        json!({}),
    );
    case.next.phase = Some("P");
    case.conditions = Conditions::of_phase(&PENDING, 1, None);
    let write = written(case.plan().unwrap());
    let object = json!({"metadata": {"uid": "u1"}, "status": case.server});
    assert_eq!(
        apply(&object, &write.patch).unwrap()["status"],
        write.status
    );
    assert_eq!(write.status["phase"], "P");
    assert_eq!(write.status["conditions"][0]["type"], "Ready");
}

#[test]
fn bounded_lists_lose_their_oldest_items() {
    let case = Case::new(
        Some(json!({"history": [1, 2, 3]})),
        json!({"history": [1, 2, 3, 4]}),
    );
    let write = written(case.plan().unwrap());
    assert_eq!(write.status["history"], json!([2, 3, 4]));
    assert_eq!(write.dropped, 1);
    assert_eq!(write.status_bytes, json_bytes(&write.status));
}

#[test]
fn a_status_that_cannot_fit_is_an_error_unless_it_shrinks() {
    let mut case = Case::new(Some(json!({})), json!({"x": "x".repeat(100)}));
    case.limits.status_bytes = 50;
    let too_large = Err(PlanError::TooLarge {
        bytes: 108,
        limit: 50,
    });
    assert_eq!(case.plan(), too_large);
    let mut case = Case::new(
        Some(json!({"x": "x".repeat(100)})),
        json!({"x": "x".repeat(90)}),
    );
    case.limits.status_bytes = 50;
    assert!(case.plan().is_ok());
}

#[test]
fn an_unknown_phase_gets_a_condition_and_nothing_else() {
    let rules = rules(MachinePaths::DEFAULT);
    let status =
        json!({"phase": "FromTheFuture", "conditions": [{"type": "Ready", "status": "True"}]});
    let unknown = Conditions::none().with(
        UNKNOWN_PHASE,
        Truth::True,
        "UnknownPhase",
        "not this version's",
    );
    let write = written(only_condition(
        &rules,
        "u1",
        Some(&status),
        &unknown,
        time(NOW),
    ));
    let operations = serde_json::to_value(&write.patch).unwrap();
    let condition = json!({
        "type": "UnknownPhase", "status": "True", "reason": "UnknownPhase", "message": "not this version's",
        "lastTransitionTime": NOW,
    });
    assert_eq!(
        operations,
        json!([
            {"op": "test", "path": "/metadata/uid", "value": "u1"},
            {"op": "add", "path": "/status/conditions/-", "value": condition},
        ])
    );
    let again = only_condition(&rules, "u1", Some(&write.status), &unknown, time(NOW));
    assert_eq!(again, Planned::Unchanged);
    // Its removal where there is nothing creates nothing.
    let gone = Conditions::none().without(UNKNOWN_PHASE);
    assert_eq!(
        only_condition(&rules, "u1", None, &gone, time(NOW)),
        Planned::Unchanged
    );
    let write = written(only_condition(&rules, "u1", None, &unknown, time(NOW)));
    let object = json!({"metadata": {"uid": "u1"}});
    assert_eq!(
        apply(&object, &write.patch).unwrap()["status"],
        write.status
    );
}
