//! Admission: who is asked, in which order, and what comes of the answers.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_validating_webhook_sees_each_write_and_may_refuse_it() {
    let cluster = Cluster::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    cluster.webhook("default/judge/review", move |review| {
        let request = &review["request"];
        log.lock().unwrap().push(request.clone());
        let bad = request["object"]["data"]["color"] == "red";
        answer(
            review,
            json!({
                "allowed": !bad, "warnings": ["careful"],
                "status": { "code": 403, "reason": "Forbidden", "message": "no red" },
            }),
        )
    });
    cluster
        .create_raw(hook("Validating", "judge", service("judge"), json!({})))
        .unwrap();
    let api = maps(&cluster);
    let made = api
        .create(
            &PostParams::default(),
            &map("a", json!({ "color": "blue" })),
        )
        .await
        .unwrap();
    assert!(made.metadata.uid.is_some());
    let patch = Patch::Merge(json!({ "data": { "color": "red" } }));
    let error = api
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            403,
            "admission webhook \"judge.example.com\" denied the request: no red".to_owned()
        )
    );
    assert_eq!(
        api.get("a").await.unwrap().metadata.resource_version,
        made.metadata.resource_version
    );
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let seen = seen.lock().unwrap();
    let told: Vec<&Value> = seen.iter().map(|request| &request["operation"]).collect();
    assert_eq!(told, ["CREATE", "UPDATE", "DELETE"]);
    assert_eq!(seen[1]["oldObject"]["data"]["color"], "blue");
    assert_eq!(seen[1]["options"]["kind"], "PatchOptions");
    assert_eq!(seen[2]["object"], Value::Null);
    assert_eq!(seen[2]["name"], "a");
    assert_eq!(seen[0]["userInfo"]["username"], "kubernetes-admin");
}

