//! The one document that is meant, out of a YAML text.

use serde_json::Value;

use super::{document, error::CrdError};

/// A document: its first line, its text, its value.
pub(super) type Document = (usize, String, Value);

/// The CRD of that kind, or the only one.
pub(super) fn crd(text: &str, file: &str, kind: Option<&str>) -> Result<Document, CrdError> {
    pick(read(text, file)?, file, kind)
}

/// All documents of a text.
fn read(text: &str, file: &str) -> Result<Vec<Document>, CrdError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = serde_saphyr::options! {
        // Schemas nest deeper than the crate's default of 64 allows: three levels of YAML per level of schema.
        budget: serde_saphyr::budget! { max_depth: 400 },
    };
    let mend = if text.contains("{{") {
        "this looks like a template: render it first (`helm template`) and give the result"
    } else {
        "mend the YAML; a CRD as `kubectl get crd NAME -o yaml` prints it will do"
    };
    let values: Vec<Value> =
        serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
            let line = error
                .location()
                .map(|place| usize::try_from(place.line()).unwrap_or(usize::MAX));
            let message = error.without_snippet().render_with_options(plain());
            let first = message
                .lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned();
            CrdError::new(file, format!("not readable as YAML: {first}"), mend).at_line(line)
        })?;
    let empty = || {
        CrdError::new(
            file,
            "holds no document",
            "give a file with a CustomResourceDefinition in it",
        )
    };
    // A reader of values skips empty documents, a splitter of text does not: pair them by reading each piece alone.
    let pieces = document::split(text).ok_or_else(empty)?;
    if pieces.len() == values.len() {
        return Ok(pieces
            .into_iter()
            .zip(values)
            .map(|((line, text), value)| (line, text, value))
            .collect());
    }
    let mut documents = Vec::new();
    for (line, piece) in pieces {
        let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_depth: 400 } };
        if let Ok(value @ Value::Object(_)) = serde_saphyr::from_str_with_options(&piece, options) {
            documents.push((line, piece, value));
        }
    }
    Ok(documents)
}

fn plain() -> serde_saphyr::RenderOptions<'static> {
    serde_saphyr::render_options! { snippets: serde_saphyr::SnippetMode::Off }
}

/// The one CRD that is meant.
fn pick(documents: Vec<Document>, file: &str, kind: Option<&str>) -> Result<Document, CrdError> {
    let mut crds = Vec::new();
    let mut others = Vec::new();
    for document in documents {
        let value = &document.2;
        let (api, name) = (
            value["apiVersion"].as_str().unwrap_or_default(),
            value["kind"].as_str().unwrap_or_default(),
        );
        match (api, name) {
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition") => crds.push(document),
            (_, "CustomResourceDefinition") => {
                let what =
                    format!("a CustomResourceDefinition of `{api}`, which Kubernetes 1.22 removed");
                let mend =
                    "write it as `apiextensions.k8s.io/v1`, with a schema under each version";
                return Err(CrdError::new(file, what, mend)
                    .at_line(Some(document.0))
                    .at_field("/apiVersion"));
            }
            ("v1", "List") => {
                let mend = "give the items as documents of their own, separated by `---`";
                return Err(
                    CrdError::new(file, "a List, not a CustomResourceDefinition", mend)
                        .at_line(Some(document.0)),
                );
            }
            _ if !value.is_null() => others.push(if name.is_empty() {
                "something without a kind".to_owned()
            } else {
                name.to_owned()
            }),
            _ => {}
        }
    }
    let kinds: Vec<String> = crds
        .iter()
        .map(|crd| {
            crd.2["spec"]["names"]["kind"]
                .as_str()
                .unwrap_or("?")
                .to_owned()
        })
        .collect();
    if let Some(kind) = kind {
        let Some(index) = kinds.iter().position(|name| name == kind) else {
            let what = format!("no CustomResourceDefinition of kind `{kind}`");
            let mend = if kinds.is_empty() {
                "give another file".to_owned()
            } else {
                format!("choose one of: {}", kinds.join(", "))
            };
            return Err(CrdError::new(file, what, mend));
        };
        return Ok(crds.swap_remove(index));
    }
    if crds.len() > 1 {
        let what = format!("holds {} CustomResourceDefinitions", crds.len());
        return Err(CrdError::new(
            file,
            what,
            format!("choose one with --kind: {}", kinds.join(", ")),
        ));
    }
    crds.pop().ok_or_else(|| {
        let what = match others.as_slice() {
            [] => "holds no document".to_owned(),
            kinds => format!(
                "no CustomResourceDefinition here, only {}",
                kinds.join(", ")
            ),
        };
        CrdError::new(
            file,
            what,
            "give a file with a CustomResourceDefinition of apiextensions.k8s.io/v1 in it",
        )
    })
}
