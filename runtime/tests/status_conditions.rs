//! The runtime's conditions.

#![allow(clippy::unwrap_used)]

mod status_support;

use opgen_runtime::status::{
    Conditions, MachinePaths,
    conditions::{self, Truth, Wanted},
    converged_generation, entered_at,
};
use serde_json::{Value, json};
use status_support::{FAILED, PENDING, STEADY, rules, time};

const FIRST: &str = "2026-01-01T00:00:00Z";
const LATER: &str = "2026-01-01T01:00:00Z";

fn truths(conditions: &Conditions) -> Vec<(String, String)> {
    let mut list = Vec::new();
    conditions.apply(&mut list, time(FIRST));
    assert!(conditions.are_in(&list), "what was applied is there");
    list.iter()
        .map(|item| (text(item, "type"), text(item, "status")))
        .collect()
}

fn text(item: &Value, name: &str) -> String {
    item[name].as_str().unwrap_or_default().to_owned()
}

fn pairs(ready: &str, reconciling: &str, stalled: &str) -> Vec<(String, String)> {
    [
        ("Ready", ready),
        ("Reconciling", reconciling),
        ("Stalled", stalled),
    ]
    .map(|(kind, status)| (kind.to_owned(), status.to_owned()))
    .to_vec()
}

#[test]
fn the_role_of_a_phase_decides() {
    assert_eq!(
        truths(&Conditions::of_phase(&PENDING, 1, None)),
        pairs("False", "True", "False")
    );
    assert_eq!(
        truths(&Conditions::of_phase(&STEADY, 1, Some(1))),
        pairs("True", "False", "False")
    );
    assert_eq!(
        truths(&Conditions::of_phase(&FAILED, 1, None)),
        pairs("False", "False", "True")
    );
    let stalled = Conditions::of_phase(&PENDING, 1, None).stalled("Denied", "no");
    assert_eq!(truths(&stalled), pairs("False", "False", "True"));
}

#[test]
fn a_transition_time_moves_only_on_a_flip() {
    let mut list = vec![json!({"type": "Foreign", "status": "True", "odd": 1})];
    Conditions::of_phase(&PENDING, 1, None).apply(&mut list, time(FIRST));
    let ready = |list: &[Value]| list[1].clone();
    let expected = json!({
        "type": "Ready", "status": "False", "reason": "Pending", "message": "Accepted.",
        "lastTransitionTime": FIRST,
    });
    assert_eq!(ready(&list), expected);

    // A new reason and message, the same status.
    Conditions::of_phase(&FAILED, 1, None).apply(&mut list, time(LATER));
    assert_eq!(ready(&list)["reason"], "Failed");
    assert_eq!(ready(&list)["lastTransitionTime"], FIRST);
    assert_eq!(text(&list[3], "type"), "Stalled");
    assert_eq!(list[3]["lastTransitionTime"], LATER);

    list[1]["unknown"] = json!({"kept": true});
    Conditions::of_phase(&STEADY, 2, Some(2)).apply(&mut list, time(LATER));
    assert_eq!(ready(&list)["lastTransitionTime"], LATER);
    assert_eq!(ready(&list)["unknown"], json!({"kept": true}));
    assert_eq!(
        list[0],
        json!({"type": "Foreign", "status": "True", "odd": 1})
    );
}

#[test]
fn ready_keeps_the_generation_that_converged() {
    let rules = rules(MachinePaths::DEFAULT);
    let mut list = Vec::new();
    Conditions::of_phase(&STEADY, 4, Some(4)).apply(&mut list, time(FIRST));
    Conditions::of_phase(&PENDING, 5, None).apply(&mut list, time(FIRST));
    Conditions::of_phase(&PENDING, 6, None)
        .stalled("No", "no")
        .apply(&mut list, time(FIRST));
    assert_eq!(list[1]["observedGeneration"], 6);
    let status = json!({ "conditions": list });
    assert_eq!(converged_generation(&rules, Some(&status)), Some(4));
    assert_eq!(converged_generation(&rules, None), None);
}

#[test]
fn a_known_phase_takes_back_that_it_was_unknown() {
    let unknown = || Conditions::none().with(conditions::UNKNOWN_PHASE, Truth::True, "Newer", "");
    let mut list = Vec::new();
    unknown().apply(&mut list, time(FIRST));
    let known = Conditions::of_phase(&PENDING, 1, None);
    known.apply(&mut list, time(FIRST));
    assert!(list.iter().all(|item| text(item, "type") != "UnknownPhase"));
    assert!(known.are_in(&list));
    let refused = known.with(conditions::WRITE_REFUSED, Truth::True, "Denied", "");
    refused.apply(&mut list, time(FIRST));
    assert_eq!(text(&list[3], "type"), "WriteRefused");
}

#[test]
fn waiting_speaks_on_reconciling() {
    let mut list = Vec::new();
    Conditions::of_phase(&PENDING, 1, None)
        .waiting("the provider builds")
        .apply(&mut list, time(FIRST));
    assert_eq!(list[1]["message"], "the provider builds");
    assert_eq!(list[0]["message"], "Accepted.");
}

#[test]
fn more_conditions_come_and_go() {
    let refused = Conditions::none().with(
        conditions::WRITE_REFUSED,
        Truth::True,
        "Denied",
        "by policy",
    );
    let mut list = Vec::new();
    assert!(!refused.are_in(&list));
    refused.apply(&mut list, time(FIRST));
    assert_eq!(list[0]["reason"], "Denied");
    let gone = refused.without(conditions::WRITE_REFUSED);
    assert!(!gone.are_in(&list));
    gone.apply(&mut list, time(FIRST));
    assert!(list.is_empty() && gone.are_in(&list));
}

#[test]
fn reasons_are_made_valid() {
    for (reason, valid) in [
        ("Fine", "Fine"),
        ("Also:Fine_1", "Also:Fine_1"),
        ("not found", "NotFound"),
        ("503 from api", "FromApi"),
        ("ends:", "Ends"),
        ("Größe", "GrE"),
        ("", "Unknown"),
        ("!", "Unknown"),
    ] {
        let mut list = Vec::new();
        let wanted = Wanted::new("X", Truth::True, reason, "");
        assert!(conditions::set(&mut list, &wanted, time(FIRST)));
        assert_eq!(list[0]["reason"], valid, "{reason:?}");
        assert!(
            !conditions::set(&mut list, &wanted, time(LATER)),
            "nothing new"
        );
    }
}

#[test]
fn texts_are_cut_between_characters() {
    let mut list = Vec::new();
    let wanted = Wanted::new("X", Truth::Unknown, "r".repeat(2000), "ä".repeat(20_000));
    conditions::set(&mut list, &wanted, time(FIRST));
    assert_eq!(text(&list[0], "reason").len(), 1024);
    let message = text(&list[0], "message");
    assert!(
        message.len() <= 32_768 && message.len() > 32_760,
        "{}",
        message.len()
    );
    assert!(message.ends_with("ä…"));
}

#[test]
fn entry_times_have_six_digits() {
    assert_eq!(
        entered_at(time("2026-01-01T00:00:00Z")),
        "2026-01-01T00:00:00.000000Z"
    );
    assert_eq!(
        entered_at(time("2026-01-01T00:00:00.1234569Z")),
        "2026-01-01T00:00:00.123456Z"
    );
}
