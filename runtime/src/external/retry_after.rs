//! `Retry-After` (RFC 9110, 10.2.3): seconds or a date.

use std::time::Duration;

use http::{
    HeaderMap,
    header::{DATE, RETRY_AFTER},
};
use jiff::{Timestamp, fmt::rfc2822};

use crate::clock::{Clock, SystemClock};

/// Longer than this nobody is left alone, whatever the header says: a typo there must not stop an operator for a year.
pub(crate) const LONGEST: Duration = Duration::from_secs(600);

/// What the header asks for, if it is there and makes sense.
pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds).min(LONGEST));
    }
    let at = date(text)?;
    // The answer's own date knows the clock that the other one was made with.
    let now = headers
        .get(DATE)
        .and_then(|value| date(value.to_str().ok()?))
        .unwrap_or_else(|| SystemClock.now());
    // A date that has passed means now.
    let wait = Duration::try_from(at.duration_since(now)).unwrap_or_default();
    Some(wait.min(LONGEST))
}

/// An IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. The two obsolete forms are not sent by anybody.
fn date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

/// The same for an error text.
pub(crate) fn words(wait: Option<Duration>) -> String {
    wait.map(|wait| format!(", and asks to be left alone for {wait:.0?}"))
        .unwrap_or_default()
}
