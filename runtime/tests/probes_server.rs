//! The probes: what they answer, and that nobody can hurt them. Sockets and threads, so in real time.
#![allow(clippy::unwrap_used)]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::{Duration, Instant},
};

use http::{Method, Request, Response, StatusCode};
use jiff::{SignedDuration, Timestamp};
use opgen_runtime::{
    metrics::Metrics,
    probes::{GraphView, ProbeSource, ReconcileState, ReconcileView, respond, serve, serve_inline},
};

#[derive(Clone, Default)]
struct Source {
    views: Vec<ReconcileView>,
    missing: Vec<String>,
    panics: bool,
}

impl ProbeSource for Source {
    fn live(&self) -> Result<(), Vec<String>> {
        assert!(!self.panics, "asked to");
        Ok(())
    }

    fn ready(&self) -> Result<(), Vec<String>> {
        if self.missing.is_empty() {
            Ok(())
        } else {
            Err(self.missing.clone())
        }
    }

    fn metrics(&self) -> String {
        let metrics = Metrics::new();
        metrics.retried("Database");
        metrics.encode()
    }

    fn reconciles(&self) -> Vec<ReconcileView> {
        self.views.clone()
    }

    fn graphs(&self) -> Vec<GraphView> {
        let graph = GraphView {
            kind: "Database".to_owned(),
            mermaid: "A --> B".to_owned(),
            svg: None,
        };
        let drawn = GraphView {
            svg: Some("<svg id=drawn></svg>".to_owned()),
            ..graph.clone()
        };
        vec![graph, drawn]
    }

    fn now(&self) -> Timestamp {
        now()
    }
}

fn now() -> Timestamp {
    "2026-01-02T00:00:00Z".parse().unwrap()
}

fn view(name: &str, seconds_ago: i64, why: &str) -> ReconcileView {
    ReconcileView {
        kind: "Database".to_owned(),
        namespace: Some("ns".to_owned()),
        name: name.to_owned(),
        phase: "Provisioning".to_owned(),
        state: ReconcileState::Waiting,
        since: now() - SignedDuration::from_secs(seconds_ago),
        why: why.to_owned(),
        next: Some(now() + SignedDuration::from_secs(75)),
    }
}

fn get(source: &Source, path: &str, accept: &str) -> Response<String> {
    let request = Request::get(path)
        .header("accept", accept)
        .body(())
        .unwrap();
    respond(source, &request)
}

#[test]
fn readiness_names_what_is_missing() {
    let mut source = Source::default();
    assert_eq!(get(&source, "/readyz", "*/*").status(), StatusCode::OK);
    source.missing = vec!["the cache of Database is not synced".to_owned()];
    let response = get(&source, "/readyz", "*/*");
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.body(), "the cache of Database is not synced\n");
    assert_eq!(get(&source, "/livez", "*/*").status(), StatusCode::OK);
}

#[test]
fn a_source_that_panics_is_a_500() {
    let source = Source {
        panics: true,
        ..Source::default()
    };
    let status = get(&source, "/livez", "*/*").status();
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[test]
fn only_reading_is_allowed_and_only_what_there_is() {
    let source = Source::default();
    let post = Request::builder()
        .method(Method::POST)
        .uri("/livez")
        .body(())
        .unwrap();
    let response = respond(&source, &post);
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(response.headers()["allow"], "GET, HEAD");
    assert_eq!(get(&source, "/secrets", "*/*").status(), 404);
}

#[test]
fn metrics_say_what_format_they_are() {
    let response = get(&Source::default(), "/metrics", "*/*");
    let content_type = response.headers()["content-type"].to_str().unwrap();
    assert!(content_type.starts_with("application/openmetrics-text"));
    assert!(response.body().ends_with("# EOF\n"));
}

#[test]
fn reconciles_come_oldest_first_as_json() {
    let source = Source {
        views: vec![
            view("young", 1, "a"),
            view("old", 100, "b"),
            view("mid", 9, "c"),
        ],
        ..Source::default()
    };
    let response = get(&source, "/debug/reconciles", "application/json");
    let rows: serde_json::Value = serde_json::from_str(response.body()).unwrap();
    let names: Vec<_> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["old", "mid", "young"]);
    assert_eq!(
        rows[0],
        serde_json::json!({
            "kind": "Database", "namespace": "ns", "name": "old", "phase": "Provisioning", "state": "waiting",
            "since": "2026-01-01T23:58:20Z", "why": "b", "next": "2026-01-02T00:01:15Z",
        })
    );
}

