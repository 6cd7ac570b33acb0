//! `#[derive(MachineContext)]`.

mod expand;
mod model;

use proc_macro2::TokenStream;

use crate::report;

pub(crate) fn run(item: TokenStream) -> TokenStream {
    match syn::parse2(item) {
        Err(error) => error.into_compile_error(),
        Ok(input) => {
            let (model, errors) = model::read(input);
            report::with_errors(expand::expand(&model), errors)
        }
    }
}