#[tokio::test(start_paused = true)]
async fn mutating_webhooks_come_in_order_and_again_if_needed() {
    let cluster = Cluster::new();
    let append = |review: &Value, letter: &str| {
        let before = review["request"]["object"]["data"]["path"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if before.ends_with(letter) {
            return answer(review, json!({ "allowed": true }));
        }
        let ops =
            json!([{ "op": "add", "path": "/data/path", "value": format!("{before}{letter}") }]);
        answer(
            review,
            json!({ "allowed": true, "patchType": "JSONPatch", "patch": json_patch(&ops) }),
        )
    };
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    cluster.webhook("default/one", move |review| {
        counted.fetch_add(1, Ordering::SeqCst);
        assert!(review["request"]["object"]["metadata"]["uid"].is_null());
        append(review, "1")
    });
    cluster.webhook("default/two", move |review| append(review, "2"));
    let again = json!({ "reinvocationPolicy": "IfNeeded" });
    let creations = json!([{ "operations": ["CREATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"] }]);
    cluster
        .create_raw(hook(
            "Mutating",
            "b-two",
            service("two"),
            json!({ "rules": creations.clone() }),
        ))
        .unwrap();
    let mut first = hook("Mutating", "a-one", service("one"), again);
    first["webhooks"][0]["rules"] = creations;
    cluster.create_raw(first).unwrap();
    let made = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({ "path": "0" })))
        .await
        .unwrap();
    assert_eq!(made.data.unwrap()["path"], "0121");
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_webhook_times_out_in_virtual_time_as_its_policy_says() {
    let cluster = Cluster::new();
    cluster.webhook_async("default/slow", |review| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        answer(&review, json!({ "allowed": false }))
    });
    let limit = json!({ "timeoutSeconds": 7 });
    cluster
        .create_raw(hook("Validating", "slow", service("slow"), limit))
        .unwrap();
    let api = maps(&cluster);
    let begin = tokio::time::Instant::now();
    let error = api
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(begin.elapsed().as_secs(), 7);
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert_eq!(
        message,
        "Internal error occurred: failed calling webhook \"slow.example.com\": failed to call webhook: Post \"https://slow.default.svc:443/review?timeout=7s\": context deadline exceeded"
    );
    let patch = json!({ "webhooks": [{
        "name": "slow.example.com", "clientConfig": service("slow"), "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore",
        "rules": [{ "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] }],
    }] });
    cluster
        .patch_raw("validatingwebhookconfigurations", "", "slow", "", &patch)
        .unwrap();
    api.create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_in_time_counts_once() {
    let cluster = Cluster::new();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    cluster.webhook_async("default/slow", move |review| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            answer(&review, json!({ "allowed": true }))
        }
    });
    cluster
        .create_raw(hook("Validating", "slow", service("slow"), json!({})))
        .unwrap();
    cluster
        .create_raw(hook("Mutating", "slow", service("slow"), json!({})))
        .unwrap();
    let api = maps(&cluster);
    for name in ["a", "b"] {
        api.create(&PostParams::default(), &map(name, json!({})))
            .await
            .unwrap();
    }
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    api.delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 8);
    assert_eq!(cluster.log().writes(), 3);
    assert!(
        cluster
            .list_raw("configmaps", "default")
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn selectors_and_dry_runs_decide_who_is_asked() {
    let cluster = Cluster::new();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    let other = json!({ "objectSelector": { "matchLabels": { "guarded": "yes" } } });
    cluster
        .create_raw(hook("Validating", "labels", service("never"), other))
        .unwrap();
    let elsewhere = json!({ "namespaceSelector": { "matchLabels": { "kubernetes.io/metadata.name": "kube-system" } } });
    cluster
        .create_raw(hook("Validating", "spaces", service("never"), elsewhere))
        .unwrap();
    let api = maps(&cluster);
    api.create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap();
    let mut guarded = map("b", json!({}));
    guarded.metadata.labels = Some([("guarded".to_owned(), "yes".to_owned())].into());
    let error = api
        .create(&PostParams::default(), &guarded)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            400,
            "admission webhook \"labels.example.com\" denied the request without explanation"
                .to_owned()
        )
    );
    let system: Api<ConfigMap> = Api::namespaced(cluster.client(), "kube-system");
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let error = system.create(&dry, &map("c", json!({}))).await.unwrap_err();
    assert!(refusal(error).1.contains("spaces.example.com"));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_nobody_serves_cannot_be_called() {
    let cluster = Cluster::new();
    cluster
        .create_raw(hook("Validating", "gone", service("gone"), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert!(message.ends_with("service \"gone\" not found"), "{message}");
    let secure = json!({ "url": "https://hooks.example.com/x" });
    cluster
        .create_raw(hook("Validating", "a-tls", secure, json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(refusal(error).0, 501);
}

#[tokio::test]
async fn webhooks_are_called_over_http() {
    use http_body_util::BodyExt;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/review", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let service = hyper::service::service_fn(
                |request: http::Request<hyper::body::Incoming>| async move {
                    let body = request.into_body().collect().await.unwrap().to_bytes();
                    let review: Value = serde_json::from_slice(&body).unwrap();
                    let status = json!({ "message": "over http" });
                    let said = answer(&review, json!({ "allowed": false, "status": status }));
                    Ok::<_, std::convert::Infallible>(http::Response::new(said.to_string()))
                },
            );
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(hyper_util::rt::TokioIo::new(stream), service),
            );
        }
    });
    let cluster = Cluster::new();
    cluster
        .create_raw(hook("Validating", "http", json!({ "url": url }), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error).1,
        "admission webhook \"http.example.com\" denied the request: over http"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_another_question_is_none() {
    let cluster = Cluster::new();
    cluster.webhook("default/odd", |review| {
        let mut said = answer(review, json!({ "allowed": true }));
        said["response"]["uid"] = "x".into();
        said
    });
    cluster
        .create_raw(hook("Validating", "odd", service("odd"), json!({})))
        .unwrap();
    let error = maps(&cluster)
        .create(&PostParams::default(), &map("a", json!({})))
        .await
        .unwrap_err();
    let (code, message) = refusal(error);
    assert_eq!(code, 500);
    assert!(
        message.contains("received invalid webhook response: expected response.uid="),
        "{message}"
    );
    assert!(
        cluster
            .list_raw("configmaps", "default")
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn a_write_that_changes_nothing_is_shown_to_webhooks_too() {
    let cluster = Cluster::new();
    let api = maps(&cluster);
    let made = api
        .create(&PostParams::default(), &map("a", json!({ "x": "1" })))
        .await
        .unwrap();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    cluster
        .create_raw(hook("Validating", "never", service("never"), json!({})))
        .unwrap();
    let same = Patch::Merge(json!({ "data": { "x": "1" } }));
    let error = api
        .patch("a", &PatchParams::default(), &same)
        .await
        .unwrap_err();
    assert!(refusal(error).1.contains("denied the request"));
    let now = api.get("a").await.unwrap();
    assert_eq!(
        now.metadata.resource_version,
        made.metadata.resource_version
    );
}
