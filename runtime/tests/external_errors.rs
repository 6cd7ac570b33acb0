//! How errors of calls are sorted, and what the driver makes of them.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use http::{
    HeaderMap, StatusCode,
    header::{DATE, RETRY_AFTER},
};
use kube::core::{
    Status,
    response::{StatusCause, StatusDetails},
};
use opgen_runtime::{
    error::{Error, ErrorClass},
    external::{CallError, ClientCache},
    observed::{Complete, Page},
    secs,
};

fn headers(pairs: &[(http::HeaderName, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), http::HeaderValue::from_static(value)))
        .collect()
}

fn of(status: u16, headers: &HeaderMap) -> CallError {
    CallError::from_response(StatusCode::from_u16(status).unwrap(), headers, "some words")
}

#[test]
fn every_status_has_its_place() {
    use ErrorClass::{Permanent, Saturated, Transient};
    let rows = [
        (400, "rejected", Permanent),
        (401, "unauthorized", Transient),
        (403, "unauthorized", Transient),
        (404, "not_found", Transient),
        (408, "unavailable", Transient),
        (409, "rejected", Transient),
        (410, "not_found", Transient),
        (418, "rejected", Permanent),
        (422, "rejected", Permanent),
        (423, "rejected", Transient),
        (425, "unavailable", Transient),
        (429, "throttled", Saturated),
        (500, "unavailable", Transient),
        (503, "unavailable", Transient),
        (302, "error", Transient),
    ];
    for (status, result, class) in rows {
        let error = of(status, &HeaderMap::new());
        assert_eq!(error.result(), result, "{status}");
        assert_eq!(Error::from(error).class(), class, "{status}");
    }
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    type Pairs = &'static [(http::HeaderName, &'static str)];
    let rows: [(Pairs, Option<Duration>); 6] = [
        (&[(RETRY_AFTER, "7")], Some(secs(7))),
        // Compared with the answer's own clock, which is years off.
        (
            &[
                (RETRY_AFTER, "Sun, 06 Nov 1994 08:49:37 GMT"),
                (DATE, "Sun, 06 Nov 1994 08:49:25 GMT"),
            ],
            Some(secs(12)),
        ),
        (
            &[(RETRY_AFTER, "Sun, 06 Nov 1994 08:49:37 GMT")],
            Some(Duration::ZERO),
        ),
        (&[(RETRY_AFTER, "31536000")], Some(secs(600))),
        (&[(RETRY_AFTER, "soon")], None),
        (&[], None),
    ];
    for (pairs, wait) in rows {
        let headers = headers(pairs);
        assert_eq!(of(429, &headers).retry_after(), wait, "{pairs:?}");
        assert_eq!(of(503, &headers).retry_after(), wait, "{pairs:?}");
        assert_eq!(Error::from(of(429, &headers)).delay(), wait, "{pairs:?}");
    }
}

#[test]
fn a_long_answer_does_not_become_a_long_message() {
    let body = "größer ".repeat(1000);
    let error = CallError::from_response(StatusCode::BAD_REQUEST, &HeaderMap::new(), &body);
    assert!(error.to_string().len() < 350, "{error}");
    let error = CallError::from_response(StatusCode::BAD_REQUEST, &HeaderMap::new(), "a\n\n  b");
    assert!(error.to_string().ends_with(": a b"), "{error}");
}

#[derive(Debug, thiserror::Error)]
#[error("creating the instance")]
struct Wrapped(#[source] CallError);

#[test]
fn an_authors_own_error_around_a_call_error_is_understood() {
    let error = Error::from(Wrapped(CallError::rejected("no such flavour")));
    assert_eq!(error.class(), ErrorClass::Permanent);
    let error = Error::from(Wrapped(of(429, &headers(&[(RETRY_AFTER, "3")]))));
    assert_eq!(error.class(), ErrorClass::Saturated);
    assert_eq!(error.delay(), Some(secs(3)));
    assert_eq!(
        Error::from(std::io::Error::other("x")).class(),
        ErrorClass::Transient
    );
}

fn api(code: u16, details: Option<StatusDetails>) -> Error {
    let mut status = Status::failure("words", "Reason").with_code(code);
    status.details = details;
    Error::from(kube::Error::Api(Box::new(status)))
}

fn details(causes: &[&str], retry_after_seconds: u32) -> StatusDetails {
    StatusDetails {
        name: String::new(),
        group: String::new(),
        kind: String::new(),
        uid: String::new(),
        causes: causes
            .iter()
            .map(|reason| StatusCause {
                reason: (*reason).to_owned(),
                message: String::new(),
                field: String::new(),
            })
            .collect(),
        retry_after_seconds,
    }
}

fn caused_by(reason: &str) -> Option<StatusDetails> {
    Some(details(&[reason], 0))
}

#[test]
fn answers_of_the_api_server_are_sorted_too() {
    use ErrorClass::{Permanent, Saturated, Transient};
    let rows = [
        (400, None, Permanent),
        (403, None, Transient),
        (403, caused_by("NamespaceTerminating"), Permanent),
        (404, None, Transient),
        (409, None, Transient),
        (422, caused_by("FieldValueInvalid"), Permanent),
        // A failed test of a JSON patch: a lost race.
        (422, None, Transient),
        (422, Some(details(&[], 0)), Transient),
        (429, None, Saturated),
        (500, None, Transient),
    ];
    for (code, details, class) in rows {
        assert_eq!(
            api(code, details.clone()).class(),
            class,
            "{code} {details:?}"
        );
    }
    let details = details(&[], 4);
    assert_eq!(api(429, Some(details.clone())).delay(), Some(secs(4)));
    assert_eq!(api(503, Some(details)).delay(), Some(secs(4)));
}

#[tokio::test]
async fn a_listing_that_repeats_its_cursor_is_an_error_of_the_call() {
    let all = Complete::<u8>::read(async |_| {
        Ok::<_, CallError>(Page {
            items: vec![1],
            next: Some("again".to_owned()),
        })
    })
    .await;
    assert!(matches!(all, Err(CallError::Other(_))));
}

#[test]
fn a_client_is_made_once_per_version_of_its_secret() {
    let cache = ClientCache::new(2);
    let get = |secret: &str, version: &str| {
        let client = format!("{secret}@{version}");
        let mut made = false;
        let got = cache
            .get_or_try_make(secret, version, || {
                made = true;
                Ok::<_, CallError>(client.clone())
            })
            .unwrap();
        assert_eq!(got, client);
        made
    };
    assert!(get("a", "1"));
    assert!(!get("a", "1"));
    assert!(get("a", "2"), "the secret rotated");
    assert_eq!(cache.len(), 1, "the old one is gone");
    assert!(get("b", "1"));
    assert!(!get("a", "2"));
    assert!(get("c", "1"));
    assert_eq!(cache.len(), 2, "bounded");
    assert!(!get("a", "2"), "used later than b");
    assert!(get("b", "1"));
    cache.forget("b");
    assert!(get("b", "1"));
}

#[test]
fn a_client_that_cannot_be_made_leaves_the_old_one() {
    let cache = ClientCache::new(2);
    cache
        .get_or_try_make("a", "1", || Ok::<_, CallError>("old"))
        .unwrap();
    let failed = cache.get_or_try_make("a", "2", || Err(CallError::other("no key in the secret")));
    assert!(failed.is_err());
    let old = cache.get_or_try_make("a", "1", || Ok::<_, CallError>("new"));
    assert_eq!(old.unwrap(), "old");
}
