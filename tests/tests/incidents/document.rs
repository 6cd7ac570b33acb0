//! `docs/HAZARDS.md`, written from the table; and whether everything that the table names is there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    io::Write as _,
    path::{Path, PathBuf},
};

use opgen_runtime::{
    __mutants::Mutant, metrics::CATALOGUE, probes::ENDPOINTS, reference::REASONS,
    status::conditions,
};

use crate::table::{Hazard, Signal, hazards};

const HEAD: &str = "# Hazards

What takes operators down, and what is done about it here. Each row names the default that closes it and where it is applied (the
default is switched off there by the mutant of the incident), what does not compile, the lint that is reserved for code that was not
generated, the incidents that reproduce it, the mutants on which those must fail, and by what it is seen.

Generated from `tests/tests/incidents/table/`; `UPDATE=1 cargo test -p opgen-tests --test incidents document` writes it anew.
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every Rust file below a folder, with its path from the root.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            found.extend(sources(&path));
        } else if path.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            found.push((path, text));
        }
    }
    found.sort();
    found
}

/// Where each mutant switches its default off.
fn places() -> BTreeMap<String, BTreeSet<String>> {
    let mut places: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for (path, text) in sources("runtime/src") {
        for part in text.split("mutated(Mutant::").skip(1) {
            let name = part.split(')').next().unwrap().to_owned();
            places.entry(name).or_default().insert(path.clone());
        }
    }
    places
}

/// The file of each test module of this binary.
fn modules() -> BTreeMap<String, String> {
    let main = std::fs::read_to_string(root().join("tests/tests/incidents/main.rs")).unwrap();
    let (mut modules, mut path) = (BTreeMap::new(), None);
    for line in main.lines() {
        if let Some(rest) = line.strip_prefix("#[path = \"../") {
            path = rest
                .strip_suffix("\"]")
                .map(|file| format!("tests/tests/{file}"));
        } else if let Some(name) = line
            .strip_prefix("mod ")
            .and_then(|rest| rest.strip_suffix(';'))
        {
            let own = format!("tests/tests/incidents/{name}.rs");
            modules.insert(name.to_owned(), path.take().unwrap_or(own));
        }
    }
    modules
}

fn codes<T: AsRef<str>>(all: impl IntoIterator<Item = T>) -> String {
    let all: Vec<_> = all
        .into_iter()
        .map(|one| format!("`{}`", one.as_ref()))
        .collect();
    if all.is_empty() {
        "-".to_owned()
    } else {
        all.join(", ")
    }
}

fn signal(signal: &Signal) -> String {
    match signal {
        Signal::Metric(name) | Signal::Endpoint(name) => format!("`{name}`"),
        Signal::Condition(name) => format!("condition `{name}`"),
        Signal::Event(name) => format!("event `{name}`"),
        Signal::Other(words) => (*words).to_owned(),
    }
}

fn mutants(hazard: &Hazard) -> BTreeSet<String> {
    let all = hazard
        .incidents
        .iter()
        .flat_map(|incident| incident.mutants);
    all.map(|mutant| format!("{mutant:?}")).collect()
}

fn row(hazard: &Hazard, places: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mutants = mutants(hazard);
    let files: BTreeSet<_> = mutants.iter().flat_map(|name| &places[name]).collect();
    let files = files
        .iter()
        .map(|file| file.trim_start_matches("runtime/src/"));
    let default = match mutants.is_empty() {
        true => hazard.default.to_owned(),
        false => format!("{} ({})", hazard.default, codes(files)),
    };
    let signals: Vec<_> = hazard.signals.iter().map(signal).collect();
    let signals = if signals.is_empty() {
        "-".to_owned()
    } else {
        signals.join(", ")
    };
    let cells = [
        hazard.id.to_owned(),
        hazard.title.to_owned(),
        default,
        codes(hazard.compile),
        codes(hazard.lint),
        codes(hazard.incidents.iter().map(|incident| incident.name)),
        codes(mutants),
        signals,
    ];
    format!("| {} |", cells.join(" | "))
}

fn page() -> String {
    let (mut page, places) = (HEAD.to_owned(), places());
    let columns = [
        "id",
        "hazard",
        "default (where in `runtime/src`)",
        "does not compile (`tests/ui/fail`)",
        "lint",
        "incidents",
        "mutants",
        "seen by",
    ];
    writeln!(
        page,
        "\n| {} |\n|{}",
        columns.join(" | "),
        "---|".repeat(columns.len())
    )
    .unwrap();
    for hazard in hazards() {
        writeln!(page, "{}", row(hazard, &places)).unwrap();
    }
    writeln!(
        page,
        "\n## Mutants\n\nWhat an operator does with each of them.\n"
    )
    .unwrap();
    writeln!(page, "| mutant | what it does | where |\n|---|---|---|").unwrap();
    for mutant in Mutant::ALL {
        let name = format!("{mutant:?}");
        let files = codes(&places[&name]);
        writeln!(page, "| `{name}` | {} | {files} |", mutant.doc().trim()).unwrap();
    }
    writeln!(page, "\n## Incidents\n\nWhere each module is.\n").unwrap();
    writeln!(page, "| module | file |\n|---|---|").unwrap();
    let all = hazards();
    let used: BTreeSet<_> = all
        .iter()
        .flat_map(|hazard| hazard.incidents)
        .map(|incident| incident.name.split("::").next().unwrap())
        .collect();
    let modules = modules();
    for module in used {
        writeln!(page, "| `{module}` | `{}` |", modules[module]).unwrap();
    }
    page
}

