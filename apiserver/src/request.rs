//! What a request is about: the verb and the resource that its method and path mean.

use crate::query::Query;

/// A request path, taken apart as the real server does before it authorizes.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestInfo {
    /// Whether the path names a resource (`/api/v1/pods`), and not a document (`/version`).
    pub(crate) is_resource: bool,
    pub(crate) path: String,
    /// `get`, `list`, `watch`, `create`, ... or the lower-case method for paths that are no resources.
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) name: String,
    /// For a list or a watch: the one name that its field selector admits. Rights may be bound to it.
    pub(crate) selected: String,
    /// Path segments after the subresource, which nothing here serves.
    pub(crate) rest: Vec<String>,
}

impl RequestInfo {
    pub(crate) fn parse(method: &str, path: &str, query: &Query) -> Self {
        let mut info = Self {
            path: path.to_owned(),
            verb: method.to_ascii_lowercase(),
            ..Self::default()
        };
        let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        let rest = match segments.as_slice() {
            ["api", version, rest @ ..] if !rest.is_empty() => {
                info.version = (*version).to_owned();
                rest
            }
            ["apis", group, version, rest @ ..] if !rest.is_empty() => {
                info.group = (*group).to_owned();
                info.version = (*version).to_owned();
                rest
            }
            _ => return info,
        };
        info.is_resource = true;
        info.place(rest);
        info.choose_verb(method, query);
        info
    }

    fn place(&mut self, segments: &[&str]) {
        let mut parts = segments;
        if let ["namespaces", namespace, after @ ..] = segments {
            self.namespace = (*namespace).to_owned();
            // `namespaces/x/status` is a namespace's own subresource, not a resource in it.
            match after {
                [] => {}
                ["status" | "finalize", ..] => {}
                _ => parts = after,
            }
        }
        let mut decoded = parts.iter().map(|segment| decode(segment));
        self.resource = decoded.next().unwrap_or_default();
        self.name = decoded.next().unwrap_or_default();
        self.subresource = decoded.next().unwrap_or_default();
        self.rest = decoded.collect();
    }

    fn choose_verb(&mut self, method: &str, query: &Query) {
        let named = !self.name.is_empty();
        let verb = match method {
            "POST" => "create",
            "PUT" => "update",
            "PATCH" => "patch",
            "DELETE" if named => "delete",
            "DELETE" => "deletecollection",
            "GET" | "HEAD" if named => "get",
            "GET" | "HEAD" if query.flag("watch") == Some(true) => "watch",
            "GET" | "HEAD" => "list",
            _ => return,
        };
        verb.clone_into(&mut self.verb);
        if matches!(verb, "list" | "watch") {
            self.selected = exact_name(query.get("fieldSelector")).to_owned();
        }
    }
}

/// The name that a field selector leaves as the only one; empty if there is none.
fn exact_name(selector: &str) -> &str {
    let mut names = selector
        .split(',')
        .filter_map(|term| term.strip_prefix("metadata.name="));
    let name = names.next().unwrap_or_default();
    name.strip_prefix('=').unwrap_or(name)
}

fn decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}
