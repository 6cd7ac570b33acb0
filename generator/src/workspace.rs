//! The cargo workspace around a new project, joined as `cargo new` does it. The project inherits nothing from it, so
//! nothing that the workspace lacks can be missing.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Value, value};

use crate::error::{Failure, Place, Problem, Result};

/// What becomes of the workspace around a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Joining {
    /// There is none.
    Alone,
    /// It leaves the project out, by `exclude`.
    Excluded(PathBuf),
    /// It has the project already, by name or by a pattern.
    Member(PathBuf),
    /// Its manifest gets a member more: the path and the new text.
    Joins {
        /// The workspace's manifest.
        manifest: PathBuf,
        /// What is added to its members.
        member: String,
        /// Its whole new text.
        text: String,
    },
}

impl Joining {
    /// Looks at the folders above the target. Nothing is written.
    ///
    /// # Errors
    /// If a manifest there cannot be read or is no TOML: cargo would refuse the project, so it is not begun.
    pub(crate) fn of(target: &Path) -> Result<Self> {
        let target = std::path::absolute(target)
            .map_err(|error| Failure::io("finding the target", target, &error))?;
        for folder in target.ancestors().skip(1) {
            let manifest = folder.join("Cargo.toml");
            if !manifest.is_file() {
                continue;
            }
            let text = std::fs::read_to_string(&manifest).map_err(|error| {
                Failure::io("reading the manifest above the target", &manifest, &error)
            })?;
            let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
                Problem::new(format!(
                    "the manifest above the target is not TOML: {}",
                    error.message().replace('\n', ", ")
                ))
                .at(Place::Path(manifest.clone()))
                .mend("mend it first, or choose a folder outside: cargo reads this one too")
                .input()
            })?;
            // A package without a workspace is no root; cargo looks further up as well.
            if document.get("workspace").is_some() {
                return Self::within(&manifest, document, folder, &target);
            }
        }
        Ok(Self::Alone)
    }

    fn within(
        manifest: &Path,
        mut document: DocumentMut,
        root: &Path,
        target: &Path,
    ) -> Result<Self> {
        let inside = target.strip_prefix(root).unwrap_or(target);
        let parts: Vec<String> = inside
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        let inside = parts.join("/");
        let workspace = &mut document["workspace"];
        let entries = |key: &str| -> Vec<String> {
            let array = workspace.get(key).and_then(Item::as_array);
            array
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.as_str().map(str::to_owned))
                .collect()
        };
        let within = |entry: &String| {
            inside == *entry || inside.starts_with(&format!("{}/", entry.trim_end_matches('/')))
        };
        let members = entries("members");
        // In cargo a path in `members` wins over `exclude`, a pattern does not.
        if entries("exclude").iter().any(within) && !members.iter().any(within) {
            return Ok(Self::Excluded(manifest.to_path_buf()));
        }
        if members.iter().any(|entry| matches(entry, &inside)) {
            return Ok(Self::Member(manifest.to_path_buf()));
        }
        if workspace.get("members").is_none() {
            workspace["members"] = value(Array::new());
        }
        let Some(members) = workspace.get_mut("members").and_then(Item::as_array_mut) else {
            return Err(Problem::new("`members` of the workspace is no list")
                .at(Place::Path(manifest.to_path_buf()))
                .mend("mend it first, or choose a folder outside the workspace")
                .input());
        };
        push(members, &inside);
        Ok(Self::Joins {
            manifest: manifest.to_path_buf(),
            member: inside,
            text: document.to_string(),
        })
    }

    /// What a person is told about it.
    pub(crate) fn told(&self, dry_run: bool) -> Option<String> {
        let added = if dry_run { "would add" } else { "added" };
        match self {
            Self::Alone => None,
            Self::Excluded(manifest) => Some(format!(
                "the workspace of {} excludes the project; it stands alone",
                manifest.display()
            )),
            Self::Member(manifest) => Some(format!(
                "the project is a member of the workspace of {}; it inherits nothing from it",
                manifest.display()
            )),
            Self::Joins {
                manifest, member, ..
            } => Some(format!(
                "{added} \"{member}\" to `members` of the workspace of {}; the project inherits nothing from it",
                manifest.display()
            )),
        }
    }
}

