//! LIST, its pages, and the start of a WATCH.

use std::ops::Bound;
use std::sync::Arc;

use super::page::{Position, expired, position, token};
use crate::call::{Call, Handled, Outcome};
use crate::cluster::Shared;
use crate::error::{ApiError, ApiResult, Cause};
use crate::fault::Action;
use crate::resource::Resource;
use crate::selector::Selector;
use crate::store::{Stored, Table};
use crate::watch::WatchPlan;

impl Shared {
    pub(super) fn list(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let limit = call.query.number("limit")?.unwrap_or(0);
        call.query.number("timeoutSeconds")?;
        list_options(call, false)?;
        let selector = self.selector(call, resource)?;
        let namespace = call.info.namespace.clone();
        let version = call.query.get("resourceVersion").to_owned();
        let exact = call.query.get("resourceVersionMatch") == "Exact";
        let token = call.query.get("continue").to_owned();
        let position = if token.is_empty() {
            let wanted = self.wait_for_version(&version)?;
            Position {
                revision: (exact && wanted > 0).then_some(wanted),
                after: String::new(),
                faulted: false,
            }
        } else {
            if !version.is_empty() && version != "0" {
                return Err(ApiError::bad_request(
                    "specifying resource version is not allowed when using continue",
                )
                .into());
            }
            position(&token)?
        };
        // A list at version 0 comes from the cache, which does not know of limits.
        let limit = if version == "0" && token.is_empty() {
            0
        } else {
            limit.max(0)
        };
        let position = faulted(call, position);
        self.page(
            call,
            resource,
            &selector,
            &namespace,
            &position,
            usize::try_from(limit).unwrap_or(0),
        )
    }

    fn page(
        &self,
        call: &mut Call,
        resource: &Arc<Resource>,
        selector: &Selector,
        namespace: &str,
        position: &Position,
        limit: usize,
    ) -> Handled {
        let (revision, mut items, next, rest) = {
            let state = self.store.lock();
            let Some(table) = state.table(&resource.table) else {
                return Err(ApiError::page_not_found().into());
            };
            let current = state.revision;
            let mut revision = position.revision.unwrap_or(current);
            if position.faulted {
                revision = revision.clamp(table.floor.min(current), current);
            }
            if revision < table.floor && position.revision.is_some() {
                return Err(expired(position).into());
            }
            let matched =
                |stored: &Stored| selector.is_empty() || selector.matches(&stored.object.value());
            let mut items: Vec<(String, Stored)> = Vec::new();
            let mut left = 0;
            let mut take = |key: &String, stored: &Stored| {
                if !matched(stored) {
                    return;
                }
                if limit == 0 || items.len() < limit {
                    items.push((key.clone(), stored.clone()));
                } else {
                    left += 1;
                }
            };
            if revision >= current {
                table
                    .scan_after(namespace, &position.after)
                    .for_each(|(key, stored)| take(key, stored));
            } else {
                let past = snapshot(table, revision, namespace, position)?;
                let start = (Bound::Excluded(position.after.as_str()), Bound::Unbounded);
                past.range::<str, _>(start)
                    .for_each(|(key, stored)| take(key, stored));
            }
            let next = (left > 0)
                .then(|| items.last().map(|(key, _)| key.clone()))
                .flatten();
            (revision, items, next, left)
        };
        let objects = items.drain(..).map(|(_, stored)| stored.object).collect();
        let objects = self.present_all(call, resource, objects)?;
        let token = next.map(|key| token(revision, &key));
        let remaining = (rest > 0 && selector.is_empty()).then_some(rest);
        Ok(Outcome::Reply(self.render_list(
            call, resource, &objects, revision, token, remaining,
        )?))
    }

    /// What a request for a collection selects now.
    pub(super) fn select(&self, call: &Call, resource: &Resource) -> ApiResult<(u64, Vec<Stored>)> {
        let selector = self.selector(call, resource)?;
        let state = self.store.lock();
        let Some(table) = state.table(&resource.table) else {
            return Err(ApiError::page_not_found());
        };
        let items = table
            .scan(&call.info.namespace)
            .filter(|(_, stored)| selector.matches(&stored.object.value()))
            .map(|(_, stored)| stored.clone())
            .collect();
        Ok((state.revision, items))
    }

