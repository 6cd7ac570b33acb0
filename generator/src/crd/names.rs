//! Rust identifiers out of names that were never meant for Rust.

use std::collections::{BTreeMap, BTreeSet};

/// Keywords of edition 2024, the reserved ones too.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Words that cannot be raw identifiers either.
const NEVER_RAW: &[&str] = &["self", "super", "crate", "_", "Self"];

/// Type names that the emitted module uses itself, or that the prelude gives every module: a kind may not shadow them.
pub(super) const RESERVED_TYPES: &[&str] = &[
    "AsMut",
    "AsRef",
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "Cow",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Drop",
    "Eq",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "HasSpec",
    "HasStatus",
    "IntOrString",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Number",
    "ObjectMeta",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Resource",
    "Result",
    "Self",
    "Send",
    "Serialize",
    "Serializer",
    "Sized",
    "Some",
    "StatusDiff",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Value",
    "Vec",
];

/// The Rust type of a kind.
pub(super) fn kind_type(kind: &str) -> String {
    let is_usable = kind.starts_with(|first: char| first.is_ascii_uppercase())
        && kind.chars().all(|c| c.is_ascii_alphanumeric());
    let name = if is_usable {
        kind.to_owned()
    } else {
        camel(kind)
    };
    if RESERVED_TYPES.contains(&name.as_str()) {
        format!("{name}Resource")
    } else {
        name
    }
}

/// Words of a name: `emailSANs` is `email`, `sans`; `HTTPRoute` is `http`, `route`; `-Xmx` is `xmx`.
pub(super) fn words(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (index, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            words.push(String::new());
            continue;
        }
        if c.is_ascii_uppercase() && starts_word(&chars, index) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the upper-case letter at `index` begins a word.
fn starts_word(chars: &[char], index: usize) -> bool {
    let before = index.checked_sub(1).map(|at| chars[at]);
    let Some(before) = before.filter(char::is_ascii_alphanumeric) else {
        return false;
    };
    if !before.is_ascii_uppercase() {
        return true;
    }
    let rest = &chars[index + 1..];
    // `IPv4` is one word, and the `s` of `SANs` belongs to it.
    let is_version = chars[index] == 'P' && before == 'I' && matches!(rest, ['v', '4' | '6', ..]);
    let is_plural =
        matches!(rest, ['s']) || matches!(rest, ['s', next, ..] if !next.is_ascii_lowercase());
    rest.first().is_some_and(char::is_ascii_lowercase) && !is_version && !is_plural
}

/// Upper camel case; never empty, never beginning with a digit.
pub(super) fn camel(name: &str) -> String {
    let joined: String = words(name).iter().map(|word| capital(word)).collect();
    match joined.chars().next() {
        None => "Unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("V{joined}"),
        Some(_) => joined,
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + chars.as_str()
    })
}

/// A field's identifier, raw where it is a keyword.
pub(super) fn field(name: &str) -> String {
    let joined = words(name).join("_");
    let joined = match joined.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{joined}"),
        Some(_) => joined,
    };
    if NEVER_RAW.contains(&joined.as_str()) {
        format!("{joined}_")
    } else if KEYWORDS.contains(&joined.as_str()) {
        format!("r#{joined}")
    } else {
        joined
    }
}

/// Identifiers for the properties of one struct, told apart where they fall on one name.
pub(super) fn fields(names: &[&str], taken: &[&str]) -> Vec<String> {
    let mut used: BTreeSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    names
        .iter()
        .map(|name| unique(&field(name), "_", &mut used))
        .collect()
}

/// Identifiers for the values of one enum, told apart where they fall on one name.
pub(super) fn variants(values: &[&str], taken: &[&str]) -> Vec<String> {
    let plain: Vec<String> = values.iter().map(|value| variant(value)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &plain {
        *counts.entry(name).or_default() += 1;
    }
    let mut used: BTreeSet<String> = taken.iter().map(|name| (*name).to_owned()).collect();
    // Names that nothing contends for come first, so that a clash elsewhere cannot move them.
    let mut result: Vec<Option<String>> = plain
        .iter()
        .map(|name| (counts[name.as_str()] == 1 && used.insert(name.clone())).then(|| name.clone()))
        .collect();
    for (index, name) in plain.iter().enumerate() {
        if result[index].is_none() {
            let is_shouted = values[index].chars().any(|c| c.is_ascii_uppercase())
                && !values[index].chars().any(|c| c.is_ascii_lowercase());
            let base = if is_shouted && counts[name.as_str()] > 1 {
                format!("{name}Upper")
            } else {
                name.clone()
            };
            result[index] = Some(unique(&base, "", &mut used));
        }
    }
    result.into_iter().flatten().collect()
}

fn variant(value: &str) -> String {
    if value.is_empty() {
        return "Empty".to_owned();
    }
    if words(value).is_empty() {
        return value.chars().map(symbol).collect();
    }
    // A sign in front tells `-1` from `1`, `!x` from `x`.
    let sign = value
        .chars()
        .next()
        .filter(|first| "-+!*~".contains(*first))
        .map_or("", symbol);
    let name = camel(value);
    let name = if NEVER_RAW.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    };
    format!("{sign}{name}")
}

