//! Which types may have a `Default`.

use super::model::{Body, Enum, Module, Struct, Ty};

/// How a type gets its `Default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Defaulting {
    /// Not at all: a required field has no value that could stand for "not said".
    None,
    /// By derive.
    Derive,
    /// Written out, because a field's type has none of its own.
    Written,
}

/// The way to a `Default` for each type. The type at `always`, the status, gets one in any case, for a machine starts from it: enums
/// on the way take their first value.
pub(super) fn plan(module: &Module, always: Option<usize>) -> Vec<Defaulting> {
    let mut forced = vec![false; module.types.len()];
    if let Some(index) = always {
        force(module, index, &mut forced);
    }
    // Types stand before those inside them, so going backwards meets the inner ones first.
    let mut plan = vec![Defaulting::None; module.types.len()];
    for index in (0..module.types.len()).rev() {
        plan[index] = match &module.types[index].body {
            Body::Enum(Enum { default, .. }) if default.is_some() || forced[index] => {
                Defaulting::Derive
            }
            Body::Enum(_) => Defaulting::None,
            Body::Struct(body) if required(body).all(|ty| has_default(ty, &plan)) => {
                Defaulting::Derive
            }
            Body::Struct(_) if forced[index] => Defaulting::Written,
            Body::Struct(_) => Defaulting::None,
        };
    }
    plan
}

fn required(body: &Struct) -> impl Iterator<Item = &Ty> {
    body.fields
        .iter()
        .filter(|field| field.is_required)
        .map(|field| &field.ty)
}

fn has_default(ty: &Ty, plan: &[Defaulting]) -> bool {
    match ty {
        Ty::Number => false,
        Ty::Named(index) => plan[*index] != Defaulting::None,
        _ => true,
    }
}

fn force(module: &Module, index: usize, forced: &mut [bool]) {
    forced[index] = true;
    if let Body::Struct(body) = &module.types[index].body {
        for ty in required(body) {
            if let Ty::Named(inner) = ty {
                force(module, *inner, forced);
            }
        }
    }
}
