//! The operations of a JSON patch: their form, in the words of the real server's decoder.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::{PatchError, go_kind};

/// The most operations that one patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// One operation. Which kinds there are, and what each needs, is seen when it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    pub(super) op: Option<String>,
    pub(super) from: Option<String>,
    pub(super) path: Option<String>,
    pub(super) value: Value,
}

impl Operation {
    /// The operations of a patch document.
    ///
    /// # Errors
    /// 400 if it is not a list of operations; 413 for more than [`MAX_OPERATIONS`].
    pub fn list(document: Value) -> Result<Vec<Self>, PatchError> {
        let list = match document {
            Value::Array(list) => list,
            Value::Null => Vec::new(),
            other => return Err(decode_error(&other, "value of type []handlers.jsonPatchOp")),
        };
        let list: Result<Vec<Self>, PatchError> = list.into_iter().map(Self::of).collect();
        let list = list?;
        if list.len() > MAX_OPERATIONS {
            return Err(PatchError::TooLarge(format!(
                "The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
                list.len()
            )));
        }
        Ok(list)
    }

    fn of(value: Value) -> Result<Self, PatchError> {
        let mut fields = match value {
            Value::Object(fields) => fields,
            Value::Null => return Ok(Self::default()),
            other => return Err(decode_error(&other, "value of type handlers.jsonPatchOp")),
        };
        let mut text = |name: &str| match fields.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(decode_error(
                &other,
                &format!("struct field jsonPatchOp.{name} of type string"),
            )),
        };
        Ok(Self {
            op: text("op")?,
            from: text("from")?,
            path: text("path")?,
            value: fields.remove("value").unwrap_or_default(),
        })
    }
}

fn decode_error(value: &Value, target: &str) -> PatchError {
    PatchError::BadRequest(format!(
        "error decoding patch: json: cannot unmarshal {} into Go {target}",
        go_kind(value)
    ))
}

/// Reads what is of the right form without making a tree of it. Of what is not, [`Operation::list`] says why.
impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Field {
    Op,
    From,
    Path,
    Value,
    #[serde(other)]
    Unknown,
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Operation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an operation")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Operation, A::Error> {
        let mut operation = Operation::default();
        while let Some(field) = fields.next_key()? {
            match field {
                Field::Op => operation.op = fields.next_value()?,
                Field::From => operation.from = fields.next_value()?,
                Field::Path => operation.path = fields.next_value()?,
                Field::Value => operation.value = fields.next_value()?,
                Field::Unknown => drop(fields.next_value::<Value>()?),
            }
        }
        Ok(operation)
    }
}
