//! Absence is believed only when it is proven, about the right thing, and old enough.
#![allow(clippy::unwrap_used)]

use std::{future::pending, sync::Arc, time::Duration};

use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use opgen_runtime::{
    clock::SharedClock,
    external::{CallError, CallOptions, CallResult, CallScope, ClientSettings, Guard},
    identity::{IdempotencyKey, Identity},
    observed::{Absent, Observed},
    secs,
};
use tokio::time::Instant;

const LOOK: CallOptions = CallOptions::new("observe").idempotent();
const CREATE: CallOptions = CallOptions::new("create");

/// A virtual day: a clock that goes with tokio's time.
struct World {
    epoch: Timestamp,
    from: Instant,
    guard: Guard,
}

impl World {
    fn new() -> Self {
        Self {
            epoch: "2026-01-01T00:00:00Z".parse().unwrap(),
            from: Instant::now(),
            guard: Guard::new("provider", ClientSettings::default()),
        }
    }

    fn clock(&self) -> SharedClock {
        let (epoch, from) = (self.epoch, self.from);
        Arc::new(move || epoch + SignedDuration::try_from(from.elapsed()).unwrap())
    }

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// In a process that started long ago.
    fn scope(&self) -> CallScope {
        self.scope_since(self.epoch - SignedDuration::from_hours(1))
    }

    fn scope_since(&self, started_at: Timestamp) -> CallScope {
        CallScope::new(Instant::now() + secs(60), self.clock(), started_at)
    }

    /// A key whose intent was persisted at that time.
    fn key(&self, intent_at: Timestamp) -> IdempotencyKey {
        Identity::first("uid", Some("ns"), "db", intent_at).key("create", 1)
    }

    fn old_key(&self) -> IdempotencyKey {
        self.key(self.epoch - SignedDuration::from_hours(1))
    }

    async fn look(&self, scope: &CallScope, key: &IdempotencyKey) -> Observed<()> {
        self.guard
            .observe(scope, LOOK, Some(key), || async { absent(key) })
            .await
            .unwrap()
    }
}

fn absent(key: &IdempotencyKey) -> CallResult<Observed<()>> {
    Ok(Observed::Absent(
        Absent::by_status(key, StatusCode::NOT_FOUND).unwrap(),
    ))
}

