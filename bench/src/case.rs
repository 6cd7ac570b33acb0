//! One case: one side, one number of objects.

use std::time::{Duration, Instant};

use opgen_apiserver::Cluster;
use opgen_runtime::{RunOptions, clients::Clients};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    controller,
    machine::{self, Context},
    measure::{Figure, cpu_seconds, peak_memory},
    provider::Slow,
};

/// Which operator runs.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// On opgen's runtime.
    Opgen,
    /// On kube-runtime's `Controller`, tuned.
    Tuned,
    /// On kube-runtime's `Controller`, as documented.
    Documented,
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Which operator.
    pub side: Side,
    /// How many objects.
    pub objects: usize,
    /// How long one provider call takes.
    pub provider_time: Duration,
    /// Runs at a time.
    pub in_flight: usize,
}

impl Case {
    /// Runs it on a runtime of its own.
    ///
    /// # Panics
    /// If the operator does not make every object Ready within ten minutes.
    pub fn run(&self) -> Figure {
        let runtime = match tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => panic!("no runtime: {error}"),
        };
        let figure = runtime.block_on(self.measure());
        runtime.shutdown_background();
        figure
    }

    async fn measure(&self) -> Figure {
        let cluster = Cluster::new();
        let manifests = machine::operator(self.in_flight).manifests();
        let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bench"}});
        let ready = cluster
            .apply_manifests(&[home])
            .and_then(|()| cluster.apply_manifests(&manifests));
        assert!(ready.is_ok(), "{ready:?}");
        for number in 0..self.objects {
            let created = cluster.create_raw(json!({
                "apiVersion": "bench.example.com/v1",
                "kind": "Thing",
                "metadata": {"name": format!("thing-{number}"), "namespace": "default"},
                "spec": {"size": 1},
            }));
            assert!(created.is_ok(), "{created:?}");
        }
        let provider = Slow::new(self.provider_time);
        let (mark, started, cpu) = (cluster.log().last(), Instant::now(), cpu_seconds());
        let operator = tokio::spawn(self.side(&cluster, provider.clone()));
        let status_writes = || {
            cluster.log().count(|entry| {
                entry.committed && entry.resource == "things" && entry.subresource == "status"
            })
        };
        while status_writes() < self.objects || provider.made() < self.objects {
            assert!(
                started.elapsed() < Duration::from_secs(600),
                "not every object is Ready after ten minutes"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let seconds = started.elapsed().as_secs_f64();
        // What the last status writes set off belongs to the work.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let cpu = cpu_seconds() - cpu;
        let requests = cluster.log().since(mark).len();
        operator.abort();
        Figure {
            side: self.side,
            objects: self.objects,
            seconds,
            cpu_seconds: cpu,
            requests,
            peak_bytes: peak_memory(),
        }
    }

    fn side(&self, cluster: &Cluster, provider: Slow) -> impl Future<Output = ()> + Send + 'static {
        let (side, in_flight, client) = (self.side, self.in_flight, cluster.client());
        async move {
            match side {
                Side::Opgen => {
                    let run = machine::operator(in_flight).run(
                        Clients::in_process(client),
                        Context::new(provider),
                        RunOptions::default(),
                    );
                    let ended = run.await;
                    assert!(ended.is_ok(), "{ended:?}");
                }
                Side::Tuned => controller::tuned(client, provider, in_flight).await,
                Side::Documented => controller::documented(client, provider).await,
            }
        }
    }
}
