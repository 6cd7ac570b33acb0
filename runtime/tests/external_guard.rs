//! The bounds of a call to the outside, one by one, in virtual time.
#![allow(clippy::unwrap_used)]

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use http::StatusCode;
use jiff::Timestamp;
use opgen_runtime::{
    clock::SystemClock,
    external::{
        BreakerSettings, CallError, CallOptions, CallResult, CallScope, ClientSettings, Guard,
    },
    metrics::Metrics,
    secs,
};
use tokio::time::Instant;

fn guard(settings: ClientSettings) -> Guard {
    Guard::new("provider", settings)
}

/// The scope of a handler that has that long.
fn scope(time: Duration) -> CallScope {
    CallScope::new(
        Instant::now() + time,
        Arc::new(SystemClock),
        Timestamp::UNIX_EPOCH,
    )
}

const ONCE: CallOptions = CallOptions::new("get");
const AGAIN: CallOptions = CallOptions::new("get").idempotent();

fn unavailable() -> CallError {
    CallError::Unavailable {
        status: StatusCode::SERVICE_UNAVAILABLE,
        retry_after: None,
        message: String::new(),
    }
}

/// A provider that counts how often it is called.
#[derive(Clone, Default)]
struct Provider {
    calls: Arc<AtomicU32>,
}

impl Provider {
    fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn hang(&self) -> CallResult<()> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        pending().await
    }

    async fn answer(&self, answer: CallResult<()>) -> CallResult<()> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        answer
    }
}

