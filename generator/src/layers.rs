//! Which layers of templates make a project. A new deploy target or external system is a folder and a line here.

use crate::model::{External, Operator, Related, Resource};

/// Layers that are rendered once.
pub(crate) fn of_project(operator: &Operator) -> Vec<&'static str> {
    let mut layers = vec!["base", "deploy"];
    if operator.resources.len() > 1 {
        layers.push("tests-several");
    }
    if operator
        .resources
        .iter()
        .any(|resource| resource.external != External::None)
    {
        layers.push("external-base");
    }
    layers
}

/// Layers that are rendered for each kind.
pub(crate) fn of_kind(resource: &Resource) -> Vec<&'static str> {
    let mut layers = vec!["kind", "tests"];
    layers.push(if resource.adopted.is_some() {
        "from-crd"
    } else {
        "fresh-types"
    });
    layers.extend(match resource.external {
        External::Http => &["external", "external-http"][..],
        External::Custom => &["external"],
        External::None => &["external-none"],
    });
    if !resource.owns.is_empty() {
        layers.push("children");
    }
    if !resource.watches.is_empty() {
        layers.push("references");
    }
    let mut related = resource.owns.iter().chain(&resource.watches);
    if related.any(|related| matches!(related, Related::Foreign(_))) {
        layers.push("foreign");
    }
    layers
}
