//! The reference page says what the code says.
#![allow(clippy::unwrap_used)]

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use opgen_runtime::{metrics::CATALOGUE, reference, status::conditions};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn committed() -> String {
    std::fs::read_to_string(root().join("docs/REFERENCE.md")).unwrap_or_default()
}

#[test]
fn the_page_is_made_from_the_code() {
    let (path, page) = (root().join("docs/REFERENCE.md"), reference::page());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(
        committed() == page,
        "docs/REFERENCE.md is out of date: UPDATE=1 cargo test -p opgen-tests --test reference"
    );
}

/// Every Rust file of a folder, tests apart.
fn sources(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(std::fs::read_to_string(&path).unwrap());
        }
    }
    texts
}

/// The string literals in the runtime's source that are a whole word of that form.
fn literals(begins: &str, is_word: impl Fn(char) -> bool) -> BTreeSet<String> {
    let texts = sources(&root().join("runtime/src"));
    let code = texts
        .iter()
        .map(|text| text.split("#[cfg(test)]").next().unwrap());
    let parts = code.flat_map(|text| text.split('"').collect::<Vec<_>>());
    parts
        .filter(|part| {
            part.len() > begins.len() && part.starts_with(begins) && part.chars().all(&is_word)
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_mark_and_variable_of_the_code_is_on_the_page() {
    let page = reference::page();
    let marks = literals("opgen.dev/", |c| {
        c.is_ascii_lowercase() || ".-/".contains(c)
    });
    assert!(marks.len() >= 9, "{marks:?}");
    let variables = literals("OPGEN_", |c| c.is_ascii_uppercase() || c == '_');
    assert!(variables.len() >= 6, "{variables:?}");
    for name in marks.iter().chain(&variables) {
        assert!(
            page.contains(&format!("`{name}`")),
            "{name} is not on the page"
        );
    }
    let read = sources(&root().join("runtime/src"));
    for text in &read {
        for found in text.split("env::var(\"").skip(1) {
            let name = found.split('"').next().unwrap();
            assert!(
                page.contains(&format!("`{name}`")),
                "{name} is not on the page"
            );
        }
    }
}

#[test]
fn every_word_is_said_once_and_explained() {
    let mut names = BTreeSet::new();
    for reason in reference::REASONS {
        assert!(names.insert(reason.as_str()), "{reason} twice");
        assert!(reason.says().len() > 20, "{reason} is not explained");
        for kind in reason.conditions() {
            assert!(conditions::is_owned(kind), "{reason} stands on {kind}");
        }
    }
    for (kind, says) in conditions::TABLE {
        let of_phase = [
            conditions::READY,
            conditions::RECONCILING,
            conditions::STALLED,
        ];
        let has_reason = reference::REASONS
            .iter()
            .any(|reason| reason.conditions().contains(kind));
        assert!(
            of_phase.contains(kind) || has_reason,
            "{kind} has no reason"
        );
        assert!(!says.is_empty());
    }
    for info in CATALOGUE {
        assert!(info.help.len() > 10, "{} is not explained", info.name);
    }
}

/// Names that DESIGN promises; a rename of one breaks dashboards, alerts and scripts.
#[test]
fn what_others_rely_on_keeps_its_name() {
    let page = reference::page();
    for name in [
        "workqueue_unfinished_work_seconds",
        "controller_runtime_reconcile_errors_total",
        "rest_client_requests_total",
        "leader_election_master_status",
        "listwatch_sync_duration_seconds",
        "opgen_cleanup_stalled",
        "CleanupBlocked",
        "UnknownPhase",
        "WriteRefused",
        "AdoptionRefused",
        "FieldFight",
        "MassDeletion",
        "IdentityAdopted",
        "opgen.dev/paused",
        "opgen.dev/orphan-external",
        "/livez",
        "/debug/reconciles",
        "--leader-elect",
        "OPGEN_LOG_FORMAT",
    ] {
        assert!(page.contains(&format!("`{name}`")), "{name} is gone");
    }
}
