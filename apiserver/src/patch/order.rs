//! The order of merged lists: that of the patch first, that of the live list where the patch says nothing.

use serde_json::Value;

/// How items of a list are told apart: by a key, or (no key) by their value.
pub(super) struct Order<'a> {
    key: &'a str,
}

/// An item that lacks the key, and the key.
pub(super) type NoKey = (Value, String);

impl<'a> Order<'a> {
    pub(super) fn new(key: &'a str) -> Self {
        Self { key }
    }

    fn identity<'v>(&self, item: &'v Value) -> Option<&'v Value> {
        if self.key.is_empty() {
            Some(item)
        } else {
            item.get(self.key)
        }
    }

    pub(super) fn same(&self, a: &Value, b: &Value) -> bool {
        self.identity(a)
            .is_some_and(|identity| Some(identity) == self.identity(b))
    }

    fn place(&self, list: &[Value], item: &Value) -> Option<usize> {
        list.iter().position(|other| self.same(other, item))
    }

    /// `merged`, with the items of `patch` in its order and the others in the order of `server`.
    ///
    /// The others are put before the first item of the patch that they precede on the server.
    pub(super) fn arrange(
        &self,
        merged: Vec<Value>,
        patch: &[Value],
        server: &[Value],
    ) -> Result<Vec<Value>, NoKey> {
        if let Some(bare) = merged.iter().find(|item| self.identity(item).is_none()) {
            return Err((bare.clone(), self.key.to_owned()));
        }
        let (mut of_patch, mut others): (Vec<Value>, Vec<Value>) = merged
            .into_iter()
            .partition(|item| self.place(patch, item).is_some());
        of_patch.sort_by_cached_key(|item| self.place(patch, item).unwrap_or(usize::MAX));
        others.sort_by_cached_key(|item| self.place(server, item).unwrap_or(usize::MAX));
        let mut arranged = Vec::with_capacity(of_patch.len() + others.len());
        let mut others = others.into_iter().peekable();
        for item in of_patch {
            let limit = self.place(server, &item);
            while let Some(other) =
                others.next_if(|other| match (self.place(server, other), limit) {
                    (Some(place), Some(limit)) => place < limit,
                    _ => false,
                })
            {
                arranged.push(other);
            }
            arranged.push(item);
        }
        arranged.extend(others);
        Ok(arranged)
    }
}

/// The first of each value.
pub(super) fn unique(items: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