#[track_caller]
fn assert_unknown(seen: &Observed<()>, words: &str) {
    match seen {
        Observed::Unknown(why) => assert!(why.contains(words), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_old_intent_makes_a_proof() {
    let world = World::new();
    let seen = world.look(&world.scope(), &world.old_key()).await;
    let Observed::Absent(proof) = seen else {
        panic!("{seen:?}")
    };
    assert_eq!(proof.seen_at(), Some(world.now()));
}

#[tokio::test(start_paused = true)]
async fn a_young_intent_makes_none() {
    let world = World::new();
    let key = world.key(world.now());
    tokio::time::sleep(secs(29)).await;
    assert_unknown(&world.look(&world.scope(), &key).await, "settle window");
    tokio::time::sleep(secs(1)).await;
    assert!(matches!(
        world.look(&world.scope(), &key).await,
        Observed::Absent(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_young_process_makes_none() {
    // The create before a crash is in nobody's memory.
    let world = World::new();
    let started_at = world.now();
    tokio::time::sleep(secs(29)).await;
    let seen = world
        .look(&world.scope_since(started_at), &world.old_key())
        .await;
    assert_unknown(&seen, "settle window");
    tokio::time::sleep(secs(1)).await;
    let seen = world
        .look(&world.scope_since(started_at), &world.old_key())
        .await;
    assert!(matches!(seen, Observed::Absent(_)));
}

#[tokio::test(start_paused = true)]
async fn a_create_starts_the_window_of_its_key_when_it_ends() {
    let world = World::new();
    let (key, scope) = (world.old_key(), world.scope());
    world
        .guard
        .create(&scope, CREATE, &key, || async {
            tokio::time::sleep(secs(4)).await;
            Ok(())
        })
        .await
        .unwrap();
    tokio::time::sleep(secs(29)).await;
    assert_unknown(&world.look(&world.scope(), &key).await, "settle window");
    let other = IdempotencyKey::from_text("another");
    assert!(matches!(
        world.look(&world.scope(), &other).await,
        Observed::Absent(_)
    ));
    tokio::time::sleep(secs(1)).await;
    assert!(matches!(
        world.look(&world.scope(), &key).await,
        Observed::Absent(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn an_aborted_create_may_still_be_carried_out() {
    let world = World::new();
    let (key, scope) = (world.old_key(), world.scope());
    {
        let create = world
            .guard
            .create(&scope, CREATE, &key, pending::<CallResult<()>>);
        let _ = tokio::time::timeout(secs(3), create).await;
    }
    tokio::time::sleep(secs(28)).await;
    assert_unknown(&world.look(&world.scope(), &key).await, "settle window");
    tokio::time::sleep(secs(2)).await;
    assert!(matches!(
        world.look(&world.scope(), &key).await,
        Observed::Absent(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_absent_while_it_is_being_created() {
    let world = World::new();
    let (key, scope) = (world.old_key(), world.scope());
    let long = CallOptions::new("create").timeout(secs(50));
    let create = world
        .guard
        .create(&scope, long, &key, pending::<CallResult<()>>);
    let look = async {
        tokio::time::sleep(secs(40)).await;
        world.look(&world.scope(), &key).await
    };
    tokio::select! {
        _ = create => panic!("the create ended"),
        seen = look => assert_unknown(&seen, "under way"),
    }
}

#[tokio::test(start_paused = true)]
async fn the_age_counts_to_the_question_not_to_the_answer() {
    let world = World::new();
    let key = world.key(world.now());
    tokio::time::sleep(secs(28)).await;
    let scope = world.scope();
    let seen = world
        .guard
        .observe(&scope, LOOK, Some(&key), || async {
            tokio::time::sleep(secs(4)).await;
            absent(&key)
        })
        .await
        .unwrap();
    assert_unknown(&seen, "settle window");
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_permit_is_not_part_of_the_question() {
    let world = World::new();
    let narrow = Guard::new(
        "narrow",
        ClientSettings {
            bulkhead: 1,
            ..ClientSettings::default()
        },
    );
    let key = world.key(world.now());
    tokio::time::sleep(secs(29)).await;
    let scope = world.scope();
    let full = narrow.call(&scope, CREATE, || async {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        Ok(())
    });
    let look = narrow.observe(&scope, LOOK, Some(&key), || async { absent(&key) });
    let (full, seen) = futures::join!(full, look);
    full.unwrap();
    assert!(matches!(seen.unwrap(), Observed::Absent(_)));
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_went_back_proves_nothing() {
    let world = World::new();
    let key = world.key(world.now() + SignedDuration::from_hours(1));
    assert_unknown(&world.look(&world.scope(), &key).await, "settle window");
}

#[tokio::test(start_paused = true)]
async fn a_proof_about_another_key_is_refused() {
    let world = World::new();
    let (scope, key) = (world.scope(), world.old_key());
    let other = IdempotencyKey::from_text("another");
    let seen = world
        .guard
        .observe(&scope, LOOK, Some(&key), || async { absent(&other) })
        .await
        .unwrap();
    assert_unknown(&seen, "another");
}

#[tokio::test(start_paused = true)]
async fn without_a_key_the_proofs_own_one_counts() {
    let world = World::new();
    let scope = world.scope();
    let young = world.key(world.now());
    let seen = world
        .guard
        .observe(&scope, LOOK, None, || async { absent(&young) })
        .await
        .unwrap();
    assert_unknown(&seen, "settle window");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_learned_is_unknown() {
    type Make = fn() -> CallError;
    let errors: [(Make, &str); 5] = [
        (
            || CallError::transport("connection reset"),
            "connection reset",
        ),
        (
            || CallError::from_response(StatusCode::UNAUTHORIZED, &Default::default(), "expired"),
            "credentials",
        ),
        (
            || CallError::from_response(StatusCode::BAD_GATEWAY, &Default::default(), ""),
            "unavailable",
        ),
        (
            || CallError::from_response(StatusCode::TOO_MANY_REQUESTS, &Default::default(), ""),
            "throttles",
        ),
        (
            || CallError::from_response(StatusCode::NOT_FOUND, &Default::default(), "no route"),
            "Absent::by_status",
        ),
    ];
    for (make, words) in errors {
        let world = World::new();
        let seen = world
            .guard
            .observe(&world.scope(), LOOK, Some(&world.old_key()), || async {
                Err::<Observed<()>, _>(make())
            })
            .await
            .unwrap();
        assert_unknown(&seen, words);
    }
}

#[tokio::test(start_paused = true)]
async fn no_time_no_permit_and_an_open_breaker_are_unknown() {
    let world = World::new();
    let (scope, key) = (world.scope(), world.old_key());
    let hang = || pending::<CallResult<Observed<()>>>();
    let once = CallOptions::new("observe");
    for _ in 0..5 {
        let seen = world
            .guard
            .observe(&scope, once.clone(), Some(&key), hang)
            .await
            .unwrap();
        assert_unknown(&seen, "no answer within 5s");
    }
    assert_unknown(&world.look(&scope, &key).await, "breaker");

    let narrow = Guard::new(
        "narrow",
        ClientSettings {
            bulkhead: 1,
            ..ClientSettings::default()
        },
    );
    let scope = world.scope();
    let slow = once.timeout(secs(50));
    let full = narrow.observe(&scope, slow, Some(&key), hang);
    let look = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        narrow
            .observe(&scope, LOOK, Some(&key), || async { absent(&key) })
            .await
            .unwrap()
    };
    tokio::select! {
        _ = full => panic!("the slow one ended"),
        seen = look => assert_unknown(&seen, "permits"),
    }
}

#[tokio::test(start_paused = true)]
async fn what_waiting_does_not_mend_stays_an_error() {
    for error in [CallError::rejected("bad name"), CallError::other("no JSON")] {
        let world = World::new();
        let error = std::cell::RefCell::new(Some(error));
        let seen = world
            .guard
            .observe(&world.scope(), LOOK, Some(&world.old_key()), || {
                let error = error.take().unwrap();
                async move { Err::<Observed<()>, _>(error) }
            })
            .await;
        assert!(matches!(
            seen,
            Err(CallError::Rejected { .. } | CallError::Other(_))
        ));
    }
}
