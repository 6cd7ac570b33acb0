//! The programs that `all` starts, with few objects.
#![allow(clippy::unwrap_used)]

use std::process::Command;

use opgen_bench::{figure::Figure, heap::HeapFigure};
use serde_json::json;

#[test]
fn what_an_operator_holds_is_counted() {
    for side in ["opgen", "tuned"] {
        let heap = env!("CARGO_BIN_EXE_opgen-bench-heap");
        let output = Command::new(heap).args([side, "200"]).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let figure: HeapFigure = serde_json::from_slice(&output.stdout).unwrap();
        assert!(figure.typed_bytes > 500.0, "{figure:?}");
        assert!(figure.operator_bytes > figure.typed_bytes, "{figure:?}");
    }
}

/// A small case of each way, in a process of its own as `all` runs them.
#[test]
fn every_side_converges_on_both_ways() {
    for (side, way) in [
        ("opgen", "calls"),
        ("tuned", "calls"),
        ("opgen", "https"),
        ("documented", "https"),
    ] {
        let case = json!({
            "side": side, "objects": 30, "provider_ms": 1, "in_flight": 8, "trouble": "none", "way": way,
        });
        let program = env!("CARGO_BIN_EXE_opgen-bench");
        let output = Command::new(program)
            .args(["case", &case.to_string()])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{case}: {errors}");
        let figure: Figure = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(figure.ready, 30, "{case}: {figure:?}");
        assert!(figure.requests.writes() >= 60, "{case}: {figure:?}");
    }
}
