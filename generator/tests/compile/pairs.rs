//! The options of a project, and a small set of projects in which every pair of options meets.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// One option: its name, and each value with what `opgen.toml` says about it.
pub(crate) struct Choice {
    name: &'static str,
    values: &'static [(&'static str, &'static str)],
}

const GRAPH: &str = r#"phases = ["A>B|C", "B:deadline=90s:on_deadline=C>R|C", "C:timeout=500ms>R|S", "R:steady:resync=1h>A|B", "S:steady>A", "Broken:failed>A"]"#;
const BRIEF: &str = r#"phases = ["Pending>Ready", "Ready:steady"]"#;

/// Everything that changes what is rendered, but for the CRD that is adopted and the Kubernetes version.
pub(crate) const OPTIONS: &[Choice] = &[
    Choice {
        name: "owns",
        values: &[
            ("nothing", ""),
            ("web", r#"owns = ["Deployment", "Service", "ConfigMap"]"#),
            (
                "rights",
                r#"owns = ["ConfigMap", "Secret", "ServiceAccount", "Role", "RoleBinding"]"#,
            ),
            ("batch", r#"owns = ["Job", "CronJob", "ServiceAccount"]"#),
            (
                "store",
                r#"owns = ["StatefulSet", "Service", "PersistentVolumeClaim", "PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy", "Ingress"]"#,
            ),
            (
                "foreign",
                r#"owns = ["Deployment", "HorizontalPodAutoscaler", "cert-manager.io/v1/Certificate"]"#,
            ),
            ("pods", r#"owns = ["DaemonSet", "ReplicaSet", "Pod"]"#),
        ],
    },
    Choice {
        name: "external",
        values: &[
            ("http", r#"external = "http""#),
            ("custom", r#"external = "custom""#),
            ("none", r#"external = "none""#),
        ],
    },
    Choice {
        name: "watches",
        values: &[
            ("nothing", ""),
            ("secret", r#"watches = ["v1/Secret"]"#),
            (
                "zone",
                r#"watches = ["v1/ConfigMap", "dns.example.net/v1/Zone:cluster"]"#,
            ),
        ],
    },
    Choice {
        name: "phases",
        values: &[("default", ""), ("brief", BRIEF), ("graph", GRAPH)],
    },
    Choice {
        name: "scope",
        values: &[
            ("namespaced", r#"scope = "namespaced""#),
            ("cluster", r#"scope = "cluster""#),
        ],
    },
    Choice {
        name: "kinds",
        values: &[
            ("one", ""),
            (
                "two",
                "[[kind]]\nkind = \"Second\"\nexternal = \"custom\"\nowns = [\"ConfigMap\"]",
            ),
        ],
    },
    Choice {
        name: "name",
        values: &[("dash", ""), ("underscore", "")],
    },
];

/// One value of each option, by index.
pub(crate) type Case = Vec<usize>;
type Pair = ((usize, usize), (usize, usize));

fn pairs_of(case: &[usize]) -> BTreeSet<Pair> {
    let all: Vec<(usize, usize)> = case.iter().copied().enumerate().collect();
    let mut pairs = BTreeSet::new();
    for (index, first) in all.iter().enumerate() {
        pairs.extend(all[index + 1..].iter().map(|second| (*first, *second)));
    }
    pairs
}

fn every_case() -> Vec<Case> {
    OPTIONS.iter().fold(vec![Vec::new()], |cases, option| {
        cases
            .iter()
            .flat_map(|case| {
                (0..option.values.len()).map(move |value| [&case[..], &[value][..]].concat())
            })
            .collect()
    })
}

/// The pairs that two options can make.
pub(crate) fn every_pair() -> BTreeSet<Pair> {
    every_case()
        .iter()
        .flat_map(|case| pairs_of(case))
        .collect()
}

/// Cases in which every pair occurs: each time the one that adds most, the first of several.
pub(crate) fn cover() -> Vec<Case> {
    let all = every_case();
    let mut open = every_pair();
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let gain = |case: &Case| pairs_of(case).intersection(&open).count();
        let mut best = &all[0];
        for case in &all {
            if gain(case) > gain(best) {
                best = case;
            }
        }
        for pair in pairs_of(best) {
            open.remove(&pair);
        }
        chosen.push(best.clone());
    }
    chosen
}

/// What the pairs of these cases are.
pub(crate) fn covered(cases: &[Case]) -> BTreeSet<Pair> {
    cases.iter().flat_map(|case| pairs_of(case)).collect()
}

fn value(case: &[usize], option: &str) -> (&'static str, &'static str) {
    let index = OPTIONS.iter().position(|one| one.name == option).unwrap();
    OPTIONS[index].values[case[index]]
}

/// The package's name.
pub(crate) fn name(case: &[usize], number: usize) -> String {
    match value(case, "name").0 {
        "dash" => format!("matrix-{number}-operator"),
        _ => format!("matrix_{number}"),
    }
}

/// The answers of a case, as `opgen.toml` has them.
pub(crate) fn settings(case: &[usize], name: &str) -> String {
    let mut text =
        format!("name = \"{name}\"\n[[kind]]\nkind = \"Sample\"\ngroup = \"test.example.com\"\n");
    for option in ["owns", "external", "watches", "phases", "scope", "kinds"] {
        writeln!(text, "{}", value(case, option).1).unwrap();
    }
    text
}

/// The case in words.
pub(crate) fn words(case: &[usize]) -> String {
    let words: Vec<String> = OPTIONS
        .iter()
        .map(|option| format!("{}={}", option.name, value(case, option.name).0))
        .collect();
    words.join(" ")
}
