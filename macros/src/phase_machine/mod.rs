//! `#[derive(PhaseMachine)]`. Its `args` and `model` are the crate `opgen-phase-model`.

mod expand;

pub(crate) use expand::duration;
use opgen_phase_model::Machine;
use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, ItemEnum};

use crate::report;

pub(crate) fn run(item: TokenStream) -> TokenStream {
    match read(item) {
        Err(error) => error.into_compile_error(),
        Ok(item) => {
            let (machine, errors) = Machine::read(&item);
            let code = if errors.is_empty() {
                expand::expand(&item.vis, &machine)
            } else {
                expand::fallback(&item.vis, &machine, &item.generics)
            };
            report::with_errors(code, errors)
        }
    }
}

fn read(item: TokenStream) -> syn::Result<ItemEnum> {
    let input: DeriveInput = syn::parse2(item)?;
    match input.data {
        Data::Enum(data) => Ok(ItemEnum {
            attrs: input.attrs,
            vis: input.vis,
            enum_token: data.enum_token,
            ident: input.ident,
            generics: input.generics,
            brace_token: data.brace_token,
            variants: data.variants,
        }),
        _ => Err(syn::Error::new(
            input.ident.span(),
            "a phase machine is an enum: one variant per phase, without fields",
        )),
    }
}
