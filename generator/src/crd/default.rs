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
    let mut plan = vec![None; module.types.len()];
    for index in 0..module.types.len() {
        decide(module, index, &forced, &mut plan);
    }
    plan.into_iter()
        .map(|decided| decided.unwrap_or(Defaulting::None))
        .collect()
}

/// Decides for the type at `index` once those inside it are decided; schemas do not recurse, so neither do types.
fn decide(
    module: &Module,
    index: usize,
    forced: &[bool],
    plan: &mut [Option<Defaulting>],
) -> Defaulting {
    if let Some(decided) = plan[index] {
        return decided;
    }
    let decided = match &module.types[index].body {
        Body::Enum(Enum { default, .. }) if default.is_some() || forced[index] => {
            Defaulting::Derive
        }
        Body::Enum(_) => Defaulting::None,
        Body::Struct(body) => {
            let has_default = required(body).all(|ty| match ty {
                Ty::Number => false,
                Ty::Named(inner) => decide(module, *inner, forced, plan) != Defaulting::None,
                _ => true,
            });
            match (has_default, forced[index]) {
                (true, _) => Defaulting::Derive,
                (false, true) => Defaulting::Written,
                (false, false) => Defaulting::None,
            }
        }
    };
    plan[index] = Some(decided);
    decided
}

fn required(body: &Struct) -> impl Iterator<Item = &Ty> {
    body.fields
        .iter()
        .filter(|field| field.is_required)
        .map(|field| &field.ty)
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
