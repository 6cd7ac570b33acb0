//! What a `Database` is made of: each child as a function of the spec, and when it is ready.

use std::collections::BTreeMap;

use k8s_openapi::{
    api::{
        apps::v1::{Deployment, DeploymentSpec},
        batch::v1::{Job, JobSpec},
        core::v1::{
            Container, ContainerPort, EnvFromSource, PodSpec, PodTemplateSpec, SecretEnvSource,
        },
    },
    apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta},
};
use opgen_runtime::prelude::*;

use super::{
    DatabasePhase,
    foreign::{Certificate, CertificateFields},
    references,
};
use crate::{NAME, api::DatabaseSpec};

/// How far the children are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// All of them are as they are wanted.
    Ready,
    /// One of them needs time, and what for.
    Waiting(String),
    /// One of them will never be ready, and why.
    Failed(String),
}

/// Brings every child to what is wanted. Nothing is sent for one that is so already; one that was deleted or edited is
/// brought back. When the `Database` goes, they go with it: it is their owner.
pub(super) async fn apply<P>(cx: &mut Cx<'_, P>) -> Result<Progress>
where
    P: Phase<Machine = DatabasePhase>,
{
    let spec = &cx.object.spec;
    let name = cx.child_name("database");
    let meta = ObjectMeta {
        labels: Some(labels(&name)),
        name: Some(name),
        namespace: cx.object.metadata.namespace.clone(),
        ..Default::default()
    };
    let versions = &references::versions(cx)?;
    let deployment = cx.apply(deployment(&meta, spec, versions)).await?;
    let job = cx.apply(job(&meta, spec, versions)).await?;
    let certificate = cx.apply(certificate(&meta)).await?;
    let all = [
        deployment_progress(&deployment),
        job_progress(&job),
        certificate_progress(&certificate),
    ];
    let open = all.into_iter().find(|one| *one != Progress::Ready);
    Ok(open.unwrap_or(Progress::Ready))
}

/// What the children are found by. A selector cannot be changed later, so nothing here depends on the spec.
fn labels(instance: &str) -> BTreeMap<String, String> {
    let labels = [
        ("app.kubernetes.io/name", "database"),
        ("app.kubernetes.io/instance", instance),
        ("app.kubernetes.io/managed-by", NAME),
    ];
    labels
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn deployment(
    meta: &ObjectMeta,
    spec: &DatabaseSpec,
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

fn job(meta: &ObjectMeta, spec: &DatabaseSpec, versions: &BTreeMap<String, String>) -> Job {
    let mut template = template(meta, spec, versions);
    if let Some(pod) = &mut template.spec {
        pod.restart_policy = Some("Never".to_owned());
    }
    Job {
        metadata: meta.clone(),
        spec: Some(JobSpec {
            template,
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn job_progress(live: &Job) -> Progress {
    let status = live.status.clone().unwrap_or_default();
    for condition in status.conditions.into_iter().flatten() {
        match (condition.type_.as_str(), condition.status.as_str()) {
            ("Complete", "True") => return Progress::Ready,
            ("Failed", "True") => {
                let why = condition.message.unwrap_or_default();
                return Progress::Failed(format!("the Job failed: {why}"));
            }
            _ => {}
        }
    }
    Progress::Waiting("the Job is running".to_owned())
}

fn certificate(meta: &ObjectMeta) -> Certificate {
    let mut object = Certificate::new("", CertificateFields::default());
    object.metadata = meta.clone();
    object
}

/// Ready unless it says that it is not: not every kind has such a condition.
fn certificate_progress(live: &Certificate) -> Progress {
    let status = live.status.clone().unwrap_or_default();
    match status.conditions.iter().find(|one| one.kind == "Ready") {
        Some(ready) if ready.status != "True" => {
            Progress::Waiting("the Certificate is not ready".to_owned())
        }
        _ => Progress::Ready,
    }
}

fn selector(meta: &ObjectMeta) -> LabelSelector {
    LabelSelector {
        match_labels: meta.labels.clone(),
        ..Default::default()
    }
}

fn template(
    meta: &ObjectMeta,
    spec: &DatabaseSpec,
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

fn pod(spec: &DatabaseSpec) -> PodSpec {
    let env_from = [spec.secret_ref.as_ref().map(|to| secret_env(&to.name))];
    let container = Container {
        name: "database".to_owned(),
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
