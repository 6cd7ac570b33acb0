//! The cluster over HTTP: kube's client, tokens, and input that no client would send.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::runtime::watcher;
use opgen_apiserver::{Cluster, ServeError, Served};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn serve(cluster: &Cluster) -> Served {
    cluster
        .serve(SocketAddr::from(([127, 0, 0, 1], 0)))
        .await
        .unwrap()
}

async fn client(served: &Served) -> kube::Client {
    let kubeconfig = Kubeconfig::from_yaml(&served.kubeconfig()).unwrap();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    kube::Client::try_from(config).unwrap()
}

/// Sends bytes as they are; the whole answer, or what came within two seconds.
async fn raw(addr: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(2), stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn request(method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn status(answer: &str) -> u16 {
    answer
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn kube_works_over_http() {
    let cluster = Cluster::new();
    let served = serve(&cluster).await;
    let client = client(&served).await;
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let mut events = watcher(maps.clone(), watcher::Config::default()).boxed();
    while !matches!(
        events.try_next().await.unwrap().unwrap(),
        watcher::Event::InitDone
    ) {}
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "a" } })).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    let event = tokio::time::timeout(Duration::from_secs(5), events.try_next())
        .await
        .unwrap();
    assert!(
        matches!(event.unwrap().unwrap(), watcher::Event::Apply(o) if o.metadata.name.as_deref() == Some("a"))
    );
    let groups = client.list_api_groups().await.unwrap();
    assert!(groups.groups.iter().any(|group| group.name == "apps"));
    served.shutdown();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(TcpStream::connect(served.addr).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_say_who_asks() {
    let cluster = Cluster::builder().rbac(true).build();
    cluster.add_token("a-t", "admin", "", &["system:masters"]);
    cluster.add_token("j-t", "jane", "", &["people"]);
    let served = serve(&cluster).await;
    let path = "/api/v1/namespaces/default/configmaps";
    for (headers, code) in [
        ("", 403),
        ("Authorization: Bearer a-t\r\n", 200),
        ("Authorization: Bearer j-t\r\n", 403),
        ("Authorization: Bearer wrong\r\n", 401),
        (
            "Authorization: Bearer a-t\r\nImpersonate-User: jane\r\n",
            403,
        ),
        (
            "Authorization: Bearer j-t\r\nImpersonate-User: admin\r\n",
            403,
        ),
    ] {
        assert_eq!(
            status(&raw(served.addr, &request("GET", path, headers, "")).await),
            code,
            "{headers}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_gets_a_status_and_harms_nobody() {
    let cluster = Cluster::new();
    let served = serve(&cluster).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let json = "Content-Type: application/json\r\n";
    let deep = "[".repeat(100_000);
    for (method, path, headers, body, code) in [
        ("POST", maps, json, "\u{0}\u{1}\u{2}", 400),
        ("POST", maps, json, "", 400),
        ("POST", maps, json, "[]", 400),
        ("POST", maps, json, "\"x\"", 400),
        ("POST", maps, json, deep.as_str(), 400),
        ("POST", maps, json, "{\"metadata\":7}", 400),
        ("POST", maps, "Content-Type: text/plain\r\n", "{}", 415),
        (
            "PATCH",
            "/api/v1/namespaces/default/configmaps/a",
            "Content-Type: x/y\r\n",
            "{}",
            415,
        ),
        ("GET", "/nosuch", "", "", 404),
        ("GET", "/api/v1/namespaces/default/nosuch", "", "", 404),
        (
            "GET",
            "/api/v1/namespaces/%ff%fe/configmaps/%00",
            "",
            "",
            404,
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?limit=x",
            "",
            "",
            400,
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?continue=%25%25",
            "",
            "",
            400,
        ),
        ("BREW", maps, "", "", 405),
        ("PUT", maps, json, "{}", 405),
        (
            "POST",
            "/api/v1/namespaces/default/configmaps/a",
            json,
            "{}",
            405,
        ),
        ("GET", "/apis/none.example.com/v1/things", "", "", 404),
        ("GET", maps, "Accept: image/png\r\n", "", 406),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?labelSelector=%3D%3D",
            "",
            "",
            400,
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?fieldSelector=spec.x%3D1",
            "",
            "",
            400,
        ),
        (
            "GET",
            "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=x",
            "",
            "",
            500,
        ),
        ("DELETE", "/api/v1/nodes/a/b/c/d", "", "", 404),
    ] {
        let answer = raw(served.addr, &request(method, path, headers, body)).await;
        assert_eq!(
            status(&answer),
            code,
            "{method} {path} {body:.20}: {answer:.300}"
        );
    }
    let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(4 << 20));
    let answer = raw(served.addr, &request("POST", maps, json, &huge)).await;
    assert_eq!(status(&answer), 413, "{answer:.300}");
    assert_eq!(
        status(&raw(served.addr, b"\xff\xfe garbage\r\n\r\n").await),
        400
    );
    // A half-open request and a reader that reads nothing hold nobody up.
    let mut half = TcpStream::connect(served.addr).await.unwrap();
    half.write_all(b"POST /api/v1 HTTP/1.1\r\nContent-Le")
        .await
        .unwrap();
    let mut deaf = TcpStream::connect(served.addr).await.unwrap();
    deaf.write_all(format!("GET {maps}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
        .await
        .unwrap();
    // A body that breaks off is no object.
    let mut broken = TcpStream::connect(served.addr).await.unwrap();
    let begin = format!(
        "POST {maps} HTTP/1.1\r\nHost: x\r\n{json}Content-Length: 100\r\n\r\n{{\"metadata\":{{\"name\":\"half\"}}}}"
    );
    broken.write_all(begin.as_bytes()).await.unwrap();
    drop(broken);
    let client = client(&served).await;
    let api: Api<ConfigMap> = Api::default_namespaced(client);
    for index in 0..200 {
        let map = json!({ "metadata": { "name": format!("m{index}") }, "data": { "x": "y".repeat(10_000) } });
        api.create(
            &PostParams::default(),
            &serde_json::from_value(map).unwrap(),
        )
        .await
        .unwrap();
    }
    assert_eq!(
        cluster.list_raw("configmaps", "default").unwrap().len(),
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn yaml_goes_in_and_comes_out() {
    let cluster = Cluster::new();
    let served = serve(&cluster).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    let yaml = "Content-Type: application/yaml\r\nAccept: application/yaml\r\n";
    let body = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: doc\ndata:\n  a: \"1\"\n  t: |\n    two\n    lines\n";
    let answer = raw(served.addr, &request("POST", maps, yaml, body)).await;
    assert_eq!(status(&answer), 201, "{answer}");
    assert!(answer.contains("content-type: application/yaml"));
    let text = answer.split_once("\r\n\r\n").unwrap().1;
    let shown: serde_json::Value = serde_saphyr::from_str(text).unwrap();
    assert_eq!(shown["data"], json!({ "a": "1", "t": "two\nlines\n" }));
    assert_eq!(
        shown,
        cluster.get_raw("configmaps", "default", "doc").unwrap()
    );
}

#[tokio::test]
async fn only_loopback_unless_told() {
    let refused = Cluster::new()
        .serve(SocketAddr::from(([0, 0, 0, 0], 0)))
        .await
        .unwrap_err();
    assert!(matches!(refused, ServeError::NotLoopback(_)));
}