fn symbol(c: char) -> &'static str {
    match c {
        '*' => "Star",
        '+' => "Plus",
        '-' => "Minus",
        '/' => "Slash",
        '.' => "Dot",
        ',' => "Comma",
        ':' => "Colon",
        '=' => "Equal",
        '<' => "Less",
        '>' => "Greater",
        '!' => "Not",
        '?' => "Question",
        '%' => "Percent",
        '&' => "And",
        '|' => "Or",
        '~' => "Tilde",
        '^' => "Caret",
        '@' => "At",
        '#' => "Hash",
        '$' => "Dollar",
        '_' => "Underscore",
        ' ' => "Space",
        _ => "Symbol",
    }
}

pub(super) fn unique(base: &str, joint: &str, used: &mut BTreeSet<String>) -> String {
    if used.insert(base.to_owned()) {
        return base.to_owned();
    }
    // `r#type_2` would be raw for nothing.
    let stem = base.strip_prefix("r#").unwrap_or(base);
    let name = (2..)
        .map(|number| format!("{stem}{joint}{number}"))
        .find(|name| !used.contains(name))
        .unwrap_or_default();
    used.insert(name.clone());
    name
}

/// What serde's `rename_all = "camelCase"` makes of a field.
pub(super) fn serde_camel(field: &str) -> String {
    let mut result = String::new();
    let mut upper = false;
    for c in field.strip_prefix("r#").unwrap_or(field).chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                result.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => result.push(c),
        }
    }
    let mut chars = result.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_lowercase().to_string() + chars.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_acronyms() {
        let cases = [
            ("emailSANs", "email_sans"),
            ("URIs", "uris"),
            ("HTTPRoute", "http_route"),
            ("fooIPv4Pool", "foo_ipv4_pool"),
            ("keep_firing_for", "keep_firing_for"),
            ("-XX", "xx"),
            ("hugepages-2Mi", "hugepages_2_mi"),
            ("config.json", "config_json"),
            ("s3Bucket", "s3_bucket"),
            ("2fa", "n2fa"),
            ("$ref", "r#ref"),
            ("self", "self_"),
            ("é", "unnamed"),
        ];
        for (name, expected) in cases {
            assert_eq!(field(name), expected, "{name}");
        }
    }

    #[test]
    fn fields_that_fall_on_one_name_are_told_apart() {
        assert_eq!(
            fields(&["mirrorPercent", "mirror_percent", "type", "Type"], &[]),
            ["mirror_percent", "mirror_percent_2", "r#type", "type_2"]
        );
    }

    #[test]
    fn variants_are_names() {
        let values = [
            "head",
            "HEAD",
            "14",
            "",
            "*",
            "s3:ObjectCreated:*",
            "read, write",
            "Self",
            "-1",
            "1",
        ];
        let expected = [
            "Head",
            "HeadUpper",
            "V14",
            "Empty",
            "Star",
            "S3ObjectCreated",
            "ReadWrite",
            "Self_",
            "MinusV1",
            "V1",
        ];
        assert_eq!(variants(&values, &[]), expected);
        assert_eq!(
            variants(&["Unrecognized", "a b", "a-b"], &["Unrecognized"]),
            ["Unrecognized2", "AB", "AB2"]
        );
    }

    #[test]
    fn serde_renames_as_expected() {
        assert_eq!(serde_camel("r#for"), "for");
        assert_eq!(serde_camel("keep_firing_for"), "keepFiringFor");
        assert_eq!(serde_camel("n2fa_x"), "n2faX");
    }

    #[test]
    fn kinds_stay_what_they_are() {
        for (kind, expected) in [
            ("GRPCRoute", "GRPCRoute"),
            ("postgresql", "Postgresql"),
            ("Option", "OptionResource"),
            ("my-kind", "MyKind"),
        ] {
            assert_eq!(kind_type(kind), expected);
        }
    }
}
