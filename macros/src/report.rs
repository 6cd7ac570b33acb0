//! Errors beside the code that was made in spite of them.

use opgen_phase_model::Errors;
use proc_macro2::TokenStream;

/// `code`, and the errors as `compile_error!`s after it.
pub(crate) fn with_errors(code: TokenStream, errors: Errors) -> TokenStream {
    let mut code = code;
    if let Some(error) = errors.into_error() {
        code.extend(error.into_compile_error());
    }
    code
}
