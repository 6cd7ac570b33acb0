//! What people may see and do.

use opgen_runtime::{secs, status::Sensitive};
use serde_json::json;

use crate::{
    database::{self, Cloud, database, scenario},
    ticket::{self, ticket},
};

/// That it cannot stand in a status is a matter of the compiler: `tests/ui/fail/status_with_a_secret.rs`.
#[test]
pub fn a_secret_cannot_be_shown() {
    let token: Sensitive<String> = serde_json::from_value(json!("s3cr3t")).unwrap();
    let error = serde_json::from_value::<Sensitive<u8>>(json!("s3cr3t")).unwrap_err();
    for shown in [
        format!("{token}"),
        format!("{token:?} {:?}", Some(&token)),
        error.to_string(),
    ] {
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
    assert_eq!(token.expose(), "s3cr3t");
}

#[test]
pub fn the_generated_role_is_enough_and_no_wildcard() {
    scenario(Cloud::default)
        .object(database("a"))
        .run(async |world| {
            world.ready(&database("a")).await;
            world.advance(secs(60)).await;
            world.delete(&database("a"));
            world.gone(&database("a")).await;
            let refused = world.cluster.log().entries();
            let refused: Vec<_> = refused.iter().filter(|entry| entry.code == 403).collect();
            assert!(refused.is_empty(), "{refused:#?}");
        });
    for rule in database::operator().role() {
        let all = [&*rule.group, &*rule.resource];
        assert!(
            !all.contains(&"*") && !rule.verbs.contains(&"*"),
            "{rule:?}"
        );
    }
}

#[test]
pub fn a_thousand_tenants_make_no_thousand_series() {
    ticket::scenario(|kind| kind.group_by(|ticket| ticket.spec.tenant.clone())).run(
        async |world| {
            for number in 0..1000 {
                let mut object = ticket(&format!("t{number}"), "work");
                object["spec"]["tenant"] = json!(format!("tenant-{number}"));
                world.cluster.create_raw(object).unwrap();
            }
            world.ready(&ticket("t999", "work")).await;
            world.advance(secs(30)).await;
            let text = world.metrics.encode();
            let series = text
                .lines()
                .filter(|line| line.starts_with("opgen_queue_group_wait_seconds_count"))
                .count();
            assert!((10..=21).contains(&series), "{series} series");
        },
    );
}
