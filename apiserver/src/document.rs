//! An object as the store keeps it: its JSON text, and the parsed form for as long as it is in use.
//!
//! The text of a commit is printed as the line that tells watches of it: all of them, the answer and the lists share it.
//!
//! Parsed JSON takes some fifteen times the memory of its text. So the text is what stays; a pool keeps the parsed
//! form of the objects that were written or read last.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use bytes::Bytes;
use serde_json::Value;

use crate::json;

/// So many objects stay parsed.
const POOL_SIZE: usize = 1_024;

/// An object that does not change any more. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: OnceLock<Bytes>,
    /// The line of a commit, and what it calls the event. The text is a part of it.
    line: Option<(&'static str, Bytes)>,
    /// Whether the text is sure to be read as the same value. If not, the parsed form stays.
    exact: bool,
    /// `None` only if there is a text.
    parsed: Mutex<Option<Arc<Value>>>,
    pool: Weak<Pool>,
}

/// The documents that are parsed at the moment, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<VecDeque<Document>>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// A document whose parsed form goes when others need the room. `event` is what watches will call the commit.
    pub(crate) fn keep(self: &Arc<Self>, value: Value, event: &'static str) -> Document {
        let mut start = 0;
        let line = printed(|room| {
            begin(event, room);
            start = room.len();
            json::write(&value, room);
            room.extend_from_slice(END);
        });
        let text = line.slice(start..line.len() - END.len());
        let document = Document(Arc::new(Inner {
            text: text.into(),
            line: Some((event, line)),
            exact: json::is_exact(&value),
            parsed: Mutex::new(Some(Arc::new(value))),
            pool: Arc::downgrade(self),
        }));
        self.warm(document.clone());
        document
    }

    fn warm(&self, document: Document) {
        let cooled = {
            let mut warm = lock(&self.0);
            warm.push_back(document);
            if warm.len() > POOL_SIZE {
                warm.pop_front()
            } else {
                None
            }
        };
        if let Some(document) = cooled {
            document.cool();
        }
    }
}

/// What of the room for printing is kept for the next document.
const SCRATCH: usize = 1 << 20;

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What `print` writes, in exactly as much memory as it takes.
fn printed(print: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    ROOM.with_borrow_mut(|room| {
        room.clear();
        print(room);
        let text = Bytes::copy_from_slice(room);
        room.shrink_to(SCRATCH);
        text
    })
}

/// Begins a line of a watch, up to the object.
fn begin(event: &str, line: &mut Vec<u8>) {
    for part in ["{\"type\":\"", event, "\",\"object\":"] {
        line.extend_from_slice(part.as_bytes());
    }
}

/// What follows the object in a line.
const END: &[u8] = b"}\n";

impl Document {
    /// A document of its own, parsed as long as it lives.
    pub(crate) fn new(value: Value) -> Self {
        Self(Arc::new(Inner {
            text: OnceLock::new(),
            line: None,
            exact: false,
            parsed: Mutex::new(Some(Arc::new(value))),
            pool: Weak::new(),
        }))
    }

    /// The JSON text.
    pub(crate) fn text(&self) -> &Bytes {
        self.0.text.get_or_init(|| {
            let parsed = lock(&self.0.parsed).clone();
            printed(|room| {
                json::write(parsed.as_deref().unwrap_or(&Value::Null), room);
            })
        })
    }

    /// The line of a watch that tells of an event with this object.
    pub(crate) fn line(&self, event: &str) -> Bytes {
        match &self.0.line {
            Some((known, line)) if *known == event => line.clone(),
            _ => {
                let text = self.text();
                printed(|room| {
                    begin(event, room);
                    room.extend_from_slice(text);
                    room.extend_from_slice(END);
                })
            }
        }
    }

    /// Lets the parsed form go: hardly anybody will look at it again.
    pub(crate) fn cool(&self) {
        if self.0.exact {
            *lock(&self.0.parsed) = None;
        }
    }

    /// The parsed form.
    pub(crate) fn value(&self) -> Arc<Value> {
        let mut parsed = lock(&self.0.parsed);
        if let Some(value) = &*parsed {
            return value.clone();
        }
        let text = self.0.text.get().map_or(&b"null"[..], |text| text);
        let value: Arc<Value> = Arc::new(json::read(text).unwrap_or_default());
        if let Some(pool) = self.0.pool.upgrade() {
            *parsed = Some(value.clone());
            drop(parsed);
            pool.warm(self.clone());
        }
        value
    }

    /// Whether that is its `apiVersion`.
    pub(crate) fn is_of_version(&self, api_version: &str) -> bool {
        // Fields are sorted, so that the text tells most of the time.
        let text = self.text().strip_prefix(b"{\"apiVersion\":\"");
        let rest = text.and_then(|text| text.strip_prefix(api_version.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"\""))
            || self.value()["apiVersion"] == *api_version
    }

    /// A parsed form to be changed.
    pub(crate) fn to_value(&self) -> Value {
        (*self.value()).clone()
    }
}

impl From<Value> for Document {
    fn from(value: Value) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    #[test]
    fn what_left_the_pool_is_parsed_again() {
        let pool = Arc::new(Pool::default());
        let first = pool.keep(json!({ "a": 1 }), "ADDED");
        for index in 0..POOL_SIZE {
            pool.keep(json!({ "b": index }), "ADDED");
        }
        assert!(lock(&first.0.parsed).is_none());
        assert_eq!(*first.value(), json!({ "a": 1 }));
        assert!(lock(&first.0.parsed).is_some());
        assert_eq!(&first.text()[..], br#"{"a":1}"#);
    }

    #[test]
    fn every_line_is_whole() {
        let kept = Arc::new(Pool::default()).keep(json!({ "a": 1 }), "ADDED");
        for document in [kept, Document::new(json!({ "a": 1 }))] {
            for event in ["ADDED", "MODIFIED"] {
                let line: Value = serde_json::from_slice(&document.line(event)).unwrap();
                assert_eq!(line, json!({ "type": event, "object": { "a": 1 } }));
                assert!(document.line(event).ends_with(b"}\n"));
            }
        }
    }
}
