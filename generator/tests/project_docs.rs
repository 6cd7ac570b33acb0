//! What a rendered project says about itself: its README, its workflow, its image, its alerts, and how much there is of it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use cargo_opgen::answers::{Answers, Nobody};
use cargo_opgen::assemble;
use cargo_opgen::cli::New;
use cargo_opgen::plan::Plan;
use serde_json::Value;

fn plan(change: impl FnOnce(&mut New)) -> Plan {
    let mut flags = New {
        path: "web-operator".into(),
        kind: Some("Web".to_owned()),
        published: true,
        yes: true,
        ..New::default()
    };
    change(&mut flags);
    let answers = Answers::collect(&flags, None, &mut Nobody).unwrap();
    let operator = assemble::operator(&answers).unwrap_or_else(|failure| panic!("{failure}"));
    Plan::render(&operator, Vec::new()).unwrap_or_else(|failure| panic!("{failure}"))
}

fn list(kinds: &str) -> Option<Vec<String>> {
    Some(kinds.split(',').map(str::to_owned).collect())
}

/// The default, and shapes that bring a good deal of code of their own.
fn shapes() -> Vec<Plan> {
    let owning = |owns: &'static str, external: &'static str| {
        plan(move |flags| {
            flags.owns = list(owns);
            flags.watches = list("v1/Secret,v1/ConfigMap");
            flags.external = Some(external.to_owned());
        })
    };
    let phases = |text: &'static str| plan(move |flags| flags.phases = Some(text.to_owned()));
    vec![
        plan(|_| ()),
        plan(|flags| flags.external = Some("none".to_owned())),
        owning("Deployment,Service", "none"),
        owning("Deployment,Service,ConfigMap,ServiceAccount", "http"),
        owning("StatefulSet,PersistentVolumeClaim,Job,CronJob", "custom"),
        owning("cert-manager.io/v1/Certificate", "http"),
        phases(
            "A>B|C,B:deadline=90s:on_deadline=C>R|C,C:timeout=500ms>R|S,R:steady:resync=1h>A|B,S:steady>A,Broken:failed>A",
        ),
    ]
}

fn text(plan: &Plan, path: &str) -> String {
    let (_, bytes) = plan
        .own_files()
        .find(|(file, _)| *file == Path::new(path))
        .unwrap_or_else(|| panic!("{path} is missing"));
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A generated operator is short enough to be read in one sitting.
#[test]
fn a_kind_stays_under_1200_lines() {
    for plan in shapes() {
        let mut lines = 0;
        for (path, bytes) in plan.own_files() {
            if path.starts_with("src")
                || path.starts_with("tests")
                || path == Path::new("Cargo.toml")
            {
                lines += String::from_utf8_lossy(bytes).lines().count();
            }
        }
        let files: Vec<_> = plan.own_files().map(|(path, _)| path).collect();
        assert!((200..1200).contains(&lines), "{lines} lines: {files:?}");
    }
}

/// The lines of the README's block that begins with this one.
fn block(readme: &str, first: &str) -> Vec<String> {
    let start = readme
        .find(first)
        .unwrap_or_else(|| panic!("{first} is in no block"));
    readme[start..]
        .lines()
        .take_while(|line| *line != "```")
        .map(str::to_owned)
        .collect()
}

/// What the README asks for before a push is what the workflow runs, in that order, and nothing else.
#[test]
fn the_workflow_does_what_the_readme_says() {
    for plan in shapes() {
        let readme = text(&plan, "README.md");
        let workflow: Value =
            serde_saphyr::from_str(&text(&plan, ".github/workflows/ci.yaml")).unwrap();
        let runs: Vec<String> = ["check", "image"]
            .iter()
            .flat_map(|job| workflow["jobs"][job]["steps"].as_array().unwrap())
            .filter_map(|step| Some(step["run"].as_str()?.to_owned()))
            .filter(|run| !run.starts_with("rustup "))
            .collect();
        assert_eq!(block(&readme, "cargo fmt --check"), runs);
    }
}

/// Every path that the README names is there.
#[test]
fn the_readme_names_files_that_there_are() {
    for plan in shapes() {
        let readme = text(&plan, "README.md");
        let files: BTreeSet<&Path> = plan.own_files().map(|(path, _)| path).collect();
        for row in readme.lines().filter(|line| line.starts_with("| `")) {
            for path in row.split('|').nth(1).unwrap().split(',') {
                let path = path.trim().trim_matches('`');
                let is_there = path == ".opgen/"
                    || files.contains(Path::new(path))
                    || files
                        .iter()
                        .any(|file| path.ends_with('/') && file.starts_with(path));
                assert!(is_there, "{path} of {row}");
            }
        }
        for word in [
            "deploy/Dockerfile",
            "deploy/deployment.yaml",
            "deploy/alerts.yaml",
        ] {
            assert!(readme.contains(word), "{word}");
            text(&plan, word);
        }
    }
}

/// No alert waits for a metric that the runtime does not have.
#[test]
fn alerts_name_metrics_that_there_are() {
    let catalogue =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/metrics/catalogue.rs");
    let catalogue = std::fs::read_to_string(catalogue).unwrap();
    let known: BTreeSet<&str> = catalogue
        .split('"')
        .filter(|word| word.contains('_') && !word.contains(' '))
        .collect();
    let plan = plan(|_| ());
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&text(&plan, "deploy/alerts.yaml")).unwrap();
    let rules = documents[1]["spec"]["groups"][0]["rules"]
        .as_array()
        .unwrap();
    assert!(rules.len() >= 7, "{}", rules.len());
    for rule in rules {
        let expression = rule["expr"].as_str().unwrap();
        let metrics: Vec<&str> = expression
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.contains('_') && *word != "label_replace")
            .collect();
        assert!(!metrics.is_empty(), "{expression}");
        for metric in metrics {
            let base = ["_sum", "_count", "_bucket"]
                .iter()
                .find_map(|ending| metric.strip_suffix(ending));
            assert!(
                known.contains(metric) || base.is_some_and(|base| known.contains(base)),
                "{} names `{metric}`, which the runtime does not have",
                rule["alert"]
            );
        }
    }
}

/// The image is built from files that there are, holds nothing but the program, and runs as nobody.
#[test]
fn the_image_is_static_and_nobodys() {
    for plan in shapes() {
        let dockerfile = text(&plan, "deploy/Dockerfile");
        let last = dockerfile.rsplit("FROM ").next().unwrap();
        assert!(last.starts_with("scratch\n"), "{last}");
        assert!(last.contains("USER 65532:65532"), "{last}");
        let built = last
            .lines()
            .find(|line| line.contains("/release/"))
            .unwrap();
        assert!(
            built.contains("/src/target/release/web-operator /operator"),
            "{built}"
        );
        let cached = dockerfile.find("cargo build").unwrap();
        let sources = dockerfile.find("COPY src").unwrap();
        assert!(cached < sources, "dependencies come first:\n{dockerfile}");
        for line in dockerfile
            .lines()
            .filter(|line| line.starts_with("COPY ") && !line.contains("--from"))
        {
            let mut words: Vec<&str> = line.split(' ').skip(1).collect();
            words.pop();
            for path in words.iter().filter(|path| **path != "Cargo.lock") {
                assert!(
                    plan.own_files().any(|(file, _)| file.starts_with(path)),
                    "{line}"
                );
            }
        }
    }
}
