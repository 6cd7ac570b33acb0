//! `graph`: the phase graphs of a project, read from its source; nothing is built.

use std::path::{Path, PathBuf};

use opgen_phase_model::Machine;
use opgen_phase_model::graph::{self, Graph};
use serde_json::json;

use crate::cargo;
use crate::cli::{self, Language};
use crate::error::{Exit, Failure, Place, Problem, Result, SourceText};
use crate::shell::Shell;

pub(crate) fn run(flags: &cli::Graph, shell: Shell) -> Result<()> {
    let path = cargo::folder(flags.manifest_path.as_deref(), &flags.path)?;
    let mut pictures = Vec::new();
    for file in sources(&path)? {
        for machine in machines(&file)? {
            let graph = Graph::from(&machine);
            let picture = match flags.language {
                Language::Mermaid => graph::mermaid(&graph),
                Language::Dot => graph::dot(&graph),
                Language::Svg => graph::svg(&graph),
            };
            pictures.push((file.clone(), graph.name, picture));
        }
    }
    if pictures.is_empty() {
        return Err(Problem::new("no phase enum is here")
            .at(Place::Path(path))
            .mend("name a project with an enum that derives `PhaseMachine`")
            .input());
    }
    shell.data(&json!({
        "status": "ok",
        "graphs": pictures.iter().map(|(file, name, picture)| json!({"file": file, "name": name, "picture": picture})).collect::<Vec<_>>(),
    }));
    if !shell.is_for_machines() {
        for (_, _, picture) in &pictures {
            shell.product(&format!("{}\n", picture.trim_end()));
        }
    }
    Ok(())
}

/// The Rust files to look at: of a project its `src`, of a folder all below it.
fn sources(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let inside = path.join("src");
    let mut files = Vec::new();
    walk(if inside.is_dir() { &inside } else { path }, &mut files)?;
    files.sort();
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error: std::io::Error| Failure {
        exit: Exit::Input,
        ..Failure::io("reading the source", folder, &error)
    };
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // A link may lead back to where we came from.
        if entry.file_type().map_err(failed)?.is_dir() {
            let built = path.join("CACHEDIR.TAG").exists();
            if !built && !entry.file_name().to_string_lossy().starts_with('.') {
                walk(&path, files)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn machines(file: &Path) -> Result<Vec<Machine>> {
    let text = std::fs::read_to_string(file).map_err(|error| Failure {
        exit: Exit::Input,
        ..Failure::io("reading the source", file, &error)
    })?;
    // Most files hold none, and parsing is what takes time.
    if !text.contains("PhaseMachine") {
        return Ok(Vec::new());
    }
    let source = SourceText {
        path: file.to_path_buf(),
        text: text.as_str().into(),
    };
    let parsed = syn::parse_file(&text).map_err(|error| problems(&source, error))?;
    Machine::find_in_file(&parsed).map_err(|error| problems(&source, error))
}

/// Everything the parser found, each with its place in the file.
fn problems(source: &SourceText, error: syn::Error) -> Failure {
    let problems = error
        .into_iter()
        .map(|error| {
            let span = error.span().byte_range();
            Problem::new(error.to_string()).at(Place::Text {
                source: source.clone(),
                span,
                field: None,
            })
        })
        .collect();
    Failure {
        exit: Exit::Input,
        problems,
    }
}
