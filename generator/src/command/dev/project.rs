//! The project at hand, as cargo knows it: its program, its folders, its samples, and what its operator needs to start.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heck::ToShoutySnakeCase as _;
use serde_json::Value;

use crate::cargo;
use crate::cli::Dev;
use crate::error::{Failure, Place, Problem, Result};
use crate::settings::{self, Settings};
use crate::shell::Shell;

/// What makes a package an operator of ours.
const RUNTIME: &str = "opgen-runtime";

/// A project that can be run.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) manifest: PathBuf,
    pub(super) folder: PathBuf,
    /// Folders of the members of its workspace that it is built from; the first is its own.
    pub(super) sources: Vec<PathBuf>,
    /// The program that is built and run.
    pub(super) bin: String,
    /// Where this command keeps its files.
    pub(super) place: PathBuf,
    /// Variables without which an operator does not start, for the case that they are not set.
    pub(super) variables: Vec<String>,
}

impl Project {
    pub(super) async fn find(flags: &Dev, shell: Shell) -> Result<Self> {
        let manifest = cargo::manifest(flags.manifest_path.as_deref())?;
        let metadata = cargo::metadata(&manifest, &flags.cargo, shell).await?;
        let package = package(&metadata, &manifest)?;
        let path = |value: &Value| PathBuf::from(value.as_str().unwrap_or_default());
        let manifest = path(&package["manifest_path"]);
        let folder = manifest.parent().unwrap_or(Path::new(".")).to_path_buf();
        Ok(Self {
            bin: program(package, &manifest)?,
            place: path(&metadata["target_directory"]).join("opgen/dev"),
            sources: sources(&metadata, &folder),
            variables: variables(&folder)?,
            manifest,
            folder,
        })
    }

    /// `deploy/*.sample.yaml`, each with its text.
    pub(super) fn samples(&self) -> Result<Vec<(PathBuf, String)>> {
        let folder = self.folder.join("deploy");
        let Ok(entries) = std::fs::read_dir(&folder) else {
            return Ok(Vec::new());
        };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.to_string_lossy().ends_with(".sample.yaml"))
            .collect();
        paths.sort();
        paths
            .into_iter()
            .map(|path| {
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| Failure::io("reading a sample", &path, &error))?;
                Ok((path, text))
            })
            .collect()
    }
}

/// The package of the manifest; of a workspace's own manifest, its only operator.
fn package<'a>(metadata: &'a Value, manifest: &Path) -> Result<&'a Value> {
    let wrong = |what: String, mend: String| {
        Problem::new(what)
            .at(Place::Path(manifest.to_path_buf()))
            .mend(mend)
            .input()
    };
    let all = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let canonical = std::fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_path_buf());
    let same = |package: &&Value| {
        package["manifest_path"]
            .as_str()
            .is_some_and(|path| std::fs::canonicalize(path).is_ok_and(|path| path == canonical))
    };
    if let Some(package) = all.iter().find(same) {
        if is_operator(package) {
            return Ok(package);
        }
        return Err(wrong(
            format!("the package {} does not depend on {RUNTIME}: it is no operator of opgen", package["name"]),
            "name the operator's own manifest with --manifest-path, or make this one an operator with `cargo opgen init`".to_owned(),
        ));
    }
    let operators: Vec<&Value> = all.iter().filter(|package| is_operator(package)).collect();
    match operators[..] {
        [only] => Ok(only),
        [] => Err(wrong(
            "the workspace has no member that depends on opgen-runtime".to_owned(),
            "make one: cargo opgen new NAME".to_owned(),
        )),
        _ => Err(wrong(
            format!("the workspace has {} operators", operators.len()),
            format!(
                "choose one with --manifest-path: {}",
                operators
                    .iter()
                    .filter_map(|package| package["manifest_path"].as_str())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        )),
    }
}

