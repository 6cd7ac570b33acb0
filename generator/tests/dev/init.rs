//! A crate that existed becomes an operator by `init` and the lines that it prints, and runs.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::session::{command, target, turn};

#[test]
fn a_crate_that_became_an_operator_runs() {
    let _turn = turn();
    let package = target().join("live/init-operator");
    let _ = fs::remove_dir_all(&package);
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = "[package]\nname = \"init-operator\"\nversion = \"1.2.3\"\nedition = \"2024\"\n";
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(package.join("src/lib.rs"), "pub mod mine {}\n").unwrap();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::copy(checkout.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();

    let output = Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
        .args(["init", "-y", "--format", "json"])
        .args(["--kind", "Database", "--group", "db.example.com"])
        .current_dir(&package)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    // What a person would do with the printed lines: a main of one's own gives way, a library gets them too.
    for by_hand in result["by-hand"].as_array().unwrap() {
        let path = package.join(by_hand["path"].as_str().unwrap());
        let own = fs::read_to_string(&path).unwrap();
        let own = own.replace("fn main() {}\n", "");
        let lines = by_hand["lines"].as_str().unwrap();
        fs::write(&path, format!("{own}{lines}\n")).unwrap();
    }
    assert_eq!(result["by-hand"].as_array().unwrap().len(), 2);

    let output = command(&package, &["--offline", "--once", "--patience", "120"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}
