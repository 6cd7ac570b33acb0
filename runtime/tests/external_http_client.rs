//! The HTTP client's own timeouts, against servers that misbehave. Sockets, so in real time.
#![cfg(feature = "http-client")]
#![allow(clippy::unwrap_used)]

use std::{
    io::{Read, Write},
    net::TcpListener,
    time::{Duration, Instant},
};

use http::StatusCode;
use opgen_runtime::external::{CallError, HttpClientBuilder, http_client};

/// A server whose every connection gets `head`, then a byte as often as `drip` says, and is never closed.
fn server(head: &'static str, drip: Option<Duration>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(head.as_bytes());
                while stream.write_all(b"x").is_ok() || drip.is_none() {
                    std::thread::sleep(drip.unwrap_or(Duration::from_secs(60)));
                }
            });
        }
    });
    format!("http://{address}/path?token=secret")
}

fn quick() -> HttpClientBuilder {
    HttpClientBuilder::default()
        .connect_timeout(Duration::from_millis(200))
        .read_timeout(Duration::from_millis(200))
        .total_timeout(Duration::from_millis(600))
}

async fn body(client: reqwest::Client, url: &str) -> Result<String, CallError> {
    Ok(client.get(url).send().await?.text().await?)
}

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

#[tokio::test]
async fn a_body_that_stops_ends_after_the_read_timeout() {
    let url = server(HEAD, Some(Duration::from_secs(60)));
    let from = Instant::now();
    let error = body(quick().build().unwrap(), &url).await.unwrap_err();
    assert!(
        from.elapsed() < Duration::from_millis(550),
        "{:?}",
        from.elapsed()
    );
    assert!(matches!(error, CallError::Transport(_)), "{error:?}");
}

#[tokio::test]
async fn a_body_that_drips_ends_after_the_total_timeout() {
    let url = server(HEAD, Some(Duration::from_millis(50)));
    let from = Instant::now();
    let error = body(quick().build().unwrap(), &url).await.unwrap_err();
    let took = from.elapsed();
    assert!(
        (Duration::from_millis(500)..Duration::from_secs(5)).contains(&took),
        "{took:?}"
    );
    assert!(matches!(error, CallError::Transport(_)), "{error:?}");
}

#[tokio::test]
async fn a_status_becomes_its_error_and_the_url_is_in_no_message() {
    let url = server("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", None);
    let response = quick().build().unwrap().get(&url).send().await.unwrap();
    let error = CallError::from(response.error_for_status().unwrap_err());
    assert!(
        matches!(
            error,
            CallError::Unavailable {
                status: StatusCode::SERVICE_UNAVAILABLE,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(!format!("{error} {error:?}").contains("secret"));
}

#[tokio::test]
async fn https_only_refuses_plain_http() {
    let url = server(HEAD, None);
    let client = quick().https_only().build().unwrap();
    assert!(body(client, &url).await.is_err());
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_is_not_the_connections_fault() {
    let url = server("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", None);
    let response = quick().build().unwrap().get(&url).send().await.unwrap();
    let error = CallError::from(response.json::<u32>().await.unwrap_err());
    assert!(matches!(error, CallError::Other(_)), "{error:?}");
}

#[test]
fn the_default_client_can_be_made() {
    http_client().unwrap();
    http_client().unwrap();
}
