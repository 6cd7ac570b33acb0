//! `timeout = "5s", bulkhead = 32, settle = "30s"`, and `#[call(..)]` of a method.

use std::time::Duration;

use opgen_phase_model::{Errors, attribute};
use proc_macro2::TokenStream;
use syn::{Attribute, Ident, LitStr, Token, parse::ParseStream};

const KEYS: [&str; 3] = ["timeout", "bulkhead", "settle"];
const CALL_KEYS: [&str; 4] = ["idempotent", "creates", "timeout", "target"];

/// What the trait's attribute sets; the rest keeps the runtime's defaults.
#[derive(Default)]
pub(super) struct Args {
    pub(super) timeout: Option<Duration>,
    pub(super) bulkhead: Option<usize>,
    pub(super) settle: Option<Duration>,
}

pub(super) fn read(tokens: TokenStream) -> (Args, Errors) {
    let mut errors = Errors::new();
    let mut args = Args::default();
    attribute::read_args(
        tokens,
        "timeout_client",
        &KEYS,
        &mut errors,
        |key, input, _| {
            if key == "timeout" {
                args.timeout = Some(attribute::time(key, input)?.0);
            } else if key == "settle" {
                args.settle = Some(attribute::time(key, input)?.0);
            } else {
                args.bulkhead = Some(attribute::number(key, input)?);
            }
            Ok(())
        },
    );
    (args, errors)
}

/// What `#[call(..)]` says of a method.
#[derive(Default)]
pub(super) struct Call {
    pub(super) idempotent: bool,
    pub(super) creates: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) target: Option<Target>,
}

/// Which part of the outside a call goes to.
pub(super) enum Target {
    /// Always this one.
    Text(LitStr),
    /// The one that this argument names.
    Argument(Ident),
}

impl Target {
    fn read(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Token![=]>()?;
        if input.peek(LitStr) {
            return Ok(Self::Text(input.parse()?));
        }
        input.parse().map(Self::Argument).map_err(|error| {
            syn::Error::new(
                error.span(),
                "`target` is the name of an argument, as in `target = region`, or a text, as in `target = \"eu\"`",
            )
        })
    }
}

/// Reads `#[call(..)]` and takes it off.
pub(super) fn take_call(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Option<Call> {
    let present = attributes.iter().any(|a| a.path().is_ident("call"));
    let mut call = Call::default();
    attribute::read_all(attributes, "call", &CALL_KEYS, errors, |key, input, _| {
        if key == "timeout" {
            call.timeout = Some(attribute::time(key, input)?.0);
        } else if key == "target" {
            call.target = Some(Target::read(input)?);
        } else if key == "creates" {
            call.creates = true;
        } else {
            call.idempotent = true;
        }
        Ok(())
    });
    attributes.retain(|a| !a.path().is_ident("call"));
    present.then_some(call)
}
