//! Bad input and bad surroundings: a clear message, the documented exit code, and the target left as it was.
#![allow(clippy::unwrap_used)]

mod place;

use std::fs;
use std::process::Command;

use place::{Place, refused, stderr};

#[test]
fn names() {
    let place = Place::new();
    let long = "x".repeat(64);
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["new", "1st"],
            &["does not begin with a letter", "NAME", "help"],
        ),
        (&["new", "a b"], &["` ` is not a letter"]),
        (
            &["new", "My-Operator"],
            &["`M` is a capital letter", "my-operator"],
        ),
        (&["new", "a."], &["`.` is not a letter"]),
        (&["new", "ends-"], &["does not end with a letter"]),
        (&["new", &long], &["64 characters"]),
        (&["new", "async"], &["keyword", "async-operator"]),
        (&["new", "test"], &["keeps that name", "test-operator"]),
        (&["new", "nul"], &["device"]),
        (&["new", "kube"], &["depends on a crate of that name"]),
        (
            &["new", "k8s_openapi"],
            &["depends on a crate of that name"],
        ),
        (&["new", "/", "--force", "--dry-run"], &["no last part"]),
        (
            &["new", "x", "--kind", "database"],
            &["is not a kind", "--kind", "try `Database`"],
        ),
        (
            &["new", "x", "--kind", "Data-Base"],
            &["is not a kind", "try `DataBase`"],
        ),
        (
            &["new", "x", "--kind", ""],
            &["is not a kind", "try `Database`"],
        ),
        (&["new", "x", "--kind", "Größe"], &["is not a kind"]),
        (
            &["new", "x", "--kind", "Context"],
            &["would hide a type", "MyContext"],
        ),
        (&["new", "x", "--kind", "Result"], &["would hide a type"]),
        (&["new", "x", "--kind", "Status"], &["would hide a type"]),
        (&["new", "x", "--kind", "Self"], &["keyword"]),
        (
            &["new", "context-operator"],
            &["would hide a type", "the default of --kind"],
        ),
        (&["new", "x", "--group", "db"], &["no dot", "--group"]),
        (
            &["new", "x", "--group", "DB.example.com"],
            &["`D` is not a lowercase letter"],
        ),
        (&["new", "x", "--group", "a..b"], &["a part of it is empty"]),
        (&["new", "x", "--group=-a.b"], &["begins or ends with `-`"]),
        (
            &["new", "x", "--group", "x.k8s.io"],
            &["keeps for Kubernetes"],
        ),
        (
            &["new", "x", "--version", "1"],
            &["begins with a digit", "--version"],
        ),
        (&["new", "x", "--version", "V1"], &["is not an API version"]),
        (
            &["new", "x", "--plural", "Databases"],
            &["is not a resource name", "--plural"],
        ),
        (
            &["new", "x", "--short", "db,PO"],
            &["is not a short name", "--short"],
        ),
        (
            &["new", "x", "--short", "po"],
            &["belongs to a resource of Kubernetes"],
        ),
        (
            &["new", "x", "--scope", "galaxy"],
            &["is not a scope", "`namespaced` or `cluster`"],
        ),
        (
            &["new", "x", "--external", "ftp"],
            &["`http`, `custom` or `none`"],
        ),
        (
            &["new", "x", "--k8s-version", "1.12"],
            &["no types for", "1.33 to 1.37"],
        ),
        (
            &["new", "x", "--phases", "A>B"],
            &["which is no phase", "--phases"],
        ),
        (&["new", "x", "--phases", ""], &["is not a phase"]),
        (
            &["new", "x", "--kind", "Db", "--phases", "Db>R,R:steady"],
            &["share its name with a type"],
        ),
        (
            &["new", "x", "--opgen-path", "nowhere"],
            &["cannot be opened", "--opgen-path"],
        ),
        (&["new", "x", "--opgen-path", "."], &["is not a checkout"]),
        (
            &["new", "x", "--config", "nowhere.toml"],
            &["nowhere.toml", "no such file"],
        ),
        (
            &["new", "x", "--from-crd", "nowhere.yaml"],
            &["nowhere.yaml", "no such file"],
        ),
    ];
    for (arguments, parts) in cases {
        let mut arguments = arguments.to_vec();
        arguments.push("-y");
        refused(&place, &arguments, 2, parts);
    }
}