/// Adds an entry in the way the list is written: in its order if it is sorted, on a line of its own if the others are.
fn push(members: &mut Array, member: &str) {
    let names: Vec<String> = members
        .iter()
        .map(|entry| entry.as_str().unwrap_or_default().to_owned())
        .collect();
    let place = if names.is_sorted() {
        names.partition_point(|name| name.as_str() < member)
    } else {
        names.len()
    };
    let prefix = members
        .get(place.min(names.len().saturating_sub(1)))
        .and_then(|entry| entry.decor().prefix()?.as_str().map(str::to_owned));
    let mut entry = Value::from(member);
    match prefix {
        // As its neighbour stands; the comment above a neighbour stays with that one.
        Some(prefix) if prefix.contains('\n') && !prefix.contains('#') => {
            entry.decor_mut().set_prefix(prefix);
            members.insert_formatted(place, entry);
        }
        _ => members.insert(place, member),
    }
}

/// Whether an entry of `members` names a path: `*` and `?` within a part, `**` for any number of parts.
fn matches(pattern: &str, path: &str) -> bool {
    fn parts(pattern: &[&str], path: &[&str]) -> bool {
        match (pattern.split_first(), path.split_first()) {
            (None, None) => true,
            (Some((&"**", rest)), _) => {
                (0..=path.len()).any(|skipped| parts(rest, &path[skipped..]))
            }
            (Some((first, rest)), Some((part, below))) => {
                part_matches(first.as_bytes(), part.as_bytes()) && parts(rest, below)
            }
            _ => false,
        }
    }
    fn part_matches(pattern: &[u8], part: &[u8]) -> bool {
        match (pattern.split_first(), part.split_first()) {
            (None, None) => true,
            (Some((b'*', rest)), _) => {
                (0..=part.len()).any(|skipped| part_matches(rest, &part[skipped..]))
            }
            (Some((b'?', rest)), Some((_, below))) => part_matches(rest, below),
            (Some((first, rest)), Some((byte, below))) if first == byte => {
                part_matches(rest, below)
            }
            _ => false,
        }
    }
    fn split(text: &str) -> Vec<&str> {
        text.trim_start_matches("./")
            .trim_end_matches('/')
            .split('/')
            .collect()
    }
    parts(&split(pattern), &split(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_cargo() {
        for (pattern, path, expected) in [
            ("crates/*", "crates/x", true),
            ("crates/*", "crates/x/y", false),
            ("crates/**", "crates/x/y", true),
            ("*-operator", "db-operator", true),
            ("./a/", "a", true),
            ("a?", "ab", true),
            ("a", "b", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    fn joined(manifest: &str, inside: &str) -> Joining {
        let document = manifest.parse().expect("TOML");
        Joining::within(
            Path::new("/w/Cargo.toml"),
            document,
            Path::new("/w"),
            &Path::new("/w").join(inside),
        )
        .expect("looked at")
    }

    #[test]
    fn a_member_is_added_as_the_others_are_written() {
        let Joining::Joins { text, member, .. } = joined(
            "[workspace]\n# ours\nmembers = [\n    \"a\",\n    \"c\",\n]\n",
            "b",
        ) else {
            panic!("it joins");
        };
        assert_eq!(member, "b");
        assert_eq!(
            text,
            "[workspace]\n# ours\nmembers = [\n    \"a\",\n    \"b\",\n    \"c\",\n]\n"
        );
        let Joining::Joins { text, .. } = joined("[workspace]\nmembers = [\"x\", \"b\"]\n", "d/e")
        else {
            panic!("it joins");
        };
        assert_eq!(text, "[workspace]\nmembers = [\"x\", \"b\", \"d/e\"]\n");
        let Joining::Joins { text, .. } = joined("[workspace]\nresolver = \"3\"\n", "d") else {
            panic!("it joins");
        };
        assert_eq!(text, "[workspace]\nresolver = \"3\"\nmembers = [\"d\"]\n");
    }

    #[test]
    fn what_is_in_or_out_stays_so() {
        assert!(matches!(
            joined("[workspace]\nmembers = [\"*\"]\n", "d"),
            Joining::Member(_)
        ));
        assert!(matches!(
            joined("[workspace]\nexclude = [\"d\"]\n", "d/e"),
            Joining::Excluded(_)
        ));
    }
}
