//! What a `Web` is made of: each child as a function of the spec, and when it is ready.

use std::collections::BTreeMap;

use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{
            Container, ContainerPort, PodSpec, PodTemplateSpec, Service, ServicePort, ServiceSpec,
        },
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use opgen_runtime::prelude::*;

use super::WebPhase;
use crate::{NAME, api::WebSpec};

/// How far the children are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All of them are as they are wanted.
    Ready,
    /// One of them needs time, and what for.
    Waiting(String),
}

/// Brings every child to what is wanted. Nothing is sent for one that is so already; one that was deleted or edited is
/// brought back. When the `Web` goes, they go with it: it is their owner.
pub(super) async fn apply<P>(cx: &mut Cx<'_, P>) -> Result<Progress>
where
    P: Phase<Machine = WebPhase>,
{
    let spec = &cx.object.spec;
    let name = cx.child_name("web");
    let meta = ObjectMeta {
        labels: Some(labels(&name)),
        name: Some(name),
        namespace: cx.object.metadata.namespace.clone(),
        ..Default::default()
    };
    cx.apply(service(&meta, spec)).await?;
    let deployment = cx.apply(deployment(&meta, spec)).await?;
    Ok(deployment_progress(&deployment))
}

/// What the children are found by. A selector cannot be changed later, so nothing here depends on the spec.
fn labels(instance: &str) -> BTreeMap<String, String> {
    let labels = [
        ("app.kubernetes.io/name", "web"),
        ("app.kubernetes.io/instance", instance),
        ("app.kubernetes.io/managed-by", NAME),
    ];
    labels
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn service(meta: &ObjectMeta, spec: &WebSpec) -> Service {
    Service {
        metadata: meta.clone(),
        spec: Some(ServiceSpec {
            selector: meta.labels.clone(),
            ports: Some(vec![ServicePort {
                port: spec.port,
                ..Default::default()
            }]),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn deployment(meta: &ObjectMeta, spec: &WebSpec) -> Deployment {
    Deployment {
        metadata: meta.clone(),
        spec: DeploymentSpec {
            replicas: Some(spec.replicas),
            selector: selector(meta),
            template: template(meta, spec),
            ..Default::default()
        },
        ..Default::default()
    }
}

fn deployment_progress(live: &Deployment) -> Progress {
    let wanted = live.spec.replicas.unwrap_or(1);
    let status = live.status.clone().unwrap_or_default();
    let updated = status.updated_replicas.unwrap_or(0);
    let available = status.available_replicas.unwrap_or(0);
    // A status from before the last change says nothing; replicas of the old form do not count.
    let is_seen = status.observed_generation >= live.metadata.generation;
    let are_new = updated >= wanted && status.replicas.unwrap_or(0) <= updated;
    if is_seen && are_new && available >= wanted {
        return Progress::Ready;
    }
    Progress::Waiting(format!(
        "{available} of {wanted} replicas of the Deployment are available"
    ))
}

fn selector(meta: &ObjectMeta) -> LabelSelector {
    LabelSelector {
        match_labels: meta.labels.clone(),
        ..Default::default()
    }
}

fn template(meta: &ObjectMeta, spec: &WebSpec) -> PodTemplateSpec {
    PodTemplateSpec {
        metadata: Some(ObjectMeta {
            labels: meta.labels.clone(),
            ..Default::default()
        }),
        spec: Some(pod(spec)),
    }
}

fn pod(spec: &WebSpec) -> PodSpec {
    let container = Container {
        name: "web".to_owned(),
        image: Some(spec.image.clone()),
        ports: Some(vec![ContainerPort {
            container_port: spec.port,
            ..Default::default()
        }]),
        ..Default::default()
    };
    PodSpec {
        containers: vec![container],
        ..Default::default()
    }
}
