//! Conversion between the versions of a definition.

use super::*;

/// Widgets with `spec.size` in v1 and `spec.extent` in v2, where v1 is stored.
fn definition() -> Value {
    let integer = json!({ "type": "integer" });
    let mut definition = fixture::widgets(&json!({ "size": integer }));
    let later = fixture::widgets(&json!({ "extent": integer }));
    let mut later = later["spec"]["versions"][0].clone();
    later["name"] = json!("v2");
    later["storage"] = json!(false);
    let spec = &mut definition["spec"];
    spec["versions"].as_array_mut().unwrap().push(later);
    spec["conversion"] = json!({ "strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": service("convert"),
    } });
    definition
}

fn convert(review: &Value) -> Value {
    let request = &review["request"];
    let wanted = &request["desiredAPIVersion"];
    let (from, to) = if *wanted == "test.example.com/v2" {
        ("size", "extent")
    } else {
        ("extent", "size")
    };
    let objects: Vec<Value> = request["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| {
            let mut object = object.clone();
            object["apiVersion"] = wanted.clone();
            let spec = object["spec"].as_object_mut().unwrap();
            if let Some(value) = spec.remove(from) {
                spec.insert(to.to_owned(), value);
            }
            object
        })
        .collect();
    answer(
        review,
        json!({ "convertedObjects": objects, "result": { "status": "Success" } }),
    )
}

fn widgets(cluster: &Cluster, version: &str) -> Api<DynamicObject> {
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(
        "test.example.com",
        version,
        "Widget",
    ));
    Api::namespaced_with(cluster.client(), "default", &kind)
}

async fn check_conversion(cluster: &Cluster) {
    let (old, new) = (widgets(cluster, "v1"), widgets(cluster, "v2"));
    let mut seen = new
        .watch(&WatchParams::default(), "0")
        .await
        .unwrap()
        .boxed();
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v2", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "extent": 3 },
    }))
    .unwrap();
    let made = new.create(&PostParams::default(), &widget).await.unwrap();
    assert_eq!(made.data["spec"], json!({ "extent": 3 }));
    assert_eq!(
        old.get("a").await.unwrap().data["spec"],
        json!({ "size": 3 })
    );
    let patch = Patch::Merge(json!({ "spec": { "size": 4 } }));
    old.patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let patch = Patch::Merge(json!({ "metadata": { "finalizers": ["test.example.com/x"] } }));
    let patched = new
        .patch("a", &PatchParams::default(), &patch)
        .await
        .unwrap();
    assert_eq!(patched.data["spec"], json!({ "extent": 4 }));
    assert_eq!(
        patched.metadata.resource_version,
        old.get("a").await.unwrap().metadata.resource_version
    );
    let listed = new.list(&ListParams::default()).await.unwrap();
    assert_eq!(listed.items[0].data["spec"], json!({ "extent": 4 }));
    let marked = new
        .delete("a", &DeleteParams::default())
        .await
        .unwrap()
        .left()
        .unwrap();
    assert_eq!(marked.data["spec"], json!({ "extent": 4 }));
    let mut extents = Vec::new();
    while extents.len() < 4 {
        match seen.next().await.unwrap().unwrap() {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                extents.push(object.data["spec"]["extent"].as_i64().unwrap());
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(extents, [3, 4, 4, 4]);
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_converted_by_webhook() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", convert);
    check_conversion(&cluster).await;
}

#[tokio::test(start_paused = true)]
async fn a_conversion_may_take_its_time() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook_async("default/convert", |review| async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        convert(&review)
    });
    check_conversion(&cluster).await;
    assert_eq!(cluster.log().writes(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_conversion_that_fails_is_an_error_of_the_server() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", |review| {
        answer(
            review,
            json!({ "result": { "status": "Failure", "message": "cannot" } }),
        )
    });
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v2", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "extent": 3 },
    }))
    .unwrap();
    let error = widgets(&cluster, "v2")
        .create(&PostParams::default(), &widget)
        .await
        .unwrap_err();
    assert_eq!(
        refusal(error),
        (
            500,
            "conversion webhook for test.example.com/v2, Kind=Widget failed: cannot".to_owned()
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_rule_for_another_version_matches_what_is_equivalent() {
    let cluster = Cluster::new();
    cluster.create_raw(definition()).unwrap();
    cluster.webhook("default/convert", convert);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    cluster.webhook("default/limit", move |review| {
        let request = &review["request"];
        log.lock().unwrap().push(request.clone());
        let ops = json!([{ "op": "replace", "path": "/spec/extent", "value": 9 }]);
        answer(
            review,
            json!({ "allowed": true, "patchType": "JSONPatch", "patch": json_patch(&ops) }),
        )
    });
    let rules = json!([{
        "operations": ["CREATE"], "apiGroups": ["test.example.com"], "apiVersions": ["v2"], "resources": ["widgets"],
    }]);
    let exact = json!({ "rules": rules.clone(), "matchPolicy": "Exact" });
    cluster
        .create_raw(hook("Validating", "exact", service("gone"), exact))
        .unwrap();
    let limit = hook(
        "Mutating",
        "limit",
        service("limit"),
        json!({ "rules": rules }),
    );
    cluster.create_raw(limit).unwrap();
    let widget: DynamicObject = serde_json::from_value(json!({
        "apiVersion": "test.example.com/v1", "kind": "Widget", "metadata": { "name": "a" }, "spec": { "size": 3 },
    }))
    .unwrap();
    let made = widgets(&cluster, "v1")
        .create(&PostParams::default(), &widget)
        .await
        .unwrap();
    assert_eq!(made.data["spec"], json!({ "size": 9 }));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0]["object"]["spec"], json!({ "extent": 3 }));
    assert_eq!(seen[0]["kind"]["version"], "v2");
    assert_eq!(seen[0]["requestKind"]["version"], "v1");
}
