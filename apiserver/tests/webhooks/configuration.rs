//! What a configuration may say.

use super::*;

#[test]
fn a_configuration_is_checked() {
    let cluster = Cluster::new();
    let wrong = json!({ "sideEffects": "Some", "timeoutSeconds": 31, "failurePolicy": "Maybe", "clientConfig": {} });
    let refused = cluster
        .create_raw(hook("Validating", "wrong", json!({}), wrong))
        .unwrap_err();
    assert_eq!(refused.code(), 422);
    for text in [
        "webhooks[0].sideEffects: Unsupported value: \"Some\"",
        "webhooks[0].timeoutSeconds: Invalid value: 31",
        "webhooks[0].failurePolicy: Unsupported value: \"Maybe\"",
        "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
    ] {
        assert!(
            refused.message().contains(text),
            "{text}: {}",
            refused.message()
        );
    }
}

#[test]
fn a_url_is_checked() {
    let cluster = Cluster::new();
    for (url, why) in [
        (
            "ftp://h/x",
            "Invalid value: \"ftp\": 'https' is the only allowed URL scheme",
        ),
        ("https:///x", "Invalid value: \"\": host must be specified"),
        (
            "https://u:p@h/x",
            "Invalid value: \"u:p\": user information is not permitted",
        ),
        (
            "https://h/x#f",
            "Invalid value: \"f\": fragments are not permitted",
        ),
        (
            "https://h/x?q=1",
            "Invalid value: \"q=1\": query parameters are not permitted",
        ),
    ] {
        let config = hook("Validating", "w", json!({ "url": url }), json!({}));
        let refused = cluster.create_raw(config).unwrap_err();
        let text = format!("webhooks[0].clientConfig.url: {why}");
        assert!(refused.message().contains(&text), "{}", refused.message());
    }
}

#[tokio::test(start_paused = true)]
async fn match_conditions_decide_who_is_asked() {
    let cluster = Cluster::new();
    cluster.webhook("default/never", |review| {
        answer(review, json!({ "allowed": false }))
    });
    let conditions = json!({ "matchConditions": [
        { "name": "not-deleted", "expression": "request.operation != 'DELETE'" },
        { "name": "red", "expression": "has(object.data) && object.data.color == 'red'" },
        { "name": "human", "expression": "!('system:nodes' in request.userInfo.groups)" },
    ] });
    cluster
        .create_raw(hook("Validating", "red", service("never"), conditions))
        .unwrap();
    let api = maps(&cluster);
    let params = PostParams::default();
    api.create(&params, &map("a", json!({ "color": "blue" })))
        .await
        .unwrap();
    let error = api
        .create(&params, &map("b", json!({ "color": "red" })))
        .await
        .unwrap_err();
    assert!(refusal(error).1.contains("denied the request"));
    api.delete("a", &DeleteParams::default()).await.unwrap();
    let odd =
        json!({ "matchConditions": [{ "name": "odd", "expression": "object.nosuch.field == 1" }] });
    cluster
        .create_raw(hook("Validating", "odd", service("never"), odd))
        .unwrap();
    let error = api.create(&params, &map("c", json!({}))).await.unwrap_err();
    assert_eq!(refusal(error).0, 501);
    let broken = json!({ "matchConditions": [{ "name": "broken", "expression": "object.(" }] });
    let refused = cluster
        .create_raw(hook("Validating", "broken", service("never"), broken))
        .unwrap_err();
    assert_eq!(refused.code(), 422);
}
