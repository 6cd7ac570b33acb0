//! The source changes while `dev` runs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::session::{LONG, SHORT, Session, command, edit, get, is_alive, project, turn};

const OBJECT: &str = "/apis/db.example.com/v1alpha1/namespaces/default/databases/sample";

#[test]
fn a_change_is_built_and_runs_beside_the_objects_that_were_there() {
    let _turn = turn();
    let project = project("dev-operator");
    let dev = Session::start(&project, &["--offline"]);
    let kubeconfig = dev.kubeconfig();
    let first = dev.operator(0);
    dev.waits_for(
        "Database default/sample  Ready, Ready=True, before: Provisioning",
        0,
        SHORT,
    );
    let operators = kubeconfig.with_file_name("operator.kubeconfig");
    let mode = fs::metadata(&operators).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others may read the token: {mode:o}");
    let uid = get(&kubeconfig, OBJECT)["metadata"]["uid"].clone();
    assert!(uid.is_string());

    // A second one would take the kubeconfig away.
    let second = command(&project, &["--offline"]).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("another `cargo opgen dev`"), "{said}");

    // A mistake: the compiler's message, and everything goes on.
    let handlers = project.join("src/controllers/database/handlers.rs");
    let mark = dev.mark();
    edit(&handlers, "Ok(Step::to(Ready))", "Ok(Step::to(Pending))");
    dev.waits_for("Changed src/controllers/database/handlers.rs", mark, SHORT);
    dev.waits_for("the project does not build", mark, LONG);
    dev.waits_for("no arrow leads from `Provisioning` to", mark, SHORT);
    dev.waits_for("the objects stay", mark, SHORT);
    assert!(
        is_alive(&first),
        "the operator of the last good build is gone"
    );
    assert_eq!(get(&kubeconfig, OBJECT)["metadata"]["uid"], uid);

    // Mended, with something to see: the new program runs, the old one is gone.
    let mark = dev.mark();
    let text = fs::read_to_string(&handlers).unwrap();
    let text = text
        .replace(
            "Ok(Step::to(Pending))\n            }",
            "Ok(Step::to(Ready))\n            }",
        )
        .replace(
            "    if cx.spec_changed() {",
            "    eprintln!(\"the changed handler runs\");\n    if cx.spec_changed() {",
        );
    fs::write(&handlers, text).unwrap();
    let second = dev.operator(mark);
    assert_ne!(first, second);
    dev.waits_for("the changed handler runs", mark, SHORT);
    assert!(!is_alive(&first), "two operators run");
    assert_eq!(get(&kubeconfig, OBJECT)["metadata"]["uid"], uid);

    // A changed sample is applied, and the change is worked off.
    let mark = dev.mark();
    edit(
        &project.join("deploy/databases.sample.yaml"),
        "size: 1",
        "size: 2",
    );
    dev.waits_for("Applied deploy/databases.sample.yaml", mark, LONG);
    assert_eq!(get(&kubeconfig, OBJECT)["spec"]["size"], 2);
    // The operator has the rights of its service account, and no more.
    assert_eq!(get(&operators, OBJECT)["kind"], "Database");
    assert_eq!(
        get(&operators, "/api/v1/namespaces/default/secrets")["reason"],
        "Forbidden"
    );
    let third = dev.operator(mark);

    let (status, said) = dev.interrupt();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("Stopped"), "{said}");
    assert!(!is_alive(&third), "the operator outlives dev");
}

/// Nobody asks the operator to end: it sees that it is alone.
#[test]
fn a_killed_dev_leaves_no_operator_behind() {
    let _turn = turn();
    let project = project("killed-operator");
    // An operator that has something to say may stumble over the broken pipe of its log. This one is silent.
    let dev = Session::of(command(&project, &["--offline"]).env("OPGEN_LOG_LEVEL", "off"));
    let operator = dev.operator(0);
    dev.waits_for("Ready=True", 0, SHORT);
    assert!(is_alive(&operator));
    dev.kill();
    let end = Instant::now() + SHORT;
    while is_alive(&operator) {
        assert!(Instant::now() < end, "the operator outlives dev");
        sleep(Duration::from_millis(50));
    }
}

#[test]
fn once_ends_when_all_is_ready_and_says_so_to_machines() {
    let _turn = turn();
    let project = project("once-operator");
    let output = command(
        &project,
        &[
            "--offline",
            "--once",
            "--format",
            "json",
            "--namespace",
            "team-a",
        ],
    )
    .output()
    .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let events: Vec<serde_json::Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap())
        .collect();
    assert_eq!(names[..3], ["serving", "built", "running"], "{names:?}");
    let last = events
        .iter()
        .rfind(|event| event["event"] == "object")
        .unwrap();
    assert_eq!(
        (&last["ready"], &last["phase"], &last["namespace"]),
        (&"True".into(), &"Ready".into(), &"team-a".into())
    );
    assert_eq!(names.last(), Some(&"stopped"));

    // A provider that is not there: no object gets Ready, and that is no success.
    let output = command(&project, &["--offline", "--once", "--patience", "5"])
        .env("DATABASE_API_URL", "http://127.0.0.1:9")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("not every object is Ready after 5 s"),
        "{said}"
    );
}
