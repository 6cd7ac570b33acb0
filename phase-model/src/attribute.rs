//! Attribute arguments as every macro of opgen reads them: `key`, `key = value`, `key(value, ..)`, unknown keys refused.

use std::time::Duration;

use proc_macro2::TokenTree;
use syn::{
    Attribute, Ident, LitStr, Meta, Token, ext::IdentExt, parenthesized, parse::ParseStream,
    parse::Parser, punctuated::Punctuated,
};

use crate::{Errors, duration, suggest};

/// Reads the arguments of all attributes called `name`, key by key. What `read` refuses is collected, and reading goes
/// on behind the next comma.
pub fn read_all(
    attributes: &[Attribute],
    name: &str,
    keys: &[&str],
    errors: &mut Errors,
    mut read: impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) {
    let mut seen = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident(name)) {
        match &attribute.meta {
            Meta::List(list) => {
                let parser = |input: ParseStream<'_>| {
                    read_keys(input, name, keys, &mut seen, errors, &mut read)
                };
                if let Err(error) = parser.parse2(list.tokens.clone()) {
                    errors.push(error);
                }
            }
            other => errors.on(
                other,
                format!(
                    "`#[{name}]` takes its arguments in parentheses; known: {}",
                    suggest::listed(keys)
                ),
            ),
        }
    }
}

/// Reads the arguments of an attribute macro, as [`read_all`] does.
pub fn read_args(
    tokens: proc_macro2::TokenStream,
    name: &str,
    keys: &[&str],
    errors: &mut Errors,
    mut read: impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) {
    let mut seen = Vec::new();
    let parser =
        |input: ParseStream<'_>| read_keys(input, name, keys, &mut seen, errors, &mut read);
    if let Err(error) = parser.parse2(tokens) {
        errors.push(error);
    }
}

fn read_keys(
    input: ParseStream<'_>,
    name: &str,
    keys: &[&str],
    seen: &mut Vec<String>,
    errors: &mut Errors,
    read: &mut impl FnMut(&Ident, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
) -> syn::Result<()> {
    while !input.is_empty() {
        let outcome = input.call(Ident::parse_any).and_then(|key| {
            let text = key.unraw().to_string();
            if !keys.contains(&text.as_str()) {
                return Err(syn::Error::new(
                    key.span(),
                    format!(
                        "`#[{name}]` has no `{text}`; {}",
                        suggest::hint(&text, keys)
                    ),
                ));
            }
            if seen.contains(&text) {
                return Err(syn::Error::new(
                    key.span(),
                    format!("`{text}` is given twice; put all of it into one"),
                ));
            }
            seen.push(text);
            read(&key, input, errors)?;
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error(format!("expected `,` after `{key}` and its value")));
            }
            Ok(())
        });
        errors.keep(outcome);
        skip_to_comma(input)?;
    }
    Ok(())
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            return Ok(());
        }
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// `= "text"`.
///
/// # Errors
/// If no string follows.
pub fn text(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    let fail = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes a string: `{key} = \"..\"`"),
        )
    };
    input.parse::<Token![=]>().map_err(fail)?;
    input.parse().map_err(fail)
}

/// `= "30s"`, above zero.
///
/// # Errors
/// If no duration follows.
pub fn time(key: &Ident, input: ParseStream<'_>) -> syn::Result<(Duration, LitStr)> {
    let fail = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes a duration: `{key} = \"30s\"`"),
        )
    };
    input.parse::<Token![=]>().map_err(fail)?;
    let literal: LitStr = input.parse().map_err(fail)?;
    Ok((duration::parse_literal(&literal)?, literal))
}

/// `= 20`.
///
/// # Errors
/// If no whole number above zero follows.
pub fn number(key: &Ident, input: ParseStream<'_>) -> syn::Result<usize> {
    let fail = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes a whole number above zero: `{key} = 32`"),
        )
    };
    input.parse::<Token![=]>().map_err(fail)?;
    let literal: syn::LitInt = input.parse().map_err(fail)?;
    match literal.base10_parse::<usize>() {
        Ok(0) => Err(fail(syn::Error::new(literal.span(), ""))),
        Ok(number) => Ok(number),
        Err(error) => Err(fail(error)),
    }
}

/// `(A, B)`: at least one of something.
///
/// # Errors
/// If no list follows, or an empty one.
pub fn list<T: syn::parse::Parse>(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new(
            key.span(),
            format!("`{key}` takes a list in parentheses: `{key}(.., ..)`"),
        ));
    }
    let content;
    parenthesized!(content in input);
    let items = Punctuated::<T, Token![,]>::parse_terminated(&content)?;
    if items.is_empty() {
        return Err(syn::Error::new(
            key.span(),
            format!("the list of `{key}` is empty; name something, or leave `{key}` out"),
        ));
    }
    Ok(items.into_iter().collect())
}
