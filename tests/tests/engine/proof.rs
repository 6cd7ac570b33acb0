use opgen_runtime::secs;
use serde_json::json;

use crate::gadget::{Fake, condition, gadget, scenario};

/// The finalizer phase says "gone" with a proof that proves nothing: the finalizer stays, and people are told why.
fn holds_with(proof: &str, told: &str) {
    let mut object = gadget("a");
    object["spec"]["proof"] = json!(proof);
    scenario(Fake::default).object(object).run(async |world| {
        world.ready(&gadget("a")).await;
        world.advance(secs(60)).await;
        world.delete(&gadget("a"));
        world.advance(secs(600)).await;
        let object = world.get(&gadget("a")).expect("the finalizer stays");
        let why = condition(&object, "Reconciling")["message"].to_string();
        assert!(why.contains(told), "{why}");
        assert_eq!(world.provider.live(), 1);
        world.patch(&gadget("a"), &json!({"spec": {"proof": ""}}));
        world.gone(&gadget("a")).await;
        assert_eq!(world.provider.live(), 0);
    });
}

#[test]
pub fn a_proof_that_no_bounded_client_accepted_is_none() {
    holds_with("unguarded", "did not come through the bounded client");
}

#[test]
pub fn a_proof_about_another_object_is_none() {
    holds_with("foreign", "is no key of attempt 1 of this object");
}

#[test]
pub fn a_proof_about_another_attempt_is_none() {
    holds_with("other attempt", "is no key of attempt 1 of this object");
}

/// The annotation is anybody's: a number out of all proportion must neither hold the object nor hide what was made.
#[test]
pub fn a_count_of_attempts_that_cannot_be_is_cleaned_up_in_bounds() {
    scenario(Fake::default)
        .object(gadget("a"))
        .run(async |world| {
            world.ready(&gadget("a")).await;
            world.advance(secs(60)).await;
            let name = "opgen.dev/identity";
            let object = world.get(&gadget("a")).unwrap();
            let text = object["metadata"]["annotations"][name].as_str().unwrap();
            let text = text.replace("\"attempt\":1", "\"attempt\":4000000000");
            world.patch(
                &gadget("a"),
                &json!({"metadata": {"annotations": {name: text}}}),
            );
            let looks = world.provider.calls("observe");
            world.delete(&gadget("a"));
            world.gone(&gadget("a")).await;
            let looks = world.provider.calls("observe") - looks;
            assert!((2000..2010).contains(&looks), "{looks} looks");
            assert_eq!(world.provider.live(), 0);
            let events = world
                .cluster
                .list_raw("events.events.k8s.io", "default")
                .unwrap();
            let told = |event: &serde_json::Value| event["reason"] == "TooManyAttempts";
            assert!(events.iter().any(told), "{events:?}");
        });
}
