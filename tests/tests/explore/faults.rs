//! Every trouble, and the mistake that each is there to find.

use opgen_testkit::{Trouble, Violation, WriteFault};
use serde_json::json;

use crate::shop::{Mistake, scenario};

#[test]
fn a_good_operator_gets_through_every_trouble() {
    let explored = scenario(Mistake::None).explore_faults();
    assert!(explored.troubles > 80, "{explored}");
}

fn finds(mistake: Mistake, replay: &str) -> Violation {
    assert_eq!(scenario(mistake).check(), Ok(()), "undisturbed all is well");
    assert_eq!(scenario(Mistake::None).replay(replay), Ok(()), "{replay}");
    let found = scenario(mistake).replay(replay);
    found.expect_err(&format!("{replay} does not find {mistake:?}"))
}

#[test]
fn a_create_that_forgets_its_key_is_found_by_every_lost_write() {
    for replay in [
        "before:409@4",
        "before:500@4",
        "hang-before@4",
        "before:409/2",
        "status-refused:422",
    ] {
        let found = finds(Mistake::ForgetsKeys, replay);
        assert!(
            matches!(found, Violation::Outside { found, .. } if found.created > 1),
            "{replay}: {found}"
        );
    }
}

#[test]
fn a_clean_up_by_name_is_found_by_the_replayed_past() {
    let revisions = (0..4).map(|revision| format!("old-uid@{revision}"));
    let found: Vec<_> = revisions
        .filter_map(|replay| scenario(Mistake::KeysByName).replay(&replay).err())
        .collect();
    assert!(
        found
            .iter()
            .any(|one| matches!(one, Violation::Outside { found, .. } if found.created > 2)),
        "{found:?}"
    );
}

#[test]
fn a_record_that_is_trusted_is_found_by_taking_it_back() {
    let found = finds(Mistake::TrustsItsRecord, "reverted@2");
    assert!(matches!(found, Violation::Unexpected(_)), "{found}");
}

#[test]
fn a_child_that_is_made_once_is_found_by_those_who_touch_it() {
    for replay in ["child-deleted@1", "child-edited@1"] {
        let mut wrong = scenario(Mistake::MakesTheChildOnce);
        wrong = wrong.change(json!({"spec": {"hasAnnex": false}}));
        let found = wrong.replay(replay);
        assert!(matches!(found, Err(Violation::NotHealed(_))), "{found:?}");
        assert_eq!(scenario(Mistake::None).replay(replay), Ok(()));
    }
}

#[test]
fn a_provider_that_hangs_is_no_refusal() {
    let found = finds(Mistake::GivesUp, "hung-provider");
    assert!(matches!(found, Violation::NotReady(_)), "{found}");
}

#[test]
fn a_clean_up_that_needs_the_namespace_is_found_by_its_deletion() {
    let good = scenario(Mistake::None);
    let trouble = Trouble::NamespaceDeleted { write: 5 };
    assert_eq!(good.check_under(&trouble), Ok(()));
    let found = scenario(Mistake::CleansUpByTheChild).check_under(&trouble);
    assert!(matches!(found, Err(Violation::NotGone(_))), "{found:?}");
}

/// The oracle without any trouble.
#[test]
fn what_needs_no_trouble_is_found_without() {
    let ignored = scenario(Mistake::IgnoresTheSpec).check();
    assert!(
        matches!(ignored, Err(Violation::Unexpected(_))),
        "{ignored:?}"
    );
    let counted = scenario(Mistake::CountsLooks).check();
    assert!(
        matches!(counted, Err(Violation::NotQuiet(_))),
        "{counted:?}"
    );
}

/// Somebody else holds a child by a finalizer: it is left behind.
#[test]
fn what_is_left_behind_is_found() {
    let held = scenario(Mistake::None).expects(|world, shop| {
        let held = json!({"metadata": {"finalizers": ["example.com/held"]}});
        for child in world.children(shop) {
            world.patch(&child, &held);
        }
        Ok(())
    });
    let found = held.check();
    assert!(matches!(found, Err(Violation::Leaked(_))), "{found:?}");
}

/// An event with a reason that stands on no reference page, told in the operator's name.
#[test]
fn words_that_nobody_explains_are_found() {
    let said = scenario(Mistake::None).expects(|world, shop| {
        let event = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "type": "Normal", "action": "Reconcile",
            "metadata": {"name": "a.1", "namespace": "default"},
            "eventTime": "2026-01-01T00:00:00.000000Z",
            "reportingController": "shop-operator", "reportingInstance": "one",
            "reason": "Gobbledygook", "note": "who knows",
            "regarding": {"kind": "Shop", "name": "a", "namespace": "default", "uid": shop["metadata"]["uid"]},
        });
        // The shop is Ready twice.
        let _ = world.cluster.create_raw(event);
        Ok(())
    });
    let found = said.replay("4b");
    assert!(
        matches!(&found, Err(Violation::Unexplained(what)) if what.contains("Gobbledygook")),
        "{found:?}"
    );
}

#[test]
fn moments_that_never_come_are_said() {
    for trouble in [
        Trouble::Write {
            nth: 99,
            fault: WriteFault::HangAfter,
        },
        Trouble::Reverted { write: 99 },
        Trouble::ChildDeleted { child: 9 },
        Trouble::ChildEdited { child: 9 },
        Trouble::OldUid { revision: 999 },
        Trouble::NamespaceDeleted { write: 99 },
        Trouble::Hung("deletecollection".to_owned()),
        Trouble::EveryWrite {
            each: 99,
            fault: WriteFault::HangAfter,
        },
    ] {
        let found = scenario(Mistake::None).check_under(&trouble);
        assert!(
            matches!(found, Err(Violation::NoSuchMoment(_))),
            "{trouble}: {found:?}"
        );
    }
}
