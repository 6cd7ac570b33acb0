//! What a `Shop` is made of: each child as a function of the spec.

use std::collections::BTreeMap;

use k8s_openapi::{api::core::v1::ConfigMap, apimachinery::pkg::apis::meta::v1::ObjectMeta};
use opgen_runtime::prelude::*;

use super::ShopPhase;
use crate::{NAME, api::ShopSpec};

/// Brings every child to what is wanted. Nothing is sent for one that is so already; one that was deleted or edited is
/// brought back. When the `Shop` goes, they go with it: it is their owner.
pub(super) async fn apply<P>(cx: &mut Cx<'_, P>) -> Result<()>
where
    P: Phase<Machine = ShopPhase>,
{
    let spec = &cx.object.spec;
    let name = cx.child_name("shop");
    let meta = ObjectMeta {
        labels: Some(labels(&name)),
        name: Some(name),
        namespace: cx.object.metadata.namespace.clone(),
        ..Default::default()
    };
    cx.apply(config_map(&meta, spec)).await?;
    Ok(())
}

/// What the children are found by. A selector cannot be changed later, so nothing here depends on the spec.
fn labels(instance: &str) -> BTreeMap<String, String> {
    let labels = [
        ("app.kubernetes.io/name", "shop"),
        ("app.kubernetes.io/instance", instance),
        ("app.kubernetes.io/managed-by", NAME),
    ];
    labels
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

fn config_map(meta: &ObjectMeta, spec: &ShopSpec) -> ConfigMap {
    ConfigMap {
        metadata: meta.clone(),
        data: Some(spec.config.clone()),
        ..Default::default()
    }
}
