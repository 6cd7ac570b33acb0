use std::{net::SocketAddr, sync::Arc};

use axum::{Router, extract::State, routing::get};
use prometheus_client::{metrics::counter::Counter, registry::Registry};

#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    reconciles: Counter,
    failures: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let (reconciles, failures) = (Counter::default(), Counter::default());
        registry.register("reconciles", "Runs", reconciles.clone());
        registry.register("reconcile_failures", "Runs that failed", failures.clone());
        Self { registry: Arc::new(registry), reconciles, failures }
    }
}

impl Metrics {
    pub fn reconciled(&self) {
        self.reconciles.inc();
    }

    pub fn failed(&self) {
        self.failures.inc();
    }

    fn encode(&self) -> String {
        let mut text = String::new();
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}

pub async fn serve(addr: SocketAddr, metrics: Metrics) {
    let app = Router::new()
        .route("/livez", get(async || "ok"))
        .route("/readyz", get(async || "ok"))
        .route("/metrics", get(async |State(metrics): State<Metrics>| metrics.encode()))
        .with_state(metrics);
    match tokio::net::TcpListener::bind(addr).await {
        Ok(listener) => {
            let _ = axum::serve(listener, app).await;
        }
        Err(error) => tracing::error!(%addr, %error, "probes cannot listen"),
    }
}
