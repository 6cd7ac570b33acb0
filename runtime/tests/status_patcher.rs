//! The stand-alone patcher: the merge patch itself, and the requests it makes.

#![allow(clippy::unwrap_used)]

mod status_support;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use http::{Request, Response};
use http_body_util::BodyExt;
use kube::{Api, Client, CustomResource, client::Body};
use opgen_runtime::status::{FieldRule, Rule, StatusDiff, StatusPatcher, merge_patch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use status_support::rule;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Queue",
    status = "QueueStatus"
)]
struct QueueSpec {}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
struct QueueStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(default)]
    polls: u32,
    #[serde(default)]
    tags: Vec<String>,
}

impl StatusDiff for QueueStatus {
    fn rules() -> Vec<FieldRule> {
        vec![rule("/polls", Rule::Volatile)]
    }
}

/// A queue as the server has it, a patcher whose server answers with that queue, and the requests it got.
struct Fixture {
    queue: Queue,
    patcher: StatusPatcher<Queue>,
    requests: Arc<Mutex<Vec<(String, String, Value)>>>,
}

impl Fixture {
    fn new() -> Self {
        let object = json!({
            "apiVersion": "example.com/v1", "kind": "Queue", "spec": {},
            "metadata": {"name": "q", "uid": "u1", "resourceVersion": "7"},
            "status": {"error": "old", "polls": 1, "tags": ["a"]},
        });
        let queue: Queue = serde_json::from_value(object.clone()).unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let (seen, answer) = (seen.clone(), object.to_string());
            async move {
                let (parts, body) = request.into_parts();
                let body = body.collect().await.unwrap().to_bytes();
                let media = parts.headers["content-type"].to_str().unwrap().to_owned();
                let body = serde_json::from_slice(&body).unwrap();
                seen.lock()
                    .unwrap()
                    .push((parts.uri.to_string(), media, body));
                Ok::<_, Infallible>(Response::new(Body::from(answer.into_bytes())))
            }
        });
        let api = Api::all(Client::new(service, "default"));
        Self {
            queue,
            patcher: StatusPatcher::new(api, "test"),
            requests,
        }
    }

    fn status(&self, change: impl FnOnce(&mut QueueStatus)) -> QueueStatus {
        let mut status = self.queue.status.clone().unwrap();
        change(&mut status);
        status
    }

    fn sent(&self) -> Vec<(String, String, Value)> {
        self.requests.lock().unwrap().drain(..).collect()
    }
}

#[test]
fn a_cleared_field_is_an_explicit_null() {
    let rules = QueueStatus::rules();
    let before = json!({"error": "old", "polls": 1, "deep": {"a": 1, "b": 2}});
    let after = json!({"polls": 2, "deep": {"a": 1, "b": 3}, "new": {"x": 1, "none": null}});
    let expected = json!({"error": null, "polls": 2, "deep": {"b": 3}, "new": {"x": 1}});
    assert_eq!(merge_patch(&rules, &before, &after), Some(expected));
    assert_eq!(merge_patch(&rules, &before, &before), None);
    let polled = json!({"error": "old", "polls": 9, "deep": {"a": 1, "b": 2, "c": []}});
    assert_eq!(merge_patch(&rules, &before, &polled), None);
    assert_eq!(
        merge_patch(&rules, &Value::Null, &json!({"a": 1})),
        Some(json!({"a": 1}))
    );
}

#[tokio::test]
async fn merge_sends_the_difference_with_the_uid() {
    let fixture = Fixture::new();
    let status = fixture.status(|status| status.polls = 2);
    let unchanged = fixture
        .patcher
        .merge(&fixture.queue, &status)
        .await
        .unwrap();
    assert!(unchanged.is_none() && fixture.sent().is_empty());

    let status = fixture.status(|status| status.error = None);
    fixture
        .patcher
        .merge(&fixture.queue, &status)
        .await
        .unwrap();
    let (uri, media, body) = fixture.sent().remove(0);
    assert!(
        uri.starts_with("/apis/example.com/v1/queues/q/status?"),
        "{uri}"
    );
    assert_eq!(media, "application/merge-patch+json");
    assert_eq!(
        body,
        json!({"metadata": {"uid": "u1"}, "status": {"error": null}})
    );
}

#[tokio::test]
async fn merge_guards_lists_by_the_resource_version() {
    let fixture = Fixture::new();
    let status = fixture.status(|status| status.tags.push("b".to_owned()));
    fixture
        .patcher
        .merge(&fixture.queue, &status)
        .await
        .unwrap();
    let (_, _, body) = fixture.sent().remove(0);
    let expected =
        json!({"metadata": {"uid": "u1", "resourceVersion": "7"}, "status": {"tags": ["a", "b"]}});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn apply_sends_everything_it_wants() {
    let fixture = Fixture::new();
    let same = fixture.status(|status| status.polls = 2);
    let unchanged = fixture.patcher.apply(&fixture.queue, &same).await.unwrap();
    assert!(unchanged.is_none() && fixture.sent().is_empty());

    let status = fixture.status(|status| status.error = None);
    fixture
        .patcher
        .apply(&fixture.queue, &status)
        .await
        .unwrap();
    let (uri, media, body) = fixture.sent().remove(0);
    assert!(
        uri.contains("fieldManager=test") && uri.contains("force=true"),
        "{uri}"
    );
    assert_eq!(media, "application/apply-patch+yaml");
    let expected = json!({
        "apiVersion": "example.com/v1", "kind": "Queue", "metadata": {"name": "q", "uid": "u1"},
        "status": {"polls": 1, "tags": ["a"]},
    });
    assert_eq!(body, expected);
}
