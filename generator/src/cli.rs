//! The command line: what may be typed, and nothing about what it means.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the surroundings failed: a disk, a permission, a missing program, a failed build
  2  the input was wrong: a flag, a name, a file; nothing was written
  3  `demo` or `dev --once` ran, but an object did not get where it belongs";

/// Scaffolds Kubernetes operators in Rust that cannot go wrong in the ways operators go wrong.
#[derive(Debug, Parser)]
#[command(name = "cargo-opgen", bin_name = "cargo opgen", version, after_help = EXIT_CODES, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to say it.
    #[command(flatten)]
    pub output: Output,
}

/// How a command talks.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Output {
    /// Say nothing but errors.
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// How to write results and errors.
    #[arg(long, global = true, value_enum, default_value_t)]
    pub format: Format,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// As CARGO_TERM_COLOR says, else on a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How results and errors are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// One JSON object, of `dev` one per event: the result on standard output, an error on standard error.
    Json,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the project of a new operator.
    New(Box<New>),
    /// Make an operator of a crate that exists: add what is missing, overwrite nothing.
    Init(Box<Init>),
    /// Scaffold an operator, build it, and watch its object live and go, against an in-memory API server.
    Demo(Demo),
    /// Run the operator while you write it: in-memory API server, samples, rebuild and restart on every change.
    Dev(Dev),
    /// Print the phase graphs of a project, from its source.
    Graph(Graph),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Print the manual page, in roff.
    Man(Man),
}

const NEW_EXAMPLES: &str = "\
Examples:
  cargo opgen new database-operator
  cargo opgen new database-operator --kind Database --group db.example.com --external http -y
  cargo opgen new web-operator --kind Web --owns Deployment,Service --watches v1/Secret
  cargo opgen new cert-operator --from-crd certificates.yaml
  cargo opgen new cache-operator --phases 'Pending>Warming,Warming:deadline=5m>Ready,Ready:steady>Warming'

Phases:
  One phase is Name[:mark]...[>Target[|Target]...]; commas separate phases; the first is where objects start.
  Marks: steady, failed, finalizer, deadline=30m, on_deadline=Failed, resync=10m, timeout=10s.
  A failed phase is added where none is named, a finalizer phase where something outside is managed,
  and an arrow to the failed phase is implied everywhere.

Kinds that are owned or watched:
  A built-in kind as `Deployment` or `apps/v1/Deployment`; any other as group/version/Kind with the marks
  `cluster` and `plural=NAME` where they are needed: cert-manager.io/v1/ClusterIssuer:cluster.

Several kinds: one [[kind]] each in a file given with --from.

Answers come from a flag, else from opgen.toml, else from a prompt on a terminal, else from the default.";