/// The package's own folder, and those of other members that it depends on by path, however far. What is outside of the
/// workspace is somebody else's.
fn sources(metadata: &Value, own: &Path) -> Vec<PathBuf> {
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        manifest.parent().map(Path::to_path_buf)
    };
    let members = metadata["packages"].as_array().into_iter().flatten();
    let members: BTreeMap<PathBuf, &Value> = members
        .filter_map(|package| Some((folder(package)?, package)))
        .collect();
    let mut found = vec![own.to_path_buf()];
    let mut next = 0;
    while let Some(package) = found.get(next).map(|folder| members.get(folder)) {
        next += 1;
        let dependencies = package.and_then(|package| package["dependencies"].as_array());
        // What only tests need is not in the program.
        let dependencies = dependencies.into_iter().flatten();
        for one in dependencies.filter(|one| one["kind"] != "dev") {
            let path = one["path"].as_str().map(PathBuf::from);
            if let Some(path) = path.filter(|path| members.contains_key(path))
                && !found.contains(&path)
            {
                found.push(path);
            }
        }
    }
    found
}

fn is_operator(package: &Value) -> bool {
    package["dependencies"]
        .as_array()
        .is_some_and(|all| all.iter().any(|one| one["name"] == RUNTIME))
}

/// The program that runs the operator: the one that `cargo run` takes.
fn program(package: &Value, manifest: &Path) -> Result<String> {
    let names: Vec<&str> = package["targets"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|target| {
            target["kind"]
                .as_array()
                .is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"))
        })
        .filter_map(|target| target["name"].as_str())
        .collect();
    let wanted = package["default_run"].as_str().or(package["name"].as_str());
    match (&names[..], names.iter().find(|name| Some(**name) == wanted)) {
        (_, Some(name)) | ([name], None) => Ok((*name).to_owned()),
        ([], None) => Err(Problem::new("the package has no program")
            .at(Place::Path(manifest.to_path_buf()))
            .mend("add src/main.rs, as `cargo opgen new` writes it")
            .input()),
        _ => Err(Problem::new(format!(
            "the package has several programs: {}",
            names.join(", ")
        ))
        .at(Place::Path(manifest.to_path_buf()))
        .mend("say which one with `default-run` in [package]")
        .input()),
    }
}

/// The address of each HTTP API that the operator manages something behind.
fn variables(folder: &Path) -> Result<Vec<String>> {
    let file = folder.join(settings::FILE);
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let settings = Settings::read(&file)?;
    let http = settings.fields.kind.iter().filter(|kind| {
        match kind.external.as_deref() {
            Some(external) => external == "http",
            // The default of `new`.
            None => kind.owns.as_ref().is_none_or(Vec::is_empty),
        }
    });
    Ok(http
        .filter_map(|kind| kind.kind.as_deref())
        .map(|kind| format!("{}_API_URL", kind.to_shouty_snake_case()))
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_members_that_it_is_built_from() {
        let member = |name: &str, dependencies: Value| {
            json!({
                "manifest_path": format!("/w/{name}/Cargo.toml"),
                "dependencies": dependencies,
            })
        };
        let on = |name: &str, kind: Value| json!({ "name": name, "kind": kind, "path": format!("/w/{name}") });
        let metadata = json!({ "packages": [
            member("operator", json!([
                { "name": "serde", "kind": null },
                on("api", Value::Null),
                on("kit", json!("dev")),
                { "name": "outside", "kind": null, "path": "/elsewhere" },
            ])),
            // A circle, as only tests may close it.
            member("api", json!([on("words", json!("build")), on("operator", json!("dev"))])),
            member("words", json!([])),
            member("kit", json!([])),
            member("stranger", json!([on("operator", Value::Null)])),
        ] });
        let found = sources(&metadata, Path::new("/w/operator"));
        assert_eq!(
            found,
            ["/w/operator", "/w/api", "/w/words"].map(PathBuf::from)
        );
    }
}