#[test]
fn a_browser_gets_a_page_that_no_object_can_write_script_into() {
    let source = Source {
        views: vec![
            view("young", 1, "<script>alert('x')</script>"),
            view("old", 90_000, "\"quoted\" & more"),
        ],
        ..Source::default()
    };
    let response = get(&source, "/debug/reconciles", "text/html,*/*;q=0.8");
    let page = response.body();
    assert!(
        response.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/html")
    );
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"));
    assert!(page.contains("&quot;quoted&quot; &amp; more"));
    assert!(page.find("<b>old</b>").unwrap() < page.find("<b>young</b>").unwrap());
    assert!(
        page.contains("1d 1h") && page.contains("in 1m 15s"),
        "{page}"
    );
    for outside in ["http://", "https://", "src="] {
        assert!(!page.contains(outside), "loads something: {page}");
    }
}

#[test]
fn a_long_list_is_cut_on_the_page_only() {
    let views: Vec<_> = (0..1200).map(|n| view(&format!("db-{n}"), n, "")).collect();
    let source = Source {
        views,
        ..Source::default()
    };
    let page = get(&source, "/debug/reconciles", "text/html").into_body();
    assert_eq!(page.matches("<tr><td").count(), 1000);
    assert!(page.contains("and 200 younger ones"));
    let json = get(&source, "/debug/reconciles", "*/*").into_body();
    assert_eq!(json.matches("\"name\"").count(), 1200);
}

#[test]
fn the_graph_is_text_or_a_drawing() {
    let source = Source::default();
    let page = get(&source, "/debug/graph", "text/html").into_body();
    assert!(page.contains("<pre>A --&gt; B</pre>"));
    assert!(page.contains("<svg id=drawn></svg>"));
    let json: serde_json::Value =
        serde_json::from_str(get(&source, "/debug/graph", "*/*").body()).unwrap();
    assert_eq!(json[0]["mermaid"], "A --> B");
}

fn anywhere() -> SocketAddr {
    ([127, 0, 0, 1], 0).into()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream
}

/// What the server says to these bytes, until it closes.
fn talk(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(bytes).unwrap();
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

const LIVEZ: &[u8] = b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

#[test]
fn it_serves_without_any_runtime_around_it_and_ends_when_dropped() {
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    let address = server.address();
    assert!(talk(address, LIVEZ).starts_with("HTTP/1.1 200"));
    drop(server);
    let until = Instant::now() + Duration::from_secs(10);
    while TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < until, "still listening");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn a_blocked_executor_does_not_silence_it() {
    // This runtime has one thread, and the blocking client below holds it.
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    assert!(talk(server.address(), LIVEZ).starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn inline_it_is_a_task_of_the_present_runtime() {
    let server = serve_inline(anywhere(), Arc::new(Source::default())).unwrap();
    let address = server.address();
    let answer = tokio::task::spawn_blocking(move || talk(address, LIVEZ));
    assert!(answer.await.unwrap().starts_with("HTTP/1.1 200"));
}

#[test]
fn a_taken_address_is_said_at_once() {
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    let error = serve(server.address(), Arc::new(Source::default())).unwrap_err();
    assert!(
        error.to_string().contains("choose another address"),
        "{error}"
    );
}

#[test]
fn bad_requests_hurt_nobody_else() {
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    let long = [b"GET /".as_slice(), &[b'a'; 100_000], b" HTTP/1.1\r\n\r\n"].concat();
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00".as_slice(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"BLAH\r\n\r\n",
        &long,
        b"POST /livez HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
    ] {
        let mut stream = connect(server.address());
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
        assert!(talk(server.address(), LIVEZ).starts_with("HTTP/1.1 200"));
    }
}

#[test]
fn a_head_that_never_ends_is_cut_off() {
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    let from = Instant::now();
    talk(server.address(), b"GET /livez HTTP/1.1\r\nHost: ");
    let took = from.elapsed();
    assert!(
        (Duration::from_secs(4)..Duration::from_secs(15)).contains(&took),
        "{took:?}"
    );
}

#[test]
fn a_flood_of_connections_keeps_nobody_out() {
    let server = serve(anywhere(), Arc::new(Source::default())).unwrap();
    let mut flood: Vec<_> = (0..80).map(|_| connect(server.address())).collect();
    assert!(talk(server.address(), LIVEZ).starts_with("HTTP/1.1 200"));
    // The oldest one went, long before its head was due.
    let from = Instant::now();
    let read = flood[0].read(&mut [0; 1]);
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    assert!(from.elapsed() < Duration::from_secs(3));
}
