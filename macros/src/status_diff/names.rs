//! The JSON names of fields, as serde makes them.

use opgen_phase_model::Errors;
use syn::{Attribute, LitStr, meta::ParseNestedMeta};

/// What serde's attributes say of a struct or a field, as far as the JSON depends on it.
#[derive(Default)]
pub(super) struct Serde {
    pub(super) rename: Option<String>,
    pub(super) rename_all: Option<String>,
    pub(super) flatten: bool,
    pub(super) skip: bool,
}

impl Serde {
    /// Reads what is known; what serde itself refuses, it says itself.
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
            let _ = errors.keep(attribute.parse_nested_meta(|meta| serde.read_meta(&meta)));
        }
        serde
    }

    fn read_meta(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("rename") {
            self.rename = name(meta)?.or(self.rename.take());
        } else if meta.path.is_ident("rename_all") {
            self.rename_all = name(meta)?.or(self.rename_all.take());
        } else {
            self.flatten |= meta.path.is_ident("flatten");
            self.skip |= meta.path.is_ident("skip") || meta.path.is_ident("skip_serializing");
            skip_value(meta)?;
        }
        Ok(())
    }
}

/// `= "name"` or `(serialize = "name", ..)`.
fn name(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if meta.input.peek(syn::Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut serialized = None;
    meta.parse_nested_meta(|inner| {
        let text: LitStr = inner.value()?.parse()?;
        if inner.path.is_ident("serialize") {
            serialized = Some(text.value());
        }
        Ok(())
    })?;
    Ok(serialized)
}

fn skip_value(meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    if meta.input.peek(syn::Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in meta.input);
        content.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}

/// A field's name under serde's `rename_all`. Field names are snake case, as serde assumes; an unknown rule is serde's
/// to refuse.
pub(super) fn renamed(field: &str, rule: Option<&str>) -> String {
    match rule {
        Some("camelCase") => uncapitalized(&pascal(field)),
        Some("PascalCase") => pascal(field),
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => field.to_ascii_uppercase(),
        Some("kebab-case") => field.replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => field.to_ascii_uppercase().replace('_', "-"),
        _ => field.to_owned(),
    }
}

fn pascal(field: &str) -> String {
    let mut name = String::new();
    let mut capital = true;
    for letter in field.chars() {
        if letter == '_' {
            capital = true;
        } else if std::mem::take(&mut capital) {
            name.push(letter.to_ascii_uppercase());
        } else {
            name.push(letter);
        }
    }
    name
}

fn uncapitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_ascii_lowercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_serde() {
        let under = |rule| renamed("instance_id", Some(rule));
        assert_eq!(under("camelCase"), "instanceId");
        assert_eq!(under("PascalCase"), "InstanceId");
        assert_eq!(under("kebab-case"), "instance-id");
        assert_eq!(under("SCREAMING_SNAKE_CASE"), "INSTANCE_ID");
        assert_eq!(under("snake_case"), "instance_id");
        assert_eq!(renamed("instance_id", None), "instance_id");
        assert_eq!(renamed("ipv4_2nd", Some("camelCase")), "ipv42nd");
    }
}
