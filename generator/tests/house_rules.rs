//! Who may do what: each of these is done in one place, and that place is named.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

/// The source files, each with its path below `src` and its text without comments and tests.
fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code: Vec<&str> = text
                .lines()
                .take_while(|line| line.trim() != "#[cfg(test)]")
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            found.push((name, code.join("\n")));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found
}

#[track_caller]
fn only(allowed: &[&str], words: &[&str]) {
    let mut used = false;
    for (name, code) in sources() {
        for word in words.iter().filter(|word| code.contains(**word)) {
            let may = allowed.iter().any(|prefix| name.starts_with(prefix));
            assert!(
                may,
                "src/{name} uses `{word}`, which belongs into {allowed:?}"
            );
            used = true;
        }
    }
    assert!(
        used,
        "nobody uses {words:?}: the rule looks for the wrong words"
    );
}

#[test]
fn only_the_shell_prints() {
    only(
        &["shell/", "prompt.rs"],
        &[
            "println!",
            "print!(",
            "eprintln!",
            "io::stdout",
            "io::stderr",
            "indicatif",
        ],
    );
}

#[test]
fn only_the_prompt_reads_standard_input() {
    only(&["prompt.rs"], &["io::stdin", "inquire"]);
}

#[test]
fn only_the_renderer_knows_tera() {
    only(&["render.rs"], &["tera::", "Tera"]);
}

/// `format` writes a folder of its own, `demo` beside its project, `dev` below `target`.
#[test]
fn only_apply_writes_a_project() {
    only(
        &["apply", "format.rs", "command/demo/", "command/dev/"],
        &[
            "fs::write",
            "File::create",
            "fs::rename",
            "fs::remove",
            "fs::create_dir",
            "fs::copy",
        ],
    );
}

/// After the model nothing asks, and nothing looks at the surroundings.
#[test]
fn what_follows_the_model_is_pure() {
    for (name, code) in sources() {
        if [
            "layers.rs",
            "values.rs",
            "render.rs",
            "identifiers.rs",
            "plan.rs",
        ]
        .contains(&name.as_str())
        {
            for word in [
                "std::env::var",
                "std::fs",
                "Command::",
                "Terminal",
                "Instant::now",
                "SystemTime",
            ] {
                assert!(!code.contains(word), "src/{name} uses `{word}`");
            }
        }
    }
}
