//! `demo` as a whole, and the picture of it in docs/.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::session::{target, turn};

/// The steps of a picture or of what was said, times and numbers left out.
fn steps(text: &str) -> Vec<String> {
    let verbs = [
        "Created", "Built", "Running", "Applied", "Phase", "Ready", "Quiet", "Deleted", "Held",
        "Gone",
    ];
    text.lines()
        .filter_map(|line| {
            let plain = line.replace("</tspan>", "").replace("</text>", "");
            let plain = plain.rsplit('>').next()?.trim();
            let verb = verbs
                .iter()
                .find(|verb| plain.starts_with(&format!("{verb} ")))?;
            // Of a phase its name, of the others the verb.
            let last = plain.split(" s  ").nth(1).unwrap_or_default();
            let phase = last.split(' ').next().unwrap_or_default();
            Some(if *verb == "Phase" {
                format!("{verb} {phase}")
            } else {
                (*verb).to_owned()
            })
        })
        .collect()
}

#[test]
fn a_life_is_led_and_recorded() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("demo.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-opgen"))
        .args(["opgen", "demo", "--offline", "--record"])
        .arg(&picture)
        .arg("--target-dir")
        .arg(target())
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("Ready, deleted, finalizer released.")
    );
    let recorded = fs::read_to_string(&picture).unwrap();
    assert!(
        !recorded.contains(&*target().to_string_lossy()),
        "whose machine it was is shown"
    );
    let seen = steps(&recorded);
    assert!(seen.contains(&"Phase Provisioning".to_owned()), "{seen:?}");
    assert_eq!(seen, steps(&said));
    // The picture in the README shows just that.
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/demo.svg");
    assert_eq!(steps(&fs::read_to_string(docs).unwrap()), seen);
}
