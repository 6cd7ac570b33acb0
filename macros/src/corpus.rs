//! Expands the cases of `tests/ui` and compares with the committed expansions, so that a change of the generated code is
//! read before it is merged. Of a refused case only the refused items are kept: what stands in for them matters.
//! `UPDATE=1 cargo test -p opgen-macros` rewrites them.
//!
//! A packaged crate comes without the corpus; then there is nothing to compare.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item, Meta};

#[test]
fn expansions_are_as_committed() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui");
    if !ui.exists() {
        return;
    }
    let mut different = Vec::new();
    for kind in ["pass", "fail"] {
        for case in cases(&ui.join(kind)) {
            let expanded = expand_file(&case, kind == "fail");
            if expanded.is_empty() {
                continue;
            }
            let golden = ui
                .join("expanded")
                .join(kind)
                .join(case.file_name().unwrap());
            if !same(&golden, &expanded) {
                different.push(golden);
            }
        }
    }
    assert!(
        different.is_empty(),
        "these expansions changed; look at them, then run with UPDATE=1: {different:#?}"
    );
}

#[test]
fn every_expansion_has_its_case() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui");
    for kind in ["pass", "fail"] {
        for golden in cases(&ui.join("expanded").join(kind)) {
            let case = ui.join(kind).join(golden.file_name().unwrap());
            assert!(
                case.exists(),
                "{} has no case any more; delete it",
                golden.display()
            );
        }
    }
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    files
}

fn same(golden: &Path, actual: &str) -> bool {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::write(golden, actual).unwrap();
    }
    let expected = fs::read_to_string(golden).unwrap_or_default();
    expected.replace("\r\n", "\n") == actual
}

/// What our macros make of a file, item by item; derives leave the item itself out.
fn expand_file(path: &Path, refused_only: bool) -> String {
    let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
    let mut expansions = Vec::new();
    expand_items(&file.items, &mut expansions);
    if refused_only {
        expansions.retain(|code| code.to_string().contains("compile_error"));
    }
    let code: TokenStream = expansions.into_iter().collect();
    let expanded: syn::File = syn::parse2(code.clone())
        .unwrap_or_else(|error| panic!("{}: {error}: {code}", path.display()));
    without_pictures(&prettyplease::unparse(&expanded))
}

/// The pictures have tests of their own, in `phase-model`.
fn without_pictures(code: &str) -> String {
    let mut text = String::new();
    for line in code.lines() {
        let field = line.trim_start();
        let is_picture = field.starts_with("mermaid: \"") || field.starts_with("svg: \"");
        match field.split_once(' ').filter(|_| is_picture) {
            Some((name, _)) => {
                let indent = &line[..line.len() - field.len()];
                text.push_str(&format!("{indent}{name} \"..\","));
            }
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

fn expand_items(items: &[Item], code: &mut Vec<TokenStream>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    expand_items(items, code);
                }
            }
            Item::Enum(item) => derives(&item.attrs, item.to_token_stream(), code),
            Item::Struct(item) => {
                derives(&item.attrs, item.to_token_stream(), code);
                let mut bare = item.clone();
                attribute(&item.attrs, code, |attributes| {
                    bare.attrs = attributes;
                    bare.to_token_stream()
                });
            }
            Item::Fn(item) => {
                let mut bare = item.clone();
                attribute(&item.attrs, code, |attributes| {
                    bare.attrs = attributes;
                    bare.to_token_stream()
                });
            }
            Item::Trait(item) => {
                let mut bare = item.clone();
                attribute(&item.attrs, code, |attributes| {
                    bare.attrs = attributes;
                    bare.to_token_stream()
                });
            }
            Item::Impl(item) => {
                let mut bare = item.clone();
                attribute(&item.attrs, code, |attributes| {
                    bare.attrs = attributes;
                    bare.to_token_stream()
                });
            }
            _ => {}
        }
    }
}

fn derives(attributes: &[Attribute], item: TokenStream, code: &mut Vec<TokenStream>) {
    let named = |name: &str| {
        attributes.iter().any(|attribute| {
            attribute.path().is_ident("derive")
                && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string().split([',', ' ']).any(|derived| derived == name))
        })
    };
    if named("PhaseMachine") {
        code.push(crate::phase_machine::run(item.clone()));
    }
    if named("StatusDiff") {
        code.push(crate::status_diff::run(item.clone()));
    }
    if named("MachineContext") {
        code.push(crate::machine_context::run(item));
    }
}

/// Expands an attribute macro of ours; `bare` gives the item without it.
fn attribute(
    attributes: &[Attribute],
    code: &mut Vec<TokenStream>,
    bare: impl FnOnce(Vec<Attribute>) -> TokenStream,
) {
    type Expand = fn(TokenStream, TokenStream) -> TokenStream;
    let macros: [(&str, Expand); 2] = [
        ("reconcile_phase", crate::reconcile_phase::run),
        ("timeout_client", crate::timeout_client::run),
    ];
    for (name, expand) in macros {
        let Some(at) = attributes.iter().position(|a| a.path().is_ident(name)) else {
            continue;
        };
        let mut rest = attributes.to_vec();
        let args = match rest.remove(at).meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        code.push(expand(args, bare(rest)));
        return;
    }
}
