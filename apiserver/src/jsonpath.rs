//! The JSONPaths of printer columns: fields, indices, slices, `[*]` and filters.

use serde_json::Value;

/// The first value that a path finds. What the real server prints: columns show one value each.
///
/// Recursive descent (`..`) finds nothing here.
pub(crate) fn first<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut found = vec![object];
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let end = closing(inner)?;
            found = found
                .into_iter()
                .flat_map(|value| select(value, &inner[..end]))
                .collect();
            rest = &inner[end + 1..];
        } else {
            let (key, after) = field(rest.strip_prefix('.').unwrap_or(rest));
            found = match key.as_str() {
                "*" => found.into_iter().flat_map(children).collect(),
                key => found
                    .into_iter()
                    .filter_map(|value| value.get(key))
                    .collect(),
            };
            rest = after;
        }
    }
    found.first().copied()
}

/// Where the bracket ends that was opened before `text`; quotes may hold others.
fn closing(text: &str) -> Option<usize> {
    let mut quote = None;
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, ']') => return Some(index),
            _ => {}
        }
    }
    None
}

/// A field name, in which a backslash takes the meaning from a dot, and what follows.
fn field(text: &str) -> (String, &str) {
    let mut key = String::new();
    let mut escaped = false;
    for (index, letter) in text.char_indices() {
        match letter {
            _ if escaped => {
                escaped = false;
                key.push(letter);
            }
            '\\' => escaped = true,
            '.' | '[' => return (key, &text[index..]),
            _ => key.push(letter),
        }
    }
    (key, "")
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        _ => Vec::new(),
    }
}

/// What a step in brackets selects.
fn select<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    if step == "*" {
        return children(value);
    }
    if let Some(filter) = step
        .strip_prefix("?(")
        .and_then(|step| step.strip_suffix(')'))
    {
        let items = value.as_array().into_iter().flatten();
        return items.filter(|item| holds(item, filter)).collect();
    }
    if let Some(key) = step
        .strip_prefix(['\'', '"'])
        .and_then(|step| step.strip_suffix(['\'', '"']))
    {
        return value.get(key).into_iter().collect();
    }
    let Some(items) = value.as_array() else {
        return value.get(step).into_iter().collect();
    };
    match step.split_once(':') {
        Some((from, to)) => {
            let from = place(from, items.len(), 0);
            let to = place(to, items.len(), items.len());
            items
                .get(from..to.max(from))
                .unwrap_or_default()
                .iter()
                .collect()
        }
        None => match step.trim().parse::<i64>() {
            Ok(_) => items.get(place(step, items.len(), 0)).into_iter().collect(),
            Err(_) => Vec::new(),
        },
    }
}

/// An index, from the end if it is negative; `absent` if there is none.
fn place(text: &str, len: usize, absent: usize) -> usize {
    let Ok(index) = text.trim().parse::<i64>() else {
        return absent;
    };
    let steps = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
    if index < 0 {
        len.checked_sub(steps).unwrap_or(usize::MAX)
    } else {
        steps
    }
}

/// Whether an item passes `@.a`, `@.a=="b"` or `@.a!="b"`.
fn holds(item: &Value, filter: &str) -> bool {
    let of = |path: &str| -> Option<Value> {
        let path = path.trim().strip_prefix('@')?;
        first(item, path).cloned()
    };
    let literal = |text: &str| -> Value {
        let text = text.trim();
        let bare = text.trim_matches(['"', '\'']);
        if bare.len() == text.len() {
            serde_json::from_str(text).unwrap_or_else(|_| bare.into())
        } else {
            bare.into()
        }
    };
    if let Some((path, wanted)) = filter.split_once("==") {
        return of(path) == Some(literal(wanted));
    }
    if let Some((path, wanted)) = filter.split_once("!=") {
        return of(path).is_some_and(|found| found != literal(wanted));
    }
    of(filter).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_find_their_first_value() {
        let object = json!({
            "metadata": { "annotations": { "a.b/c": "x" } },
            "status": { "conditions": [
                { "type": "Ready", "status": "True", "n": 1 },
                { "type": "Synced]", "status": "False", "n": 2 },
            ] },
        });
        let find = |path: &str| first(&object, path).cloned().unwrap_or_default();
        for (path, value) in [
            (".metadata.annotations.a\\.b/c", json!("x")),
            (".metadata.annotations['a.b/c']", json!("x")),
            (".status.conditions[0].type", json!("Ready")),
            (".status.conditions[-1].type", json!("Synced]")),
            (".status.conditions[-1:].n", json!(2)),
            (".status.conditions[:1].n", json!(1)),
            (".status.conditions[*].status", json!("True")),
            (
                ".status.conditions[?(@.type==\"Synced]\")].status",
                json!("False"),
            ),
            (".status.conditions[?(@.type!='Ready')].n", json!(2)),
            (".status.conditions[?(@.n==2)].status", json!("False")),
            (".status.conditions[?(@.gone)].n", Value::Null),
            (".status.conditions[7].n", Value::Null),
            (".status.conditions[-7].n", Value::Null),
            (".status.gone.n", Value::Null),
        ] {
            assert_eq!(find(path), value, "{path}");
        }
    }
}
