//! What happens to a project besides `cargo test`: its image, its workflow and the commands of its README, done here as far
//! as it can be done without a container engine.
//!
//! Two things are otherwise than there: the builds take the dev profile, whose dependencies the other tests have built, and
//! the packages of the image's base are not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::{Projects, checkout, place, run};

const NAME: &str = "pipeline-operator";

#[test]
fn the_image_the_workflow_and_the_readme_do_what_they_say() {
    let mut projects = Projects::new("pipeline");
    projects.make(NAME, &["--vendor", "--kind", "Database", "--short", "db"]);
    let project = projects.folder.join(NAME);
    fs::copy(checkout().join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    // As its author would commit it: without what only the checkout needs.
    shell(&project, "cargo metadata --quiet --format-version 1");

    // The image is built where the project was, so that the workflow finds its dependencies built.
    let whole = projects.folder.join("whole");
    fs::rename(&project, &whole).unwrap();
    let operator = image(&whole, &project);
    copy(&whole, &project);
    readme(&project, &operator);
    workflow(&project);
}

/// As a step of the workflow and a `RUN` of the image do: every command has to succeed.
fn shell(folder: &Path, line: &str) -> String {
    let cargo = Path::new(env!("CARGO")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let line = line.replace(" --release", "");
    run(Command::new("sh")
        .args(["-ec", &line])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", cargo.display()))
        .env("CARGO_TARGET_DIR", place())
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS"))
}

/// The instructions of a Dockerfile, each with what follows it.
fn instructions(dockerfile: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = dockerfile
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let joined = lines.join("\n").replace("\\\n", " ");
    joined
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(instruction, rest)| (instruction.to_owned(), rest.trim().to_owned()))
        .collect()
}

/// Does in `work` what the Dockerfile of a project does in its work folder; the program that would be in the image.
fn image(project: &Path, work: &Path) -> PathBuf {
    let dockerfile = fs::read_to_string(project.join("deploy/Dockerfile")).unwrap();
    let ignored = fs::read_to_string(project.join(".dockerignore")).unwrap();
    fs::create_dir(work).unwrap();
    let (mut installed, mut from, mut program) = (String::new(), Vec::new(), None);
    let (mut user, mut entry) = (String::new(), String::new());
    for (instruction, rest) in instructions(&dockerfile) {
        match instruction.as_str() {
            "FROM" => from.push(rest),
            "WORKDIR" => assert_eq!(rest, "/src"),
            "RUN" if rest.starts_with("apk add ") => installed = rest,
            "RUN" => drop(shell(work, &rest)),
            "COPY" if rest.starts_with("--from=build ") => {
                let words: Vec<&str> = rest.split(' ').collect();
                let [_, source, target] = words[..] else {
                    panic!("COPY {rest}")
                };
                if source.starts_with("/etc/ssl/") {
                    assert!(installed.contains("ca-certificates"), "{installed}");
                } else {
                    let name = source.strip_prefix("/src/target/release/").unwrap();
                    program = Some((place().join("debug").join(name), target.to_owned()));
                }
            }
            "COPY" => {
                let mut words: Vec<&str> = rest.split(' ').collect();
                let target = words.pop().unwrap();
                for source in words {
                    let is_ignored = |line: &str| line.trim_start_matches('/') == source;
                    assert!(!ignored.lines().any(is_ignored), "{source} is ignored");
                    let target = if target == "./" { source } else { target };
                    copy(&project.join(source), &work.join(target));
                }
            }
            "USER" => user = rest,
            "ENTRYPOINT" => entry = rest,
            "EXPOSE" => assert_eq!(rest, "8080"),
            other => panic!("{other} {rest}: nobody here does that"),
        }
    }
    assert_eq!(from, ["rust:1-alpine AS build", "scratch"]);
    // Kubernetes looks at the number: a name would have to be looked up in an image that has no users.
    let numbers: Vec<u32> = user.split(':').map(|id| id.parse().unwrap()).collect();
    assert!(numbers.iter().all(|id| *id > 0), "{user}");
    let (program, target) = program.expect("a program in the image");
    assert_eq!(entry, format!("[{target:?}]"));
    // It is the operator, and not what was built in its place to have the dependencies in a layer of their own.
    assert!(
        run(Command::new(&program).arg("manifests")).contains("kind: CustomResourceDefinition")
    );
    program
}

/// A copy as an image gets it: as old as what it is made of.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
        return;
    }
    fs::copy(from, to).unwrap();
    let age = fs::metadata(from).unwrap().modified().unwrap();
    let file = fs::File::options().write(true).open(to).unwrap();
    file.set_modified(age).unwrap();
}

/// Each command line of the operator that the README shows is one that it takes.
fn readme(project: &Path, operator: &Path) {
    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    let mut seen = Vec::new();
    for line in readme.lines() {
        let Some((_, rest)) = ["cargo run", "/operator "]
            .iter()
            .find_map(|start| line.split_once(start))
        else {
            continue;
        };
        let rest = rest.split(['|', '>', '#', '`']).next().unwrap();
        let rest = rest.trim().trim_start_matches("--locked");
        let words: Vec<&str> = rest
            .split_whitespace()
            .filter(|word| *word != "--")
            .collect();
        run(Command::new(operator).args(&words).arg("--help"));
        seen.push(words.join(" "));
    }
    for wanted in [
        "",
        "manifests",
        "manifests --uninstall",
        "uninstall --yes",
        "graph",
    ] {
        assert!(
            seen.iter().any(|words| words == wanted),
            "{wanted}: {seen:?}"
        );
    }
}

/// Does what the workflow does, and looks at what it cannot do here.
fn workflow(project: &Path) {
    let text = fs::read_to_string(project.join(".github/workflows/ci.yaml")).unwrap();
    let workflow: Value = serde_saphyr::from_str(&text).unwrap();
    let mut components = String::new();
    let mut ran = Vec::new();
    for job in workflow["jobs"].as_object().unwrap().values() {
        // Somebody else's runner must not hang for six hours.
        assert!(job["timeout-minutes"].is_u64(), "{job}");
        for step in job["steps"].as_array().unwrap() {
            if let Some(action) = step["uses"].as_str() {
                let (_, version) = action.split_once('@').unwrap();
                let major = version.strip_prefix('v').map(str::parse::<u32>);
                assert!(matches!(major, Some(Ok(1..))), "{action}");
            }
            if let Some(artifact) = step["with"]["path"].as_str()
                && step["with"]["name"].is_string()
            {
                let made = fs::read_to_string(project.join(artifact)).unwrap();
                let documents: Vec<Value> = serde_saphyr::from_multiple(&made).unwrap();
                assert!(documents.len() >= 4, "{made}");
            }
            let Some(line) = step["run"].as_str() else {
                continue;
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["rustup", "toolchain", "install", "stable", ..] => {
                    line.clone_into(&mut components)
                }
                ["docker", "build", "-f", file, "-t", tag, "."] => {
                    assert!(project.join(file).is_file(), "{line}");
                    assert_eq!(tag, NAME);
                }
                ["cargo", command, ..] => {
                    let component = match command {
                        "fmt" => "rustfmt",
                        other => other,
                    };
                    // What is no part of the minimal profile has to be named.
                    if ["rustfmt", "clippy"].contains(&component) {
                        assert!(components.contains(component), "{components}");
                    }
                    shell(project, line);
                    ran.push(command.to_owned());
                }
                _ => panic!("{line}: nobody here does that"),
            }
        }
    }
    assert_eq!(ran, ["fmt", "clippy", "test", "run"]);
}
