//! Starting, stopping, and telling how it goes. The probes are tested in real time: they live on a thread of their own.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    time::{Duration, Instant},
};

use opgen_runtime::{OperatorError, RunOptions, clients::Clients, secs};
use opgen_testkit::Cluster;

use crate::database::{Cloud, Mood, cluster, context, database, operator};
use crate::{forge, replicas};

/// Why the operator refuses to start.
pub async fn refusal(cluster: &Cluster) -> String {
    let run = operator().run(
        Clients::in_process(cluster.client()),
        context(&Cloud::default()),
        RunOptions {
            placement: opgen_runtime::Placement::Inline,
            ..RunOptions::default()
        },
    );
    match tokio::time::timeout(secs(600), run).await {
        Ok(Err(OperatorError::Preflight(reasons))) => reasons.join("; "),
        other => panic!("it starts: {other:?}"),
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

/// What a kubelet gets within a second; empty if it gets nothing.
fn get(address: SocketAddr, path: &str) -> String {
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

/// Asks on a thread of its own until the answer is as wanted, for some seconds; gives back the last one.
fn asks(
    address: SocketAddr,
    path: &'static str,
    is_wanted: impl Fn(&str) -> bool + Send + 'static,
) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let started = Instant::now();
        loop {
            let answer = get(address, path);
            if is_wanted(&answer) || started.elapsed() > Duration::from_secs(4) {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    })
}

#[allow(clippy::disallowed_methods)]
fn in_real_time(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(test);
}

#[test]
pub fn the_object_that_is_stuck_can_be_found() {
    in_real_time(async {
        let (cluster, cloud, address) = (cluster(), Cloud::default(), free_address());
        cloud.is(Mood::Says(503));
        cluster.create_raw(database("stuck")).unwrap();
        let began = jiff::Timestamp::now();
        let options = RunOptions {
            probe_addr: Some(address),
            ..RunOptions::default()
        };
        let run = operator().run(
            Clients::in_process(cluster.client()),
            context(&cloud),
            options,
        );
        let run = tokio::spawn(run);
        let asked = asks(address, "/debug/reconciles", |answer| {
            answer.contains("503")
        });
        let answer = tokio::task::spawn_blocking(|| asked.join().unwrap())
            .await
            .unwrap();
        let (_, lines) = answer.split_once("\r\n\r\n").unwrap();
        let lines: Vec<serde_json::Value> = serde_json::from_str(lines).expect(&answer);
        let [stuck] = &*lines else {
            panic!("one is stuck: {answer}");
        };
        assert_eq!(stuck["name"], "stuck", "{answer}");
        assert_eq!(stuck["phase"], "Pending", "{answer}");
        let since: jiff::Timestamp = stuck["since"].as_str().unwrap().parse().unwrap();
        assert!(
            (began..=jiff::Timestamp::now()).contains(&since),
            "{answer}"
        );
        assert!(stuck["why"].as_str().unwrap().contains("503"), "{answer}");
        run.abort();
    });
}

/// A handler blocks the only thread of the executor for two seconds at a time.
#[test]
pub fn a_blocked_handler_does_not_silence_the_probes() {
    in_real_time(async {
        let (cluster, smithy) = (replicas::cluster(0), forge::Smithy::default());
        let mut object = forge::sword("s");
        object["spec"] = serde_json::json!({"blocks_ms": 3000});
        cluster.create_raw(object).unwrap();
        let address = free_address();
        let options = RunOptions {
            probe_addr: Some(address),
            shutdown: Box::pin(tokio::time::sleep(secs(2))),
            ..RunOptions::default()
        };
        let asked = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(1500));
            let began = Instant::now();
            let answer = get(address, "/livez");
            (answer, began.elapsed())
        });
        let clients = Clients::in_process(cluster.client());
        forge::operator()
            .run(clients, forge::context(&smithy, "one"), options)
            .await
            .unwrap();
        let (answer, took) = asked.join().unwrap();
        assert!(answer.contains("200 OK"), "{answer:?} after {took:?}");
    });
}
