use std::time::Duration;

use opgen_runtime::secs;
use opgen_testkit::Violation;
use serde_json::json;

use crate::gadget::{Fake, condition, gadget, scenario};

#[test]
pub fn a_hung_call_delays_no_other_object() {
    scenario(Fake::default)
        .object(gadget("hung"))
        .run(async |world| {
            let uid = world.get(&gadget("hung")).unwrap()["metadata"]["uid"]
                .as_str()
                .unwrap()
                .to_owned();
            world.provider.hang_on(&uid);
            for number in 0..40 {
                let other = gadget(&format!("other-{number}"));
                world.cluster.create_raw(other.clone()).unwrap();
                assert!(world.ready(&other).await < secs(5));
            }
            assert!(world.metric("opgen_external_calls_total") > 40.0);
            world.provider.recover();
            world.ready(&gadget("hung")).await;
        });
}

#[test]
pub fn a_panicking_handler_kills_nothing() {
    let mut panics = gadget("panics");
    panics["spec"]["panics"] = json!(true);
    scenario(Fake::default)
        .object(panics)
        .object(gadget("fine"))
        .run(async |world| {
            world.ready(&gadget("fine")).await;
            world.advance(secs(60)).await;
            assert!(
                world.metric("controller_runtime_reconcile_panics_total") >= 2.0,
                "{}",
                world.metrics.encode()
            );
            world.patch(&gadget("panics"), &json!({"spec": {"panics": false}}));
            assert!(
                world.ready(&gadget("panics")).await < secs(5),
                "a new generation cuts the backoff"
            );
        });
}

#[test]
pub fn what_a_panicking_clean_up_wrote_is_no_status() {
    let mut object = gadget("a");
    object["spec"]["proof"] = json!("panics");
    scenario(Fake::default).object(object).run(async |world| {
        world.ready(&gadget("a")).await;
        let id = world.get(&gadget("a")).unwrap()["status"]["id"].clone();
        world.delete(&gadget("a"));
        world.advance(secs(60)).await;
        assert!(world.metric("controller_runtime_reconcile_panics_total") > 0.5);
        let object = world.get(&gadget("a")).unwrap();
        assert_eq!(object["status"]["phase"], "Deleting");
        assert_eq!(object["status"]["id"], id);
        world.patch(&gadget("a"), &json!({"spec": {"proof": ""}}));
        world.gone(&gadget("a")).await;
    });
}

#[test]
pub fn failures_back_off_and_success_resets() {
    scenario(Fake::default).run(async |world| {
        world.provider.fail();
        world.cluster.create_raw(gadget("a")).unwrap();
        world.advance(secs(1800)).await;
        let calls = world.provider.calls("create");
        assert!((8..40).contains(&calls), "{calls} calls in half an hour");
        let object = world.get(&gadget("a")).unwrap();
        assert_eq!(condition(&object, "Reconciling")["reason"], "Retrying");
        world.provider.recover();
        world.ready(&gadget("a")).await;
    });
}

#[test]
pub fn a_permanent_error_stalls_until_the_spec_changes() {
    let mut object = gadget("a");
    object["spec"]["isInvalid"] = json!(true);
    scenario(Fake::default).object(object).run(async |world| {
        world.until(|| world.phase(&gadget("a")) == "Broken").await;
        world.advance(secs(7200)).await;
        let object = world.get(&gadget("a")).unwrap();
        assert_eq!(condition(&object, "Stalled")["status"], "True");
        assert_eq!(
            condition(&object, "Stalled")["message"],
            "the spec cannot be met",
            "it stays to be read"
        );
        world.patch(&gadget("a"), &json!({"spec": {"isInvalid": false}}));
        world.ready(&gadget("a")).await;
    });
}

#[test]
pub fn a_deadline_takes_the_object_out_of_its_phase() {
    scenario(|| Fake::default().with_build_time(Duration::from_secs(100_000)))
        .object(gadget("a"))
        .run(async |world| {
            let took = world
                .until(|| world.phase(&gadget("a")) == "Broken")
                .await
                .unwrap();
            assert!((secs(1800)..secs(1860)).contains(&took), "{took:?}");
            let object = world.get(&gadget("a")).unwrap();
            assert_eq!(condition(&object, "Stalled")["reason"], "DeadlineExceeded");
        });
}

#[test]
pub fn every_crash_is_survived() {
    let explored = scenario(|| Fake::default().with_build_time(secs(3)))
        .object(gadget("a"))
        .explore_crashes();
    assert!(
        explored.writes >= 5 && explored.crashes == 2 * explored.writes,
        "{explored}"
    );
}

#[test]
pub fn a_create_that_is_not_idempotent_is_found() {
    let explored = scenario(|| Fake::default().that_forgets_keys())
        .object(gadget("a"))
        .explore();
    let found = explored.violations.iter().any(|(point, violation)| {
        point.is_some()
            && matches!(violation, Violation::Outside { found, .. } if found.created == 2)
    });
    assert!(found, "{explored}");
    assert!(
        explored.violations.iter().all(|(point, _)| point.is_some()),
        "without a crash all is well: {explored}"
    );
}

/// The oracle itself: three hours without a write are not quiet if the object runs all the time.
#[test]
pub fn an_object_that_never_rests_is_not_quiet() {
    let mut object = gadget("a");
    object["spec"]["restless"] = json!(true);
    let found = scenario(Fake::default).object(object).check();
    assert!(matches!(found, Err(Violation::Hot(_))), "{found:?}");
}
