//! The grammar: what a machine is made of, and that every mistake is told in one go, where it is.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use opgen_phase_model::Machine;

fn machine(body: &str) -> syn::Result<Machine> {
    let source = format!(
        "#[derive(PhaseMachine)]\n#[machine(resource = api::Database, context = Context, budget = \"1m30s\")]\npub enum Life {{\n{body}\n}}"
    );
    Machine::from_enum(&syn::parse_str(&source).unwrap())
}

/// Line in the enum's body and message of each error.
fn mistakes(body: &str) -> Vec<(usize, String)> {
    let error = machine(body).unwrap_err();
    error
        .into_iter()
        .map(|error| (error.span().start().line - 3, error.to_string()))
        .collect()
}

#[test]
fn reads_everything_the_enum_says() {
    let machine = machine(
        "/// Accepted.\n///\n/// More.\n#[default] #[phase(to(Life::Building))] Pending,
         /// The provider\n/// builds.\n#[phase(to(Ready), deadline = \"30m\", on_deadline = Failed)] Building,
         #[phase(to(Building), steady, resync = \"10m\")] Ready,
         #[phase(failed, to(Pending))] Failed,
         #[phase(finalizer)] Deleting,",
    )
    .unwrap();
    assert_eq!(machine.name, "Life");
    assert_eq!(machine.budget, Duration::from_secs(90));
    assert_eq!(machine.initial().unwrap().name, "Pending");
    assert_eq!(machine.failed().unwrap().name, "Failed");
    assert_eq!(machine.finalizer().unwrap().name, "Deleting");
    let [pending, building, ready, failed, deleting] = machine.phases.as_slice() else {
        panic!("five phases");
    };
    assert_eq!(pending.doc, "Accepted.");
    assert_eq!(building.doc, "The provider builds.");
    assert_eq!(
        building.deadline.unwrap().duration,
        Duration::from_secs(1800)
    );
    assert_eq!(building.on_deadline.as_ref().unwrap().name, "Failed");
    assert!(ready.steady);
    assert_eq!(ready.resync.unwrap().duration, Duration::from_secs(600));
    let targets = |phase| {
        let targets = machine.targets(phase);
        targets.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(targets(pending), ["Building", "Failed"]);
    assert_eq!(targets(ready), ["Building", "Failed"]);
    assert_eq!(targets(failed), ["Pending"]);
    assert!(targets(deleting).is_empty());
}

#[test]
fn tells_all_mistakes_at_once_and_where() {
    let mistakes = mistakes(
        "#[default] #[phase(to(Building), deadline = \"soon\")] Pending,
         #[phase(to(Buildin, Ready, Ready))] Building,
         #[phase(steady, failed)] Ready,
         #[phase(finalizer)] Deleting { since: u8 },
         #[phase(finalizer)] Gone,",
    );
    let lines: Vec<usize> = mistakes.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [1, 4, 5, 3, 2, 2], "{mistakes:#?}");
    let text = |at: usize| mistakes[at].1.as_str();
    assert!(text(0).starts_with("`soon` is not a duration"));
    assert!(text(1).contains("has fields"));
    assert!(text(2).contains("second finalizer"));
    assert!(text(3).contains("both steady and failed"));
    assert!(text(4).contains("did you mean `Building`?"));
    assert!(text(5).contains("there already"));
}

#[test]
fn one_mistake_is_one_message() {
    let count = |body| mistakes(body).len();
    // A misspelt target leaves phases unreached; only the misspelling is told.
    assert_eq!(
        count("#[default] #[phase(to(Redy))] Pending, #[phase(steady)] Ready,"),
        1
    );
    assert_eq!(
        count(
            "#[default] #[phase(to(Ready), on_deadline = Ready)] Pending, #[phase(steady)] Ready,"
        ),
        1
    );
    assert_eq!(
        count(
            "#[default] #[phase(to(Ready), deadline = \"5\", on_deadline = Ready)] Pending, #[phase(steady)] Ready,"
        ),
        1
    );
    assert_eq!(
        count("#[default] #[phase(steady)] Ready, #[default] #[phase(to(Ready))] Pending,"),
        1
    );
    assert_eq!(count("#[default] #[phase(to(Pending))] Pending,"), 1);
    assert_eq!(count(""), 1);
}

#[test]
fn reachability_goes_by_whole_ways() {
    // `Left` and `Right` lead to each other, but no way leads to either.
    let mistakes = mistakes(
        "#[default] #[phase(steady)] Ready,
         #[phase(to(Right))] Left,
         #[phase(to(Left))] Right,",
    );
    assert_eq!(mistakes.len(), 2, "{mistakes:?}");
    assert!(
        mistakes[0]
            .1
            .starts_with("no arrow reaches `Left` from `Ready`")
    );
}

#[test]
fn the_failed_phase_is_reached_and_counts_as_a_way_out() {
    assert!(machine("#[default] Pending, #[phase(failed, to(Pending))] Failed,").is_ok());
}

#[test]
fn finds_machines_in_a_file_and_in_its_modules() {
    let file = syn::parse_file(
        "#[derive(Clone)] enum Other { A }
         #[derive(Clone, opgen_runtime::PhaseMachine)] #[machine(resource = A, context = C)] enum First { #[default] #[phase(steady)] Ready }
         mod inner { #[derive(PhaseMachine)] #[machine(resource = B, context = C)] enum Second { #[default] #[phase(steady)] Ready } }",
    )
    .unwrap();
    let machines = Machine::find_in_file(&file).unwrap();
    let names: Vec<_> = machines
        .iter()
        .map(|machine| machine.name.to_string())
        .collect();
    assert_eq!(names, ["First", "Second"]);
}
