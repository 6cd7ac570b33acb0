//! Bad input and bad surroundings of the commands besides `new`, and what a kill leaves behind.
#![allow(clippy::unwrap_used)]

mod place;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::Duration;

use place::{Place, refused, stderr};

/// A manifest of an operator; nothing is resolved, so the runtime need not be there.
const OPERATOR: &str =
    "[package]\nname = \"x\"\nedition = \"2024\"\n[dependencies]\nopgen-runtime = \"0.1\"\n";

/// One row: the files that are there, the command, its exit code, what it says.
type Row<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], i32, &'a [&'a str]);

fn all(rows: &[Row<'_>]) {
    for (files, arguments, code, parts) in rows {
        let place = Place::new();
        for (path, text) in *files {
            place.write(path, text);
        }
        refused(&place, arguments, *code, parts);
    }
}

#[test]
fn dev() {
    let lib = ("src/lib.rs", "");
    let workspace = ("Cargo.toml", "[workspace]\nmembers = []\n");
    let two = format!("{OPERATOR}[[bin]]\nname = \"a\"\n[[bin]]\nname = \"b\"\n");
    all(&[
        (
            &[],
            &["dev"],
            2,
            &["there is no Cargo.toml here", "--manifest-path"],
        ),
        (
            &[],
            &["dev", "--manifest-path", "nowhere/Cargo.toml"],
            2,
            &["the manifest is not there", "nowhere"],
        ),
        (
            &[],
            &["dev", "--manifest-path", "."],
            2,
            &["does not lead to a file `Cargo.toml`"],
        ),
        (
            &[("Cargo.toml", "[package\n")],
            &["dev"],
            2,
            &["cargo cannot read the project", "Cargo.toml"],
        ),
        (
            &[("Cargo.toml", "[package]\nname = \"x\"\n"), lib],
            &["dev"],
            2,
            &["does not depend on opgen-runtime", "cargo opgen init"],
        ),
        (
            &[workspace],
            &["dev"],
            2,
            &["no member that depends on opgen-runtime", "cargo opgen new"],
        ),
        (
            &[("Cargo.toml", OPERATOR), lib],
            &["dev"],
            2,
            &["has no program", "src/main.rs"],
        ),
        (
            &[
                ("Cargo.toml", &two),
                ("src/bin/a.rs", ""),
                ("src/bin/b.rs", ""),
            ],
            &["dev"],
            2,
            &["several programs: a, b", "default-run"],
        ),
        (
            &[
                ("Cargo.toml", OPERATOR),
                ("src/main.rs", ""),
                ("opgen.toml", "nmae = 1\n"),
            ],
            &["dev"],
            2,
            &["opgen.toml:1:1", "unknown field `nmae`"],
        ),
        (&[], &["dev", "--port", "0"], 2, &["--port", "0 is not in"]),
        (&[], &["dev", "--port", "70000"], 2, &["--port"]),
        (
            &[],
            &["dev", "--real", "--port", "6443"],
            2,
            &["cannot be used with"],
        ),
        (&[], &["dev", "--patience", "0"], 2, &["--patience"]),
        (&[], &["dev", "--samples=perhaps"], 2, &["--samples"]),
        (
            &[],
            &["dev", "--namespace", "Team_A"],
            2,
            &[
                "`Team_A` is not a namespace's name",
                "--namespace",
                "lowercase",
            ],
        ),
        (
            &[],
            &["dev", "--namespace=-a"],
            2,
            &["is not a namespace's name"],
        ),
        (&[], &["dev", "here"], 2, &["unexpected argument"]),
    ]);
}

#[test]
fn dev_in_bad_surroundings() {
    let place = Place::new();
    place.write("Cargo.toml", OPERATOR);
    place.write("src/main.rs", "");
    let said = |name: &str, value: &str, arguments: &[&str]| {
        let output = place.command(arguments).env(name, value).output().unwrap();
        (output.status.code(), stderr(&output))
    };
    let (code, text) = said("CARGO", "no-such-cargo", &["dev"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("`no-such-cargo` does not run") && text.contains("rustup.rs"),
        "{text}"
    );
    let (code, text) = said("KUBECONFIG", "/nowhere/kubeconfig", &["dev", "--real"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("kubectl"), "{text}");

    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, text) = said("CARGO_TERM_COLOR", "never", &["dev", "--port", &port]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("cannot listen on 127.0.0.1") && text.contains("choose another port"),
        "{text}"
    );

    // Where cargo may not write, neither may we: said before anything is built.
    let (code, text) = said("CARGO_TARGET_DIR", "/proc/opgen", &["dev"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("making a folder failed") && text.contains("/proc/opgen"),
        "{text}"
    );
}

/// Cargo's own flags reach cargo, in front of whatever it refuses.
#[cfg(unix)]
#[test]
fn cargo_hears_its_own_flags() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.write("a/Cargo.toml", OPERATOR);
    let refuses = place.write("refuses", "#!/bin/sh\necho \"told: $*\" >&2\nexit 101\n");
    std::fs::set_permissions(&refuses, std::fs::Permissions::from_mode(0o755)).unwrap();
    for flag in ["--offline", "--locked", "--frozen"] {
        let output = place
            .command(&["dev", "--manifest-path", "a/Cargo.toml", flag])
            .env("CARGO", &refuses)
            .output()
            .unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let told = said.lines().find(|line| line.contains("told: metadata"));
        assert!(
            told.is_some_and(|line| line.contains(flag) && line.contains("a/Cargo.toml")),
            "{said}"
        );
    }
}

#[test]
fn init() {
    let package = (
        "Cargo.toml",
        "[package]\nname = \"x\"\nedition = \"2024\"\n",
    );
    all(&[
        (
            &[],
            &["init", "-y"],
            2,
            &["there is no crate here", "cargo opgen new"],
        ),
        (
            &[],
            &["init", "nowhere", "-y"],
            2,
            &["there is no crate here", "nowhere"],
        ),
        (
            &[package],
            &["init", "-y", "--manifest-path", "nowhere/Cargo.toml"],
            2,
            &["the manifest is not there", "nowhere/Cargo.toml"],
        ),
        (
            &[package],
            &["init", "-y", "--manifest-path", "."],
            2,
            &["does not lead to a file `Cargo.toml`"],
        ),
        (
            &[package],
            &["init", ".", "-y", "--manifest-path", "Cargo.toml"],
            2,
            &["--manifest-path", "cannot be used with"],
        ),
        (
            &[("a/Cargo.toml", "[package\n")],
            &["init", "-y", "--manifest-path", "a/Cargo.toml"],
            2,
            &["not TOML", "a/Cargo.toml"],
        ),
        (
            &[("Cargo.toml", "[package\n")],
            &["init", "-y"],
            2,
            &["not TOML", "Cargo.toml"],
        ),
        (
            &[("Cargo.toml", "[workspace]\n")],
            &["init", "-y"],
            2,
            &["no [package]", "a member"],
        ),
        (
            &[package],
            &["init", "-y", "--force"],
            2,
            &["never overwrites", "--force"],
        ),
        (
            &[package],
            &["init", "-y", "--vcs", "git"],
            2,
            &["leaves version control alone"],
        ),
        (
            &[package],
            &["init", "-y", "--kind", "database"],
            2,
            &["is not a kind", "--kind"],
        ),
        (
            &[package, ("opgen.toml", "schema = 9\n")],
            &["init", "-y"],
            2,
            &["layout 9", "opgen.toml:1"],
        ),
        (
            &[package, ("src/context.rs", "mine")],
            &["init", "-y"],
            2,
            &["needs its own", "src/context.rs", "nothing of yours"],
        ),
        (
            &[
                package,
                ("src/api/mod.rs", "mine"),
                ("tests/incidents.rs", "mine"),
            ],
            &["init", "-y"],
            2,
            &["src/api/mod.rs", "tests/incidents.rs"],
        ),
        (
            &[package, ("src", "a file")],
            &["init", "-y"],
            2,
            &["a file stands where a folder belongs"],
        ),
        (
            &[("Cargo.toml", "[package]\nname = \"Shop\"\n")],
            &["init", "-y"],
            2,
            &["capital letter"],
        ),
        (
            &[("Cargo.toml", "dependencies = 1\n[package]\nname = \"x\"\n")],
            &["init", "-y"],
            2,
            &["`dependencies` of the manifest is no table"],
        ),
    ]);
}

#[test]
fn the_others() {
    all(&[
        (
            &[],
            &["graph"],
            2,
            &["no phase enum is here", "PhaseMachine"],
        ),
        (&[], &["graph", "nowhere"], 2, &["nowhere", "no such file"]),
        (
            &[],
            &["graph", "--manifest-path", "nowhere/Cargo.toml"],
            2,
            &["the manifest is not there", "nowhere/Cargo.toml"],
        ),
        (
            &[("a.rs", "x")],
            &["graph", "--manifest-path", "a.rs"],
            2,
            &["does not lead to a file `Cargo.toml`", "a.rs"],
        ),
        (
            &[("a/Cargo.toml", "")],
            &["graph", "--manifest-path", "a/Cargo.toml"],
            2,
            &["no phase enum is here", "PhaseMachine"],
        ),
        (
            &[("Cargo.toml", "")],
            &["graph", "src", "--manifest-path", "Cargo.toml"],
            2,
            &["--manifest-path", "cannot be used with"],
        ),
        (
            &[],
            &["graph", "--locked"],
            2,
            &["unexpected argument", "--locked"],
        ),
        (
            &[("a.rs", "#[derive(PhaseMachine)] enum {")],
            &["graph"],
            2,
            &["a.rs:1"],
        ),
        (
            &[("a.rs", "#[derive(PhaseMachine)] enum A { B }")],
            &["graph"],
            2,
            &["a.rs:1"],
        ),
        (
            &[("a.rs", "x")],
            &["graph", "--as", "png"],
            2,
            &["--as", "mermaid"],
        ),
        (&[], &["man", "dve"], 2, &["no command `dve`", "dev"]),
        (&[], &["completions"], 2, &["SHELL"]),
        (&[], &["completions", "tcsh"], 2, &["tcsh", "bash"]),
        (&[], &["demo", "--patience", "0"], 2, &["--patience"]),
        (
            &[],
            &["demo", "--opgen-path", "nowhere"],
            2,
            &["cannot be opened", "--opgen-path"],
        ),
        (&[], &["dmo"], 2, &["dmo", "demo"]),
        (
            &[],
            &["graph", "--color", "sometimes"],
            2,
            &["--color", "always"],
        ),
        (&[], &["graph", "--format", "xml"], 2, &["--format", "json"]),
        (
            &[("Cargo.toml", "[workspace\n")],
            &["new", "y", "-y"],
            2,
            &["above the target is not TOML", "Cargo.toml"],
        ),
        (
            &[("Cargo.toml", "[workspace]\nmembers = 1\n")],
            &["new", "y", "-y"],
            2,
            &["`members` of the workspace is no list"],
        ),
        (
            &[],
            &["new", "y", "-y", "--from", "nowhere.toml"],
            2,
            &["nowhere.toml", "no such file"],
        ),
    ]);
    let place = Place::new();
    place.write("src/a.rs", b"// PhaseMachine \xff");
    refused(&place, &["graph"], 2, &["a.rs", "valid UTF-8"]);
    let output = place
        .command(&["demo"])
        .env("CARGO", "no-such-cargo")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("`no-such-cargo` does not run"),
        "{}",
        stderr(&output)
    );
}

/// Killed at any moment while it writes into a folder that has files: after the next command there is either the folder
/// as it was, or the whole project.
#[cfg(unix)]
#[test]
fn a_kill_in_the_middle_of_a_forced_write() {
    let fresh = || {
        let place = Place::new();
        place.write("x/notes.txt", "mine");
        place.write("x/.gitignore", "old");
        place.write("x/src/main.rs", "old");
        place
    };
    let inside = |place: &Place| -> BTreeSet<(PathBuf, Vec<u8>)> {
        place
            .snapshot()
            .into_iter()
            .map(|(path, bytes)| {
                (
                    path.strip_prefix(place.path()).unwrap().to_path_buf(),
                    bytes,
                )
            })
            .collect()
    };
    let forced = [
        "new",
        "x",
        "-y",
        "--force",
        "--vcs",
        "none",
        "--published",
        "-q",
    ];
    let command = |place: &Place| {
        let mut command = place.command(&forced);
        // Quicker, so that more of the kills hit the writing.
        command.env("RUSTFMT", "true");
        command
    };
    let before = inside(&fresh());
    let whole = fresh();
    let started = std::time::Instant::now();
    assert!(command(&whole).status().unwrap().success());
    let took = started.elapsed();
    let after = inside(&whole);
    assert_ne!(before, after);
    for step in 0..24 {
        let place = fresh();
        let mut child = command(&place)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(took * (step + 8) / 32);
        child.kill().unwrap();
        child.wait().unwrap();
        // Whoever comes next undoes it, even where it then refuses.
        let next = place.run(&["new", "x", "-y"]);
        assert_eq!(next.status.code(), Some(2), "{}", stderr(&next));
        let found = inside(&place);
        assert!(
            found == before || found == after,
            "after {step}: {:?}",
            found.iter().map(|(path, _)| path).collect::<Vec<_>>()
        );
        let mut child = command(&place)
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1));
        assert!(child.wait().unwrap().success());
        assert_eq!(inside(&place), after, "after {step}");
    }
}
