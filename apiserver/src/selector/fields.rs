//! The grammar of field selectors.

use super::FieldRule;
use crate::error::{ApiError, ApiResult};

pub(super) fn parse(text: &str) -> ApiResult<Vec<FieldRule>> {
    let mut rules = Vec::new();
    for term in split_terms(text) {
        if term.is_empty() {
            continue;
        }
        let found = ["!=", "==", "="].into_iter().find_map(|operator| {
            // The first operator character decides, so `a=b!=c` is an equality.
            let at = term.find(['=', '!'])?;
            term[at..]
                .starts_with(operator)
                .then(|| (&term[..at], operator, &term[at + operator.len()..]))
        });
        let Some((path, operator, value)) = found else {
            return Err(ApiError::bad_request(format!(
                "invalid selector: '{text}'; can't understand '{term}'"
            )));
        };
        if path.is_empty() && value.is_empty() {
            continue;
        }
        rules.push(FieldRule {
            path: path.to_owned(),
            value: unescape(value),
            differs: operator == "!=",
        });
    }
    Ok(rules)
}

/// Splits at commas that no backslash escapes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if !escaped && c == '\\' {
            escaped = true;
        } else {
            escaped = false;
            result.push(c);
        }
    }
    result
}