#[test]
fn flags() {
    let place = Place::new();
    refused(
        &place,
        &["new", "x", "--knid", "Database"],
        2,
        &["--knid", "--kind"],
    );
    refused(&place, &["demoo"], 2, &["demoo", "demo"]);
    refused(&place, &["new"], 2, &["NAME"]);
    refused(&place, &[], 2, &["Usage"]);
    refused(
        &place,
        &["new", "x", "--published", "--vendor"],
        2,
        &["cannot be used with"],
    );
    refused(
        &place,
        &["new", "x", "--from-crd", "f.yaml", "--group", "X"],
        2,
        &["cannot be used with"],
    );
}

#[test]
fn every_problem_is_reported_at_once() {
    let place = Place::new();
    refused(
        &place,
        &[
            "new",
            "1x",
            "--kind",
            "x",
            "--group",
            "y",
            "--version",
            "1",
            "-y",
        ],
        2,
        &["--kind", "--group", "--version", "NAME"],
    );
}

#[test]
fn related_kinds() {
    let place = Place::new();
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["new", "x", "--owns", "ClusterRole"],
            &["cluster-scoped", "--owns", "--scope cluster"],
        ),
        (
            &["new", "x", "--owns", "x.io/v1/Big:cluster"],
            &["`Big`, which is cluster-scoped"],
        ),
        (
            &["new", "x", "--owns", "apps/v1/Deploymnt"],
            &["no kind that opgen knows", "use one of", "StatefulSet"],
        ),
        (
            &["new", "x", "--owns", "deployment"],
            &["no kind that opgen knows", "write `apps/v1/Deployment`"],
        ),
        (
            &["new", "x", "--owns", "a/b/c/d"],
            &["is not a kind", "group/version/Kind"],
        ),
        (
            &["new", "x", "--owns", "Node"],
            &["no template", "--watches v1/Node"],
        ),
        (
            &[
                "new",
                "x",
                "--owns",
                "Service,serving.knative.dev/v1/Service",
            ],
            &["would share the type name `Service`"],
        ),
        (
            &["new", "x", "--kind", "Deployment", "--owns", "Deployment"],
            &["share its name with a type of kind `Deployment`"],
        ),
        (
            &["new", "x", "--watches", "x.io/v1/Fish:big"],
            &["not a mark of a kind", "plural=NAME"],
        ),
    ];
    for (arguments, parts) in cases {
        refused(&place, &[arguments, &["-y"][..]].concat(), 2, parts);
    }
    place.write(
        "two.toml",
        "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"B\"\n",
    );
    refused(
        &place,
        &[
            "new", "x", "--config", "two.toml", "--owns", "Service", "-y",
        ],
        2,
        &["`--owns` is about one kind", "[[kind]]"],
    );
}

