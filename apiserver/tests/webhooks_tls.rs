//! Webhooks behind TLS, called as the real server calls them.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams};
use opgen_apiserver::Cluster;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates");
    std::fs::read(folder.join(name)).unwrap()
}

fn bundle(name: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(file(name))
}

/// A server with the certificate of that name. It denies what is red.
async fn serve(name: &str) -> SocketAddr {
    let chain = vec![CertificateDer::from_pem_slice(&file(&format!("{name}.pem"))).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(&file(&format!("{name}.key"))).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the server breaks the handshake off.
            let Ok(stream) = acceptor.accept(stream).await else {
                continue;
            };
            let served = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service_fn(review));
            let _ = served.await;
        }
    });
    address
}

async fn review(
    request: http::Request<Incoming>,
) -> Result<http::Response<Full<Bytes>>, hyper::Error> {
    assert_eq!(request.uri().path(), "/review");
    let body = request.into_body().collect().await?.to_bytes();
    let mut review: Value = serde_json::from_slice(&body).unwrap();
    let allowed = review["request"]["object"]["data"]["color"] != "red";
    review["response"] = json!({ "uid": review["request"]["uid"], "allowed": allowed });
    Ok(http::Response::new(Full::new(review.to_string().into())))
}

fn register(cluster: &Cluster, client: Value, policy: &str) {
    cluster
        .create_raw(json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": { "name": "w" }, "webhooks": [{
                "name": "w.example.com", "clientConfig": client, "sideEffects": "None", "failurePolicy": policy,
                "admissionReviewVersions": ["v1"],
                "rules": [{ "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"] }],
            }],
        }))
        .unwrap();
}

/// Code and message of what a map of that color is answered with; 201 if it was made.
async fn create(cluster: &Cluster, color: &str) -> (u16, String) {
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
    let map = json!({ "metadata": { "name": color }, "data": { "color": color } });
    let map: ConfigMap = serde_json::from_value(map).unwrap();
    match maps.create(&PostParams::default(), &map).await {
        Ok(_) => (201, String::new()),
        Err(kube::Error::Api(status)) => (status.code, status.message.clone()),
        Err(other) => panic!("{other}"),
    }
}

fn url(address: SocketAddr, host: &str) -> String {
    format!("https://{host}:{}/review", address.port())
}

#[tokio::test]
async fn a_url_is_called_over_tls() {
    for (name, trusted) in [("server", "server.pem"), ("issued", "authority.pem")] {
        let address = serve(name).await;
        for host in ["127.0.0.1", "localhost"] {
            let cluster = Cluster::new();
            let client = json!({ "url": url(address, host), "caBundle": bundle(trusted) });
            register(&cluster, client, "Fail");
            assert_eq!(
                create(&cluster, "blue").await,
                (201, String::new()),
                "{name} {host}"
            );
            let (code, message) = create(&cluster, "red").await;
            assert_eq!(code, 400);
            assert!(message.contains("denied the request"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_service_is_called_where_it_is_said_to_listen() {
    let address = serve("issued").await;
    let cluster = Cluster::new();
    let service =
        json!({ "namespace": "default", "name": "hooks", "path": "/review", "port": 8443 });
    register(
        &cluster,
        json!({ "service": service, "caBundle": bundle("authority.pem") }),
        "Fail",
    );
    let (code, message) = create(&cluster, "blue").await;
    assert_eq!(code, 500);
    assert!(
        message.ends_with("service \"hooks\" not found"),
        "{message}"
    );
    cluster.webhook_at("default/hooks", address);
    assert_eq!(create(&cluster, "blue").await.0, 201);
    assert_eq!(create(&cluster, "red").await.0, 400);
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_is_not_called() {
    let address = serve("issued").await;
    let strange = json!({ "url": url(address, "127.0.0.1"), "caBundle": bundle("server.pem") });
    let cluster = Cluster::new();
    register(&cluster, strange.clone(), "Fail");
    let (code, message) = create(&cluster, "blue").await;
    assert_eq!(code, 500);
    let tail = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    assert!(message.ends_with(tail), "{message}");

    let lenient = Cluster::new();
    register(&lenient, strange, "Ignore");
    assert_eq!(create(&lenient, "red").await.0, 201);
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    for (name, trusted) in [("server", "server.pem"), ("issued", "authority.pem")] {
        let address = serve(name).await;
        let cluster = Cluster::new();
        let service = json!({ "namespace": "kube-system", "name": "hooks", "path": "/review" });
        register(
            &cluster,
            json!({ "service": service, "caBundle": bundle(trusted) }),
            "Fail",
        );
        cluster.webhook_at("kube-system/hooks", address);
        let (code, message) = create(&cluster, "blue").await;
        assert_eq!(code, 500);
        assert!(
            message.contains("tls: failed to verify certificate: x509: "),
            "{message}"
        );
        assert!(message.contains("hooks.kube-system.svc"), "{message}");
    }
}

#[tokio::test]
async fn without_a_bundle_there_is_nobody_to_trust() {
    let address = serve("server").await;
    let cluster = Cluster::new();
    register(
        &cluster,
        json!({ "url": url(address, "localhost") }),
        "Ignore",
    );
    assert_eq!(create(&cluster, "blue").await.0, 501);

    let cluster = Cluster::new();
    let garbage = base64::engine::general_purpose::STANDARD.encode("garbage");
    register(
        &cluster,
        json!({ "url": url(address, "localhost"), "caBundle": garbage }),
        "Fail",
    );
    let (code, message) = create(&cluster, "blue").await;
    assert_eq!(code, 500);
    assert!(
        message.ends_with("unable to parse bytes as PEM block"),
        "{message}"
    );
}
