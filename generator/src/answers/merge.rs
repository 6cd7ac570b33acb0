//! The merge of one kind's answers, field by field.

use std::path::{Path, PathBuf};

use super::questions::{EXTERNAL, INSIDE, OWNS, WATCHES, asked, listed, owned, watched};
use super::{Answer, Ask, KindAnswers, Source};
use crate::cli::New;
use crate::error::{Place, Problem, Result};
use crate::model::Kind;
use crate::settings::{KindFields, Settings};

/// The two written sources, looked at field by field.
pub(super) struct Merge<'a> {
    pub(super) settings: Option<&'a Settings>,
    pub(super) kind: KindFields,
    /// Whether the file has that kind.
    pub(super) is_written: bool,
    /// Which of the file's kinds.
    pub(super) index: usize,
}

impl Merge<'_> {
    pub(super) fn kind(&self, flags: &New, name: &str, ask: &mut dyn Ask) -> Result<KindAnswers> {
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

    pub(super) fn name(&self, path: &Path) -> Result<Answer<String>> {
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

    pub(super) fn k8s(&self, flags: &New) -> Option<Answer<String>> {
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

    pub(super) fn source(&self, flags: &New) -> Source {
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
