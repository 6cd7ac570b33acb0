//! The whole project in memory: every path, every byte, sorted. Nothing here touches the project's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opgen_templates::Template;
use serde_json::{Value, json};

use crate::error::{Problem, Result};
use crate::format;
use crate::fragments;
use crate::layers;
use crate::model::Operator;
use crate::render::{Job, Renderer};
use crate::values::{Kind, Project};

/// The folder that keeps each rendered file as it was rendered, so that a later render can be merged into edits.
pub const BASE: &str = ".opgen/base";

/// What is to be on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Plan {
    /// Renders an operator. `copies` are files that are taken as they are, each with its path in the project.
    ///
    /// # Errors
    /// If a template does not render or rustfmt is missing; never because of the operator.
    pub fn render(operator: &Operator, copies: Vec<(PathBuf, Vec<u8>)>) -> Result<Self> {
        let project = Project::new(operator);
        let mut files = BTreeMap::new();
        let mut renderer = Renderer::new()?;
        for layer in layers::of_project(operator) {
            let values = json!({"project": project});
            render_layer(&mut renderer, layer, &values, None, &mut files)?;
        }
        for (resource, kind) in operator.resources.iter().zip(project.kinds()) {
            let mut values = json!({"project": project, "kind": kind});
            if !resource.owns.is_empty() {
                values["children"] = json!(fragments::render(&mut renderer, &values, kind)?);
            }
            for layer in layers::of_kind(resource) {
                render_layer(&mut renderer, layer, &values, Some(kind), &mut files)?;
            }
        }
        format::format(&mut files)?;
        let base: Vec<_> = files
            .iter()
            .map(|(path, bytes)| (base_of(path), bytes.clone()))
            .collect();
        files.extend(base);
        files.extend(copies);
        Ok(Self { files })
    }

    /// A plan of these files.
    pub(crate) fn of(files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        Self { files }
    }

    /// Every file, sorted by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&Path, &[u8])> {
        self.files
            .iter()
            .map(|(path, bytes)| (path.as_path(), bytes.as_slice()))
    }

    /// The files that an author reads: neither kept bases nor copies.
    pub fn own_files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.files().filter(|(path, _)| {
            !path.starts_with(".opgen") && !path.starts_with(crate::crates::VENDOR)
        })
    }
}

/// Where the rendered form of a file is kept: below the base, with an ending that no tool takes for its own.
fn base_of(path: &Path) -> PathBuf {
    let mut name = Path::new(BASE).join(path).into_os_string();
    name.push(".base");
    name.into()
}

fn render_layer(
    renderer: &mut Renderer,
    layer: &'static str,
    values: &Value,
    kind: Option<&Kind>,
    files: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> Result<()> {
    for template in opgen_templates::layer(layer) {
        let text = renderer.render(&Job {
            name: &format!("{}/{}", template.layer, template.path),
            text: template.text,
            values,
        })?;
        let path = target(template, kind)?;
        if files.insert(path.clone(), text.into_bytes()).is_some() {
            return Err(
                Problem::new(format!("two templates write `{}`", path.display()))
                    .mend("this is a fault of opgen: two layers may not meet in a file")
                    .environment(),
            );
        }
    }
    Ok(())
}

fn target(template: &Template, kind: Option<&Kind>) -> Result<PathBuf> {
    let path = match kind {
        Some(kind) => template
            .path
            .replace("__kind__", &kind.snake)
            .replace("__plural__", &kind.plural)
            .replace("__incidents__", &kind.incidents),
        None => template.path.to_owned(),
    };
    if path.contains("__") {
        return Err(Problem::new(format!(
            "the path `{path}` of layer {} has a placeholder without a value",
            template.layer
        ))
        .environment());
    }
    Ok(PathBuf::from(path))
}
