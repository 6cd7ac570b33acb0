//! The Rust module of a CRD.
//!
//! # What the types keep
//!
//! Every value that the schema admits and an API server stores decodes, and encodes to the same JSON:
//!
//! | schema | Rust | why |
//! | --- | --- | --- |
//! | optional | `Option<T>`, left out when `None` | absent and `[]` stay two things |
//! | optional and nullable | `Option<Option<T>>` | `None` is absent, `Some(None)` is null |
//! | `integer` | `i32`, `i64`, ... by format and bounds | as wide as what the server lets through |
//! | `number` | `serde_json::Number` | `1` does not become `1.0`, nor a long integer a rounded one |
//! | int-or-string | `IntOrString` of the module | 64 bits: a quantity of bytes does not fit the 32 of `k8s-openapi`'s |
//! | `date-time`, `duration`, `byte`, quantities | `String` | parsed and written again they would change their form |
//! | `enum` of strings | enum with a last variant `Unrecognized(String)` | see below |
//! | preserve-unknown | `serde_json::Value`, a map, or a flattened map beside the declared fields | |
//! | `oneOf`, `anyOf`, `allOf`, `not`, CEL, patterns | nothing | constraints on declared fields; the server checks them |
//!
//! The exceptions, all outside the schema's reach: `metadata` is `k8s-openapi`'s `ObjectMeta`, a *nullable status* that is null reads as
//! absent, integers beyond 64 bits do not decode, and fields that the server would have pruned are dropped.
//!
//! # Values an enum does not know
//!
//! A server holds an enum to the CRD *it* has, which may be newer than the types: during an upgrade, after a rollback. A closed enum would
//! make such an object undecodable, and an object that cannot be decoded cannot be cleaned up, so its finalizer stays for ever. A unit
//! variant for the rest (`#[serde(other)]`) would decode but write the wrong value back. So the last variant holds the text it met: nothing
//! is lost, and a `match` makes the author say what happens then.

use super::{
    additions::Additions,
    default, emit,
    error::CrdError,
    model::{Body, Module, Ty},
    parse::{CrdFile, Scope},
    schema::Schema,
    shape,
};

/// What the module may lean on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flavor {
    /// `opgen-runtime`: the status derives `StatusDiff`.
    #[default]
    Machine,
    /// `kube`, `k8s-openapi`, `serde` and `serde_json` only.
    Plain,
}

/// A Rust module, not formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustSource {
    text: String,
    root: String,
    spec: Option<String>,
    status: String,
    types: usize,
    has_optional_spec: bool,
}

impl RustSource {
    /// The module's text. Valid, not formatted.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The root type's name.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The Rust type of `spec`, without the `Option` around an optional one; `None` if there is no spec.
    #[must_use]
    pub fn spec(&self) -> Option<&str> {
        self.spec.as_deref()
    }

    /// Whether the spec may be absent, so that the field is an `Option`.
    #[must_use]
    pub fn has_optional_spec(&self) -> bool {
        self.has_optional_spec
    }

    /// The status type's name.
    #[must_use]
    pub fn status(&self) -> &str {
        &self.status
    }

    /// How many types there are.
    #[must_use]
    pub fn types(&self) -> usize {
        self.types
    }
}

/// The module for `crd` with `additions` made.
///
/// # Errors
/// If the schema has no status object after the additions, which [`Additions::for_crd`] rules out.
pub fn generate(crd: &CrdFile, additions: &Additions) -> Result<RustSource, CrdError> {
    generate_as(crd, additions, Flavor::default())
}

/// As [`generate`], for another flavor.
///
/// # Errors
/// As [`generate`].
pub fn generate_as(
    crd: &CrdFile,
    additions: &Additions,
    flavor: Flavor,
) -> Result<RustSource, CrdError> {
    let module = shape::module(&crd.type_name(), Schema::new(additions.schema()));
    let root = Root::of(&module).ok_or_else(|| {
        let at = format!(
            "/spec/versions/{}/schema/openAPIV3Schema/properties/status",
            crd.version_index()
        );
        crd.error(
            &at,
            "the status is not an object with fields",
            "declare it as `type: object`",
        )
    })?;
    let plan = default::plan(&module, Some(root.status));
    let context = emit::Context {
        module: &module,
        plan: &plan,
        root: &root,
        paths: additions.status_paths(),
        is_machine: flavor == Flavor::Machine,
        parts: match flavor {
            Flavor::Machine => module.comparing(root.status),
            Flavor::Plain => vec![false; module.types.len()],
        },
    };
    let head = emit::Head {
        group: crd.group(),
        version: crd.version(),
        kind: crd.kind(),
        plural: crd.plural(),
        is_namespaced: crd.scope() == Scope::Namespaced,
        additions: &additions.lines(),
    };
    let spec = root.spec.and_then(|index| module.root_fields().get(index));
    Ok(RustSource {
        text: emit::module(&context, &head),
        root: module.types[0].name.clone(),
        spec: spec.map(|field| context.ty(&field.ty)),
        status: module.types[root.status].name.clone(),
        types: module.types.len(),
        has_optional_spec: spec.is_some_and(|field| !field.is_required),
    })
}

/// Where spec and status are.
pub(super) struct Root {
    /// Index of the spec among the root's fields.
    pub(super) spec: Option<usize>,
    /// Index of the status type.
    pub(super) status: usize,
}

impl Root {
    fn of(module: &Module) -> Option<Self> {
        let fields = module.root_fields();
        let status = fields.iter().find(|field| field.wire == "status")?;
        let index = match &status.ty {
            Ty::Named(index) => *index,
            Ty::Nullable(inner) => inner.named()?,
            _ => return None,
        };
        let is_struct = matches!(module.types[index].body, Body::Struct(_));
        let spec = fields.iter().position(|field| field.wire == "spec");
        is_struct.then_some(Self {
            spec,
            status: index,
        })
    }
}
