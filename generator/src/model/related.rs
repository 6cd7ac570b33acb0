//! Kinds that an operator makes objects of, or refers to: `Deployment`, `apps/v1/Deployment`, `v1/Secret`, or
//! `cert-manager.io/v1/Certificate` with the marks `cluster` and `plural=NAME`.

use super::builtin::{BUILT_IN, BuiltIn, GROUPS};
use super::names::{ApiGroup, ApiVersion, Kind, Plural};
use super::reserved;
use crate::error::Problem;

/// A kind beside the operator's own ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Related {
    /// One of Kubernetes' own.
    BuiltIn(&'static BuiltIn),
    /// Somebody else's.
    Foreign(Foreign),
}

/// A kind that a CRD defines which is not ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Its group.
    pub group: ApiGroup,
    /// Its version.
    pub version: ApiVersion,
    /// The kind.
    pub kind: Kind,
    /// Its name in URLs.
    pub plural: Plural,
    /// Whether it lives outside of namespaces.
    pub cluster: bool,
}

/// What the operator does with the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Makes objects of it.
    Owns,
    /// Refers to objects of it.
    Watches,
}

impl Related {
    /// Reads one kind.
    ///
    /// # Errors
    /// If there is no such kind, or it cannot be used so.
    pub fn parse(text: &str, used: Use) -> Result<Self, Problem> {
        let mut parts = text.split(':').map(str::trim);
        let path: Vec<&str> = parts.next().unwrap_or_default().split('/').collect();
        let marks: Vec<&str> = parts.collect();
        let (group, version, kind) = match path[..] {
            [kind] => (None, None, kind),
            [version, kind] => (Some(""), Some(version), kind),
            [group, version, kind] => (Some(group), Some(version), kind),
            _ => {
                return Err(Problem::new(format!("`{text}` is not a kind"))
                    .mend("write `Deployment`, `v1/Secret` or `group/version/Kind`"));
            }
        };
        if let Some(row) = BUILT_IN.iter().find(|row| {
            row.kind == kind
                && group.is_none_or(|group| group == row.group)
                && version.is_none_or(|version| version == row.version)
        }) {
            return built_in(row, &marks, used);
        }
        match (group, version) {
            (Some(group), Some(version)) if !GROUPS.contains(&group) => {
                foreign(group, version, kind, &marks)
            }
            _ => Err(unknown(text, kind, used)),
        }
    }

    /// As flags and `opgen.toml` spell it.
    pub fn spelled(&self) -> String {
        match self {
            Self::BuiltIn(row) => format!("{}/{}", row.api_version(), row.kind),
            Self::Foreign(foreign) => {
                let mut text = format!("{}/{}/{}", foreign.group, foreign.version, foreign.kind);
                if foreign.cluster {
                    text.push_str(":cluster");
                }
                if foreign.plural.as_str() != foreign.kind.pluralised() {
                    text.push_str(&format!(":plural={}", foreign.plural));
                }
                text
            }
        }
    }

    /// The kind.
    pub fn kind(&self) -> &str {
        match self {
            Self::BuiltIn(row) => row.kind,
            Self::Foreign(foreign) => foreign.kind.as_str(),
        }
    }

    /// Whether its objects live outside of namespaces.
    pub fn is_cluster_scoped(&self) -> bool {
        match self {
            Self::BuiltIn(row) => row.cluster,
            Self::Foreign(foreign) => foreign.cluster,
        }
    }

    /// Where it comes in the order of applying: what others need comes first.
    pub(crate) fn rank(&self) -> usize {
        match self {
            Self::BuiltIn(row) => BUILT_IN
                .iter()
                .position(|other| other == *row)
                .unwrap_or_default(),
            Self::Foreign(_) => BUILT_IN.len(),
        }
    }
}

fn built_in(row: &'static BuiltIn, marks: &[&str], used: Use) -> Result<Related, Problem> {
    if let Some(mark) = marks.first() {
        return Err(Problem::new(format!(
            "`{}` is one of Kubernetes' own kinds and takes no mark `{mark}`",
            row.kind
        ))
        .mend("leave the mark out"));
    }
    if used == Use::Owns && row.takes.is_none() {
        return Err(Problem::new(format!(
            "there is no template for a `{}` that is owned",
            row.kind
        ))
        .mend(format!(
            "own one of {}, or watch it with `--watches {}/{}`",
            known(used),
            row.api_version(),
            row.kind
        )));
    }
    Ok(Related::BuiltIn(row))
}

