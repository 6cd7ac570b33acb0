//! Traces to an OpenTelemetry collector, by OTLP over HTTP: one span per run of a handler, with kind, namespace, name,
//! phase, attempt and trigger, and in it the spans and events of the author's own code.
//!
//! Whatever the collector does, reconciles go on: spans wait in a bounded queue, a thread of its own sends them, and what
//! does not fit is dropped.
//!
//! An operator on [`cli::main`](crate::cli::main) has all this by the feature `otlp` and an endpoint. One with a `main` of
//! its own adds [`Traces::layer`] to its subscriber, and calls [`Traces::end`] last.
//!
//! The variables of the OpenTelemetry specification are heard: `OTEL_EXPORTER_OTLP_ENDPOINT`,
//! `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`,
//! `OTEL_TRACES_SAMPLER`, `OTEL_BSP_SCHEDULE_DELAY` and its siblings.

mod carrier;

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, Protocol, SpanExporter,
    WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::{Layer, filter::Targets, registry::LookupSpan};

use crate::error::{Error, Result};
use carrier::Carrier;

/// The variable that names the collector.
pub const ENDPOINT: &str = OTEL_EXPORTER_OTLP_ENDPOINT;

/// The variable that names where traces alone go, path included.
pub const TRACES_ENDPOINT: &str = OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;

/// How long [`cli::main`](crate::cli::main) goes on sending at its end: what the default drain leaves of the 30 s that a
/// kubelet grants is 5 s.
pub const FLUSH: Duration = Duration::from_secs(2);

/// Below the endpoint.
const PATH: &str = "v1/traces";

/// What the sending itself is made of: a span of a span that is sent would never end.
const NOT_OURS: [&str; 5] = ["h2", "hyper", "hyper_util", "opentelemetry", "rustls"];

/// The way of spans to a collector.
#[derive(Debug)]
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Sends to a collector, such as `http://collector:4318`; `/v1/traces` is added. `service` is the service's name
    /// unless `OTEL_SERVICE_NAME` has another; `runtime` carries the requests.
    ///
    /// # Errors
    /// If the endpoint is no URL. One of `https` takes the feature `tls`: without it nothing arrives, and a line says so.
    pub fn to(endpoint: &str, service: &str, runtime: &Handle) -> Result<Self> {
        let url = format!("{}/{PATH}", endpoint.trim_end_matches('/'));
        Self::new(Some(&url), service, runtime)
    }

    /// Sends to where [`TRACES_ENDPOINT`] or [`ENDPOINT`] says; `None` if neither does.
    ///
    /// # Errors
    /// As [`Traces::to`].
    pub fn from_env(service: &str, runtime: &Handle) -> Result<Option<Self>> {
        let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let Some(_) = [TRACES_ENDPOINT, ENDPOINT].iter().find(|name| is_set(name)) else {
            return Ok(None);
        };
        Self::new(None, service, runtime).map(Some)
    }

    fn new(url: Option<&str>, service: &str, runtime: &Handle) -> Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(Carrier::new(runtime.clone())?);
        let exporter = match url {
            Some(url) => exporter.with_endpoint(url),
            None => exporter,
        };
        let exporter = exporter.build().map_err(|error| {
            Error::msg(format!(
                "traces cannot be sent: {error}: name a collector such as http://collector:4318 with --otlp-endpoint or {ENDPOINT}"
            ))
        })?;
        let resource = Resource::builder();
        let resource = if std::env::var_os("OTEL_SERVICE_NAME").is_some() {
            resource
        } else {
            resource.with_service_name(service.to_owned())
        };
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Self { provider })
    }

    /// What a subscriber is given: spans and events of level INFO and above, whatever is logged.
    #[must_use]
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    {
        let tracer: SdkTracer = self.provider.tracer("opgen");
        let ours = Targets::new()
            .with_default(LevelFilter::INFO)
            .with_targets(NOT_OURS.map(|target| (target, LevelFilter::OFF)));
        OpenTelemetryLayer::new(tracer)
            .with_location(false)
            .with_threads(false)
            .with_filter(ours)
    }

    /// Sends what waits, for no longer than `limit`. Blocks: not to be called from a task.
    pub fn end(self, limit: Duration) {
        if let Err(error) = self.provider.shutdown_with_timeout(limit) {
            tracing::warn!(%error, "the last spans may not have reached the collector");
        }
    }
}
