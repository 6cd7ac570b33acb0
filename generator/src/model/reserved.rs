//! Names that are taken, and by whom.

/// Keywords of Rust's 2024 edition, weak ones left out.
pub(crate) const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types that generated files import or name; a kind or a phase of that name would shadow one of them.
pub(crate) const TYPES: &[(&str, &str)] = &[
    ("Absent", "opgen_runtime"),
    ("Arc", "the standard library"),
    ("Box", "the standard library's prelude"),
    ("Client", "kube"),
    ("Clone", "the standard library's prelude"),
    ("Complete", "opgen_runtime"),
    ("Context", "the generated operator's context"),
    ("Copy", "the standard library's prelude"),
    ("CustomResource", "kube"),
    ("Cx", "opgen_runtime"),
    ("Debug", "the standard library"),
    ("Default", "the standard library's prelude"),
    ("Deserialize", "serde"),
    ("Drop", "the standard library's prelude"),
    ("Duration", "the standard library"),
    ("Eq", "the standard library's prelude"),
    ("Err", "the standard library's prelude"),
    ("Error", "opgen_runtime"),
    ("Fn", "the standard library's prelude"),
    ("From", "the standard library's prelude"),
    ("IdempotencyKey", "opgen_runtime"),
    ("Into", "the standard library's prelude"),
    ("Iterator", "the standard library's prelude"),
    ("JsonSchema", "schemars"),
    ("MachineContext", "opgen_runtime"),
    ("MachineStatus", "opgen_runtime"),
    ("MovesTo", "opgen_runtime"),
    ("None", "the standard library's prelude"),
    ("Observed", "opgen_runtime"),
    ("Ok", "the standard library's prelude"),
    ("Operator", "opgen_runtime"),
    ("Option", "the standard library's prelude"),
    ("Ord", "the standard library's prelude"),
    ("PartialEq", "the standard library's prelude"),
    ("PhaseMachine", "opgen_runtime"),
    ("Present", "opgen_runtime"),
    ("ReconcilePhase", "opgen_runtime"),
    ("Result", "the standard library's prelude"),
    ("Send", "the standard library's prelude"),
    ("Sensitive", "opgen_runtime"),
    ("Serialize", "serde"),
    ("Sized", "the standard library's prelude"),
    ("Some", "the standard library's prelude"),
    ("Status", "the object's own status"),
    ("StatusDiff", "opgen_runtime"),
    ("Step", "opgen_runtime"),
    ("String", "the standard library's prelude"),
    ("Sync", "the standard library's prelude"),
    ("Unknown", "opgen_runtime"),
    ("Vec", "the standard library's prelude"),
];

/// Crates that every generated project depends on; a project of that name could not be built.
pub(crate) const DEPENDENCIES: &[&str] = &[
    "anyhow",
    "clap",
    "futures",
    "k8s-openapi",
    "kube",
    "opgen-apiserver",
    "opgen-macros",
    "opgen-phase-model",
    "opgen-runtime",
    "opgen-testkit",
    "reqwest",
    "schemars",
    "serde",
    "serde_json",
    "tokio",
    "tracing",
];

/// Types that the modules about children and dependencies import or make.
pub(crate) const FOREIGN: &[&str] = &[
    "BTreeMap",
    "CustomResource",
    "Default",
    "Foreign",
    "KindOptions",
    "LabelSelector",
    "ObjectMeta",
    "ObjectRef",
    "Progress",
    "Value",
];

/// Crates of the compiler and names cargo keeps for its own folders.
pub(crate) const CRATES: &[&str] = &[
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// File names that Windows keeps for devices; a checkout there would fail.
pub(crate) const DEVICES: &[&str] = &[
    "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// Short names of Kubernetes' own resources: kubectl would answer with those.
pub(crate) const SHORT_NAMES: &[&str] = &[
    "cj", "cm", "cr", "crd", "crds", "crs", "cs", "csr", "deploy", "ds", "ep", "ev", "hpa", "ing",
    "limits", "netpol", "no", "ns", "pc", "pdb", "po", "pv", "pvc", "quota", "rc", "rs", "sa",
    "sc", "sts", "svc",
];
