//! What a program that called this one is told.

use crate::place::Place;

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
