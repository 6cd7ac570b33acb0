//! Starting, stopping, and telling how it goes. The probes are tested in real time: they live on a thread of their own.

use std::time::{Duration, Instant};

use opgen_runtime::{OperatorError, Placement, RunOptions, clients::Clients, secs};
use opgen_testkit::Cluster;
use tokio::net::TcpStream;

use crate::database::{Cloud, Mood, cluster, context, database, operator};
use crate::kubelet::{answer, answer_that, free_address, get};
use crate::{forge, replicas};

/// Why the operator refuses to start.
pub async fn refusal(cluster: &Cluster) -> String {
    let run = operator().run(
        Clients::in_process(cluster.client()),
        context(&Cloud::default()),
        RunOptions {
            placement: Placement::Inline,
            ..RunOptions::default()
        },
    );
    match tokio::time::timeout(secs(600), run).await {
        Ok(Err(OperatorError::Preflight(reasons))) => reasons.join("; "),
        other => panic!("it starts: {other:?}"),
    }
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
        let answer = answer_that(address, "/debug/reconciles", secs(4), |answer| {
            answer.contains("503")
        })
        .await;
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

/// The clock jumps by more than a loop may be silent, and the kubelet is answered before the loop gets to turn.
#[test]
pub fn a_loop_that_no_longer_turns_is_not_live() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (cluster, address) = (cluster(), free_address());
        let options = RunOptions {
            placement: Placement::Inline,
            probe_addr: Some(address),
            ..RunOptions::default()
        };
        let clients = Clients::in_process(cluster.client());
        let run = operator().run(clients, context(&Cloud::default()), options);
        let run = tokio::spawn(run);
        let is_ready = |answer: &str| answer.contains("200 OK");
        let ready = answer_that(address, "/readyz", secs(4), is_ready).await;
        assert!(is_ready(&ready), "{ready}");
        let mut stuck = String::new();
        for _ in 0..20 {
            // An open connection: sockets are looked at before timers.
            let kubelet = TcpStream::connect(address).await.unwrap();
            let first = livez_after(&kubelet, Duration::ZERO).await;
            assert!(is_ready(&first), "{first}");
            stuck = livez_after(&kubelet, secs(31)).await;
            if !is_ready(&stuck) {
                break;
            }
        }
        assert!(
            stuck.contains("503") && stuck.contains("the loop of Database has not turned for 3"),
            "{stuck}"
        );
        let again = answer(address, "/livez").await;
        assert!(is_ready(&again), "it turns again: {again}");
        run.abort();
    });
}

/// Asks on an open connection, and lets so much time go by at once before the answer.
async fn livez_after(kubelet: &TcpStream, time: Duration) -> String {
    tokio::time::pause();
    kubelet.writable().await.unwrap();
    kubelet
        .try_write(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    tokio::time::advance(time).await;
    tokio::time::resume();
    let mut answer = Vec::new();
    // The body comes with the head, or right after.
    let read = async {
        while !answer.windows(5).any(|five| five.starts_with(b"\r\n\r\n")) {
            kubelet.readable().await.unwrap();
            if let Ok(0) = kubelet.try_read_buf(&mut answer) {
                break;
            }
        }
    };
    tokio::time::timeout(secs(4), read).await.unwrap();
    String::from_utf8(answer).unwrap()
}
