//! A client trait, method by method.

use opgen_phase_model::Errors;
use syn::{
    Attribute, FnArg, GenericArgument, Ident, ItemTrait, Pat, PathArguments, PathSegment,
    ReceiverKind, ReturnType, Signature, TraitItem, TraitItemFn, Type, parse_quote,
};

use super::{
    args::{self, Args, Call, Target},
    boxed,
};

/// Names that the bounded client and its handle use themselves.
const RESERVED: [&str; 1] = ["for_target"];

pub(super) struct Model {
    pub(super) args: Args,
    /// The trait as it is written out: futures boxed, `#[call]` gone.
    pub(super) item: ItemTrait,
    /// What the handle offers.
    pub(super) methods: Vec<Method>,
    /// A trait with generics has no bounded client; it was refused.
    pub(super) usable: bool,
}

pub(super) struct Method {
    /// Documentation and `cfg`s.
    pub(super) attributes: Vec<Attribute>,
    /// The signature as the author wrote it.
    pub(super) sig: Signature,
    pub(super) arguments: Vec<Argument>,
    pub(super) kind: Kind,
}

pub(super) struct Argument {
    pub(super) name: Ident,
    /// A reference can be passed again in a retry; anything else is cloned.
    pub(super) by_reference: bool,
}

pub(super) enum Kind {
    /// Not async: computes, makes no call.
    Plain,
    /// A call.
    Call(Call),
    /// A call that creates what this argument names.
    Creates(Call, Ident),
    /// A call that looks, perhaps for what this argument names.
    Observes(Call, Option<Ident>),
    /// Refused: the handle has it so that nothing else complains.
    Refused,
}

pub(super) fn read(args: Args, mut item: ItemTrait) -> (Model, Errors) {
    let mut errors = Errors::new();
    let usable = item.generics.params.is_empty();
    if !usable {
        errors.on(
            &item.generics,
            "a client trait takes no generics: it is used as `dyn`; put types into the methods' arguments",
        );
    }
    add_supertraits(&mut item);
    let mut methods = Vec::new();
    for member in &mut item.items {
        match member {
            TraitItem::Fn(function) => methods.push(method(function, &mut errors)),
            other => errors.on(
                other,
                "a client trait has methods only: it is used as `dyn`; move this to the implementation",
            ),
        }
    }
    let model = Model {
        args,
        item,
        methods,
        usable,
    };
    (model, errors)
}

