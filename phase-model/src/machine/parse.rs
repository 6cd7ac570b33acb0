//! From syntax to a machine. What is wrong is collected; what can be read is kept.

use proc_macro2::Ident;
use syn::{
    Attribute, Expr, ExprLit, Item, ItemEnum, Lit, Meta, Token, Variant, parse::ParseStream,
    spanned::Spanned,
};

use super::{Arrow, DEFAULT_BUDGET, Machine, Phase, Timer};
use crate::{Errors, attribute};

const MACHINE_KEYS: [&str; 4] = ["resource", "context", "budget", "crd"];
const PHASE_KEYS: [&str; 7] = [
    "to",
    "steady",
    "failed",
    "finalizer",
    "deadline",
    "on_deadline",
    "resync",
];

pub(super) fn machine(item: &ItemEnum) -> (Machine, Errors) {
    let mut errors = Errors::new();
    let mut machine = Machine {
        name: item.ident.clone(),
        resource: None,
        context: None,
        budget: DEFAULT_BUDGET,
        crd: None,
        phases: Vec::new(),
    };
    if !item.generics.params.is_empty() || item.generics.where_clause.is_some() {
        errors.on(
            &item.generics,
            "a phase enum takes no generics: a phase is a name in the status, not a type parameter",
        );
    }
    attribute::read_all(
        &item.attrs,
        "machine",
        &MACHINE_KEYS,
        &mut errors,
        |key, input, _| read_machine_key(&mut machine, key, input),
    );
    let missing: Vec<&str> = [
        (machine.resource.is_none(), "resource = YourKind"),
        (machine.context.is_none(), "context = YourContext"),
    ]
    .into_iter()
    .filter_map(|(missing, what)| missing.then_some(what))
    .collect();
    if errors.is_empty() && !missing.is_empty() {
        errors.on(
            &item.ident,
            format!(
                "the machine names no {}: add `#[machine({})]` above the enum",
                if machine.resource.is_none() {
                    "resource"
                } else {
                    "context"
                },
                missing.join(", "),
            ),
        );
    }
    machine.phases = item
        .variants
        .iter()
        .map(|variant| phase(variant, &mut errors))
        .collect();
    (machine, errors)
}

fn read_machine_key(machine: &mut Machine, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
    if key == "resource" {
        machine.resource = Some(ty(key, input)?);
    } else if key == "context" {
        machine.context = Some(ty(key, input)?);
    } else if key == "budget" {
        machine.budget = attribute::time(key, input)?.0;
    } else {
        machine.crd = Some(attribute::text(key, input)?);
    }
    Ok(())
}

fn ty(key: &Ident, input: ParseStream<'_>) -> syn::Result<syn::Type> {
    let fail = |error: syn::Error| {
        syn::Error::new(
            error.span(),
            format!("`{key}` takes a type: `{key} = path::to::Type`"),
        )
    };
    input.parse::<Token![=]>().map_err(fail)?;
    input.parse().map_err(fail)
}

fn phase(variant: &Variant, errors: &mut Errors) -> Phase {
    let mut phase = Phase {
        name: variant.ident.clone(),
        span: variant.ident.span(),
        doc: first_paragraph(&variant.attrs),
        to: Vec::new(),
        initial: variant.attrs.iter().any(|a| a.path().is_ident("default")),
        steady: false,
        failed: false,
        finalizer: false,
        deadline: None,
        on_deadline: None,
        resync: None,
        has_fields: !variant.fields.is_empty(),
        damaged: false,
    };
    let before = errors.len();
    if !variant.fields.is_empty() {
        errors.on(
            &variant.fields,
            format!(
                "phase `{}` has fields, but a phase is only a name in the status; keep data in the status struct",
                variant.ident
            ),
        );
    }
    if let Some((_, number)) = &variant.discriminant {
        errors.on(
            number,
            "phases are stored by name, so a number has no effect; remove it",
        );
    }
    attribute::read_all(
        &variant.attrs,
        "phase",
        &PHASE_KEYS,
        errors,
        |key, input, errors| read_phase_key(&mut phase, key, input, errors),
    );
    phase.damaged = errors.len() > before;
    phase
}

fn read_phase_key(
    phase: &mut Phase,
    key: &Ident,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    match key.to_string().as_str() {
        "to" => {
            for path in attribute::list::<syn::Path>(key, input)? {
                if let Some(arrow) = errors.keep(arrow(&path)) {
                    phase.to.push(arrow);
                }
            }
        }
        "steady" => phase.steady = true,
        "failed" => phase.failed = true,
        "finalizer" => phase.finalizer = true,
        "deadline" => phase.deadline = Some(timer(key, input)?),
        "resync" => phase.resync = Some(timer(key, input)?),
        _ => {
            let fail = |error: syn::Error| {
                syn::Error::new(
                    error.span(),
                    "`on_deadline` takes a phase, without quotes: `on_deadline = Failed`",
                )
            };
            input.parse::<Token![=]>().map_err(fail)?;
            phase.on_deadline = Some(arrow(&input.parse().map_err(fail)?)?);
        }
    }
    Ok(())
}

fn timer(key: &Ident, input: ParseStream<'_>) -> syn::Result<Timer> {
    let (duration, literal) = attribute::time(key, input)?;
    Ok(Timer {
        duration,
        span: literal.span(),
    })
}

/// `Ready`, and `Self::Ready` or `DatabasePhase::Ready` as well: the last segment names the phase.
fn arrow(path: &syn::Path) -> syn::Result<Arrow> {
    match path.segments.last() {
        Some(segment) if segment.arguments.is_none() => Ok(Arrow {
            name: segment.ident.clone(),
            span: path.span(),
        }),
        _ => Err(syn::Error::new_spanned(
            path,
            "expected the name of a phase",
        )),
    }
}

fn first_paragraph(attributes: &[Attribute]) -> String {
    let mut words: Vec<String> = Vec::new();
    for line in attributes.iter().filter_map(doc_line) {
        match line.trim() {
            "" if words.is_empty() => {}
            "" => break,
            line => words.push(line.to_owned()),
        }
    }
    words.join(" ")
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// All enums that derive `PhaseMachine`, depth first.
pub(super) fn phase_enums(items: &[Item]) -> Vec<&ItemEnum> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Enum(item) if derives_machine(&item.attrs) => vec![item],
            Item::Mod(module) => module
                .content
                .as_ref()
                .map(|(_, items)| phase_enums(items))
                .unwrap_or_default(),
            _ => Vec::new(),
        })
        .collect()
}

fn derives_machine(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"))
        .filter_map(|attribute| {
            attribute
                .parse_args_with(
                    syn::punctuated::Punctuated::<syn::Path, Token![,]>::parse_terminated,
                )
                .ok()
        })
        .flatten()
        .any(|path| {
            path.segments
                .last()
                .is_some_and(|last| last.ident == "PhaseMachine")
        })
}
