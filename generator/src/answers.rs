//! The one place where flags, `opgen.toml`, prompts and defaults meet. Nothing is checked here.

use std::path::{Path, PathBuf};

use crate::cli::New;
use crate::error::{Place, Problem, Result};
use crate::model::{Kind, Related, Use};
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
    /// The kinds; at least one.
    pub kinds: Vec<KindAnswers>,
    /// The Kubernetes version.
    pub k8s: Option<Answer<String>>,
    /// Where the crates come from.
    pub source: Source,
}

/// What is asked of one kind.
#[derive(Clone, Debug)]
pub struct KindAnswers {
    /// The kind; empty leaves it to the CRD.
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
    /// The phases, each with its place; none leaves them to what is managed.
    pub phases: Vec<Answer<String>>,
    /// What is managed outside.
    pub external: Answer<String>,
    /// Kinds of children, each with its place.
    pub owns: Vec<Answer<String>>,
    /// Kinds of dependencies, each with its place.
    pub watches: Vec<Answer<String>>,
    /// The CRD to adopt.
    pub from_crd: Option<Answer<PathBuf>>,
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
    /// If the conversation was broken off, the target folder has no name, or a flag about a kind meets a file with
    /// several.
    pub fn collect(flags: &New, settings: Option<&Settings>, ask: &mut dyn Ask) -> Result<Self> {
        let written = settings.map_or(&[][..], |settings| &settings.fields.kind);
        if let (true, Some(flag)) = (written.len() > 1, flags.about_a_kind()) {
            return Err(Problem::new(format!(
                "`{flag}` is about one kind, and the settings have {}",
                written.len()
            ))
            .at(Place::Flag(flag))
            .mend("change the [[kind]] in the file that it is meant for")
            .input());
        }
        let merge = |index| Merge {
            settings,
            kind: written.get(index).cloned().unwrap_or_default(),
            is_written: index < written.len(),
            index,
        };
        let name = merge(0).name(&flags.path)?;
        let kinds = (0..written.len().max(1))
            .map(|index| merge(index).kind(flags, &name.value, ask))
            .collect::<Result<_>>()?;
        Ok(Self {
            k8s: merge(0).k8s(flags),
            source: merge(0).source(flags),
            kinds,
            name,
        })
    }
}

const HTTP: (&str, &str) = ("http", "an HTTP API: a bounded client is generated");
const CUSTOM: (&str, &str) = (
    "custom",
    "something else: a trait to implement, and a simulation",
);
const NOTHING: (&str, &str) = ("none", "nothing: it works inside the cluster only");

/// What may be managed outside; the first is the default.
const EXTERNAL: &[(&str, &str)] = &[HTTP, CUSTOM, NOTHING];
/// The same for a kind with children.
const INSIDE: &[(&str, &str)] = &[NOTHING, HTTP, CUSTOM];

const OWNS: &str = "Kinds it makes inside the cluster (Deployment,Service,...; Enter for none)";
const WATCHES: &str = "Kinds its spec refers to (Secret,ConfigMap,...; Enter for none)";

fn owned(text: &str) -> Result<(), Problem> {
    words(text).try_for_each(|kind| Related::parse(kind, Use::Owns).map(drop))
}

fn watched(text: &str) -> Result<(), Problem> {
    words(text).try_for_each(|kind| Related::parse(kind, Use::Watches).map(drop))
}

/// What commas separate, without what is empty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

fn listed(answer: Option<String>, flag: &'static str) -> Vec<Answer<String>> {
    let answer = answer.unwrap_or_default();
    words(&answer)
        .map(|word| Answer {
            value: word.to_owned(),
            place: Place::Derived(flag),
        })
        .collect()
}

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
    /// Whether the file has that kind.
    is_written: bool,
    /// Which of the file's kinds.
    index: usize,
}

impl Merge<'_> {
    fn kind(&self, flags: &New, name: &str, ask: &mut dyn Ask) -> Result<KindAnswers> {
        let from_crd = self.path(flags.from_crd.as_deref());
        let (kind, group) = self.kind_and_group(flags, from_crd.is_some(), name, ask)?;
        let external = self.text(
            "--external",
            &flags.external,
            &self.kind.external,
            "external",
        );
        let mut owns = self.list("--owns", flags.owns.clone(), self.kind.owns.clone(), "owns");
        let mut watches = self.list(
            "--watches",
            flags.watches.clone(),
            self.kind.watches.clone(),
            "watches",
        );
        // Who said the one has thought of the others; and what a file does not name, it does not want.
        if external.is_none() && !self.is_written {
            if flags.owns.is_none() {
                owns = listed(ask.text(OWNS, "", owned)?, "--owns");
            }
            if flags.watches.is_none() {
                watches = listed(ask.text(WATCHES, "", watched)?, "--watches");
            }
        }
        let external = match external {
            Some(external) => external,
            None => {
                // Who names children means those; who names nothing gets the whole shape.
                let choices = if owns.is_empty() { EXTERNAL } else { INSIDE };
                let (default, _) = choices[0];
                asked(
                    ask.choice("What does it manage outside the cluster?", choices)?,
                    default.to_owned(),
                    "--external",
                )
            }
        };
        Ok(KindAnswers {
            kind,
            group,
            external,
            owns,
            watches,
            version: self.text("--version", &flags.version, &self.kind.version, "version"),
            plural: self.text("--plural", &flags.plural, &self.kind.plural, "plural"),
            scope: self.text("--scope", &flags.scope, &self.kind.scope, "scope"),
            short: self.list(
                "--short",
                flags.short.clone(),
                self.kind.short.clone(),
                "short",
            ),
            phases: self.phases(flags),
            from_crd,
        })
    }

    /// The CRD answers both. The flag only chooses where the file holds several; the settings name a file with one.
    fn kind_and_group(
        &self,
        flags: &New,
        adopts: bool,
        name: &str,
        ask: &mut dyn Ask,
    ) -> Result<(Answer<String>, Answer<String>)> {
        if adopts {
            let unused = |flag| Answer {
                value: String::new(),
                place: Place::Flag(flag),
            };
            let kind = self.text("--kind", &flags.kind, &None, "kind");
            return Ok((kind.unwrap_or_else(|| unused("--kind")), unused("--group")));
        }
        let kind = match self.text("--kind", &flags.kind, &self.kind.kind, "kind") {
            Some(kind) => kind,
            None => asked(
                ask.text("Kind", &Kind::suggested(name), |text| {
                    Kind::parse(text).map(drop)
                })?,
                Kind::suggested(name),
                "--kind",
            ),
        };
        let stem = crate::model::stem(name);
        let suggested = format!("{}.example.com", stem.to_lowercase().replace('_', "-"));
        let group = match self.text("--group", &flags.group, &self.kind.group, "group") {
            Some(group) => group,
            None => asked(
                ask.text("API group", &suggested, |text| {
                    crate::model::ApiGroup::parse(text).map(drop)
                })?,
                suggested,
                "--group",
            ),
        };
        Ok((kind, group))
    }

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
            place: self.place(&["kind", &self.index.to_string(), field]),
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
                    place: settings.place_in(&["kind", &self.index.to_string(), field], index),
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
        let place = self.place(&["kind", &self.index.to_string(), "from-crd"]);
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