#[test]
fn settings() {
    let cases: &[(&str, &[&str])] = &[
        ("name = \"x\nkind = 1\n", &["opgen.toml:1", "not TOML"]),
        (
            "nmae = \"x\"\n",
            &["opgen.toml:1:1", "unknown field `nmae`"],
        ),
        ("name = 7\n", &["opgen.toml:1", "invalid type"]),
        (
            "schema = 99\n",
            &["opgen.toml:1", "layout 99", "newer cargo-opgen"],
        ),
        (
            "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"A\"\n",
            &["opgen.toml:4:8", "kind `A` is there twice"],
        ),
        (
            "[[kind]]\nkind = \"A\"\n[[kind]]\nkind = \"ASpec\"\n",
            &["opgen.toml:4:8", "would share the type `ASpec`"],
        ),
        (
            "[[kind]]\nkind = \"HttpRoute\"\n[[kind]]\nkind = \"HTTPRoute\"\n",
            &["opgen.toml:4:8", "would share the module `http_route`"],
        ),
        (
            "[[kind]]\nkind = \"A\"\nplural = \"xs\"\n[[kind]]\nkind = \"B\"\nplural = \"xs\"\n",
            &[
                "opgen.toml:5:8",
                "would share the resource `xs.x.example.com`",
            ],
        ),
        (
            "[[kind]]\nkind = \"A\"\nshort = [\"z\"]\n[[kind]]\nkind = \"B\"\nshort = [\"z\"]\n",
            &["opgen.toml:5:8", "would share the short name `z`"],
        ),
        (
            "[[kind]]\nowns = [\"Service\", \"Deploymnt\"]\n",
            &["opgen.toml:2:20", "no kind that opgen knows", "Deployment"],
        ),
        (
            "[[kind]]\nwatches = [\"v1/Secret\", \"Secret\"]\n",
            &["opgen.toml:2:25", "named twice"],
        ),
        (
            "[[kind]]\n\nkind = \"database\"\n",
            &["opgen.toml:3:8", "kind.kind", "try `Database`"],
        ),
        (
            "[[kind]]\nshort = [\"db\", \"svc\"]\n",
            &["opgen.toml:2:16", "`svc` belongs"],
        ),
        (
            "[[kind]]\nphases = [\n  \"A>B\",\n  \"B:steady>C\",\n]\n",
            &["opgen.toml:4:3", "leads to `C`"],
        ),
        ("[[kind]]\ngroup = \"db\"\n", &["opgen.toml:2:9", "no dot"]),
        (
            "k8s-version = \"2.0\"\n",
            &["opgen.toml:1:15", "no types for"],
        ),
        (
            "[opgen]\nsource = \"path\"\npath = \"/nowhere\"\n",
            &["opgen.toml:3:8", "cannot be opened"],
        ),
    ];
    for (text, parts) in cases {
        let place = Place::new();
        place.write("opgen.toml", text);
        refused(
            &place,
            &["new", "x", "--config", "opgen.toml", "-y"],
            2,
            parts,
        );
        let place = Place::new();
        place.write("x/opgen.toml", text);
        refused(&place, &["new", "x", "-y"], 2, parts);
    }
    let place = Place::new();
    place.write("opgen.toml", b"name = \"\xff\"\n");
    refused(
        &place,
        &["new", "x", "--config", "opgen.toml", "-y"],
        2,
        &["not UTF-8 from byte 8"],
    );
    refused(
        &place,
        &["new", "x", "--config", ".", "-y"],
        2,
        &["directory"],
    );
}

#[test]
fn a_folder_that_is_not_empty() {
    let place = Place::new();
    place.write("x/notes.txt", "mine");
    refused(
        &place,
        &["new", "x", "-y"],
        2,
        &["not empty", "notes.txt", "--force"],
    );
    refused(&place, &["new", "x", "-y", "--dry-run"], 2, &["not empty"]);
    place.write("file", "mine");
    refused(&place, &["new", "file", "-y"], 2, &["the target is a file"]);
    refused(&place, &["new", "file/x", "-y"], 1, &["file"]);
}