#[tokio::test(start_paused = true)]
async fn a_hung_call_ends_after_the_clients_timeout() {
    let provider = Provider::default();
    let from = Instant::now();
    let result = guard(ClientSettings::default())
        .call(&scope(secs(60)), ONCE, || provider.hang())
        .await;
    assert!(matches!(result, Err(CallError::Timeout { after }) if after == secs(5)));
    assert_eq!(from.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_method_may_have_a_timeout_of_its_own() {
    let provider = Provider::default();
    let from = Instant::now();
    let options = CallOptions::new("get").timeout(secs(2));
    let result = guard(ClientSettings::default())
        .call(&scope(secs(60)), options, || provider.hang())
        .await;
    assert!(matches!(result, Err(CallError::Timeout { .. })));
    assert_eq!(from.elapsed().as_secs(), 2);
}

#[tokio::test(start_paused = true)]
async fn no_call_outlives_its_handler() {
    let provider = Provider::default();
    let from = Instant::now();
    let result = guard(ClientSettings::default())
        .call(&scope(secs(3)), ONCE, || provider.hang())
        .await;
    assert!(matches!(result, Err(CallError::Timeout { after }) if after == secs(3)));
    assert_eq!(from.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_handler_without_time_left_does_not_reach_the_provider() {
    let provider = Provider::default();
    let result = guard(ClientSettings::default())
        .call(&scope(Duration::ZERO), ONCE, || provider.hang())
        .await;
    let error = result.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no time left in this run; nothing was sent"
    );
    assert_eq!(
        opgen_runtime::error::Error::from(error).class(),
        opgen_runtime::error::ErrorClass::Saturated
    );
    assert_eq!(provider.calls(), 0);
}

/// Fills the only permit with a call that hangs for its 30 s, then lets it start.
async fn fill(guard: &Guard, provider: &Provider) -> tokio::task::JoinHandle<()> {
    let (guard, provider) = (guard.clone(), provider.clone());
    let task = tokio::spawn(async move {
        let options = CallOptions::new("slow").timeout(secs(30));
        let _ = guard
            .call(&scope(secs(60)), options, || provider.hang())
            .await;
    });
    tokio::time::sleep(Duration::from_millis(1)).await;
    task
}

fn one_permit() -> ClientSettings {
    ClientSettings {
        bulkhead: 1,
        ..ClientSettings::default()
    }
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_permit_ends_as_saturated_and_nothing_is_sent() {
    let (guard, slow, other) = (
        guard(one_permit()),
        Provider::default(),
        Provider::default(),
    );
    let _slow = fill(&guard, &slow).await;
    let from = Instant::now();
    let result = guard
        .call(&scope(secs(60)), ONCE, || other.answer(Ok(())))
        .await;
    assert!(matches!(
        result,
        Err(CallError::Saturated { permits: 1, .. })
    ));
    // The bound of the wait, not the call's timeout of 5 s.
    assert_eq!(from.elapsed().as_secs(), 2);
    assert_eq!(other.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_permit_ends_with_the_handler() {
    let (guard, slow) = (guard(one_permit()), Provider::default());
    let _slow = fill(&guard, &slow).await;
    let from = Instant::now();
    let result = guard
        .call(&scope(secs(1)), ONCE, || slow.answer(Ok(())))
        .await;
    assert!(matches!(result, Err(CallError::Saturated { .. })));
    assert_eq!(from.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_aborted_call_gives_its_permit_back() {
    let (guard, slow) = (guard(one_permit()), Provider::default());
    let task = fill(&guard, &slow).await;
    assert_eq!(guard.in_flight(), 1);
    task.abort();
    let _ = task.await;
    assert_eq!(guard.in_flight(), 0);
    let from = Instant::now();
    guard
        .call(&scope(secs(60)), ONCE, || slow.answer(Ok(())))
        .await
        .unwrap();
    assert_eq!(from.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn one_targets_hang_is_not_anothers() {
    let (guard, slow) = (guard(one_permit()), Provider::default());
    let _slow = fill(&guard.for_target("eu"), &slow).await;
    let by_guard = guard.for_target("us");
    by_guard
        .call(&scope(secs(60)), ONCE, || slow.answer(Ok(())))
        .await
        .unwrap();
    let by_options = CallOptions::new("get").target("eu");
    let result = guard
        .call(&scope(secs(60)), by_options, || slow.answer(Ok(())))
        .await;
    assert!(matches!(result, Err(CallError::Saturated { .. })));
}

#[tokio::test(start_paused = true)]
async fn only_an_idempotent_call_is_repeated() {
    for (options, calls) in [(ONCE, 1), (AGAIN, 3)] {
        let provider = Provider::default();
        let result = guard(ClientSettings::default())
            .call(&scope(secs(60)), options, || {
                provider.answer(Err(unavailable()))
            })
            .await;
        assert!(matches!(result, Err(CallError::Unavailable { .. })));
        assert_eq!(provider.calls(), calls);
    }
}

#[tokio::test(start_paused = true)]
async fn what_no_repetition_mends_is_not_repeated() {
    let provider = Provider::default();
    let result = guard(ClientSettings::default())
        .call(&scope(secs(60)), AGAIN, || {
            provider.answer(Err(CallError::rejected("no such flavour")))
        })
        .await;
    assert!(matches!(result, Err(CallError::Rejected { .. })));
    assert_eq!(provider.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn repetitions_end_before_the_handler_does() {
    let provider = Provider::default();
    let settings = ClientSettings {
        retries: 1000,
        breaker: no_breaker(),
        ..ClientSettings::default()
    };
    let from = Instant::now();
    let result = guard(settings)
        .call(&scope(secs(3)), AGAIN, || {
            provider.answer(Err(unavailable()))
        })
        .await;
    // The provider's own answer, not a timeout that would hide it.
    assert!(matches!(result, Err(CallError::Unavailable { .. })));
    assert!(from.elapsed() < secs(3), "{:?}", from.elapsed());
    assert!(provider.calls() > 1);
}

#[tokio::test(start_paused = true)]
async fn a_repetition_that_works_is_a_success() {
    let provider = Provider::default();
    guard(ClientSettings::default())
        .call(&scope(secs(60)), AGAIN, || {
            let first = provider.calls() == 0;
            provider.answer(if first { Err(unavailable()) } else { Ok(()) })
        })
        .await
        .unwrap();
    assert_eq!(provider.calls(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_throttles_is_left_alone_as_long_as_it_asks() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    let throttled = || CallError::Throttled {
        retry_after: Some(secs(10)),
    };
    let result = guard
        .call(&scope(secs(60)), AGAIN, || {
            provider.answer(Err(throttled()))
        })
        .await;
    assert!(matches!(result, Err(CallError::Throttled { .. })));
    assert_eq!(provider.calls(), 1, "repeated against the provider's wish");

    tokio::time::sleep(secs(9)).await;
    let result = guard
        .call(&scope(secs(60)), AGAIN, || provider.answer(Ok(())))
        .await;
    let Err(CallError::Throttled {
        retry_after: Some(left),
    }) = result
    else {
        panic!("{result:?}");
    };
    assert!(left <= secs(1), "{left:?}");
    assert_eq!(provider.calls(), 1);
    // Another target did not ask for anything.
    guard
        .for_target("us")
        .call(&scope(secs(60)), AGAIN, || provider.answer(Ok(())))
        .await
        .unwrap();

    tokio::time::sleep(secs(1)).await;
    guard
        .call(&scope(secs(60)), AGAIN, || provider.answer(Ok(())))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_503_with_retry_after_is_honoured_too() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    let error = || CallError::Unavailable {
        status: StatusCode::SERVICE_UNAVAILABLE,
        retry_after: Some(secs(10)),
        message: String::new(),
    };
    let _ = guard
        .call(&scope(secs(60)), AGAIN, || provider.answer(Err(error())))
        .await;
    let result = guard
        .call(&scope(secs(60)), AGAIN, || provider.answer(Ok(())))
        .await;
    assert!(matches!(result, Err(CallError::Throttled { .. })));
    assert_eq!(provider.calls(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_without_a_time_is_a_second() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    let error = || CallError::Throttled { retry_after: None };
    for (pause, calls) in [(0, 1), (900, 1), (200, 2)] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let _ = guard
            .call(&scope(secs(60)), ONCE, || provider.answer(Err(error())))
            .await;
        assert_eq!(provider.calls(), calls);
    }
}

fn no_breaker() -> BreakerSettings {
    BreakerSettings {
        consecutive: 0,
        failure_percent: 0,
        ..BreakerSettings::default()
    }
}

async fn fail(guard: &Guard, provider: &Provider, times: u32) {
    for _ in 0..times {
        let _ = guard
            .call(&scope(secs(60)), ONCE, || {
                provider.answer(Err(unavailable()))
            })
            .await;
    }
}

async fn succeed(guard: &Guard, provider: &Provider) -> CallResult<()> {
    guard
        .call(&scope(secs(60)), ONCE, || provider.answer(Ok(())))
        .await
}

#[tokio::test(start_paused = true)]
async fn the_breaker_opens_after_failures_in_a_row() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    fail(&guard, &provider, 4).await;
    succeed(&guard, &provider).await.unwrap();
    fail(&guard, &provider, 4).await;
    assert!(succeed(&guard, &provider).await.is_ok(), "not in a row");
    fail(&guard, &provider, 5).await;
    let calls = provider.calls();
    let result = succeed(&guard, &provider).await;
    assert!(matches!(result, Err(CallError::BreakerOpen { .. })));
    assert_eq!(
        provider.calls(),
        calls,
        "an open breaker lets nothing through"
    );
    assert!(
        succeed(&guard.for_target("us"), &provider).await.is_ok(),
        "another target's breaker"
    );
}

#[tokio::test(start_paused = true)]
async fn the_breaker_opens_at_a_share_of_failures() {
    let settings = ClientSettings {
        breaker: BreakerSettings {
            consecutive: 0,
            window: 10,
            failure_percent: 50,
            ..BreakerSettings::default()
        },
        ..ClientSettings::default()
    };
    let (guard, provider) = (guard(settings), Provider::default());
    for _ in 0..4 {
        fail(&guard, &provider, 1).await;
        succeed(&guard, &provider).await.unwrap();
    }
    succeed(&guard, &provider).await.unwrap();
    // Five of the last ten.
    fail(&guard, &provider, 1).await;
    let result = succeed(&guard, &provider).await;
    assert!(matches!(result, Err(CallError::BreakerOpen { .. })));
}

#[tokio::test(start_paused = true)]
async fn after_its_rest_one_probe_decides() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    fail(&guard, &provider, 5).await;
    // The rest is 5 s and up to a fifth more.
    tokio::time::sleep(secs(6)).await;
    let probe = {
        let guard = guard.clone();
        tokio::spawn(async move {
            guard
                .call(&scope(secs(60)), ONCE, || async {
                    tokio::time::sleep(secs(1)).await;
                    Ok(())
                })
                .await
        })
    };
    tokio::time::sleep(Duration::from_millis(1)).await;
    let calls = provider.calls();
    let result = succeed(&guard, &provider).await;
    assert!(
        matches!(result, Err(CallError::BreakerOpen { .. })),
        "a second one while the probe is out"
    );
    assert_eq!(provider.calls(), calls);
    probe.await.unwrap().unwrap();
    succeed(&guard, &provider).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_failed_probe_doubles_the_rest() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    fail(&guard, &provider, 5).await;
    tokio::time::sleep(secs(6)).await;
    fail(&guard, &provider, 1).await;
    assert_eq!(provider.calls(), 6, "the probe");
    tokio::time::sleep(Duration::from_millis(9900)).await;
    assert!(succeed(&guard, &provider).await.is_err());
    tokio::time::sleep(Duration::from_millis(2200)).await;
    succeed(&guard, &provider).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_aborted_leaves_the_next_one_to_try() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    fail(&guard, &provider, 5).await;
    tokio::time::sleep(secs(6)).await;
    let task = fill(&guard, &provider).await;
    task.abort();
    let _ = task.await;
    succeed(&guard, &provider).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_the_target_is_not_to_blame_for_does_not_open_the_breaker() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    for _ in 0..20 {
        let _ = guard
            .call(&scope(secs(60)), ONCE, || {
                provider.answer(Err(CallError::rejected("no")))
            })
            .await;
        let _ = guard
            .call(&scope(secs(60)), ONCE, || {
                provider.answer(Err(CallError::other("no number")))
            })
            .await;
        // A handler with hardly any time left.
        let _ = guard.call(&scope(secs(1)), ONCE, || provider.hang()).await;
    }
    succeed(&guard, &provider).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn timeouts_open_the_breaker() {
    let (guard, provider) = (guard(ClientSettings::default()), Provider::default());
    for _ in 0..5 {
        let _ = guard.call(&scope(secs(60)), ONCE, || provider.hang()).await;
    }
    let result = succeed(&guard, &provider).await;
    assert!(matches!(result, Err(CallError::BreakerOpen { .. })));
}

#[tokio::test(start_paused = true)]
async fn no_repetition_goes_through_a_breaker_that_opened_meanwhile() {
    let settings = ClientSettings {
        retries: 100,
        ..ClientSettings::default()
    };
    let (guard, provider) = (guard(settings), Provider::default());
    let result = guard
        .call(&scope(secs(60)), AGAIN, || {
            provider.answer(Err(unavailable()))
        })
        .await;
    assert!(matches!(result, Err(CallError::Unavailable { .. })));
    assert_eq!(provider.calls(), 5);
}

#[tokio::test(start_paused = true)]
async fn every_attempt_is_counted_also_an_aborted_one() {
    let metrics = Metrics::new();
    let (guard, provider) = (guard(one_permit()), Provider::default());
    let counted = scope(secs(60)).with_metrics(metrics.clone());
    guard
        .call(&counted, ONCE, || provider.answer(Ok(())))
        .await
        .unwrap();
    let _ = guard.call(&counted, ONCE, || provider.hang()).await;
    {
        let call = guard.call(&counted, ONCE, || provider.hang());
        let _ = tokio::time::timeout(secs(1), call).await;
    }
    let text = metrics.encode();
    for result in ["ok", "timeout", "aborted"] {
        let line = format!(
            "opgen_external_calls_total{{client=\"provider\",method=\"get\",result=\"{result}\"}} 1"
        );
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(text.contains("opgen_bulkhead_wait_seconds_count{client=\"provider\"} 3"));
}
