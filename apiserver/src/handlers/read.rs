//! GET of one object.

use std::sync::Arc;

use crate::call::{Call, Handled, Outcome, Stop};
use crate::cluster::Shared;
use crate::error::ApiError;
use crate::resource::Resource;

impl Shared {
    pub(super) fn get(&self, call: &mut Call, resource: &Arc<Resource>) -> Handled {
        let wanted = call.query.get("resourceVersion").to_owned();
        self.wait_for_version(&wanted)?;
        let key = resource.key(&call.info.namespace, &call.info.name);
        let Some(found) = self.store.get(&resource.table, &key) else {
            return Err(resource.not_found(&call.info.name).into());
        };
        let shown = self.present(call, resource, &found.object)?;
        Ok(Outcome::Reply(
            self.render_object(call, resource, 200, &shown)?,
        ))
    }

    /// Stops the request until the store has the version, if it is one of the future.
    pub(super) fn wait_for_version(&self, text: &str) -> Handled<u64> {
        if text.is_empty() {
            return Ok(0);
        }
        let wanted: u64 = text.parse().map_err(|_| {
            ApiError::bad_request(format!(
                "invalid resource version: resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
            ))
        })?;
        if wanted > self.store.revision() {
            return Err(Stop::Await(wanted));
        }
        Ok(wanted)
    }
}
