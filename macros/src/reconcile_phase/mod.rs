//! `#[reconcile_phase]`.

mod args;
mod expand;
mod hazards;
mod model;

use proc_macro2::TokenStream;

use crate::report;

pub(crate) fn run(args: TokenStream, item: TokenStream) -> TokenStream {
    let (args, mut errors) = args::read(args);
    let function: syn::ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            errors.at(
                error.span(),
                "`#[reconcile_phase]` stands on an async function: `async fn name(cx: &mut Cx<'_, YourPhase>) -> Result<Step<YourPhase>>`",
            );
            return report::with_errors(item, errors);
        }
    };
    hazards::find(&function.block, &mut errors);
    let (phase, wrong) = model::phase(&function.sig);
    errors.append(wrong);
    let code = match phase {
        Some(phase) if errors.is_empty() => expand::expand(&args, &phase, &function),
        Some(phase) => expand::fallback(&phase, &function),
        None => quote::quote! { #[allow(dead_code)] #function },
    };
    report::with_errors(code, errors)
}
