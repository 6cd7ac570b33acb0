//! The impl that a handler becomes.

use opgen_phase_model::duration as text;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{ItemFn, Type};

use super::args::Args;
use crate::phase_machine::duration;

pub(super) fn expand(args: &Args, phase: &Type, function: &ItemFn) -> TokenStream {
    let name = &function.sig.ident;
    let timeout = duration(args.timeout);
    let handler = handler_impl(
        phase,
        &timeout,
        &quote! {
            ::std::boxed::Box::pin(#name(cx))
        },
    );
    let assertion = assertion(args, phase);
    // The macro asks for this signature, so lints that would have it otherwise are wrong here.
    quote! { #[allow(clippy::unused_async, clippy::needless_pass_by_ref_mut)] #function #handler #assertion }
}

/// A handler that was refused still counts as one.
pub(super) fn fallback(phase: &Type, function: &ItemFn) -> TokenStream {
    let handler = handler_impl(
        phase,
        &quote! { ::core::time::Duration::ZERO },
        &quote! {
            let _ = cx;
            ::core::unreachable!()
        },
    );
    quote! { #[allow(dead_code)] #function #handler }
}

fn handler_impl(phase: &Type, timeout: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::opgen_runtime::phase::ReconcilePhase for #phase {
            const TIMEOUT: ::core::time::Duration = #timeout;

            fn reconcile<'a>(
                cx: &'a mut ::opgen_runtime::cx::Cx<'_, Self>,
            ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
                'a,
                ::opgen_runtime::error::Result<::opgen_runtime::step::Step<Self>>,
            > {
                #body
            }
        }
    }
}

/// The macro sees no budget, so the compiler compares; the message names both ways to mend.
fn assertion(args: &Args, phase: &Type) -> TokenStream {
    let shown = phase.to_token_stream().to_string();
    let timeout = text::format(args.timeout);
    let message = format!(
        "phase `{shown}` may take {timeout}, longer than the budget of its machine: lower the timeout here, \
         `#[reconcile_phase(timeout = \"..\")]`, or raise `budget = \"..\"` in the `#[machine(..)]` of its enum"
    );
    let span = Span::call_site().located_at(args.span);
    quote_spanned! {span=>
        const _: () = ::core::assert!(
            ::opgen_runtime::__private::within(
                <#phase as ::opgen_runtime::phase::ReconcilePhase>::TIMEOUT,
                <<#phase as ::opgen_runtime::phase::Phase>::Machine as ::opgen_runtime::phase::PhaseMachine>::BUDGET,
            ),
            #message
        );
    }
}
