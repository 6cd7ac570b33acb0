//! The template layers of `cargo-opgen`, as data.
//!
//! A layer is a folder below `layers/`; a template is a file in it whose name ends in `.tera`. The path below the layer
//! is the path in the generated project, with two placeholders: `__kind__` (the kind in snake case) and `__plural__`
//! (the resource's plural name). Which layers make a project is the generator's business; this crate knows no Tera.
//!
//! Delimiters are `{= value =}`, `{% tag %}` and `{# comment #}`, so that the braces of Rust, Helm and GitHub survive.

/// One template: where it belongs and what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The folder below `layers/`.
    pub layer: &'static str,
    /// The path in the generated project, with placeholders, without the `.tera` ending.
    pub path: &'static str,
    /// The text, in Tera's language.
    pub text: &'static str,
}

/// Every template of every layer, sorted by layer and path.
pub const TEMPLATES: &[Template] = include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// The templates of one layer, sorted by path; none for a layer that does not exist.
pub fn layer(name: &str) -> impl Iterator<Item = &'static Template> {
    TEMPLATES
        .iter()
        .filter(move |template| template.layer == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_folder_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/layers");
        for entry in std::fs::read_dir(folder).expect("layers/ is there") {
            let name = entry.expect("readable").file_name();
            let name = name.to_str().expect("a layer's name is plain text");
            assert!(layer(name).next().is_some(), "{name} has no template");
        }
    }

    #[test]
    fn a_layer_that_does_not_exist_is_empty() {
        assert_eq!(layer("no-such-layer").count(), 0);
    }
}
