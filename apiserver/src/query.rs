//! Query strings as Go's `url.ParseQuery` reads them, and the numbers in them as Go's `strconv` does.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::error::{ApiError, ApiResult};

/// The parameters of a request, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        Self(
            text.split('&')
                .filter(|pair| !pair.is_empty())
                .map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(key), decode(value))
                })
                .collect(),
        )
    }

    /// First value of a parameter; an absent one is empty, as in Go.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.0.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }

    pub(crate) fn all(&self, key: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(k, _)| k == key)
            .map(|(_, v)| v.as_str())
            .collect()
    }

    /// A boolean as the API machinery converts it: present and neither `0` nor `false` is true.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.has(key).then(|| {
            let value = self.get(key);
            !(value == "0" || value.eq_ignore_ascii_case("false"))
        })
    }

    /// A signed number.
    pub(crate) fn number(&self, key: &str) -> ApiResult<Option<i64>> {
        match self.get(key) {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| {
                ApiError::bad_request(format!(
                    "strconv.ParseInt: parsing {text:?}: invalid syntax"
                ))
            }),
        }
    }
}

fn decode(text: &str) -> String {
    let spaced = if text.contains('+') {
        Cow::Owned(text.replace('+', " "))
    } else {
        Cow::Borrowed(text)
    };
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}
