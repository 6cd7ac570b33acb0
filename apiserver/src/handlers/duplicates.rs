//! JSON that is read once, and a second time only if a field is given twice: then their paths are wanted.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The value (of fields that are given twice, the last one) and the paths of these fields.
pub(super) fn parse(body: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let seen = Cell::new(false);
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = Seed { twice: &seen }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    if !seen.get() {
        return Ok((value, Vec::new()));
    }
    let mut paths = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    PathSeed {
        path: String::new(),
        paths: &mut paths,
    }
    .deserialize(&mut deserializer)?;
    Ok((value, paths))
}

/// Builds a value and notes whether any field came twice.
#[derive(Clone, Copy)]
struct Seed<'a> {
    twice: &'a Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self)?;
            if map.insert(key, value).is_some() {
                self.twice.set(true);
            }
        }
        Ok(map.into())
    }
}

/// Only collects the paths of what comes twice.
struct PathSeed<'a> {
    path: String,
    paths: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for PathSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PathSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let path = format!("{}[{index}]", self.path);
            if seq
                .next_element_seed(PathSeed {
                    path,
                    paths: self.paths,
                })?
                .is_none()
            {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut known = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            let path = if self.path.is_empty() {
                key.clone()
            } else {
                format!("{}.{key}", self.path)
            };
            if known.contains(&key) {
                self.paths.push(path.clone());
            }
            known.push(key);
            entries.next_value_seed(PathSeed {
                path,
                paths: self.paths,
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_come_twice_are_named() {
        let (value, paths) =
            parse(br#"{"a":{"n":1,"n":2},"l":[{"x":1},{"x":1,"x":3}]}"#).expect("JSON");
        assert_eq!(value["a"]["n"], 2);
        assert_eq!(paths, ["a.n", "l[1].x"]);
    }

    #[test]
    fn a_plain_object_is_read_as_it_is() {
        let text = br#"{"a":[1,-2,1.5,"x",null,true],"b":{}}"#;
        let (value, paths) = parse(text).expect("JSON");
        assert_eq!(value, serde_json::from_slice::<Value>(text).expect("JSON"));
        assert!(paths.is_empty());
    }

    #[test]
    fn what_follows_the_value_is_refused() {
        parse(b"{} x").expect_err("trailing text");
    }
}
