//! What a `Sign` is made of: each child as a function of the spec, and when it is ready.

use std::collections::BTreeMap;

use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        core::v1::{
            Container, ContainerPort, EnvFromSource, PodSpec, PodTemplateSpec, SecretEnvSource,
            Service, ServicePort, ServiceSpec,
        },
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use opgen_runtime::prelude::*;

use super::{SignPhase, references};
use crate::{NAME, api::SignSpec};

/// How far the children are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All of them are as they are wanted.
    Ready,
    /// One of them needs time, and what for.
    Waiting(String),
}

/// Brings every child to what is wanted. Nothing is sent for one that is so already; one that was deleted or edited is
/// brought back. When the `Sign` goes, they go with it: it is their owner.
pub(super) async fn apply<P>(cx: &mut Cx<'_, P>) -> Result<Progress>
where
    P: Phase<Machine = SignPhase>,
{
    let spec = &cx.object.spec;
    let name = cx.child_name("sign");
    let meta = ObjectMeta {
        labels: Some(labels(&name)),
        name: Some(name),
        namespace: cx.object.metadata.namespace.clone(),
        ..Default::default()
    };
    let versions = &references::versions(cx)?;
    cx.apply(service(&meta, spec)).await?;
    let deployment = cx.apply(deployment(&meta, spec, versions)).await?;
    Ok(deployment_progress(&deployment))
}

/// What the children are found by. A selector cannot be changed later, so nothing here depends on the spec.
fn labels(instance: &str) -> BTreeMap<String, String> {
    let labels = [
        ("app.kubernetes.io/name", "sign"),
        ("app.kubernetes.io/instance", instance),
        ("app.kubernetes.io/managed-by", NAME),
    ];
    labels
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn service(meta: &ObjectMeta, spec: &SignSpec) -> Service {
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

fn deployment(
    meta: &ObjectMeta,
    spec: &SignSpec,
    versions: &BTreeMap<String, String>,
) -> Deployment {
    Deployment {
        metadata: meta.clone(),
        spec: DeploymentSpec {
            replicas: Some(spec.replicas),
            selector: selector(meta),
            template: template(meta, spec, versions),
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

fn template(
    meta: &ObjectMeta,
    spec: &SignSpec,
    versions: &BTreeMap<String, String>,
) -> PodTemplateSpec {
    PodTemplateSpec {
        metadata: Some(ObjectMeta {
            labels: meta.labels.clone(),
            // Pods read their environment when they start: another version of it starts them anew.
            annotations: Some(versions.clone()),
            ..Default::default()
        }),
        spec: Some(pod(spec)),
    }
}

fn pod(spec: &SignSpec) -> PodSpec {
    let env_from = [spec.secret_ref.as_ref().map(|to| secret_env(&to.name))];
    let container = Container {
        name: "sign".to_owned(),
        image: Some(spec.image.clone()),
        ports: Some(vec![ContainerPort {
            container_port: spec.port,
            ..Default::default()
        }]),
        env_from: Some(env_from.into_iter().flatten().collect()),
        ..Default::default()
    };
    PodSpec {
        containers: vec![container],
        ..Default::default()
    }
}

fn secret_env(name: &str) -> EnvFromSource {
    let source = SecretEnvSource {
        name: name.to_owned(),
        ..Default::default()
    };
    EnvFromSource {
        secret_ref: Some(source),
        ..Default::default()
    }
}