    fn selector(&self, call: &Call, resource: &Resource) -> ApiResult<Selector> {
        let mut selector = Selector::parse(
            call.query.get("labelSelector"),
            call.query.get("fieldSelector"),
        )?;
        for path in selector.field_paths() {
            if path == "metadata.name" || (path == "metadata.namespace" && resource.namespaced) {
                continue;
            }
            if !resource.selectable.iter().any(|known| known == path) {
                return Err(ApiError::bad_request(unsupported_field(resource, path)));
            }
        }
        if resource.table == "events" {
            selector.rename_fields(crate::convert::stored_event_field);
        }
        Ok(selector)
    }

    pub(super) fn watch(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let timeout = call
            .query
            .number("timeoutSeconds")?
            .filter(|seconds| *seconds > 0);
        list_options(call, true)?;
        let selector = self.selector(call, resource)?;
        let version = call.query.get("resourceVersion").to_owned();
        let from = match version.as_str() {
            "" => 0,
            text => text.parse().map_err(|_| {
                ApiError::internal(format!(
                    "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
                ))
            })?,
        };
        let form = self.form(call)?;
        let initial = call.query.flag("sendInitialEvents");
        Ok(Outcome::Watch(Box::new(WatchPlan {
            resource: resource.clone(),
            namespace: call.info.namespace.clone(),
            selector,
            from,
            snapshot: initial.unwrap_or(from == 0),
            initial_end: initial == Some(true),
            bookmarks: call.query.flag("allowWatchBookmarks") == Some(true),
            timeout: timeout.map(|seconds| std::time::Duration::from_secs(seconds.unsigned_abs())),
            form,
            include: crate::render::include_object(call),
            faults: call.faults.clone(),
        })))
    }
}

fn unsupported_field(resource: &Resource, path: &str) -> String {
    // Kinds without fields of their own come from a generic table with another message.
    if !resource.is_custom() && resource.selectable.is_empty() {
        format!(
            "\"{path}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
        )
    } else {
        format!("field label not supported: {path}")
    }
}

fn snapshot(
    table: &Table,
    revision: u64,
    namespace: &str,
    position: &Position,
) -> ApiResult<std::collections::BTreeMap<String, Stored>> {
    table
        .at(revision, namespace)
        .ok_or_else(|| expired(position))
}

fn faulted(call: &Call, mut position: Position) -> Position {
    for fault in &call.faults {
        if let Action::OldSnapshot(revision) = fault.action() {
            position.revision = Some(*revision);
            position.faulted = true;
        }
    }
    position
}

/// Which combinations of resourceVersion, match and initial events are legal.
fn list_options(call: &Call, watch: bool) -> ApiResult<()> {
    let query = &call.query;
    let matching = query.get("resourceVersionMatch");
    let version = query.get("resourceVersion");
    let initial = query.flag("sendInitialEvents");
    let field = "resourceVersionMatch";
    let mut causes = Vec::new();
    match (watch, initial) {
        (false, Some(_)) => causes.push(Cause::forbidden(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for list",
        )),
        (true, Some(_)) if matching != "NotOlderThan" => {
            causes.push(Cause::forbidden(
                field,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ));
            if !matching.is_empty() {
                causes.push(Cause::unsupported(
                    field,
                    &matching.into(),
                    &["NotOlderThan"],
                ));
            }
        }
        (true, None) if !matching.is_empty() => causes.push(Cause::forbidden(
            field,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        )),
        (false, None) if !matching.is_empty() => {
            if version.is_empty() {
                causes.push(Cause::forbidden(
                    field,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if !query.get("continue").is_empty() {
                causes.push(Cause::forbidden(
                    field,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
            match matching {
                "Exact" if version == "0" => causes.push(Cause::forbidden(
                    field,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                )),
                "Exact" | "NotOlderThan" => {}
                other => causes.push(Cause::unsupported(
                    field,
                    &other.into(),
                    &["Exact", "NotOlderThan", ""],
                )),
            }
        }
        _ => {}
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", &causes))
}
