//! `#[timeout_client]`, on a trait and on an impl of it.

mod args;
mod boxed;
mod expand;
mod model;

use opgen_phase_model::Errors;
use proc_macro2::TokenStream;
use syn::Item;

use crate::report;

pub(crate) fn run(args: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse2(item.clone()) {
        Ok(Item::Trait(item)) => on_trait(args, item),
        Ok(Item::Impl(item)) => on_impl(&args, item),
        Ok(other) => {
            let mut errors = Errors::new();
            errors.on(
                &other,
                "`#[timeout_client]` stands on an async trait, or on an `impl` of such a trait",
            );
            report::with_errors(item, errors)
        }
        Err(error) => {
            let mut errors = Errors::new();
            errors.push(error);
            report::with_errors(item, errors)
        }
    }
}

fn on_trait(args: TokenStream, item: syn::ItemTrait) -> TokenStream {
    let (args, mut errors) = args::read(args);
    let (model, wrong) = model::read(args, item);
    errors.append(wrong);
    report::with_errors(expand::expand(&model), errors)
}

fn on_impl(args: &TokenStream, mut item: syn::ItemImpl) -> TokenStream {
    let mut errors = Errors::new();
    if !args.is_empty() {
        errors.on(
            args,
            "the bounds belong to the trait; on an impl write `#[timeout_client]` alone",
        );
    }
    if item.trait_.is_none() {
        errors.on(
            &item.self_ty,
            "`#[timeout_client]` stands on the impl of a trait: `impl YourProvider for ..`",
        );
    } else {
        boxed::impl_block(&mut item);
    }
    report::with_errors(quote::quote! { #item }, errors)
}