fn foreign(group: &str, version: &str, kind: &str, marks: &[&str]) -> Result<Related, Problem> {
    let kind = Kind::parse(kind)?;
    let mut foreign = Foreign {
        group: ApiGroup::parse_existing(group)?,
        version: ApiVersion::parse(version)?,
        plural: Plural::parse(&kind.pluralised())?,
        kind,
        cluster: false,
    };
    for mark in marks {
        match mark.split_once('=') {
            None if *mark == "cluster" => foreign.cluster = true,
            Some(("plural", plural)) => foreign.plural = Plural::parse(plural)?,
            _ => {
                return Err(Problem::new(format!("`{mark}` is not a mark of a kind"))
                    .mend("marks are `cluster` and `plural=NAME`"));
            }
        }
    }
    if reserved::FOREIGN.contains(&foreign.kind.as_str()) {
        return Err(Problem::new(format!(
            "kind `{}` would hide a type that generated code uses",
            foreign.kind
        ))
        .mend("write its type by hand; there is no rendering of it"));
    }
    Ok(Related::Foreign(foreign))
}

fn unknown(text: &str, kind: &str, used: Use) -> Problem {
    let near = BUILT_IN
        .iter()
        .find(|row| row.kind.eq_ignore_ascii_case(kind));
    let mend = match near {
        Some(row) => format!("write `{}/{}`", row.api_version(), row.kind),
        None => format!(
            "use one of {}, or `group/version/Kind` of a CRD",
            known(used)
        ),
    };
    Problem::new(format!("`{text}` is no kind that opgen knows")).mend(mend)
}

fn known(used: Use) -> String {
    let kinds: Vec<&str> = BUILT_IN
        .iter()
        .filter(|row| used == Use::Watches || row.takes.is_some())
        .map(|row| row.kind)
        .collect();
    kinds.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> String {
        Related::parse(text, Use::Owns)
            .unwrap_or_else(|problem| panic!("{text}: {}", problem.what))
            .spelled()
    }

    #[test]
    fn kinds_are_spelled_in_full() {
        for (text, full) in [
            ("Deployment", "apps/v1/Deployment"),
            ("apps/v1/Deployment", "apps/v1/Deployment"),
            ("v1/Secret", "v1/Secret"),
            (
                "cert-manager.io/v1/Certificate",
                "cert-manager.io/v1/Certificate",
            ),
            ("x.io/v1/Issuer:cluster", "x.io/v1/Issuer:cluster"),
            ("x.io/v1/Fish:plural=fish", "x.io/v1/Fish:plural=fish"),
        ] {
            assert_eq!(spelled(text), full);
            assert_eq!(spelled(full), full);
        }
    }

    #[test]
    fn every_built_in_is_found_by_both_of_its_names() {
        for row in BUILT_IN {
            for text in [row.kind.to_owned(), Related::BuiltIn(row).spelled()] {
                assert_eq!(
                    Related::parse(&text, Use::Watches),
                    Ok(Related::BuiltIn(row))
                );
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("Deploymnt", "no kind that opgen knows"),
            ("deployment", "no kind that opgen knows"),
            ("apps/v1/Foo", "no kind that opgen knows"),
            ("apps/v1beta1/Deployment", "no kind that opgen knows"),
            ("a/b/c/D", "is not a kind"),
            ("", "no kind that opgen knows"),
            ("Node", "no template for a `Node`"),
            ("Secret:cluster", "takes no mark"),
            ("x.io/v1/Fish:big", "is not a mark of a kind"),
            ("x.io/1/Fish", "1"),
            ("X.io/v1/Fish", "is not an API group"),
            ("x.io/v1/fish", "is not a kind"),
            ("x.io/v1/ObjectMeta", "hide a type"),
        ] {
            let problem = Related::parse(text, Use::Owns).expect_err(text);
            assert!(problem.what.contains(part), "{text}: {}", problem.what);
            assert!(problem.mend.is_some(), "{text}");
        }
    }
}
