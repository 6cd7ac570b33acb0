//! Random requests against the server and against a small independent model: both must tell the same story, and a
//! watcher that replays events must equal a fresh list.
#![allow(clippy::unwrap_used)]

mod fixture;

use std::collections::BTreeMap;

use futures::StreamExt;
use http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use opgen_apiserver::{Cluster, ClusterService};
use proptest::prelude::*;
use serde_json::{Value, json};
use tower::Service;

const PATH: &str = "/apis/test.example.com/v1/namespaces/default/widgets";

#[derive(Clone, Debug)]
enum Step {
    Create {
        name: u8,
        replicas: i64,
        finalizer: bool,
    },
    Spec {
        name: u8,
        replicas: i64,
    },
    Label {
        name: u8,
        value: u8,
    },
    Status {
        name: u8,
        phase: u8,
    },
    Apply {
        name: u8,
        replicas: i64,
        manager: u8,
    },
    Delete {
        name: u8,
    },
    Finalize {
        name: u8,
    },
    StalePut {
        name: u8,
    },
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    let name = 0..4u8;
    let replicas = 0..12i64;
    prop_oneof![
        (name.clone(), replicas.clone(), any::<bool>()).prop_map(|(name, replicas, finalizer)| {
            Step::Create {
                name,
                replicas,
                finalizer,
            }
        }),
        (name.clone(), replicas.clone()).prop_map(|(name, replicas)| Step::Spec { name, replicas }),
        (name.clone(), 0..3u8).prop_map(|(name, value)| Step::Label { name, value }),
        (name.clone(), 0..3u8).prop_map(|(name, phase)| Step::Status { name, phase }),
        (name.clone(), replicas, 0..2u8).prop_map(|(name, replicas, manager)| Step::Apply {
            name,
            replicas,
            manager
        }),
        name.clone().prop_map(|name| Step::Delete { name }),
        name.clone().prop_map(|name| Step::Finalize { name }),
        name.prop_map(|name| Step::StalePut { name }),
        Just(Step::Compact),
    ]
}

/// What the model knows of an object.
#[derive(Clone, Debug, PartialEq)]
struct Widget {
    replicas: i64,
    label: Option<u8>,
    phase: Option<u8>,
    finalizer: bool,
    deleting: bool,
    generation: i64,
}

#[derive(Default)]
struct Model(BTreeMap<u8, Widget>);

impl Model {
    /// The status code that the step must get, and whether it makes a revision.
    fn take(&mut self, step: &Step) -> (u16, bool) {
        match *step {
            Step::Create {
                name,
                replicas,
                finalizer,
            } => {
                if replicas > 10 {
                    return (422, false);
                }
                if self.0.contains_key(&name) {
                    return (409, false);
                }
                let made = Widget {
                    replicas,
                    label: None,
                    phase: None,
                    finalizer,
                    deleting: false,
                    generation: 1,
                };
                self.0.insert(name, made);
                (201, true)
            }
            Step::Spec { name, replicas } => self.change(name, |widget| {
                if replicas > 10 {
                    return false;
                }
                if widget.replicas != replicas {
                    widget.replicas = replicas;
                    widget.generation += 1;
                }
                true
            }),
            Step::Label { name, value } => self.change(name, |widget| {
                widget.label = Some(value);
                true
            }),
            Step::Status { name, phase } => self.change(name, |widget| {
                widget.phase = Some(phase);
                true
            }),
            Step::Apply { name, replicas, .. } if !self.0.contains_key(&name) => {
                self.take(&Step::Create {
                    name,
                    replicas,
                    finalizer: false,
                })
            }
            Step::Apply { name, replicas, .. } => {
                // Who owns what is the other tests' business: a new manager makes a revision though nothing changes.
                let (code, _) = self.take(&Step::Spec { name, replicas });
                (code, false)
            }
            Step::Delete { name } => match self.0.get_mut(&name) {
                None => (404, false),
                Some(widget) if widget.finalizer => {
                    let first = !widget.deleting;
                    widget.generation += i64::from(first);
                    widget.deleting = true;
                    (200, first)
                }
                Some(_) => {
                    self.0.remove(&name);
                    (200, true)
                }
            },
            Step::Finalize { name } => {
                let gone = self.0.get(&name).is_some_and(|widget| widget.deleting);
                let result = self.change(name, |widget| {
                    widget.finalizer = false;
                    true
                });
                if gone {
                    self.0.remove(&name);
                }
                result
            }
            Step::StalePut { name } if self.0.contains_key(&name) => (409, false),
            Step::StalePut { .. } => (404, false),
            Step::Compact => (0, false),
        }
    }

    fn change(&mut self, name: u8, change: impl FnOnce(&mut Widget) -> bool) -> (u16, bool) {
        let Some(widget) = self.0.get_mut(&name) else {
            return (404, false);
        };
        let before = widget.clone();
        if !change(widget) {
            return (422, false);
        }
        (200, *widget != before)
    }
}

async fn send(
    service: &mut ClusterService,
    method: Method,
    path: &str,
    kind: &str,
    body: &Value,
) -> (u16, Value) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, kind)
        .body(if body.is_null() {
            String::new()
        } else {
            body.to_string()
        })
        .unwrap();
    let response = service.call(request).await.unwrap();
    let status = response.status();
    assert_ne!(status, StatusCode::NOT_IMPLEMENTED);
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status.as_u16(), serde_json::from_slice(&bytes).unwrap())
}

