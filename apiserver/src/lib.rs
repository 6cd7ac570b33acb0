//! An in-memory Kubernetes API server for tests.
//!
//! ```
//! # async fn example() -> Result<(), kube::Error> {
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::api::{Api, PostParams};
//! use opgen_apiserver::Cluster;
//!
//! let cluster = Cluster::new();
//! let maps: Api<ConfigMap> = Api::namespaced(cluster.client(), "default");
//! let map = ConfigMap { metadata: kube::api::ObjectMeta { name: Some("a".into()), ..Default::default() }, ..Default::default() };
//! maps.create(&PostParams::default(), &map).await?;
//! assert_eq!(cluster.log().writes(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! It is equal to the real server (measured against one), or answers 501 and says what it lacks.

mod auth;
mod body;
mod bootstrap;
pub mod builtin;
mod call;
mod cause;
mod clock;
mod cluster;
mod convert;
pub mod crd;
mod discovery;
mod document;
mod error;
mod escalation;
mod fault;
mod gc;
mod handlers;
mod hook;
mod http;
mod json;
mod jsonpath;
mod log;
pub mod managed;
mod model;
mod names;
mod object;
mod openapi;
mod owners;
pub mod patch;
mod protobuf;
mod query;
mod raw;
mod rbac;
mod registry;
mod render;
mod request;
mod resource;
pub mod schema;
mod selector;
mod service;
mod standin;
mod store;
mod table;
mod watch;
mod webhook;

pub use body::ApiBody;
pub use clock::Clock;
pub use cluster::{Cluster, ClusterBuilder};
pub use error::{ApiError, ApiResult, Cause};
pub use fault::{Fault, FaultHandle};
pub use gc::{Collected, Collector};
pub use hook::{Stage, WriteHook, WriteInfo, WriteVerdict};
pub use http::{ServeError, Served};
pub use log::{LogEntry, RequestLog};
pub use service::{ClusterService, ConnectionDropped};
pub use standin::StandIn;
