//! An operator that owns Deployments, Services, ConfigMaps and Jobs, and refers to Secrets.

use std::sync::{Arc, Mutex};

use k8s_openapi::api::{
    apps::v1::Deployment,
    batch::v1::Job,
    core::v1::{ConfigMap, Secret, Service, ServiceAccount},
};
use kube::{CustomResource, core::PartialObjectMeta};
use opgen_runtime::{Operator, children::OwnedOptions, prelude::*};
use opgen_testkit::{Scenario, World};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "test.example.com",
    version = "v1",
    kind = "Site",
    namespaced,
    status = "SiteStatus"
)]
#[serde(rename_all = "camelCase")]
pub struct SiteSpec {
    /// How many replicas the Deployment has; without it there is neither Deployment nor Service, with 0 they are
    /// deleted.
    #[serde(default)]
    pub replicas: Option<i32>,
    /// A ConfigMap of this very name.
    #[serde(default)]
    pub config: Option<String>,
    /// Where the ConfigMap is to be made.
    #[serde(default)]
    pub config_namespace: Option<String>,
    /// A Secret whose `password` is copied into the status.
    #[serde(default)]
    pub secret: Option<String>,
    /// A ServiceAccount of which only the metadata is of interest.
    #[serde(default)]
    pub account: Option<String>,
    /// The command of a Job, which is immutable.
    #[serde(default)]
    pub job: Option<String>,
    /// Numbered ConfigMaps: what is beyond this number is pruned.
    #[serde(default)]
    pub parts: Option<u32>,
    /// A label that the operator puts on the Site itself.
    #[serde(default)]
    pub label: Option<String>,
    /// The ConfigMap is different at every run: a mistake of the author.
    #[serde(default)]
    pub is_restless: bool,
}

#[derive(StatusDiff, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteStatus {
    #[serde(flatten)]
    pub machine: MachineState<SitePhase>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_replicas: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account_team: Option<String>,
}

#[derive(PhaseMachine, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[machine(resource = Site, context = Context, budget = "60s")]
pub enum SitePhase {
    #[default]
    #[phase(to(Serving, Broken))]
    Pending,
    #[phase(steady, resync = "10m", to(Broken))]
    Serving,
    #[phase(failed, to(Pending))]
    Broken,
}

/// The image of the Deployments; clones share it. Changed from outside, it is what a new version of the operator
/// desires.
#[derive(Clone, Debug)]
pub struct Image(pub Arc<Mutex<String>>);

#[derive(MachineContext)]
pub struct Context {
    #[context(data)]
    pub image: Image,
}

#[reconcile_phase(timeout = "10s")]
async fn pending(cx: &mut Cx<'_, Pending>) -> Result<Step<Pending>> {
    bring(cx).await?;
    Ok(Step::to(Serving))
}

#[reconcile_phase(timeout = "10s")]
async fn serving(cx: &mut Cx<'_, Serving>) -> Result<Step<Serving>> {
    bring(cx).await?;
    Ok(Step::settled())
}

#[reconcile_phase]
async fn broken(cx: &mut Cx<'_, Broken>) -> Result<Step<Broken>> {
    if cx.spec_changed() {
        return Ok(Step::to(Pending));
    }
    Ok(Step::settled())
}

fn typed<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

async fn bring<P: Phase<Machine = SitePhase>>(cx: &mut Cx<'_, P>) -> Result<()> {
    let spec = cx.object.spec.clone();
    if let Some(label) = spec.label.clone() {
        cx.update_metadata(move |meta| {
            let labels = meta.labels.get_or_insert_default();
            labels.insert("example.com/tier".to_owned(), label.clone());
        })
        .await?;
    }
    if spec.replicas == Some(0) {
        let name = cx.child_name("web");
        cx.delete_child::<Deployment>(name.as_str()).await?;
        cx.delete_child::<Service>(name).await?;
    } else if let Some(replicas) = spec.replicas {
        let name = cx.child_name("web");
        let image = cx.context().image.0.lock().unwrap().clone();
        cx.apply(deployment(&name, replicas, &image)).await?;
        cx.apply(service(&name)).await?;
        let live = cx.child::<Deployment>(name)?;
        let ready = live.and_then(|live| live.status.clone()?.ready_replicas);
        cx.status_mut().ready_replicas = ready;
    }
    if let Some(name) = &spec.config {
        let mut config = json!({"metadata": {"name": name}, "data": {"by": "operator"}});
        if let Some(namespace) = &spec.config_namespace {
            config["metadata"]["namespace"] = json!(namespace);
        }
        if spec.is_restless {
            config["data"]["at"] = json!(cx.now().to_string());
        }
        cx.apply::<ConfigMap>(typed(config)).await?;
    }
    if let Some(command) = &spec.job {
        let name = cx.child_name("job");
        cx.apply(job(&name, command)).await?;
    }
    if let Some(name) = &spec.secret {
        let secret = cx.related::<Secret>(name.as_str())?;
        let password = secret.and_then(|secret| {
            let bytes = secret.data.clone()?.remove("password")?;
            String::from_utf8(bytes.0).ok()
        });
        cx.status_mut().password = password;
    }
    if let Some(name) = &spec.account {
        let account = cx.related::<PartialObjectMeta<ServiceAccount>>(name.as_str())?;
        let team = account.and_then(|account| account.metadata.labels.clone()?.remove("team"));
        cx.status_mut().account_team = team;
    }
    if let Some(parts) = spec.parts {
        parts_of(cx, parts).await?;
    }
    Ok(())
}

