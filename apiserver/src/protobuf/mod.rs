//! The protobuf form of the few objects that kubectl's own commands send (`create configmap`, `auth can-i`, ...).
//!
//! Field numbers follow the `generated.proto` files of `k8s.io/api` and `k8s.io/apimachinery`. What is not in the
//! tables is refused: the caller answers with 415.

mod kinds;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

/// What the wire format begins with.
const MAGIC: &[u8] = b"k8s\0";

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Flag,
    Message(&'static [Field]),
    /// Repeated.
    Texts,
    Messages(&'static [Field]),
    TextMap,
    BytesMap,
    /// Whole seconds and nanoseconds.
    Time,
}

type Field = (u64, &'static str, Kind);

/// The object as JSON; `None` for what is malformed or in no table.
pub(crate) fn decode(body: &[u8]) -> Option<Value> {
    const TYPE: &[Field] = &[(1, "apiVersion", Kind::Text), (2, "kind", Kind::Text)];
    let mut reader = Reader(body.strip_prefix(MAGIC)?);
    let (mut head, mut raw) = (Value::Null, None);
    while let Some((number, content)) = reader.field()? {
        match (number, content) {
            (1, Content::Bytes(bytes)) => head = message(bytes, TYPE)?,
            (2, Content::Bytes(bytes)) => raw = Some(bytes),
            _ => {}
        }
    }
    let mut object = message(raw?, kinds::table(head["kind"].as_str()?)?)?;
    let map = object.as_object_mut()?;
    for field in ["apiVersion", "kind"] {
        map.insert(field.into(), head[field].clone());
    }
    Some(object)
}

enum Content<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next field; `Some(None)` at the end, `None` if the bytes make no sense.
    #[allow(clippy::option_option)]
    fn field(&mut self) -> Option<Option<(u64, Content<'a>)>> {
        if self.0.is_empty() {
            return Some(None);
        }
        let tag = self.varint()?;
        let content = match tag & 7 {
            0 => Content::Number(self.varint()?),
            1 => Content::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Content::Bytes(self.take(length)?)
            }
            5 => Content::Bytes(self.take(4)?),
            _ => return None,
        };
        Some(Some((tag >> 3, content)))
    }
}

fn message(bytes: &[u8], fields: &[Field]) -> Option<Value> {
    let mut reader = Reader(bytes);
    let mut map = Map::new();
    while let Some((number, content)) = reader.field()? {
        // Fields that this server's version does not have are skipped, as protobuf readers do.
        let Some((_, name, kind)) = fields.iter().find(|(n, _, _)| *n == number) else {
            continue;
        };
        put(&mut map, name, *kind, &content)?;
    }
    Some(map.into())
}

fn put(map: &mut Map<String, Value>, name: &str, kind: Kind, content: &Content<'_>) -> Option<()> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
    let value = match (kind, content) {
        (Kind::Number, Content::Number(number)) => i64::from_ne_bytes(number.to_ne_bytes()).into(),
        (Kind::Flag, Content::Number(number)) => (*number != 0).into(),
        // An empty text is one that was not set: the Go types write them all.
        (Kind::Text, Content::Bytes([])) => return Some(()),
        (Kind::Text, Content::Bytes(bytes)) => text(bytes)?.into(),
        (Kind::Message(fields), Content::Bytes(bytes)) => message(bytes, fields)?,
        (Kind::Time, Content::Bytes(bytes)) => match time(bytes)? {
            Some(time) => time.into(),
            None => return Some(()),
        },
        (Kind::Texts, Content::Bytes(bytes)) => {
            let item = text(bytes)?.into();
            return push(map, name, item);
        }
        (Kind::Messages(fields), Content::Bytes(bytes)) => {
            let item = message(bytes, fields)?;
            return push(map, name, item);
        }
        (Kind::TextMap | Kind::BytesMap, Content::Bytes(bytes)) => {
            let (key, value) = entry(bytes)?;
            let value = if matches!(kind, Kind::TextMap) {
                text(value)?
            } else {
                BASE64_STANDARD.encode(value)
            };
            let target = map.entry(name).or_insert_with(|| Map::new().into());
            target.as_object_mut()?.insert(key, value.into());
            return Some(());
        }
        _ => return None,
    };
    map.insert(name.into(), value);
    Some(())
}

fn push(map: &mut Map<String, Value>, name: &str, item: Value) -> Option<()> {
    let list = map.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    list.as_array_mut()?.push(item);
    Some(())
}

fn entry(bytes: &[u8]) -> Option<(String, &[u8])> {
    let mut reader = Reader(bytes);
    let (mut key, mut value) = (String::new(), &[][..]);
    while let Some((number, content)) = reader.field()? {
        match (number, content) {
            (1, Content::Bytes(bytes)) => key = String::from_utf8(bytes.to_vec()).ok()?,
            (2, Content::Bytes(bytes)) => value = bytes,
            _ => {}
        }
    }
    Some((key, value))
}

/// A time; the zero time, which Go writes for one that is not set, is none.
#[allow(clippy::option_option)]
fn time(bytes: &[u8]) -> Option<Option<String>> {
    let mut reader = Reader(bytes);
    let (mut seconds, mut nanos) = (0i64, 0i32);
    while let Some((number, content)) = reader.field()? {
        match (number, content) {
            (1, Content::Number(n)) => seconds = i64::from_ne_bytes(n.to_ne_bytes()),
            (2, Content::Number(n)) => nanos = i32::try_from(n).ok()?,
            _ => {}
        }
    }
    if seconds == 0 && nanos == 0 {
        return Some(None);
    }
    let time = jiff::Timestamp::new(seconds, nanos).ok()?;
    let text = if nanos == 0 {
        crate::clock::seconds(time)
    } else {
        time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
    };
    Some(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let mut all = vec![number << 3 | 2, u8::try_from(bytes.len()).expect("short")];
        all.extend_from_slice(bytes);
        all
    }

    fn envelope(kind: &[u8], raw: &[u8]) -> Vec<u8> {
        let head = [field(1, b"v1"), field(2, kind)].concat();
        [MAGIC.to_vec(), field(1, &head), field(2, raw)].concat()
    }

    #[test]
    fn a_config_map_is_read() {
        let metadata = [field(1, b"a"), field(2, b"")].concat();
        let data = [field(1, b"k"), field(2, b"v")].concat();
        let body = envelope(
            b"ConfigMap",
            &[field(1, &metadata), field(2, &data)].concat(),
        );
        let expected = serde_json::json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "k": "v" },
        });
        assert_eq!(decode(&body), Some(expected));
    }

    #[test]
    fn what_is_cut_or_unknown_is_refused() {
        let body = envelope(b"ConfigMap", &field(1, &field(1, b"abc")));
        for end in 0..body.len() {
            if let Some(object) = decode(&body[..end]) {
                panic!("{end} bytes gave {object}");
            }
        }
        assert_eq!(decode(&envelope(b"Pod", b"")), None);
    }
}
