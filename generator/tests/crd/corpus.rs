//! The CRDs that tests run over: our own always, other projects' where they are.
#![allow(unreachable_pub)]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

/// Name, text and version of each CRD to try: our own always, the real ones where they are.
pub fn crds() -> Vec<(String, String, Option<&'static str>)> {
    let facts = include_str!("facts.yaml");
    let mut crds = vec![
        ("facts".to_owned(), facts.to_owned(), None),
        // Its root keeps whatever it is given.
        ("facts_loose".to_owned(), facts.to_owned(), Some("v1beta1")),
    ];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let shared =
        std::env::var_os("OPGEN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let Ok(entries) = fs::read_dir(shared.join("crds")) else {
        // Past the capture of the test harness.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED the real CRDs: none in {}; set OPGEN_SHARED to the folder that holds crds/",
            shared.display()
        );
        return crds;
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    files.sort();
    for file in files {
        let name = file
            .file_stem()
            .unwrap()
            .to_str()
            .unwrap()
            .replace('-', "_");
        crds.push((name, fs::read_to_string(file).unwrap(), None));
    }
    crds
}
