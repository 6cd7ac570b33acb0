use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use opgen_runtime::secs;
use serde_json::{Value, json};

use crate::account::{account, condition, events, scenario, secret};

#[test]
pub fn a_client_is_made_once_per_version_of_its_secret() {
    let one = account("a", "eu");
    scenario(256).run(async |world| {
        world.cluster.create_raw(secret("a", "red")).unwrap();
        world.cluster.create_raw(one.clone()).unwrap();
        world.ready(&one).await;
        world.advance(secs(3 * 3600)).await;
        assert_eq!(world.provider.state().made, ["red"], "not one per look");
        assert!((world.metric("opgen_client_cache_entries") - 1.0).abs() < 0.1);
        // The key rotates: the old one is no longer accepted, and nobody waits for a resync.
        world.provider.state().tokens.remove("red");
        let rotated = json!({"stringData": {"token": "blue"}});
        world.patch(&secret("a", ""), &rotated);
        world.advance(secs(5)).await;
        assert_eq!(world.provider.state().made, ["red", "blue"]);
        assert!(world.is_ready(&one));
        assert!((world.metric("opgen_client_cache_entries") - 1.0).abs() < 0.1);
        world.delete(&one);
        assert!(world.gone(&one).await < secs(60));
        assert!(world.provider.state().open.is_empty());
    });
}

#[test]
pub fn no_more_clients_are_held_than_allowed() {
    scenario(2).run(async |world| {
        for name in ["a", "b", "c", "d"] {
            world.cluster.create_raw(secret(name, "red")).unwrap();
            world.cluster.create_raw(account(name, "eu")).unwrap();
            world.ready(&account(name, "eu")).await;
        }
        world.advance(secs(3600)).await;
        assert!((world.metric("opgen_client_cache_entries") - 2.0).abs() < 0.1);
    });
}

/// The bulkhead has two permits: if they were shared, the hung region would take both.
#[test]
pub fn a_hung_region_takes_no_permits_from_the_others() {
    scenario(256).run(async |world| {
        world.provider.state().hung_region = Some("eu".to_owned());
        // One secret for all: one client.
        world.cluster.create_raw(secret("shared", "red")).unwrap();
        let of = |name: &str, region: &str| {
            let mut object = account(name, region);
            object["spec"]["secret"] = json!("shared");
            object
        };
        for number in 0..10 {
            let object = of(&format!("hung-{number}"), "eu");
            world.cluster.create_raw(object).unwrap();
        }
        world.advance(secs(2)).await;
        for number in 0..10 {
            let object = of(&format!("well-{number}"), "us");
            world.cluster.create_raw(object.clone()).unwrap();
            assert!(world.ready(&object).await < secs(2));
        }
        // The breaker of the hung region opens, and is nobody else's.
        world.advance(secs(120)).await;
        let object = of("late", "us");
        world.cluster.create_raw(object.clone()).unwrap();
        assert!(world.ready(&object).await < secs(2));
        assert_eq!(world.provider.state().made.len(), 1);
        assert!(!world.is_ready(&of("hung-1", "eu")));
    });
}

#[test]
pub fn a_clean_up_whose_secret_is_gone_says_what_is_missing() {
    let one = account("a", "eu");
    scenario(256).run(async |world| {
        world.cluster.create_raw(secret("a", "red")).unwrap();
        world.cluster.create_raw(one.clone()).unwrap();
        world.ready(&one).await;
        world.delete(&secret("a", ""));
        world.advance(secs(30)).await;
        assert_eq!(
            condition(&world, &one, "CleanupBlocked"),
            Value::Null,
            "it lives"
        );
        world.delete(&one);
        world.advance(secs(600)).await;
        let blocked = condition(&world, &one, "CleanupBlocked");
        assert_eq!(blocked["status"], "True", "{blocked}");
        assert_eq!(blocked["reason"], "DependencyMissing");
        let message = blocked["message"].as_str().unwrap();
        assert!(message.contains("Secret default/a"), "{message}");
        assert!(message.contains("opgen.dev/orphan-external"), "{message}");
        let told = events(&world, "DependencyMissing");
        assert!(
            told.len() == 1 && told[0]["series"].is_null(),
            "told once: {told:?}"
        );
        assert!(
            !world.provider.state().open.is_empty(),
            "nothing is let go of"
        );
        // Its return is enough.
        world.cluster.create_raw(secret("a", "green")).unwrap();
        assert!(world.gone(&one).await < secs(30));
        assert!(world.provider.state().open.is_empty());
    });
}

#[test]
pub fn a_secret_that_makes_no_client_is_named() {
    let one = account("a", "eu");
    scenario(256).run(async |world| {
        let empty = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "default"}});
        world.cluster.create_raw(empty).unwrap();
        world.cluster.create_raw(one.clone()).unwrap();
        world.advance(secs(10)).await;
        let message = condition(&world, &one, "Reconciling")["message"].clone();
        let message = message.as_str().unwrap();
        assert_eq!(message, "secret default/a: the secret has no key `token`");
        world.patch(&secret("a", ""), &json!({"stringData": {"token": "red"}}));
        world.ready(&one).await;
    });
}

/// What is written to the log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(line)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What is logged meanwhile, by anybody on this thread.
fn logged(work: impl FnOnce()) -> String {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(Mutex::new(lines.clone()))
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let lines = std::mem::take(&mut *lines.0.lock().unwrap());
    String::from_utf8(lines).unwrap()
}

/// H43: a provider refuses the token, and the author tells everybody all that is known about it.
#[test]
pub fn a_refused_token_is_shown_nowhere() {
    let token = "t0p-s3cr3t";
    let check = |place: &str, text: &str, stored: &str| {
        for token in [token, stored] {
            assert!(!text.contains(token), "{place}: {text}");
        }
    };
    let mut encoded = String::new();
    let log = logged(|| {
        let one = account("a", "eu");
        encoded = scenario(256).run(async |world| {
            world.cluster.create_raw(secret("a", token)).unwrap();
            world.cluster.create_raw(one.clone()).unwrap();
            world.advance(secs(600)).await;
            assert_eq!(world.provider.state().made, [token], "it was tried");
            let reconciling = condition(&world, &one, "Reconciling");
            let said = reconciling["message"].as_str().unwrap();
            assert!(said.contains("unknown token <redacted>"), "{reconciling}");
            world.delete(&one);
            world.advance(secs(600)).await;
            let told = world.cluster.list_raw("events.events.k8s.io", "");
            let told = serde_json::to_string(&told.unwrap()).unwrap();
            assert!(told.contains("CredentialsRefused"), "{told}");
            let stored = world.get(&secret("a", "")).unwrap();
            let stored = stored["data"]["token"].as_str().unwrap();
            check("events", &told, stored);
            check("object", &world.get(&one).unwrap().to_string(), stored);
            check("metrics", &world.metrics.encode(), stored);
            stored.to_owned()
        });
    });
    assert!(
        log.contains("the bank turns us away token=<redacted>"),
        "{log}"
    );
    check("log", &log, &encoded);
}
