//! The JSON patch from what the server has to what it should hold.

use json_patch::{
    AddOperation, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation,
    jsonptr::PointerBuf,
};
use serde_json::{Map, Value};

use super::{
    normal::{by_key, key_of},
    rules::Node,
};

/// The operations as they come, with the place they are at.
pub(super) struct Writer {
    path: PointerBuf,
    operations: Vec<PatchOperation>,
}

impl Writer {
    /// Starts at `path`, a list of unescaped tokens.
    pub(super) fn new(path: &[&str]) -> Self {
        Self {
            path: PointerBuf::from_tokens(path.iter().copied()),
            operations: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    pub(super) fn into_operations(self) -> Vec<PatchOperation> {
        self.operations
    }

    /// Asserts a value; null also stands for absent. Said once however often it is asked for.
    pub(super) fn test(&mut self, value: Value) {
        let test = PatchOperation::Test(TestOperation {
            path: self.path.clone(),
            value,
        });
        if !self.operations.contains(&test) {
            self.operations.push(test);
        }
    }

    pub(super) fn add(&mut self, value: Value) {
        self.operations.push(PatchOperation::Add(AddOperation {
            path: self.path.clone(),
            value,
        }));
    }

    fn replace(&mut self, value: Value) {
        self.operations
            .push(PatchOperation::Replace(ReplaceOperation {
                path: self.path.clone(),
                value,
            }));
    }

    fn remove(&mut self) {
        self.operations
            .push(PatchOperation::Remove(RemoveOperation {
                path: self.path.clone(),
            }));
    }

    /// Before a list that others write too goes or is replaced whole: what they added meanwhile must not be lost.
    fn test_if(&mut self, shared: bool, old: &Value) {
        if shared {
            self.test(old.clone());
        }
    }

    /// Runs `work` one token deeper.
    pub(super) fn within(&mut self, token: &str, work: impl FnOnce(&mut Self)) {
        self.path.push_back(token);
        work(self);
        self.path.pop_back();
    }

    /// Brings `server` to `target`.
    pub(super) fn bring(&mut self, node: &Node, server: &Value, target: &Value) {
        if server == target {
            return;
        }
        match (server, target) {
            (Value::Object(server), Value::Object(target)) => self.members(node, server, target),
            // A member that is null may count as missing to the server, which then refuses to replace it.
            (Value::Null, _) => self.add(target.clone()),
            (Value::Array(server), Value::Array(target)) => {
                let keys = node.keys.as_deref().unwrap_or_default();
                match Pairs::new(keys, server, target) {
                    Some(pairs) => self.items(node, keys, &pairs),
                    None => {
                        self.test_if(!keys.is_empty(), &Value::Array(server.clone()));
                        self.replace(Value::Array(target.clone()));
                    }
                }
            }
            _ => self.replace(target.clone()),
        }
    }

    fn members(&mut self, node: &Node, server: &Map<String, Value>, target: &Map<String, Value>) {
        for (name, old) in server
            .iter()
            .filter(|(name, _)| !target.contains_key(*name))
        {
            let shared = node.child(name).keys.is_some();
            self.within(name, |at| {
                at.test_if(shared, old);
                at.remove();
            });
        }
        for (name, new) in target {
            let child = node.child(name);
            self.within(name, |at| match server.get(name) {
                Some(old) => at.bring(child, old, new),
                None => {
                    // What others may have begun to fill meanwhile must not be overwritten whole.
                    if new.is_object() || child.keys.is_some() {
                        at.test(Value::Null);
                    }
                    at.add(new.clone());
                }
            });
        }
    }

    /// Changes first, while every index is what the view had; then removals from the highest index down, so that none
    /// moves one still to come; then what is new, at the end.
    fn items(&mut self, node: &Node, keys: &[String], pairs: &Pairs<'_>) {
        for (index, (old, new)) in pairs.kept.iter().enumerate() {
            if let Some(new) = new.filter(|new| *new != *old) {
                self.within(&index.to_string(), |at| {
                    at.test_key(keys, old);
                    at.bring(node.item(), old, new);
                });
            }
        }
        for (index, (old, new)) in pairs.kept.iter().enumerate().rev() {
            if new.is_none() {
                self.within(&index.to_string(), |at| {
                    at.test_key(keys, old);
                    at.remove();
                });
            }
        }
        for new in pairs.added {
            self.within("-", |at| at.add(new.clone()));
        }
    }

    fn test_key(&mut self, keys: &[String], item: &Value) {
        for key in keys {
            let value = item.get(key).cloned().unwrap_or(Value::Null);
            // Not `test`: after a removal the same index is another item's, and the same words say something new.
            self.path.push_back(key.as_str());
            self.operations.push(PatchOperation::Test(TestOperation {
                path: self.path.clone(),
                value,
            }));
            self.path.pop_back();
        }
    }
}

/// The items of a list-map as the server has them, each with what becomes of it, and those to append.
struct Pairs<'a> {
    kept: Vec<(&'a Value, Option<&'a Value>)>,
    added: &'a [Value],
}

impl<'a> Pairs<'a> {
    /// `None` if these are no list-maps, or if the order changed too.
    fn new(keys: &[String], server: &'a [Value], target: &'a [Value]) -> Option<Self> {
        if keys.is_empty() {
            return None;
        }
        let (known, wanted) = (by_key(keys, server)?, by_key(keys, target)?);
        let mut kept = Vec::with_capacity(server.len());
        for item in server {
            kept.push((item, wanted.get(&key_of(keys, item)?).copied()));
        }
        let stays = kept.iter().filter_map(|(_, new)| *new);
        let in_order = target
            .iter()
            .zip(stays.clone())
            .all(|(a, b)| std::ptr::eq(a, b));
        let added = &target[stays.count().min(target.len())..];
        let mut new = added.iter();
        let all_new =
            new.all(|item| key_of(keys, item).is_some_and(|key| !known.contains_key(&key)));
        (in_order && all_new).then_some(Self { kept, added })
    }
}
