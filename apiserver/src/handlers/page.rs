//! Where a page of a list begins, and the tokens that say so.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::decode;
use crate::error::{ApiError, ApiResult};

const TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// Where a page begins: a revision (none: whatever is there now) and the key after which it goes on.
pub(super) struct Position {
    pub(super) revision: Option<u64>,
    pub(super) after: String,
    /// Whether a fault asks for the past: as far as the history reaches.
    pub(super) faulted: bool,
}

pub(super) fn expired(position: &Position) -> ApiError {
    if position.after.is_empty() {
        return ApiError::expired(format!(
            "The resourceVersion for the provided list is too old: {}",
            position.revision.unwrap_or(0)
        ));
    }
    ApiError::expired(TOO_OLD).metadata(json!({ "continue": inconsistent_token(&position.after) }))
}

pub(super) fn token(revision: u64, key: &str) -> String {
    let token = json!({ "v": "meta.k8s.io/v1", "rv": revision, "start": format!("{key}\u{0}") });
    BASE64_URL_SAFE_NO_PAD.encode(token.to_string())
}

fn inconsistent_token(key: &str) -> String {
    let token = json!({ "v": "meta.k8s.io/v1", "rv": -1, "start": format!("{key}\u{0}") });
    BASE64_URL_SAFE_NO_PAD.encode(token.to_string())
}

pub(super) fn position(token: &str) -> ApiResult<Position> {
    let invalid = |why: &str| {
        ApiError::bad_request(format!(
            "invalid continue token: continue key is not valid: {why}"
        ))
    };
    let bytes = BASE64_URL_SAFE_NO_PAD
        .decode(token.trim_end_matches('='))
        .or_else(|_| {
            // Go decodes as far as it gets; the JSON decides.
            let whole = token.len() / 4 * 4;
            BASE64_URL_SAFE_NO_PAD.decode(&token[..whole])
        })
        .unwrap_or_else(|_| token.as_bytes().to_vec());
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(_) => {
            let decoded = decode::json_value(&bytes).err().unwrap_or_default();
            let text = if decoded.contains('\u{fffd}') || decoded.contains("invalid character") {
                format!(
                    "invalid character '{}' looking for beginning of value",
                    first_char(&bytes)
                )
            } else {
                decoded
            };
            return Err(invalid(&text));
        }
    };
    let (Some(revision), Some(start)) = (value["rv"].as_i64(), value["start"].as_str()) else {
        return Err(invalid(
            "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ));
    };
    Ok(Position {
        revision: u64::try_from(revision).ok(),
        after: start.trim_end_matches('\u{0}').to_owned(),
        faulted: false,
    })
}

fn first_char(bytes: &[u8]) -> char {
    bytes.first().copied().map_or(' ', char::from)
}
