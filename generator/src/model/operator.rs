//! The operator that a project implements.

use std::path::PathBuf;

use super::k8s::K8sVersion;
use super::machine::Machine;
use super::names::{ApiGroup, ApiVersion, CrateName, Kind, Plural, ShortName};
use super::related::Related;
use super::scope::Scope;
use crate::error::Problem;

/// What an operator manages outside the cluster, and how it talks to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum External {
    /// An HTTP API.
    #[default]
    Http,
    /// Something else: a trait, a simulation, and a marked place for the author's client.
    Custom,
    /// Nothing: the operator works inside the cluster only.
    None,
}

impl External {
    /// Reads `http`, `custom` or `none`.
    ///
    /// # Errors
    /// If it is none of them.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text {
            "http" => Ok(Self::Http),
            "custom" => Ok(Self::Custom),
            "none" => Ok(Self::None),
            _ => Err(
                Problem::new(format!("`{text}` is not a kind of external system"))
                    .mend("use `http`, `custom` or `none`"),
            ),
        }
    }

    /// As flags and `opgen.toml` spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Custom => "custom",
            Self::None => "none",
        }
    }
}

/// Where the opgen crates of the generated project come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Crates {
    /// The registry, at the version of this program.
    Registry,
    /// A checkout on this machine.
    Path(PathBuf),
    /// Copies below `vendor/opgen`, taken from a checkout.
    Vendored {
        /// The checkout the copies are taken from.
        from: PathBuf,
    },
}

/// One kind of an operator.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The kind.
    pub kind: Kind,
    /// Its group.
    pub group: ApiGroup,
    /// Its version.
    pub version: ApiVersion,
    /// Its name in URLs.
    pub plural: Plural,
    /// Its short names.
    pub short: Vec<ShortName>,
    /// Whether it lives in namespaces.
    pub scope: Scope,
    /// Its life.
    pub machine: Machine,
    /// What it manages outside.
    pub external: External,
    /// Kinds of its children.
    pub owns: Vec<Related>,
    /// Kinds it refers to.
    pub watches: Vec<Related>,
    /// The CRD file it was adopted from.
    pub adopted: Option<Adopted>,
}

/// A CRD that exists already and stays the truth, and what was made of it.
#[derive(Clone, Debug)]
pub struct Adopted {
    /// The CRD as its owner wrote it.
    pub original: String,
    /// Rust types: the root, the spec, the status and what they hold.
    pub types: String,
    /// The root type's name.
    pub root: String,
    /// The spec type's name; none where the CRD has no spec.
    pub spec: Option<String>,
    /// Whether the root holds its spec in an `Option`.
    pub optional_spec: bool,
    /// The status type's name.
    pub status: String,
    /// The CRD to install: the owner's text plus the listed additions.
    pub crd: String,
    /// What was added, one line each.
    pub additions: Vec<String>,
    /// An object that the schema admits, as YAML.
    pub sample: String,
    /// The same as JSON.
    pub sample_json: String,
}

/// A whole operator, valid.
#[derive(Clone, Debug)]
pub struct Operator {
    /// The package's name.
    pub name: CrateName,
    /// Its kinds; at least one.
    pub resources: Vec<Resource>,
    /// The Kubernetes version it compiles against.
    pub k8s: K8sVersion,
    /// Where its opgen crates come from.
    pub crates: Crates,
}