async fn play(service: &mut ClusterService, cluster: &Cluster, step: &Step) -> u16 {
    let widget = |name: u8, replicas: i64| {
        json!({
            "apiVersion": "test.example.com/v1", "kind": "Widget",
            "metadata": { "name": format!("w{name}") }, "spec": { "replicas": replicas },
        })
    };
    let at = |name: &u8| format!("{PATH}/w{name}");
    let merge = "application/merge-patch+json";
    let json = "application/json";
    let (method, path, kind, body) = match step {
        Step::Create {
            name,
            replicas,
            finalizer,
        } => {
            let mut body = widget(*name, *replicas);
            if *finalizer {
                body["metadata"]["finalizers"] = json!(["example.com/f"]);
            }
            (Method::POST, PATH.to_owned(), json, body)
        }
        Step::Spec { name, replicas } => (
            Method::PATCH,
            at(name),
            merge,
            json!({ "spec": { "replicas": replicas } }),
        ),
        Step::Label { name, value } => (
            Method::PATCH,
            at(name),
            merge,
            json!({ "metadata": { "labels": { "l": value.to_string() } } }),
        ),
        Step::Status { name, phase } => (
            Method::PATCH,
            format!("{}/status", at(name)),
            merge,
            json!({ "status": { "phase": phase.to_string() } }),
        ),
        Step::Apply {
            name,
            replicas,
            manager,
        } => (
            Method::PATCH,
            format!("{}?fieldManager=m{manager}&force=true", at(name)),
            "application/apply-patch+yaml",
            widget(*name, *replicas),
        ),
        Step::Delete { name } => (Method::DELETE, at(name), json, Value::Null),
        Step::Finalize { name } => (
            Method::PATCH,
            at(name),
            merge,
            json!({ "metadata": { "finalizers": null } }),
        ),
        Step::StalePut { name } => {
            let mut body = widget(*name, 1);
            body["metadata"]["resourceVersion"] = "1".into();
            (Method::PUT, at(name), json, body)
        }
        Step::Compact => {
            cluster.compact();
            return 0;
        }
    };
    send(service, method, &path, kind, &body).await.0
}

fn cluster() -> Cluster {
    let cluster = Cluster::new();
    let fields = json!({ "replicas": { "type": "integer", "maximum": 10 } });
    cluster.create_raw(fixture::widgets(&fields)).unwrap();
    cluster
}

fn seen(object: &Value) -> Widget {
    let number = |value: &Value| value.as_str().map(|text| text.parse().unwrap());
    Widget {
        replicas: object["spec"]["replicas"].as_i64().unwrap(),
        label: number(&object["metadata"]["labels"]["l"]),
        phase: number(&object["status"]["phase"]),
        finalizer: object["metadata"]["finalizers"].is_array(),
        deleting: object["metadata"]["deletionTimestamp"].is_string(),
        generation: object["metadata"]["generation"].as_i64().unwrap(),
    }
}

async fn tell(steps: Vec<Step>) {
    let cluster = cluster();
    let mut service = cluster.service();
    let request = Request::get(format!(
        "{PATH}?watch=1&resourceVersion={}",
        cluster.revision()
    ))
    .body(String::new())
    .unwrap();
    let watch = service.call(request).await.unwrap();
    let mut lines = watch.into_body().into_data_stream();
    let mut model = Model::default();
    let mut replayed: BTreeMap<String, Value> = BTreeMap::new();
    let mut last = 0u64;
    for step in steps {
        let (code, revises) = model.take(&step);
        let before = cluster.revision();
        assert_eq!(play(&mut service, &cluster, &step).await, code, "{step:?}");
        let after = cluster.revision();
        if !matches!(step, Step::Apply { .. }) {
            assert_eq!(after - before, u64::from(revises), "{step:?}");
        }
        // One event for each revision, no more, no less, with versions that only grow.
        for _ in before..after {
            let line = lines.next().await.unwrap().unwrap();
            let event: Value = serde_json::from_slice(&line).unwrap();
            let object = &event["object"];
            let version: u64 = object["metadata"]["resourceVersion"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            assert!(version > last, "{version} after {last}");
            last = version;
            let name = object["metadata"]["name"].as_str().unwrap().to_owned();
            match event["type"].as_str().unwrap() {
                "ADDED" => assert!(replayed.insert(name, object.clone()).is_none()),
                "MODIFIED" => assert!(replayed.insert(name, object.clone()).is_some()),
                "DELETED" => assert!(replayed.remove(&name).is_some()),
                other => panic!("unexpected event {other}"),
            }
        }
        let silence = futures::FutureExt::now_or_never(lines.next());
        assert!(
            silence.is_none(),
            "an event without a revision after {step:?}"
        );
        let (_, list) = send(
            &mut service,
            Method::GET,
            PATH,
            "application/json",
            &Value::Null,
        )
        .await;
        let listed: Vec<&Value> = list["items"].as_array().unwrap().iter().collect();
        assert_eq!(
            listed,
            replayed.values().collect::<Vec<_>>(),
            "replay and list differ after {step:?}"
        );
        let known: BTreeMap<u8, Widget> = listed
            .iter()
            .map(|object| {
                (
                    object["metadata"]["name"].as_str().unwrap()[1..]
                        .parse()
                        .unwrap(),
                    seen(object),
                )
            })
            .collect();
        assert_eq!(known, model.0, "the model differs after {step:?}");
    }
}

proptest! {
    // CASES and STEPS multiply to the length of the run: OPGEN_FUZZ_CASES=1700 gives 100,000 steps.
    #![proptest_config(ProptestConfig {
        cases: std::env::var("OPGEN_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_server_does_what_the_model_says(steps in prop::collection::vec(step(), 40..80)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(tell(steps));
    }
}