/// `new`: make the project of a new operator.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = NEW_EXAMPLES)]
pub struct New {
    /// The folder to make; its last part names the package.
    #[arg(value_name = "NAME")]
    pub path: PathBuf,
    /// The kind, in PascalCase; with --from-crd, which of the file's kinds [default: from the name].
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// The API group, a domain of yours [default: NAME.example.com].
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// The API version; with --from-crd, which of the file's versions [default: v1alpha1].
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// The resource's name in URLs [default: the kind's plural].
    #[arg(long, value_name = "PLURAL")]
    pub plural: Option<String>,
    /// Short names for kubectl, separated by commas [default: none].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub short: Option<Vec<String>>,
    /// Where objects live: `namespaced` or `cluster` [default: namespaced].
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<String>,
    /// The phases of an object's life, see below.
    #[arg(long, value_name = "PHASES")]
    pub phases: Option<String>,
    /// What the operator manages outside the cluster: `http`, `custom` or `none` [default: http; none with --owns].
    #[arg(long, value_name = "KIND")]
    pub external: Option<String>,
    /// Kinds of the objects it makes for each of its own, separated by commas [default: none].
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub owns: Option<Vec<String>>,
    /// Kinds of the objects that a spec refers to, separated by commas [default: none].
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub watches: Option<Vec<String>>,
    /// Adopt the CustomResourceDefinition in this YAML file; the file stays the truth.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["group", "plural", "short", "scope"])]
    pub from_crd: Option<PathBuf>,
    /// The Kubernetes version whose types to compile against, such as 1.36 [default: latest].
    #[arg(long, value_name = "VERSION")]
    pub k8s_version: Option<String>,
    /// Depend on the opgen crates in this checkout.
    #[arg(long, value_name = "DIR")]
    pub opgen_path: Option<PathBuf>,
    /// Copy the opgen crates into vendor/opgen.
    #[arg(long)]
    pub vendor: bool,
    /// Depend on the published opgen crates, even if this program was built from a checkout.
    #[arg(long, conflicts_with_all = ["vendor", "opgen_path"])]
    pub published: bool,
    /// Read answers from this file [default: opgen.toml in the target folder, if there is one].
    #[arg(long, alias = "config", value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Which version control to set up [default: git, outside an existing repository].
    #[arg(long, value_enum, value_name = "VCS")]
    pub vcs: Option<Vcs>,
    /// Show what would be written, and write nothing.
    #[arg(long, action = ArgAction::SetTrue)]
    pub dry_run: bool,
    /// Write into a folder that is not empty; files of the same name are replaced.
    #[arg(long)]
    pub force: bool,
    /// Ask nothing: take the default where there is no other answer.
    #[arg(long, short)]
    pub yes: bool,
}

impl New {
    /// A flag that was given and is about one kind.
    pub(crate) fn about_a_kind(&self) -> Option<&'static str> {
        [
            ("--kind", self.kind.is_some()),
            ("--group", self.group.is_some()),
            ("--version", self.version.is_some()),
            ("--plural", self.plural.is_some()),
            ("--short", self.short.is_some()),
            ("--scope", self.scope.is_some()),
            ("--phases", self.phases.is_some()),
            ("--external", self.external.is_some()),
            ("--owns", self.owns.is_some()),
            ("--watches", self.watches.is_some()),
            ("--from-crd", self.from_crd.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, given)| given.then_some(flag))
    }
}

const INIT_EXAMPLES: &str = "\
Examples:
  cargo opgen init
  cargo opgen init services/database --kind Database --group db.example.com --dry-run
  cargo opgen init --manifest-path services/database/Cargo.toml --owns Deployment -y

It adds modules, tests, manifests and dependencies to a crate. No file is overwritten, no dependency changed: where
your own is in the way, the lines to add to it are printed. The phases and answers are those of `new`, see there.";

/// `init`: make an operator of a crate that exists.
#[derive(Args, Clone, Debug, Default)]
#[command(
    after_help = INIT_EXAMPLES,
    mut_arg("path", |path| path.required(false).default_value(".").value_name("DIR").help("The crate's folder")),
    mut_arg("vcs", |vcs| vcs.hide(true)),
    mut_arg("force", |force| force.hide(true)),
)]
pub struct Init {
    /// The crate's Cargo.toml, instead of its folder.
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    pub manifest_path: Option<PathBuf>,
    /// The answers, as `new` takes them.
    #[command(flatten)]
    pub new: New,
}

/// Version control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Vcs {
    /// `git init`.
    Git,
    /// Nothing.
    None,
}

const DEMO_EXAMPLES: &str = "\
Examples:
  cargo opgen demo
  cargo opgen demo --keep
  cargo opgen demo --record demo.svg
  cargo opgen demo --format json";

/// `demo`: an object's whole life in one command.
#[derive(Args, Clone, Debug)]
#[command(after_help = DEMO_EXAMPLES)]
pub struct Demo {
    /// Keep the project, and say where it is.
    #[arg(long)]
    pub keep: bool,
    /// Where to build [default: a folder that the next demo finds again, so that it is quick].
    #[arg(long, value_name = "DIR")]
    pub target_dir: Option<PathBuf>,
    /// Draw what was said as a terminal, into this SVG file.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Give the object so many seconds to live and go; the build is not counted.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// Depend on the opgen crates in this checkout.
    #[arg(long, value_name = "DIR")]
    pub opgen_path: Option<PathBuf>,
    /// What cargo is told.
    #[command(flatten)]
    pub cargo: CargoFlags,
}