async fn parts_of<P: Phase<Machine = SitePhase>>(cx: &mut Cx<'_, P>, parts: u32) -> Result<()> {
    let mut names: Vec<_> = cx.object.spec.config.iter().cloned().collect();
    for number in 0..parts {
        let name = cx.child_name(&format!("part-{number}"));
        cx.apply::<ConfigMap>(typed(
            json!({"metadata": {"name": name}, "data": {"part": number.to_string()}}),
        ))
        .await?;
        names.push(name);
    }
    let all = cx.children::<ConfigMap>()?;
    let is_kept = move |one: &ConfigMap| names.contains(one.metadata.name.as_ref().unwrap());
    cx.prune(all, is_kept).await?;
    Ok(())
}

fn deployment(name: &str, replicas: i32, image: &str) -> Deployment {
    typed(json!({
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{
                    "name": "web",
                    "image": image,
                    "ports": [{"containerPort": 80}],
                    "resources": {"requests": {"cpu": "0.5", "memory": "1024Mi"}},
                }]},
            },
        },
    }))
}

fn service(name: &str) -> Service {
    typed(json!({
        "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80}]},
    }))
}

fn job(name: &str, command: &str) -> Job {
    typed(json!({
        "metadata": {"name": name},
        "spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "job", "image": "busybox", "command": [command]}],
        }}},
    }))
}

pub fn image() -> Image {
    Image(Arc::new(Mutex::new("nginx:1".to_owned())))
}

/// The operator, its options for every owned kind changed.
pub fn operator(options: fn(OwnedOptions) -> OwnedOptions) -> Operator<Context> {
    Operator::new("site-operator").kind_with::<SitePhase>(|kind| {
        kind.owns_with::<Deployment>(|owned| options(owned).deletes())
            .owns_with::<Service>(OwnedOptions::deletes)
            .owns_with::<ConfigMap>(|owned| options(owned).deletes())
            .owns_with::<Job>(options)
            .watches::<Secret>(|site| site.spec.secret.iter().map(ObjectRef::new).collect())
            .watches::<PartialObjectMeta<ServiceAccount>>(|site| {
                site.spec.account.iter().map(ObjectRef::new).collect()
            })
    })
}

pub fn scenario() -> Scenario<Context, Image> {
    scenario_with(|options| options)
}

pub fn scenario_with(options: fn(OwnedOptions) -> OwnedOptions) -> Scenario<Context, Image> {
    Scenario::new(
        move || operator(options),
        image,
        |image| Context {
            image: image.clone(),
        },
    )
}

pub fn site(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "test.example.com/v1",
        "kind": "Site",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    })
}

/// The only object of a kind in the namespace, or null.
pub fn only(world: &World<Image>, kind: &str) -> Value {
    let mut all = of_kind(world, kind);
    assert!(all.len() < 2, "{all:#?}");
    all.pop().unwrap_or_default()
}

pub fn of_kind(world: &World<Image>, kind: &str) -> Vec<Value> {
    let mut all = world.cluster.list_raw(kind, "default").unwrap();
    // Every namespace has one of its own.
    all.retain(|one| one["metadata"]["name"] != "kube-root-ca.crt");
    all
}

/// How many requests of the operator there were.
pub fn requests(world: &World<Image>, verb: &str, resource: &str) -> usize {
    world.cluster.log().count(|entry| {
        entry
            .user
            .starts_with("system:serviceaccount:site-operator")
            && entry.verb == verb
            && entry.resource == resource
    })
}

/// The condition of that type, or null.
pub fn condition(world: &World<Image>, object: &Value, kind: &str) -> Value {
    let found = world.get(object).unwrap_or_default();
    let conditions = found
        .pointer("/status/conditions")
        .and_then(Value::as_array);
    conditions
        .into_iter()
        .flatten()
        .find(|one| one["type"] == kind)
        .cloned()
        .unwrap_or_default()
}
