//! The program of an operator, as `demo` and `dev` meet it: what it needs, how it is started, and what is read from its
//! objects.

use std::path::Path;
use std::process::Stdio;

use heck::ToUpperCamelCase as _;
use opgen_apiserver::ApiError;
use serde_json::Value;
use tokio::process::{Child, ChildStdin, Command};

use super::process;
use crate::error::{Exit, Failure, Place, Problem, Result};

/// A kind whose objects are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The kind.
    pub(super) kind: String,
    /// `plural.group`.
    pub(super) resource: String,
    /// Whether its objects live in namespaces.
    pub(super) namespaced: bool,
}

/// What `PROGRAM manifests` prints.
#[derive(Debug)]
pub(super) struct Needs {
    manifests: Vec<Value>,
}

impl Needs {
    /// Asks the program; `namespace` is the one that it is to work in.
    pub(super) async fn of(program: &Path, namespace: Option<&str>) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("manifests");
        set_namespace(&mut command, namespace);
        let text = process::output(&mut command, "the operator prints no manifests").await?;
        let manifests = documents(&text, &Place::Path(program.to_path_buf()))?;
        Ok(Self { manifests })
    }

    fn of_kind<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.manifests
            .iter()
            .filter(move |manifest| manifest["kind"] == kind)
    }

    /// All of it, in front of it the namespaces that have to be there.
    pub(super) fn within<'a>(&self, namespaces: impl IntoIterator<Item = &'a str>) -> Vec<Value> {
        let namespaces = namespaces.into_iter().map(namespace_of);
        namespaces.chain(self.manifests.iter().cloned()).collect()
    }

    /// The definitions.
    pub(super) fn definitions(&self) -> Vec<Value> {
        self.of_kind("CustomResourceDefinition").cloned().collect()
    }

    /// The operator's service account: its namespace and name.
    pub(super) fn account(&self) -> Result<(String, String)> {
        let account = self.of_kind("ServiceAccount").next().ok_or_else(|| {
            Problem::new("the operator's manifests have no ServiceAccount")
                .mend("`cargo run -- manifests` shows them")
                .environment()
        })?;
        let text = |key: &str| {
            account["metadata"][key]
                .as_str()
                .unwrap_or("default")
                .to_owned()
        };
        Ok((text("namespace"), text("name")))
    }

    /// The kinds it defines.
    pub(super) fn shown(&self) -> Vec<Shown> {
        self.of_kind("CustomResourceDefinition")
            .map(|crd| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                Shown {
                    kind: text(&crd["spec"]["names"]["kind"]),
                    resource: text(&crd["metadata"]["name"]),
                    namespaced: crd["spec"]["scope"] == "Namespaced",
                }
            })
            .collect()
    }
}

/// A program that was started. It is killed when this is dropped, and ends by itself where there is no time for that:
/// whoever started it may be killed, too.
#[derive(Debug)]
pub(super) struct Attended {
    /// The process.
    pub(super) child: Child,
    /// Nothing is said there: that it is open says that we are here. Not left in the child, which closes it to wait.
    _presence: Option<ChildStdin>,
}

impl Attended {
    /// Starts it. Where its output goes is the caller's to say.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut child = command
            .env("OPGEN_END_WITH_STDIN", "true")
            .stdin(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| process::missing(command, &error))?;
        Ok(Self {
            _presence: child.stdin.take(),
            child,
        })
    }
}

/// Tells an operator which namespace it is to work in.
pub(super) fn set_namespace(command: &mut Command, namespace: Option<&str>) {
    if let Some(namespace) = namespace {
        command.env("OPGEN_NAMESPACE", namespace);
    }
}

/// A Namespace of that name.
pub(super) fn namespace_of(name: &str) -> Value {
    serde_json::json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

/// The documents of a YAML text, without empty ones.
pub(super) fn documents(text: &str, place: &Place) -> Result<Vec<Value>> {
    let all: Vec<Value> = serde_saphyr::from_multiple(text).map_err(|error| -> Failure {
        Problem::new(format!("this is no YAML: {error}"))
            .at(place.clone())
            .mend("mend the syntax and save the file")
            .input()
    })?;
    Ok(all
        .into_iter()
        .filter(|document| !document.is_null())
        .collect())
}

/// A field that the machine keeps in the status, such as `phase`: an adopted CRD that has another use for the name has it as
/// `opgenPhase`.
pub(super) fn machine_field<'a>(object: &'a Value, name: &str) -> &'a Value {
    let status = &object["status"];
    match &status[format!("opgen{}", name.to_upper_camel_case())] {
        Value::Null => &status[name],
        own => own,
    }
}

/// A condition of an object.
pub(super) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let all = machine_field(object, "conditions").as_array()?;
    all.iter().find(|condition| condition["type"] == kind)
}

/// What the in-memory server does not take.
pub(super) fn refused(what: &str, error: &ApiError) -> Failure {
    Problem::new(format!("the API server refused {what}: {error}")).environment()
}

/// It ran, and an object did not get where it belongs.
pub(super) fn incomplete(what: String, mend: &str) -> Failure {
    Failure {
        exit: Exit::Incomplete,
        problems: vec![Problem::new(what).mend(mend)],
    }
}
