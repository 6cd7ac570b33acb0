//! Types of real CRDs: they compile without a warning, document without a warning, hold no doctest, and give every instance back as it was.
//!
//! The CRDs are other projects' data and not part of this repository: `OPGEN_SHARED` says where they are, by default `../shared` beside the
//! workspace. One scratch project holds all of them, so there is one build.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "crd/corpus.rs"]
mod corpus;

use std::{fmt::Write as _, fs, path::Path, process::Command, time::Instant};

use cargo_opgen::crd::{
    Additions, Choice, CrdFile, instances,
    types::{Flavor, generate_as},
};
use opgen_apiserver::schema::{Schema, default};

const INSTANCES: usize = 50;

fn cargo(project: &Path, arguments: &[&str]) {
    // That of the rendered projects, which need most of the same crates.
    let binary = Path::new(env!("CARGO_BIN_EXE_cargo-opgen"));
    let target = binary
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("opgen-compile");
    let start = Instant::now();
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .arg("--offline")
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTDOCFLAGS", "-D warnings")
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success(),
        "cargo {}:\n{text}",
        arguments.join(" ")
    );
    eprintln!("cargo {} took {:.1?}", arguments.join(" "), start.elapsed());
    if arguments[0] == "test" {
        assert!(
            !text.contains(" - "),
            "a description became a doctest:\n{text}"
        );
    }
}

#[test]
fn instances_of_real_crds_round_trip() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crd-roundtrip");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir_all(project.join("tests")).unwrap();
    fs::create_dir_all(project.join("instances")).unwrap();
    let mut library = "//! Types of real CRDs.\n#![deny(warnings, missing_docs)]\n".to_owned();
    let mut tests = include_str!("crd/roundtrip_head.rs.txt").to_owned();
    for (name, text, version) in corpus::crds() {
        let choice = Choice {
            version,
            ..Choice::default()
        };
        let crd = CrdFile::choose(&text, &name, choice).unwrap_or_else(|error| panic!("{error}"));
        let additions = Additions::for_crd(&crd).unwrap_or_else(|error| panic!("{error}"));
        assert!(additions.keeps_text(), "{name}: the text was written anew");
        let source =
            generate_as(&crd, &additions, Flavor::Plain).unwrap_or_else(|error| panic!("{error}"));
        // Instances of what is emitted, so that the machine's own fields are among them.
        let emitted = CrdFile::choose(additions.yaml(), &name, choice)
            .unwrap_or_else(|error| panic!("{error}"));
        // As a user writes them, and as a server stores them with its defaults.
        let mut made = instances(&emitted, 7, INSTANCES);
        let schema = Schema::parse(emitted.schema()).unwrap();
        for index in 0..INSTANCES {
            let mut stored = made[index].clone();
            default(&schema, &mut stored);
            made.push(stored);
        }
        fs::write(
            project.join(format!("instances/{name}.json")),
            serde_json::to_string(&made).unwrap(),
        )
        .unwrap();
        fs::write(project.join(format!("src/{name}.rs")), source.text()).unwrap();
        writeln!(library, "pub mod {name};").unwrap();
        writeln!(
            tests,
            "\n#[test]\nfn {name}() {{\n    round_trip::<crd_roundtrip::{name}::{}>({name:?});\n}}",
            source.root()
        )
        .unwrap();
        eprintln!(
            "{name}: {} types, {} lines, additions:\n  {}",
            source.types(),
            source.text().lines().count(),
            additions.lines().join("\n  ")
        );
    }
    fs::write(project.join("src/lib.rs"), library).unwrap();
    fs::write(project.join("tests/roundtrip.rs"), tests).unwrap();
    fs::write(
        project.join("Cargo.toml"),
        include_str!("crd/roundtrip_manifest.toml.txt"),
    )
    .unwrap();
    // The workspace's lock, so that nothing is resolved anew and nothing fetched.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .join("Cargo.lock");
    fs::copy(lock, project.join("Cargo.lock")).unwrap();
    cargo(&project, &["clippy", "--all-targets"]);
    cargo(&project, &["test"]);
    cargo(&project, &["doc", "--no-deps"]);
}
