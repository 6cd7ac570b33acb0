//! The functions of a kind's children: one template each, and the imports that all of them together need.
//!
//! A template of a child begins with lines `//use PATH`, in the short form that [`full`] knows; the rest is Rust.

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Problem, Result};
use crate::render::{Job, Renderer};
use crate::uses;
use crate::values::{Child, Kind};

/// The layer that holds the templates of children.
const LAYER: &str = "child";

/// What the children's module is made from.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Children {
    uses: String,
    functions: Vec<String>,
}

/// Renders the functions of every child of a kind.
///
/// # Errors
/// If a template is missing or does not render.
pub(crate) fn render(renderer: &mut Renderer, values: &Value, kind: &Kind) -> Result<Children> {
    let relations = kind.relations();
    let mut paths = vec![full("meta::ObjectMeta")];
    let mut functions = Vec::new();
    let mut add = |name: &str, child: Option<&Child>| -> Result<()> {
        let mut values = values.clone();
        values["child"] = json!(child);
        let template = opgen_templates::layer(LAYER)
            .find(|template| template.path == name)
            .ok_or_else(|| {
                Problem::new(format!("there is no template {LAYER}/{name}"))
                    .mend("this is a fault of opgen")
                    .environment()
            })?;
        let text = renderer.render(&Job {
            name: &format!("{LAYER}/{name}"),
            text: template.text,
            values: &values,
        })?;
        let (head, body): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("//use "));
        paths.extend(
            head.iter()
                .map(|line| full(line.trim_start_matches("//use ").trim())),
        );
        functions.push(body.join("\n").trim().to_owned());
        Ok(())
    };
    for child in &relations.children {
        let name = if child.is_foreign {
            "foreign"
        } else {
            &child.name
        };
        add(name, Some(child))?;
    }
    if relations.has_selectors {
        add("selector", None)?;
    }
    if relations.has_pods {
        add("template", None)?;
    }
    Ok(Children {
        uses: uses::render(paths),
        functions,
    })
}

/// `apps::v1::Deployment`, `meta::LabelSelector`, `Quantity` and the like in full.
fn full(short: &str) -> String {
    match short {
        "ByteString" => "k8s_openapi::ByteString".to_owned(),
        "IntOrString" => "k8s_openapi::apimachinery::pkg::util::intstr::IntOrString".to_owned(),
        "Quantity" => "k8s_openapi::apimachinery::pkg::api::resource::Quantity".to_owned(),
        _ => match short.strip_prefix("meta::") {
            Some(name) => format!("k8s_openapi::apimachinery::pkg::apis::meta::v1::{name}"),
            None => format!("k8s_openapi::api::{short}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::model::{Related, Use, built_in_kinds};

    /// Every kind that may be owned has its template, and every template its kind.
    #[test]
    fn templates_and_kinds_belong_together() {
        let helpers = ["foreign", "selector", "template"];
        let templates: BTreeSet<&str> = opgen_templates::layer(super::LAYER)
            .map(|template| template.path)
            .filter(|name| !helpers.contains(name))
            .collect();
        let kinds: BTreeSet<&str> = built_in_kinds()
            .filter(|kind| Related::parse(kind, Use::Owns).is_ok())
            .collect();
        assert_eq!(templates, kinds);
    }

    /// A foreign kind may not have the name of a type that the children's module imports.
    #[test]
    fn imported_types_are_reserved() {
        for template in opgen_templates::layer(super::LAYER) {
            for line in template
                .text
                .lines()
                .filter(|line| line.starts_with("//use "))
            {
                let name = line.rsplit([':', ' ']).next().unwrap();
                // The kind itself: two kinds of one name are refused where both are named.
                if name == template.path {
                    continue;
                }
                let foreign = format!("x.io/v1/{name}");
                assert!(
                    Related::parse(&foreign, Use::Owns).is_err(),
                    "{name} of {} is not among the reserved types",
                    template.path
                );
            }
        }
    }
}
