//! The hand-written operator against an in-memory API server, in virtual time.
#![allow(clippy::unwrap_used, missing_docs)]

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hand_written_operator::{
    Settings,
    dns::{BoundedDns, Dns},
    record::{Record, RecordStatus},
    run,
};
use kube::{Api, CustomResourceExt};
use opgen_apiserver::{Cluster, Fault};
use opgen_runtime::{
    LeaderElection, Placement,
    clients::Clients,
    clock::SharedClock,
    external::{CallError, CallResult},
    pieces::Health,
    probes, secs,
    status::StatusPatcher,
    timeout_client,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::JoinHandle,
    time::Instant,
};

/// A provider that can be told to misbehave.
#[derive(Clone, Default)]
struct Fake {
    calls: Arc<Mutex<Vec<(String, Instant)>>>,
    fails: Arc<AtomicBool>,
    hangs_on: Arc<Mutex<Option<String>>>,
}

impl Fake {
    fn calls(&self, name: &str) -> Vec<Instant> {
        let calls = self.calls.lock().unwrap();
        let of_name = calls.iter().filter(|(called, _)| called == name);
        of_name.map(|(_, at)| *at).collect()
    }
}

#[timeout_client]
impl Dns for Fake {
    async fn set(&self, name: &str, address: &str) -> CallResult<String> {
        let now = Instant::now();
        self.calls.lock().unwrap().push((name.to_owned(), now));
        let hangs = self.hangs_on.lock().unwrap().as_deref() == Some(name);
        if hangs {
            std::future::pending::<()>().await;
        }
        if self.fails.load(Ordering::Relaxed) {
            return Err(CallError::rejected("not today"));
        }
        Ok(address.to_owned())
    }
}

fn record(name: &str) -> Value {
    json!({
        "apiVersion": "dns.example.com/v1", "kind": "Record",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"address": "10.0.0.1"},
    })
}

fn cluster() -> Cluster {
    fastrand::seed(1);
    let cluster = Cluster::new();
    let crd = serde_json::to_value(Record::crd()).unwrap();
    let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "dns"}});
    cluster.apply_manifests(&[crd, home]).unwrap();
    cluster
}

struct Process {
    clients: Clients,
    health: Health,
    run: JoinHandle<Result<String, String>>,
}

fn start(cluster: &Cluster, fake: &Fake, identity: &str) -> Process {
    let clients = Clients::in_process(cluster.client());
    let clock = cluster.clock();
    let clock: SharedClock = Arc::new(move || clock.now());
    let metrics = clients.metrics().clone();
    let health = Health::new(metrics, Arc::clone(&clock), secs(30));
    let settings = Settings {
        placement: Placement::Inline,
        election: LeaderElection {
            identity: identity.to_owned(),
            ..LeaderElection::default()
        },
        home: "dns".to_owned(),
    };
    let dns = BoundedDns::new(fake.clone());
    let run = run(clients.clone(), dns, clock, health.clone(), settings);
    Process {
        clients,
        health,
        run: tokio::spawn(run),
    }
}

fn get(cluster: &Cluster, name: &str) -> Value {
    cluster.get_raw("records", "default", name).unwrap()
}

fn writes(cluster: &Cluster) -> usize {
    cluster
        .log()
        .count(|entry| entry.resource == "records" && entry.verb == "patch" && entry.committed)
}

