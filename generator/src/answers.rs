//! The one place where flags, `opgen.toml`, prompts and defaults meet. Nothing is checked here.

use std::path::{Path, PathBuf};

use crate::cli::New;
use crate::error::{Place, Problem, Result};
use crate::model::Kind;
use crate::settings::{KindFields, Settings};

/// A value, and where it came from, so that a later complaint can point there.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// What was answered.
    pub value: T,
    /// By whom.
    pub place: Place,
}

/// Where the opgen crates come from, as answered.
#[derive(Clone, Debug)]
pub enum Source {
    /// Whatever fits this program: a checkout if it was built from one, the registry otherwise.
    Fitting,
    /// The registry.
    Registry,
    /// A checkout.
    Path(Answer<PathBuf>),
    /// Copies, from the checkout named or from the one this program was built from.
    Vendor(Option<Answer<PathBuf>>),
}

/// Everything `new` wants to know.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The package's name.
    pub name: Answer<String>,
    /// The kind; `None` leaves it to the CRD.
    pub kind: Answer<String>,
    /// The group.
    pub group: Answer<String>,
    /// The version; `None` takes the default, or the CRD's storage version.
    pub version: Option<Answer<String>>,
    /// The plural; `None` derives it from the kind.
    pub plural: Option<Answer<String>>,
    /// Short names, each with its place.
    pub short: Vec<Answer<String>>,
    /// The scope.
    pub scope: Option<Answer<String>>,
    /// The phases, each with its place; none leaves them to what is managed outside.
    pub phases: Vec<Answer<String>>,
    /// What is managed outside.
    pub external: Answer<String>,
    /// The Kubernetes version.
    pub k8s: Option<Answer<String>>,
    /// The CRD to adopt.
    pub from_crd: Option<Answer<PathBuf>>,
    /// Where the crates come from.
    pub source: Source,
}

/// Something that can be asked; answers `None` where nobody is there.
pub trait Ask {
    /// Asks for a line of text.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn text(
        &mut self,
        question: &str,
        default: &str,
        check: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>>;

    /// Asks for one of several.
    ///
    /// # Errors
    /// If the conversation was broken off.
    fn choice(
        &mut self,
        question: &str,
        choices: &[(&'static str, &'static str)],
    ) -> Result<Option<String>>;
}

/// Nobody to ask: every default is taken.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Ask for Nobody {
    fn text(
        &mut self,
        _: &str,
        _: &str,
        _: fn(&str) -> Result<(), Problem>,
    ) -> Result<Option<String>> {
        Ok(None)
    }

    fn choice(&mut self, _: &str, _: &[(&'static str, &'static str)]) -> Result<Option<String>> {
        Ok(None)
    }
}

impl Answers {
    /// Merges: a flag wins over the file, the file over a prompt, a prompt over the default.
    ///
    /// # Errors
    /// If the conversation was broken off, or the target folder has no name.
    pub fn collect(flags: &New, settings: Option<&Settings>, ask: &mut dyn Ask) -> Result<Self> {
        let merge = Merge {
            settings,
            kind: settings.map(Settings::first_kind).unwrap_or_default(),
        };
        let name = merge.name(&flags.path)?;
        let from_crd = merge.path(flags.from_crd.as_deref());
        let stem = crate::model::stem(&name.value).to_owned();
        let (kind, group) = if from_crd.is_some() {
            // The CRD answers both. The flag only chooses where the file holds several; the settings name a file with one.
            let kind = merge.text("--kind", &flags.kind, &None, "kind");
            let unused = |place| Answer {
                value: String::new(),
                place,
            };
            (
                kind.unwrap_or_else(|| unused(Place::Flag("--kind"))),
                unused(Place::Flag("--group")),
            )
        } else {
            let kind = match merge.text("--kind", &flags.kind, &merge.kind.kind, "kind") {
                Some(kind) => kind,
                None => asked(
                    ask.text("Kind", &Kind::suggested(&name.value), |text| {
                        Kind::parse(text).map(drop)
                    })?,
                    Kind::suggested(&name.value),
                    "--kind",
                ),
            };
            let suggested = format!("{}.example.com", stem.to_lowercase().replace('_', "-"));
            let group = match merge.text("--group", &flags.group, &merge.kind.group, "group") {
                Some(group) => group,
                None => asked(
                    ask.text("API group", &suggested, |text| {
                        crate::model::ApiGroup::parse(text).map(drop)
                    })?,
                    suggested,
                    "--group",
                ),
            };
            (kind, group)
        };
        let external = match merge.text(
            "--external",
            &flags.external,
            &merge.kind.external,
            "external",
        ) {
            Some(external) => external,
            None => asked(
                ask.choice("What does it manage outside the cluster?", EXTERNAL)?,
                "http".to_owned(),
                "--external",
            ),
        };
        Ok(Self {
            kind,
            group,
            external,
            version: merge.text("--version", &flags.version, &merge.kind.version, "version"),
            plural: merge.text("--plural", &flags.plural, &merge.kind.plural, "plural"),
            scope: merge.text("--scope", &flags.scope, &merge.kind.scope, "scope"),
            short: merge.list(
                "--short",
                flags.short.clone(),
                merge.kind.short.clone(),
                "short",
            ),
            phases: merge.phases(flags),
            k8s: merge.k8s(flags),
            source: merge.source(flags),
            from_crd,
            name,
        })
    }
}

