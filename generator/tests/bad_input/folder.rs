//! The folder that is written, and the disk below it.

use std::fs;
use std::process::Command;

use crate::place::{Place, refused, stderr};

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
