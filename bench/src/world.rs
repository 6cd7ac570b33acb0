//! What there is before an operator starts: the cluster, its definitions, and the objects.

use opgen_apiserver::Cluster;
use serde_json::{Value, json};

use crate::{machine, provider};

/// What a status of an object that is Ready holds as JSON.
pub const READY: &str = r#""phase":"Ready""#;

/// So many revisions a watch can go back. A real server keeps minutes.
const HISTORY: usize = 50_000;

/// A cluster with the objects in it.
#[derive(Clone, Debug)]
pub struct World {
    /// The cluster.
    pub cluster: Cluster,
    /// How many objects' provider calls never return, if that is the trouble.
    pub hung: usize,
}

impl World {
    /// Makes `objects` objects.
    ///
    /// # Errors
    /// If the server refuses a definition or an object.
    pub fn new(objects: usize) -> Result<Self, String> {
        let cluster = Cluster::builder().history(HISTORY).build();
        let home = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "bench"}});
        let manifests = machine::operator(1).manifests();
        cluster
            .apply_manifests(&[home])
            .and_then(|()| cluster.apply_manifests(&manifests))
            .map_err(|error| format!("the manifests are refused: {error}"))?;
        let mut hung = 0;
        for number in 0..objects {
            let made = cluster
                .create_raw(thing(number))
                .map_err(|error| format!("object {number} is refused: {error}"))?;
            let uid = made["metadata"]["uid"].as_str().unwrap_or_default();
            hung += usize::from(provider::hangs(uid));
        }
        Ok(Self { cluster, hung })
    }
}

/// One object as a user writes it.
#[must_use]
pub fn thing(number: usize) -> Value {
    json!({
        "apiVersion": "bench.example.com/v1",
        "kind": "Thing",
        "metadata": {"name": format!("thing-{number}"), "namespace": "default"},
        "spec": {"size": 1},
    })
}

/// The number of the object that a path names.
#[must_use]
pub fn index_of(path: &str) -> Option<usize> {
    let path = path.strip_suffix("/status").unwrap_or(path);
    let (place, name) = path.rsplit_once('/')?;
    let number = name.strip_prefix("thing-")?.parse().ok()?;
    place.ends_with("/things").then_some(number)
}
