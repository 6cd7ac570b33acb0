//! The dependencies of an operator, added to a manifest that has others.

use toml_edit::{DocumentMut, Item, Table, TableLike};

use crate::error::{Problem, Result};

/// What was added, and what was not.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// Names of the dependencies.
    pub(super) names: Vec<String>,
    /// What the author has to look at: a dependency that is there lacks something.
    pub(super) notes: Vec<String>,
}

/// The manifest with every dependency of `rendered` that it lacks; those that it has stay as they are.
pub(super) fn add(manifest: &DocumentMut, rendered: &str) -> Result<(String, Added)> {
    let rendered: DocumentMut = rendered.parse().map_err(|error| {
        Problem::new(format!("the rendered manifest is no TOML: {error}")).environment()
    })?;
    let mut manifest = manifest.clone();
    let mut added = Added::default();
    for section in ["dependencies", "dev-dependencies"] {
        let Some(wanted) = rendered.get(section).and_then(Item::as_table_like) else {
            continue;
        };
        let table = manifest
            .entry(section)
            .or_insert_with(|| Item::Table(Table::new()));
        let Some(table) = table.as_table_like_mut() else {
            return Err(Problem::new(format!("`{section}` of the manifest is no table")).input());
        };
        for (name, item) in wanted.iter() {
            match table.get(name) {
                None => {
                    table.insert(name, item.clone());
                    // With the comment above it.
                    if let (Some((key, _)), Some(mut new)) =
                        (wanted.get_key_value(name), table.key_mut(name))
                    {
                        *new.leaf_decor_mut() = key.leaf_decor().clone();
                    }
                    added.names.push(name.to_owned());
                }
                Some(present) => added.notes.extend(lacking(name, present, item)),
            }
        }
    }
    Ok((manifest.to_string(), added))
}

/// What a dependency that is there lacks.
fn lacking(name: &str, present: &Item, wanted: &Item) -> Option<String> {
    let have = features(present);
    let missing: Vec<String> = features(wanted)
        .into_iter()
        .filter(|feature| !have.contains(feature))
        .collect();
    let inherits = present
        .get("workspace")
        .and_then(Item::as_bool)
        .unwrap_or(false);
    let mut words = Vec::new();
    if !missing.is_empty() {
        words.push(format!("the features {}", missing.join(", ")));
    }
    if let (Some(have), Some(want)) = (version(present), version(wanted))
        && !same_series(&have, &want)
    {
        words.push(format!("version {want} (it names {have})"));
    }
    if words.is_empty() {
        return None;
    }
    let place = if inherits {
        ", which the workspace decides,"
    } else {
        ""
    };
    Some(format!(
        "your dependency `{name}`{place} stays as it is; the operator needs {}",
        words.join(" and ")
    ))
}

fn features(item: &Item) -> Vec<String> {
    let list = item
        .as_table_like()
        .and_then(|table: &dyn TableLike| table.get("features"))
        .and_then(Item::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|feature| feature.as_str().map(str::to_owned))
        .collect()
}

fn version(item: &Item) -> Option<String> {
    item.as_str()
        .or_else(|| item.get("version")?.as_str())
        .map(|version| version.trim_start_matches(['^', '=', '~', ' ']).to_owned())
}

/// Whether two versions are compatible in cargo's sense, as far as their first numbers tell.
fn same_series(one: &str, other: &str) -> bool {
    let series = |version: &str| {
        let mut parts = version.split('.').map(str::to_owned);
        let first = parts.next().unwrap_or_default();
        let second = (first == "0").then(|| parts.next().unwrap_or_default());
        (first, second)
    };
    series(one) == series(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RENDERED: &str = "[dependencies]\n# Chosen here.\nk8s-openapi = { version = \"0.29\", features = [\"latest\"] }\nkube = { version = \"5\", features = [\"client\", \"derive\"] }\nserde = { version = \"1\", features = [\"derive\"] }\n\n[dev-dependencies]\nopgen-testkit = \"0.1.0\"\n";

    #[test]
    fn what_is_there_stays_and_the_rest_is_added() {
        let manifest = "[package]\nname = \"x\" # mine\n\n[dependencies]\nserde = \"1\" # mine too\nkube = { version = \"4\", features = [\"client\"] }\n";
        let (text, added) = add(&manifest.parse().expect("TOML"), RENDERED).expect("added");
        assert!(text.contains("name = \"x\" # mine\n"), "{text}");
        assert!(text.contains("serde = \"1\" # mine too\n"), "{text}");
        assert!(
            text.contains("# Chosen here.\nk8s-openapi = { version = \"0.29\""),
            "{text}"
        );
        assert!(text.contains("[dev-dependencies]\nopgen-testkit"), "{text}");
        assert_eq!(added.names, ["k8s-openapi", "opgen-testkit"]);
        assert_eq!(
            added.notes,
            [
                "your dependency `kube` stays as it is; the operator needs the features derive and version 5 (it names 4)",
                "your dependency `serde` stays as it is; the operator needs the features derive",
            ]
        );
    }

    #[test]
    fn the_same_again_changes_nothing() {
        let (text, _) = add(&"[package]\n".parse().expect("TOML"), RENDERED).expect("added");
        let (again, added) = add(&text.parse().expect("TOML"), RENDERED).expect("added");
        assert_eq!(again, text);
        assert!(
            added.names.is_empty() && added.notes.is_empty(),
            "{added:?}"
        );
    }
}