#[test]
fn the_document_is_made_from_the_table() {
    let (path, page) = (root().join("docs/HAZARDS.md"), page());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap_or_default() == page,
        "docs/HAZARDS.md is out of date: UPDATE=1 cargo test -p opgen-tests --test incidents document"
    );
}

#[test]
fn every_mutant_is_applied_once_at_least_and_killed() {
    let (places, all) = (places(), hazards());
    let names: BTreeSet<_> = Mutant::ALL
        .iter()
        .map(|mutant| format!("{mutant:?}"))
        .collect();
    let killed: BTreeSet<_> = all.iter().flat_map(|hazard| mutants(hazard)).collect();
    assert_eq!(
        names,
        places.keys().cloned().collect(),
        "declared and applied"
    );
    assert_eq!(names, killed, "declared and killed");
}

#[test]
fn everything_that_the_table_names_is_there() {
    let mut missing = Vec::new();
    let mut check = |is_there: bool, what: String| {
        if !is_there {
            missing.push(what);
        }
    };
    let modules = modules();
    for hazard in hazards() {
        let id = hazard.id;
        check(
            !hazard.incidents.is_empty(),
            format!("{id} has no incident"),
        );
        let proved = !mutants(hazard).is_empty() || !hazard.compile.is_empty();
        check(
            proved,
            format!("{id} has neither a mutant nor a case that does not compile"),
        );
        for case in hazard.compile {
            for extension in ["rs", "stderr"] {
                let file = root().join(format!("tests/ui/fail/{case}.{extension}"));
                check(file.exists(), format!("{id}: {}", file.display()));
            }
        }
        for incident in hazard.incidents {
            let (module, test) = incident.name.split_once("::").unwrap();
            let text = std::fs::read_to_string(root().join(&modules[module])).unwrap_or_default();
            let before = text.split(&format!("fn {test}()")).next().unwrap();
            let is_test = before.len() < text.len()
                && before
                    .lines()
                    .rev()
                    .take(3)
                    .any(|line| line.contains("test") && line.starts_with("#["));
            check(is_test, format!("{id}: {} is no test", incident.name));
        }
        for signal in hazard.signals {
            let is_there = match signal {
                Signal::Metric(name) => CATALOGUE.iter().any(|info| info.name == *name),
                Signal::Condition(name) => conditions::is_owned(name),
                Signal::Event(name) => REASONS
                    .iter()
                    .any(|reason| reason.is_event() && reason.as_str() == *name),
                Signal::Endpoint(path) => ENDPOINTS.iter().any(|endpoint| endpoint.0 == *path),
                Signal::Other(words) => !words.is_empty(),
            };
            check(
                is_there,
                format!("{id}: there is no {}", self::signal(signal)),
            );
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The rows that the mission lists, cell by cell.
fn mission() -> Option<Vec<Vec<String>>> {
    let shared =
        std::env::var_os("OPGEN_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let text = std::fs::read_to_string(shared.join("HAZARDS.md")).ok()?;
    let rows = text.lines().filter(|line| line.starts_with("| H"));
    let cells = |line: &str| {
        line.trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    Some(rows.map(cells).collect())
}

#[test]
fn no_row_of_the_mission_is_missing() {
    let Some(mission) = mission() else {
        let why = "there is no HAZARDS.md to compare with; OPGEN_SHARED names its folder";
        // Past the capture of the test harness.
        let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
        return;
    };
    assert!(mission.len() > 60, "{} rows", mission.len());
    let ours: BTreeMap<_, _> = hazards()
        .into_iter()
        .map(|hazard| (hazard.id, hazard))
        .collect();
    let mut wrong = Vec::new();
    assert_eq!(mission.len(), ours.len());
    for cells in &mission {
        let Some(hazard) = ours.get(&*cells[0]) else {
            wrong.push(format!("{} is missing", cells[0]));
            continue;
        };
        let [_, _, _, default, compile, lint, signal] = &cells[..] else {
            panic!("{cells:?}");
        };
        let is_empty = |cell: &str| cell == "-";
        let lints: Vec<_> = lint.split(", ").filter(|lint| !is_empty(lint)).collect();
        if lints != hazard.lint {
            wrong.push(format!("{}: {lints:?}, not {:?}", hazard.id, hazard.lint));
        }
        if !is_empty(default) && hazard.default.is_empty() {
            wrong.push(format!("{}: no default", hazard.id));
        }
        if !is_empty(compile) && hazard.compile.is_empty() {
            wrong.push(format!("{}: nothing that does not compile", hazard.id));
        }
        if !is_empty(signal) && hazard.signals.is_empty() {
            wrong.push(format!("{}: no signal", hazard.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
