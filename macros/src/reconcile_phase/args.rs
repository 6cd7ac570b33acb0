//! `timeout = "10s"`.

use std::time::Duration;

use opgen_phase_model::{Errors, attribute};
use proc_macro2::{Span, TokenStream};

const KEYS: [&str; 1] = ["timeout"];

/// How long a handler may take that does not say.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) struct Args {
    pub(super) timeout: Duration,
    /// Where the timeout is written, or the attribute.
    pub(super) span: Span,
}

pub(super) fn read(tokens: TokenStream) -> (Args, Errors) {
    let mut errors = Errors::new();
    let mut args = Args {
        timeout: DEFAULT_TIMEOUT,
        span: Span::call_site(),
    };
    attribute::read_args(
        tokens,
        "reconcile_phase",
        &KEYS,
        &mut errors,
        |key, input, _| {
            let (timeout, literal) = attribute::time(key, input)?;
            args.timeout = timeout;
            args.span = literal.span();
            Ok(())
        },
    );
    (args, errors)
}
