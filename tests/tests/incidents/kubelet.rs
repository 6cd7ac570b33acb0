//! What a kubelet gets from the probes, in real time: a socket knows no other.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

pub fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

/// What it gets within a second; empty if it gets nothing. Holds up its thread.
pub fn get(address: SocketAddr, path: &str) -> String {
    let ask = || -> std::io::Result<String> {
        let limit = Duration::from_secs(1);
        let mut stream = TcpStream::connect_timeout(&address, limit)?;
        stream.set_read_timeout(Some(limit))?;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().unwrap_or_default()
}

/// The same, while the executor goes on.
pub async fn answer(address: SocketAddr, path: &'static str) -> String {
    let asked = tokio::task::spawn_blocking(move || get(address, path));
    asked.await.unwrap()
}

/// Asks until the answer is as wanted, but not longer than `limit`; gives back the last one.
pub async fn answer_that(
    address: SocketAddr,
    path: &'static str,
    limit: Duration,
    is_wanted: impl Fn(&str) -> bool,
) -> String {
    let started = Instant::now();
    loop {
        let answer = answer(address, path).await;
        if is_wanted(&answer) || started.elapsed() > limit {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