const EXTERNAL: &[(&str, &str)] = &[
    ("http", "an HTTP API: a bounded client is generated"),
    (
        "custom",
        "something else: a trait to implement, and a simulation",
    ),
    ("none", "nothing: it works inside the cluster only"),
];

fn asked(answer: Option<String>, default: String, flag: &'static str) -> Answer<String> {
    Answer {
        value: answer.unwrap_or(default),
        place: Place::Derived(flag),
    }
}

/// The two written sources, looked at field by field.
struct Merge<'a> {
    settings: Option<&'a Settings>,
    kind: KindFields,
}

impl Merge<'_> {
    fn place(&self, path: &[&str]) -> Place {
        self.settings
            .map_or(Place::Derived("the settings"), |settings| {
                settings.place(path)
            })
    }

    fn name(&self, path: &Path) -> Result<Answer<String>> {
        let fields = self
            .settings
            .and_then(|settings| settings.fields.name.clone());
        if let Some(value) = fields {
            return Ok(Answer {
                value,
                place: self.place(&["name"]),
            });
        }
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let last = absolute.file_name().ok_or_else(|| {
            Problem::new(format!(
                "`{}` has no last part to name the package by",
                path.display()
            ))
            .at(Place::Flag("NAME"))
            .mend("name a new folder, such as `database-operator`")
            .input()
        })?;
        let value = last.to_str().ok_or_else(|| {
            Problem::new(format!("the name `{}` is not UTF-8", last.display()))
                .at(Place::Flag("NAME"))
                .mend("use letters, digits and `-`")
                .input()
        })?;
        Ok(Answer {
            value: value.to_owned(),
            place: Place::Flag("NAME"),
        })
    }

    fn text(
        &self,
        flag: &'static str,
        given: &Option<String>,
        written: &Option<String>,
        field: &str,
    ) -> Option<Answer<String>> {
        if let Some(value) = given {
            return Some(Answer {
                value: value.clone(),
                place: Place::Flag(flag),
            });
        }
        written.as_ref().map(|value| Answer {
            value: value.clone(),
            place: self.place(&["kind", "0", field]),
        })
    }

    fn list(
        &self,
        flag: &'static str,
        given: Option<Vec<String>>,
        written: Option<Vec<String>>,
        field: &str,
    ) -> Vec<Answer<String>> {
        match (given, written, self.settings) {
            (Some(values), _, _) => values
                .into_iter()
                .map(|value| Answer {
                    value,
                    place: Place::Flag(flag),
                })
                .collect(),
            (None, Some(values), Some(settings)) => values
                .into_iter()
                .enumerate()
                .map(|(index, value)| Answer {
                    value,
                    place: settings.place_in(&["kind", "0", field], index),
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn phases(&self, flags: &New) -> Vec<Answer<String>> {
        let given = flags.phases.as_ref().map(|phases| {
            phases
                .split(',')
                .map(|phase| phase.trim().to_owned())
                .collect()
        });
        self.list("--phases", given, self.kind.phases.clone(), "phases")
    }

    fn k8s(&self, flags: &New) -> Option<Answer<String>> {
        if let Some(value) = &flags.k8s_version {
            return Some(Answer {
                value: value.clone(),
                place: Place::Flag("--k8s-version"),
            });
        }
        let written = self
            .settings
            .and_then(|settings| settings.fields.k8s_version.clone())?;
        Some(Answer {
            value: written,
            place: self.place(&["k8s-version"]),
        })
    }

    fn path(&self, given: Option<&Path>) -> Option<Answer<PathBuf>> {
        if let Some(path) = given {
            return Some(Answer {
                value: path.to_path_buf(),
                place: Place::Flag("--from-crd"),
            });
        }
        let written = self.kind.from_crd.as_ref()?;
        let place = self.place(&["kind", "0", "from-crd"]);
        // Paths in a file are relative to that file.
        let base = match &place {
            Place::Text { source, .. } => {
                source.path.parent().unwrap_or(Path::new("")).to_path_buf()
            }
            _ => PathBuf::new(),
        };
        Some(Answer {
            value: base.join(written),
            place,
        })
    }

    fn source(&self, flags: &New) -> Source {
        let given = flags.opgen_path.as_ref().map(|path| Answer {
            value: path.clone(),
            place: Place::Flag("--opgen-path"),
        });
        let fields = self
            .settings
            .map(|settings| settings.fields.opgen.clone())
            .unwrap_or_default();
        match (flags.published, flags.vendor, given) {
            (true, _, _) => return Source::Registry,
            (_, true, path) => return Source::Vendor(path),
            (_, _, Some(path)) => return Source::Path(path),
            _ => {}
        }
        match (fields.source.as_deref(), fields.path) {
            (Some("registry"), _) => Source::Registry,
            (Some("vendor"), _) => Source::Vendor(None),
            (_, Some(path)) => Source::Path(Answer {
                value: path,
                place: self.place(&["opgen", "path"]),
            }),
            _ => Source::Fitting,
        }
    }
}
