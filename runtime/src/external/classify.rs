//! What an error says of itself.

use std::{error::Error as StdError, time::Duration};

use http::StatusCode;
use kube::core::Status;

use super::error::CallError;
use crate::mutant::{Mutant, mutated};
use crate::{clients::ClientError, error::ErrorClass};

type Class = (ErrorClass, Option<Duration>);

/// The class of an error, and when the other side wants to be asked again. The first error of the chain that is known
/// decides, so an author's own error type around a [`CallError`] is understood too. Unknown ones are transient.
pub(crate) fn classify(error: &(dyn StdError + 'static)) -> Class {
    let mut next = Some(error);
    while let Some(error) = next {
        let class = error
            .downcast_ref::<CallError>()
            .map(of_call)
            .or_else(|| error.downcast_ref::<Status>().map(of_status))
            .or_else(|| error.downcast_ref::<ClientError>().map(of_client))
            .or_else(|| match error.downcast_ref::<kube::Error>()? {
                kube::Error::Api(status) => Some(of_status(status)),
                _ => None,
            });
        if let Some(class) = class {
            return class;
        }
        next = error.source();
    }
    (ErrorClass::Transient, None)
}

fn of_call(error: &CallError) -> Class {
    let class = match error {
        // "Not now": another operation holds the thing. Giving up would start a second attempt for nothing.
        CallError::Rejected { status, .. }
            if matches!(*status, StatusCode::CONFLICT | StatusCode::LOCKED) =>
        {
            ErrorClass::Transient
        }
        CallError::Rejected { .. } => ErrorClass::Permanent,
        CallError::Saturated { .. }
        | CallError::NoTime
        | CallError::BreakerOpen { .. }
        | CallError::Throttled { .. } => ErrorClass::Saturated,
        _ => ErrorClass::Transient,
    };
    (class, error.retry_after())
}

fn of_client(error: &ClientError) -> Class {
    match error {
        // Nobody can mend it, but the object is not to blame either: this process is about to end.
        ClientError::Fenced { .. } | ClientError::Timeout { .. } => (ErrorClass::Transient, None),
    }
}

fn of_status(status: &Status) -> Class {
    let details = status.details.as_ref();
    let wait = details
        .map(|details| details.retry_after_seconds)
        .filter(|seconds| *seconds > 0 && !mutated(Mutant::RetryAfter))
        .map(|seconds| Duration::from_secs(u64::from(seconds)).min(super::retry_after::LONGEST));
    let causes = details.map_or(&[][..], |details| &details.causes);
    let class = match status.code {
        429 => ErrorClass::Saturated,
        // No retry creates anything in a namespace that goes away; its deletion takes our object along.
        403 if causes
            .iter()
            .any(|cause| cause.reason == "NamespaceTerminating")
            && !mutated(Mutant::NamespaceTerminating) =>
        {
            ErrorClass::Permanent
        }
        // A schema's no names its causes; a failed test of a JSON patch does not, and is only a lost race.
        422 if !causes.is_empty() => ErrorClass::Permanent,
        400 | 405 | 406 | 413 | 415 => ErrorClass::Permanent,
        // 401, 403: a role may be mended; 404: a namespace or a CRD may come; 409, 410, 422: a race; 5xx.
        _ => ErrorClass::Transient,
    };
    (class, wait)
}