#[test]
fn force_keeps_other_files_and_refuses_what_is_in_the_way() {
    let place = Place::new();
    let notes = place.write("x/notes.txt", "mine");
    let ignore = place.write("x/.gitignore", "old");
    let output = place.run(&["new", "x", "-y", "--force"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(notes).unwrap(), "mine");
    assert_ne!(fs::read_to_string(ignore).unwrap(), "old");
    let leftovers: Vec<_> = fs::read_dir(place.path().join("x"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().starts_with(".opgen-"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");

    let place = Place::new();
    place.write("x/src", "a file");
    refused(
        &place,
        &["new", "x", "-y", "--force"],
        2,
        &["a file stands where a folder belongs", "src"],
    );
    let place = Place::new();
    place.write("x/Cargo.toml/inner", "a folder");
    refused(
        &place,
        &["new", "x", "-y", "--force"],
        2,
        &["a folder stands where a file belongs"],
    );
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_not_followed_out_of_the_project() {
    let place = Place::new();
    place.write("elsewhere/keep.txt", "mine");
    place.write("x/notes.txt", "mine");
    std::os::unix::fs::symlink(place.path().join("elsewhere"), place.path().join("x/src")).unwrap();
    refused(
        &place,
        &["new", "x", "-y", "--force"],
        2,
        &["symbolic link"],
    );
}

/// A limit on the size of files is a full disk: writes fail (signal ignored), or the process is killed in the middle.
#[cfg(unix)]
#[test]
fn a_full_disk_and_a_kill_in_the_middle() {
    for (signal, killed) in [("trap '' XFSZ; ", false), ("", true)] {
        for existing in [false, true] {
            let place = Place::new();
            if existing {
                fs::create_dir(place.path().join("x")).unwrap();
            }
            let before = place.snapshot();
            let script = format!("{signal}ulimit -f 2; exec \"$0\" opgen new x -y");
            let output = Command::new("sh")
                .args(["-c", &script, env!("CARGO_BIN_EXE_cargo-opgen")])
                // rustfmt's folder must not be what fails: it is no part of the target.
                .env("RUSTFMT", "true")
                .current_dir(place.path())
                .output()
                .unwrap();
            assert!(!output.status.success());
            if killed {
                assert_eq!(
                    output.status.code(),
                    None,
                    "not killed: {}",
                    stderr(&output)
                );
            } else {
                assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
                assert!(stderr(&output).contains("failed"), "{}", stderr(&output));
            }
            let after: Vec<_> = place
                .snapshot()
                .into_iter()
                .filter(|(path, _)| {
                    // What a killed process was writing stays beside the target, never in it.
                    let inside = path.strip_prefix(place.path()).unwrap();
                    !(killed && inside.to_string_lossy().starts_with(".opgen-"))
                })
                .collect();
            assert_eq!(after, before, "the target changed (killed: {killed})");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let closed = place.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(closed.join("probe"), "").is_ok();
    if is_root {
        // Root writes anywhere; a path below /proc refuses root too.
        refused(&place, &["new", "/proc/opgen-x", "-y"], 1, &["/proc"]);
    } else {
        refused(
            &place,
            &["new", "closed/x", "-y"],
            1,
            &["permission denied", "closed", "check who owns"],
        );
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn rustfmt_is_missing() {
    let place = Place::new();
    let before = place.snapshot();
    let output = place
        .command(&["new", "x", "-y"])
        .env("RUSTFMT", "no-such-rustfmt")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("rustup component add rustfmt"),
        "{}",
        stderr(&output)
    );
    assert_eq!(place.snapshot(), before);
}

#[test]
fn errors_for_machines() {
    let place = Place::new();
    place.write("opgen.toml", "[[kind]]\nkind = \"database\"\n");
    let output = place.run(&[
        "new",
        "x",
        "--format",
        "json",
        "--config",
        "opgen.toml",
        "--group",
        "y",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["status"], "error");
    assert_eq!(error["exit"], 2);
    assert_eq!(error["problems"][0]["where"]["line"], 2);
    assert_eq!(error["problems"][0]["where"]["field"], "kind.kind");
    assert_eq!(error["problems"][1]["where"]["flag"], "--group");

    let output = place.run(&["new", "--format=json", "--nope"]);
    assert_eq!(output.status.code(), Some(2));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(
        error["problems"][0]["what"]
            .as_str()
            .unwrap()
            .contains("--nope")
    );
}

#[test]
fn documents_that_are_no_crd() {
    let cases: &[(&str, &[&str])] = &[
        ("a: [1\n", &["f.yaml"]),
        (
            "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: x\n",
            &["f.yaml", "CustomResourceDefinition"],
        ),
        ("", &["f.yaml"]),
        ("- 1\n- 2\n", &["f.yaml"]),
    ];
    for (text, parts) in cases {
        let place = Place::new();
        place.write("f.yaml", text);
        refused(
            &place,
            &["new", "x", "--from-crd", "f.yaml", "-y"],
            2,
            parts,
        );
    }
    let place = Place::new();
    place.write("f.yaml", b"\xff\xfe\x00");
    refused(
        &place,
        &["new", "x", "--from-crd", "f.yaml", "-y"],
        2,
        &["not UTF-8"],
    );
}
