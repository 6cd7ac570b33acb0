//! What the signature of a handler says: which phase it reconciles.

use opgen_phase_model::Errors;
use quote::ToTokens;
use syn::{FnArg, GenericArgument, PathArguments, PathSegment, ReturnType, Signature, Type};

/// The phase, if the signature names one, and everything that is wrong with it.
pub(super) fn phase(sig: &Signature) -> (Option<Type>, Errors) {
    let mut errors = Errors::new();
    if sig.asyncness.is_none() {
        errors.on(
            sig.fn_token,
            format!("a handler is async: write `async fn {}`", sig.ident),
        );
    }
    if !sig.generics.params.is_empty() || sig.generics.where_clause.is_some() {
        errors.on(
            &sig.generics,
            "a handler takes no generics: it belongs to one phase of one machine; share code through a function it calls",
        );
    }
    let by_argument = argument(sig);
    let by_return = returned(sig);
    match (&by_argument, &by_return) {
        (None, _) => {
            let shown = shown(by_return.as_ref());
            let message = format!("a handler takes one argument: `cx: &mut Cx<'_, {shown}>`");
            match sig.inputs.is_empty() {
                true => errors.on(&sig.ident, message),
                false => errors.on(&sig.inputs, message),
            }
        }
        (Some(phase), None) => {
            let message = format!("the handler of this phase returns `Result<Step<{0}>>`", shown(Some(phase)));
            match &sig.output {
                ReturnType::Default => errors.on(&sig.ident, message),
                ReturnType::Type(_, ty) => errors.on(ty, message),
            }
        }
        (Some(phase), Some(step)) if shown(Some(phase)) != shown(Some(step)) => errors.on(
            step,
            format!(
                "this handler is given phase `{0}` but decides for `{1}`: return `Result<Step<{0}>>`",
                shown(Some(phase)),
                shown(Some(step)),
            ),
        ),
        _ => {}
    }
    (by_argument.or(by_return), errors)
}

fn shown(phase: Option<&Type>) -> String {
    match phase {
        Some(phase) => phase.to_token_stream().to_string().replace(" :: ", "::"),
        None => "YourPhase".to_owned(),
    }
}

/// `X` of the one argument `&mut Cx<'_, X>`.
fn argument(sig: &Signature) -> Option<Type> {
    let mut inputs = sig.inputs.iter();
    let (Some(FnArg::Typed(input)), None) = (inputs.next(), inputs.next()) else {
        return None;
    };
    match &*input.ty {
        Type::Reference(reference) if reference.mutability.is_some() => {
            generic(last_segment(&reference.elem, "Cx")?)
        }
        _ => None,
    }
}

/// `X` of `Result<Step<X>>`.
fn returned(sig: &Signature) -> Option<Type> {
    let ReturnType::Type(_, ty) = &sig.output else {
        return None;
    };
    let step = generic(last_segment(ty, "Result")?)?;
    generic(last_segment(&step, "Step")?)
}

fn last_segment<'a>(ty: &'a Type, name: &str) -> Option<&'a PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last().filter(|last| last.ident == name),
        _ => None,
    }
}

/// The first type among the generic arguments.
fn generic(segment: &PathSegment) -> Option<Type> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            })
        }
        _ => None,
    }
}
