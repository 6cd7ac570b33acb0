//! JSON patch (RFC 6902), with the peculiarities of the library that the real server uses:
//! `test` of a missing key against `null` passes, `replace` of a missing key of an object adds it, `copy` of a
//! missing key copies `null`, indices may be negative, and what comes before the first slash is ignored.

use std::borrow::Cow;

use serde_json::Value;

use super::PatchError;
pub use super::operation::{MAX_OPERATIONS, Operation};

/// The document after all operations, or the error of the first that failed.
///
/// # Errors
/// 400 if `ops` is not a list of operations, 413 if it is too long, 422 if an operation does not apply.
pub fn apply(doc: &Value, ops: &Value) -> Result<Value, PatchError> {
    run(doc.clone(), Operation::list(ops.clone())?)
}

/// The same, for a document and operations that are not needed any more.
///
/// # Errors
/// 422 if an operation does not apply.
pub fn run(mut doc: Value, ops: Vec<Operation>) -> Result<Value, PatchError> {
    for op in ops {
        run_one(&mut doc, op)?;
    }
    Ok(doc)
}

fn run_one(doc: &mut Value, op: Operation) -> Result<(), PatchError> {
    let path = || text(op.path.as_deref(), "path");
    let from = || text(op.from.as_deref(), "from");
    match op.op.as_deref().unwrap_or_default() {
        "add" => add(doc, path()?, op.value),
        "remove" => remove(doc, path()?).map(drop),
        "replace" => replace(doc, path()?, op.value),
        "move" => {
            let moved = remove(doc, from()?)?;
            add(doc, path()?, moved)
        }
        "copy" => {
            let copied = get(doc, from()?)?.cloned().unwrap_or(Value::Null);
            add(doc, path()?, copied)
        }
        "test" => test(doc, path()?, &op.value),
        other => Err(PatchError::Unprocessable(format!(
            "Unexpected kind: {other}"
        ))),
    }
}

fn text<'a>(field: Option<&'a str>, name: &str) -> Result<&'a str, PatchError> {
    field.ok_or_else(|| {
        PatchError::Unprocessable(format!("the operation lacks {name}: missing value"))
    })
}

/// The last step of a path, and the container that it leads into.
fn container<'a, 'p>(
    doc: &'a mut Value,
    path: &'p str,
) -> Result<(&'a mut Value, Cow<'p, str>), PatchError> {
    let (parents, key) = split(path)?;
    let mut at = doc;
    for step in parents {
        at = match at {
            Value::Object(map) => map.get_mut(unescape(step).as_ref()),
            Value::Array(list) => {
                let index = existing_index(list.len(), step).map_err(|_| missing(path))?;
                list.get_mut(index)
            }
            _ => None,
        }
        .ok_or_else(|| missing(path))?;
    }
    match at {
        Value::Object(_) | Value::Array(_) => Ok((at, unescape(key))),
        _ => Err(missing(path)),
    }
}

fn split(path: &str) -> Result<(impl Iterator<Item = &str>, &str), PatchError> {
    let (_, rest) = path.split_once('/').ok_or_else(|| missing(path))?;
    let (parents, key) = rest
        .rsplit_once('/')
        .map_or((None, rest), |(parents, key)| (Some(parents), key));
    Ok((parents.into_iter().flat_map(|steps| steps.split('/')), key))
}

fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

fn missing(path: &str) -> PatchError {
    PatchError::Unprocessable(format!(
        "the operation does not apply: doc is missing path: {path}: missing value"
    ))
}

/// The index of an item of a list of `len` items; negative ones count from the end.
fn existing_index(len: usize, step: &str) -> Result<usize, PatchError> {
    let index: i64 = step
        .strip_prefix('+')
        .unwrap_or(step)
        .parse()
        .map_err(|_| bad_index(step))?;
    let len = i64::try_from(len).map_err(|_| bad_index(step))?;
    let index = if index < 0 { index + len } else { index };
    if (0..len).contains(&index) {
        usize::try_from(index).map_err(|_| bad_index(step))
    } else {
        Err(bad_index(step))
    }
}

fn bad_index(step: &str) -> PatchError {
    PatchError::Unprocessable(format!(
        "Unable to access invalid index: {step}: invalid index referenced"
    ))
}

fn add(doc: &mut Value, path: &str, value: Value) -> Result<(), PatchError> {
    let (at, key) = container(doc, path)?;
    match at {
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) => {
            let index = existing_index(list.len() + 1, &key)?;
            list.insert(index, value);
        }
        Value::Object(map) => {
            map.insert(key.into_owned(), value);
        }
        _ => return Err(missing(path)),
    }
    Ok(())
}

fn remove(doc: &mut Value, path: &str) -> Result<Value, PatchError> {
    let (at, key) = container(doc, path)?;
    match at {
        Value::Array(list) => {
            let index = existing_index(list.len(), &key)?;
            Ok(list.remove(index))
        }
        Value::Object(map) => map.remove(key.as_ref()).ok_or_else(|| {
            PatchError::Unprocessable(format!(
                "Unable to remove nonexistent key: {key}: missing value"
            ))
        }),
        _ => Err(missing(path)),
    }
}

fn replace(doc: &mut Value, path: &str, value: Value) -> Result<(), PatchError> {
    if path.is_empty() {
        if !(value.is_object() || value.is_array()) {
            return Err(PatchError::Unprocessable(
                "replace operation value must be object or array".to_owned(),
            ));
        }
        *doc = value;
        return Ok(());
    }
    let (at, key) = container(doc, path)?;
    match at {
        Value::Array(list) => {
            let index = existing_index(list.len(), &key)?;
            list[index] = value;
        }
        Value::Object(map) => {
            map.insert(key.into_owned(), value);
        }
        _ => return Err(missing(path)),
    }
    Ok(())
}

/// The value at `path`; `None` for an absent key of an object that is there.
fn get<'a>(doc: &'a mut Value, path: &str) -> Result<Option<&'a Value>, PatchError> {
    let (at, key) = container(doc, path)?;
    match at {
        Value::Array(list) => {
            let index = existing_index(list.len(), &key)?;
            Ok(list.get(index))
        }
        Value::Object(map) => Ok(map.get(key.as_ref())),
        _ => Err(missing(path)),
    }
}

fn test(doc: &mut Value, path: &str, expected: &Value) -> Result<(), PatchError> {
    let found = if path.is_empty() {
        Some(&*doc)
    } else {
        get(doc, path)?
    };
    if found.unwrap_or(&Value::Null) == expected {
        Ok(())
    } else {
        Err(PatchError::Unprocessable(format!(
            "testing value {path} failed: test failed"
        )))
    }
}