/// What is passed on to cargo.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Cargo")]
pub struct CargoFlags {
    /// Use no network.
    #[arg(long)]
    pub offline: bool,
    /// Fail if Cargo.lock would change.
    #[arg(long)]
    pub locked: bool,
    /// Both of them.
    #[arg(long)]
    pub frozen: bool,
}

const DEV_EXAMPLES: &str = "\
Examples:
  cargo opgen dev
  cargo opgen dev --port 6443 --namespace team-a
  cargo opgen dev --manifest-path services/database/Cargo.toml --locked
  cargo opgen dev --once --format json      # for CI: ends with 0 as soon as every sample is Ready
  cargo opgen dev --real                    # against the cluster of the current kubeconfig

In another terminal, while it runs (the path is printed at the start):
  export KUBECONFIG=$PWD/target/opgen/dev/kubeconfig
  kubectl get databases -w

An operator that talks to an HTTP API gets `simulated` for its address unless the variable is set.
It ends with Ctrl-C; whatever was in the in-memory server is gone then. With --real nothing is deleted, ever.";

/// `dev`: run the operator while it is being written.
#[derive(Args, Clone, Debug)]
#[command(after_help = DEV_EXAMPLES)]
pub struct Dev {
    /// The project's Cargo.toml [default: the nearest one].
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Use the cluster of the current kubeconfig instead, with your own rights; samples stay out unless asked for.
    #[arg(long, conflicts_with = "port")]
    pub real: bool,
    /// Where the API server listens, on the loopback address [default: any free port].
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Work in this namespace only, with a Role instead of a ClusterRole; the samples go there.
    #[arg(long, value_name = "NAMESPACE")]
    pub namespace: Option<String>,
    /// Apply deploy/*.sample.yaml [default: true, with --real false].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub samples: Option<bool>,
    /// End as soon as every object is Ready, or with 3 if that takes longer than --patience.
    #[arg(long)]
    pub once: bool,
    /// For --once: so many seconds; the build is not counted.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// What cargo is told.
    #[command(flatten)]
    pub cargo: CargoFlags,
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  cargo opgen graph
  cargo opgen graph src/controllers/database --as svg > database.svg
  cargo opgen graph --manifest-path services/database/Cargo.toml --as dot | dot -Tpng > database.png";

/// `graph`: the phase graphs of a project.
#[derive(Args, Clone, Debug)]
#[command(after_help = GRAPH_EXAMPLES)]
pub struct Graph {
    /// A project, a folder or a file.
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// The project's Cargo.toml, instead of a path; the folder of a workspace's shows all its members.
    #[arg(long, value_name = "PATH", conflicts_with = "path")]
    pub manifest_path: Option<PathBuf>,
    /// The language of the picture.
    #[arg(long = "as", value_enum, default_value_t, value_name = "LANGUAGE")]
    pub language: Language,
}

/// A language of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Mermaid, which Markdown viewers draw.
    #[default]
    Mermaid,
    /// Graphviz.
    Dot,
    /// A picture as such.
    Svg,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  cargo opgen completions bash > ~/.local/share/bash-completion/completions/cargo-opgen
  cargo opgen completions fish > ~/.config/fish/completions/cargo-opgen.fish";

/// `completions`: a script for a shell.
#[derive(Args, Clone, Debug)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct Completions {
    /// Which shell.
    pub shell: clap_complete::Shell,
}

const MAN_EXAMPLES: &str = "\
Examples:
  cargo opgen man | man -l -
  cargo opgen man new > /usr/local/share/man/man1/cargo-opgen-new.1";

/// `man`: the manual pages.
#[derive(Args, Clone, Debug)]
#[command(after_help = MAN_EXAMPLES)]
pub struct Man {
    /// The page of this command [default: the page of all].
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}