#[tokio::test(start_paused = true)]
async fn it_converges_and_then_writes_nothing() {
    let (cluster, fake) = (cluster(), Fake::default());
    cluster.create_raw(record("a")).unwrap();
    let process = start(&cluster, &fake, "one");
    tokio::time::sleep(secs(60)).await;
    assert_eq!(get(&cluster, "a")["status"]["address"], "10.0.0.1");
    let (calls, written) = (fake.calls("a").len(), writes(&cluster));
    assert_eq!(
        (calls, written),
        (1, 1),
        "its own status write wakes nobody"
    );
    tokio::time::sleep(secs(3 * 3600)).await;
    assert!(fake.calls("a").len() > 10, "it is looked at");
    assert_eq!(
        writes(&cluster),
        written,
        "a new time is no reason to write"
    );
    let moved = json!({"spec": {"address": "10.0.0.2"}});
    cluster
        .patch_raw("records", "default", "a", "", &moved)
        .unwrap();
    tokio::time::sleep(secs(5)).await;
    assert_eq!(get(&cluster, "a")["status"]["address"], "10.0.0.2");
    process.run.abort();
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_returns_holds_up_no_other() {
    let (cluster, fake) = (cluster(), Fake::default());
    *fake.hangs_on.lock().unwrap() = Some("hung".to_owned());
    cluster.create_raw(record("hung")).unwrap();
    let process = start(&cluster, &fake, "one");
    tokio::time::sleep(secs(5)).await;
    cluster.create_raw(record("fine")).unwrap();
    tokio::time::sleep(secs(2)).await;
    assert_eq!(get(&cluster, "fine")["status"]["address"], "10.0.0.1");
    let metrics = process.clients.metrics();
    tokio::time::sleep(secs(60)).await;
    assert!(metrics.encode().contains("result=\"timeout\""));
    process.run.abort();
}

#[tokio::test(start_paused = true)]
async fn failures_back_off_each_on_its_own() {
    let (cluster, fake) = (cluster(), Fake::default());
    fake.fails.store(true, Ordering::Relaxed);
    cluster.create_raw(record("a")).unwrap();
    let process = start(&cluster, &fake, "one");
    tokio::time::sleep(secs(3600)).await;
    let calls = fake.calls("a");
    assert!(
        (15..80).contains(&calls.len()),
        "{} in an hour",
        calls.len()
    );
    let last = calls.windows(2).map(|two| two[1] - two[0]).max().unwrap();
    assert!(last > secs(60) && last <= secs(301), "{last:?}");
    cluster.create_raw(record("b")).unwrap();
    tokio::time::sleep(secs(3)).await;
    assert!(fake.calls("b").len() > 1, "its first waits are short");
    process.run.abort();
}

#[tokio::test(start_paused = true)]
async fn of_two_processes_one_works() {
    let (cluster, fakes) = (cluster(), [Fake::default(), Fake::default()]);
    cluster.create_raw(record("a")).unwrap();
    let first = start(&cluster, &fakes[0], "one");
    tokio::time::sleep(secs(30)).await;
    let second = start(&cluster, &fakes[1], "two");
    tokio::time::sleep(secs(300)).await;
    assert_eq!(fakes[0].calls("a").len(), 1);
    assert!(fakes[1].calls("a").is_empty(), "it stands by");
    // The leader's renewals fail: it stops by itself, and the other takes over.
    let cut = Fault::new().resource("leases").verb("update").times(12);
    cluster.inject(cut.fail_before_commit(500));
    let ended = tokio::time::timeout(secs(30), first.run).await;
    assert!(ended.unwrap().unwrap().is_ok(), "it says why");
    tokio::time::sleep(secs(120)).await;
    assert!(!fakes[1].calls("a").is_empty());
    second.run.abort();
}

#[tokio::test(start_paused = true)]
async fn a_stale_view_writes_nothing() {
    let cluster = cluster();
    cluster.create_raw(record("a")).unwrap();
    let api = Api::<Record>::namespaced(cluster.client(), "default");
    let patcher = StatusPatcher::new(api.clone(), "test");
    let stale = api.get("a").await.unwrap();
    let status = RecordStatus {
        address: Some("10.0.0.1".to_owned()),
        error: Some("it was slow".to_owned()),
        looked_at: None,
    };
    let written = patcher.json(&stale, &status).await.unwrap().unwrap();
    assert_eq!(written.status.as_ref(), Some(&status));
    let refused = patcher.json(&stale, &RecordStatus::default()).await;
    assert!(
        refused.is_ok_and(|sent| sent.is_none()),
        "nothing differs there"
    );
    let other = RecordStatus {
        address: Some("10.9.9.9".to_owned()),
        ..RecordStatus::default()
    };
    let refused = patcher.json(&stale, &other).await;
    assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 422));
    let cleared = RecordStatus {
        error: None,
        looked_at: Some("now".to_owned()),
        ..status.clone()
    };
    let written = patcher.json(&written, &cleared).await.unwrap().unwrap();
    assert_eq!(
        written.status.as_ref(),
        Some(&cleared),
        "the old message is gone"
    );
    let again = RecordStatus {
        looked_at: Some("later".to_owned()),
        ..cleared
    };
    assert!(patcher.json(&written, &again).await.unwrap().is_none());
}

async fn answer(addr: SocketAddr, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(addr).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

/// In real time: the probes live on a thread of their own.
#[tokio::test]
async fn the_probes_tell_how_it_is() {
    let (cluster, fake) = (cluster(), Fake::default());
    cluster.create_raw(record("a")).unwrap();
    let process = start(&cluster, &fake, "one");
    let addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = probes::serve(addr, Arc::new(process.health.clone())).unwrap();
    let started = std::time::Instant::now();
    while !answer(server.address(), "/readyz").await.contains("200 OK") {
        assert!(started.elapsed() < secs(20));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(answer(server.address(), "/livez").await.contains("200 OK"));
    let metrics = answer(server.address(), "/metrics").await;
    assert!(metrics.contains("leader_election_master_status{name=\"record-operator\"} 1"));
    process.run.abort();
    let _ = process.run.await;
}