/// Handlers hold the client across awaits, in any thread, for as long as the operator runs.
fn add_supertraits(item: &mut ItemTrait) {
    let has = |name: &str| {
        item.supertraits.iter().any(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => bound
                .path
                .segments
                .last()
                .is_some_and(|last| last.ident == name),
            syn::TypeParamBound::Lifetime(lifetime) => lifetime.ident == name,
            _ => false,
        })
    };
    let (send, sync, forever) = (has("Send"), has("Sync"), has("static"));
    if !send {
        item.supertraits.push(parse_quote! { ::core::marker::Send });
    }
    if !sync {
        item.supertraits.push(parse_quote! { ::core::marker::Sync });
    }
    if !forever {
        item.supertraits.push(parse_quote! { 'static });
    }
    item.colon_token.get_or_insert_with(Default::default);
}

fn method(function: &mut TraitItemFn, errors: &mut Errors) -> Method {
    let mut wrong = Errors::new();
    let call = args::take_call(&mut function.attrs, &mut wrong);
    let sig = function.sig.clone();
    let shape = shape(&sig, &mut wrong);
    let kind = kind(&sig, call, &shape, &mut wrong);
    let fits = shape.fits;
    let method = Method {
        attributes: kept(&function.attrs),
        sig,
        arguments: shape.arguments,
        kind: if wrong.is_empty() {
            kind
        } else {
            Kind::Refused
        },
    };
    if fits && function.sig.asyncness.is_some() {
        boxed::signature(&mut function.sig);
        if let Some(block) = &mut function.default {
            *block = boxed::body(block);
        }
    } else if !fits {
        // Keeps the refused trait usable as `dyn`, which the generated types rely on.
        function
            .attrs
            .push(parse_quote! { #[allow(async_fn_in_trait)] });
        function
            .sig
            .generics
            .make_where_clause()
            .predicates
            .push(parse_quote! { Self: ::core::marker::Sized });
    }
    errors.append(wrong);
    method
}

struct Shape {
    fits: bool,
    arguments: Vec<Argument>,
    /// The first argument of type `&IdempotencyKey`.
    key: Option<Ident>,
}

fn shape(sig: &Signature, errors: &mut Errors) -> Shape {
    let mut wrong = Errors::new();
    let mut shape = Shape {
        fits: true,
        arguments: Vec::new(),
        key: None,
    };
    if !sig.generics.params.is_empty() {
        wrong.on(
            &sig.generics,
            "a client method takes no generics: the trait is used as `dyn`",
        );
    }
    if RESERVED.iter().any(|name| sig.ident == name) {
        wrong.on(
            &sig.ident,
            format!(
                "the bounded client has a `{}` of its own; rename this method",
                sig.ident
            ),
        );
    }
    let shared = matches!(
        sig.receiver(),
        Some(receiver) if matches!(&receiver.kind, ReceiverKind::Reference(_, _, None))
    );
    if !shared {
        wrong.on(
            &sig.ident,
            format!(
                "`{}` must take `&self`: one client serves all objects at once",
                sig.ident
            ),
        );
    }
    for input in &sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Pat::Ident(pattern) = &*typed.pat else {
            wrong.on(
                &typed.pat,
                "give this argument a name: the handle passes it on",
            );
            continue;
        };
        match &*typed.ty {
            Type::ImplTrait(_) => wrong.on(
                &typed.ty,
                "a client method takes no `impl Trait`: the trait is used as `dyn`; name the type",
            ),
            Type::Reference(reference) if reference.mutability.is_some() => wrong.on(
                &typed.ty,
                "a call may be made again, so it cannot have its arguments exclusively; take `&` or an owned value",
            ),
            _ => {}
        }
        if shape.key.is_none() && is_key(&typed.ty) {
            shape.key = Some(pattern.ident.clone());
        }
        shape.arguments.push(Argument {
            name: pattern.ident.clone(),
            by_reference: matches!(&*typed.ty, Type::Reference(reference) if reference.mutability.is_none()),
        });
    }
    shape.fits = wrong.is_empty();
    errors.append(wrong);
    shape
}

fn kind(sig: &Signature, call: Option<Call>, shape: &Shape, errors: &mut Errors) -> Kind {
    if sig.asyncness.is_none() {
        if call.is_some() {
            errors.on(
                sig.fn_token,
                format!("a call is async: write `async fn {}`, or remove `#[call]` from a method that only computes", sig.ident),
            );
        }
        return Kind::Plain;
    }
    let Some(answer) = answer(&sig.output) else {
        let place: &dyn quote::ToTokens = match &sig.output {
            ReturnType::Default => &sig.ident,
            ReturnType::Type(_, ty) => ty,
        };
        errors.on(
            place,
            "a call returns `CallResult<T>`, so that a timeout and an open breaker have a place in it",
        );
        return Kind::Refused;
    };
    let call = call.unwrap_or_default();
    if let Some(Target::Argument(name)) = &call.target
        && !shape
            .arguments
            .iter()
            .any(|argument| argument.name == *name)
    {
        errors.on(
            name,
            format!("`{}` has no argument `{name}`: name the one that says which region, endpoint or account the call goes to", sig.ident),
        );
        return Kind::Refused;
    }
    let observes = last_segment(answer).is_some_and(|last| last.ident == "Observed");
    match (call.creates, observes) {
        (true, true) => {
            errors.on(
                &sig.ident,
                "a call that looks (`Observed`) creates nothing; remove `creates`",
            );
            Kind::Refused
        }
        (true, false) => match &shape.key {
            Some(key) => Kind::Creates(call, key.clone()),
            None => {
                errors.on(
                    &sig.ident,
                    "`creates` needs to know what is created: take a `key: &IdempotencyKey` argument",
                );
                Kind::Refused
            }
        },
        (false, true) => Kind::Observes(call, shape.key.clone()),
        (false, false) => Kind::Call(call),
    }
}

/// `T` of `CallResult<T>` or `Result<T, CallError>`.
fn answer(output: &ReturnType) -> Option<&Type> {
    let ReturnType::Type(_, ty) = output else {
        return None;
    };
    let segment = last_segment(ty)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let answer = types.next()?;
    let error = types.next().and_then(last_segment);
    let fits = match error {
        None => segment.ident == "CallResult",
        Some(error) => segment.ident == "Result" && error.ident == "CallError",
    };
    fits.then_some(answer)
}

fn is_key(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => {
            last_segment(&reference.elem).is_some_and(|last| last.ident == "IdempotencyKey")
        }
        _ => false,
    }
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

fn kept(attributes: &[Attribute]) -> Vec<Attribute> {
    ["doc", "cfg", "deprecated"]
        .iter()
        .flat_map(|name| attributes.iter().filter(|a| a.path().is_ident(name)))
        .cloned()
        .collect()
}
