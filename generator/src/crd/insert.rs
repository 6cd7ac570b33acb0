//! Additions in a YAML text, line by line, so that its comments, order and quoting stay.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    additions::Addition,
    document::{Node, Nodes, Style},
};

/// `text` with the additions in it; `None` where that cannot be done by lines.
///
/// The result is read again and must be `expected`, so a slip here costs the comments, never a value.
pub(super) fn into_text(
    text: &str,
    nodes: &Nodes,
    additions: &[Addition],
    expected: &Value,
) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    // Lines to put before the line of that index, by key so that they come out sorted.
    let mut before: BTreeMap<usize, Vec<(&str, Vec<String>)>> = BTreeMap::new();
    // Lines that lose an empty `{}` at their end, and what follows them instead.
    let mut opened: BTreeMap<usize, (String, Vec<String>)> = BTreeMap::new();
    for addition in additions {
        let node = nodes.get(&addition.parent)?;
        let mut block = Vec::new();
        match node.style {
            Style::BlockMapping => {
                write(node.key_column, &addition.key, &addition.value, &mut block);
                before
                    .entry(place(&lines, node, &addition.key)?)
                    .or_default()
                    .push((&addition.key, block));
            }
            Style::Flow if node.keys.is_empty() => {
                write(node.column + 2, &addition.key, &addition.value, &mut block);
                let index = node.line.checked_sub(1)?;
                let head = lines
                    .get(index)?
                    .trim_end()
                    .strip_suffix("{}")?
                    .trim_end()
                    .to_owned();
                opened
                    .entry(index)
                    .or_insert((head, Vec::new()))
                    .1
                    .extend(block);
            }
            _ => return None,
        }
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + 4096);
    for index in 0..=lines.len() {
        let mut blocks = before.remove(&index).unwrap_or_default();
        blocks.sort_by_key(|(key, _)| *key);
        let replaced = opened.get(&index);
        let line = replaced
            .map(|(head, _)| head.as_str())
            .or_else(|| lines.get(index).copied());
        let follow = replaced
            .map(|(_, block)| block.as_slice())
            .unwrap_or_default();
        let all = blocks
            .iter()
            .flat_map(|(_, block)| block)
            .map(String::as_str)
            .chain(line)
            .chain(follow.iter().map(String::as_str));
        for line in all {
            out.push_str(line);
            out.push_str(newline);
        }
    }
    let options = serde_saphyr::options! { budget: serde_saphyr::budget! { max_depth: 400 } };
    let read: Value = serde_saphyr::from_str_with_options(&out, options).ok()?;
    (read == *expected).then_some(out)
}

/// The index of the line before which `key` goes: that of the first greater key, or the end of the mapping.
fn place(lines: &[&str], node: &Node, key: &str) -> Option<usize> {
    let indent = node.key_column;
    let greater = node
        .keys
        .iter()
        .find(|(name, _)| name.as_str() > key)
        .map(|(_, line)| line - 1);
    if let Some(index) = greater {
        let is_own_line = lines
            .get(index)?
            .chars()
            .take(indent)
            .all(char::is_whitespace);
        if is_own_line {
            return Some(above_comments(lines, index, indent));
        }
    }
    let last = node.keys.last()?.1;
    let mut index = last;
    while let Some(line) = lines.get(index) {
        let content = line.trim_start();
        let depth = line.chars().count() - content.chars().count();
        let is_inside =
            depth > indent || depth == indent && (content == "-" || content.starts_with("- "));
        if !content.is_empty() && !is_inside {
            break;
        }
        index += 1;
    }
    while index > last
        && lines
            .get(index - 1)
            .is_some_and(|line| line.trim().is_empty())
    {
        index -= 1;
    }
    Some(index)
}

/// A comment over a key belongs to it. In a block text a line of that indent cannot stand, so `#` there is a comment.
fn above_comments(lines: &[&str], index: usize, indent: usize) -> usize {
    let mut index = index;
    while index > 0 {
        let line = lines[index - 1];
        let content = line.trim_start();
        if !content.starts_with('#') || line.chars().count() - content.chars().count() != indent {
            break;
        }
        index -= 1;
    }
    index
}

/// `key: value` as block YAML at that column.
fn write(column: usize, key: &str, value: &Value, out: &mut Vec<String>) {
    let pad = " ".repeat(column);
    let key = scalar(&Value::String(key.to_owned()));
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push(format!("{pad}{key}:"));
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            for (name, value) in sorted {
                write(column + 2, name, value, out);
            }
        }
        // What opgen adds has lists of texts only; anything deeper is written as JSON, which is YAML too.
        Value::Array(items) if !items.is_empty() => {
            out.push(format!("{pad}{key}:"));
            out.extend(items.iter().map(|item| format!("{pad}- {}", scalar(item))));
        }
        value => out.push(format!("{pad}{key}: {}", scalar(value))),
    }
}

/// A value on one line. A text stays plain only if no reader of any YAML version could take it for something else.
fn scalar(value: &Value) -> String {
    let Value::String(text) = value else {
        return value.to_string();
    };
    let lower = text.to_lowercase();
    let is_word = matches!(
        lower.as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " .,'()_-/;".contains(c));
    if is_plain && !is_word {
        text.clone()
    } else {
        value.to_string()
    }
}
