//! The rules of a status, by JSON pointer.

use opgen_phase_model::Errors;
use syn::{
    Data, DeriveInput, Fields, GenericArgument, Generics, Ident, PathArguments, Type, ext::IdentExt,
};

use super::{
    args::{Container, Field},
    names::{self, Serde},
};

pub(super) struct Model {
    pub(super) name: Ident,
    pub(super) generics: Generics,
    pub(super) rules: Vec<Rule>,
    pub(super) nested: Vec<Nested>,
    /// Where the machine's own fields are; `None` for a part of a status.
    pub(super) paths: Option<Paths>,
}

pub(super) struct Rule {
    pub(super) path: String,
    pub(super) kind: RuleKind,
}

pub(super) enum RuleKind {
    Volatile,
    ListMap(Vec<String>),
    Quantity,
    Time,
    Bounded(usize),
}

/// A field whose type has rules of its own.
pub(super) struct Nested {
    /// What stands before their paths.
    pub(super) path: String,
    pub(super) ty: Type,
}

/// JSON pointers that differ from the default ones.
#[derive(Default)]
pub(super) struct Paths {
    pub(super) phase: Option<String>,
    pub(super) phase_entered_at: Option<String>,
    pub(super) observed_generation: Option<String>,
    pub(super) conditions: Option<String>,
}

pub(super) fn read(input: DeriveInput) -> (Model, Errors) {
    let mut errors = Errors::new();
    let container = Container::read(&input.attrs, &mut errors);
    let serde = Serde::read(&input.attrs, &mut errors);
    let value = |literal: &Option<syn::LitStr>| literal.as_ref().map(syn::LitStr::value);
    let mut model = Model {
        name: input.ident,
        generics: input.generics,
        rules: Vec::new(),
        nested: Vec::new(),
        paths: (!container.part).then(|| Paths {
            phase: value(&container.phase),
            phase_entered_at: value(&container.phase_entered_at),
            observed_generation: value(&container.observed_generation),
            conditions: value(&container.conditions),
        }),
    };
    let fields = match input.data {
        Data::Struct(data) if !matches!(data.fields, Fields::Unnamed(_)) => data.fields,
        _ => {
            errors.on(
                &model.name,
                "a status is a struct with named fields, as a CRD's schema is",
            );
            return (model, errors);
        }
    };
    let mut has_machine = container.names_paths();
    if let Some(conditions) = value(&container.conditions) {
        model.conditions(conditions);
    }
    for field in fields {
        has_machine |= model.add(&field, &serde, &mut errors);
    }
    if !has_machine && !container.part && errors.is_empty() {
        errors.on(&model.name, NO_MACHINE);
    }
    (model, errors)
}

const NO_MACHINE: &str = "this status has no place for the machine: flatten one into it, \
    `#[serde(flatten)] pub machine: MachineState<YourPhase>`; or name the paths of an adopted CRD, \
    `#[status(phase = \"/phase\", conditions = \"/conditions\")]`; or mark a struct that is only a part of a status, \
    `#[status(part)]`";

impl Model {
    /// Adds a field's rules; whether it is the machine's own state.
    fn add(&mut self, field: &syn::Field, container: &Serde, errors: &mut Errors) -> bool {
        let args = Field::read(&field.attrs, errors);
        let serde = Serde::read(&field.attrs, errors);
        let Some(ident) = field.ident.as_ref().filter(|_| !serde.skip) else {
            return false;
        };
        let is_machine = is_machine_state(&field.ty);
        if is_machine && !serde.flatten {
            errors.at(
                ident.span(),
                "the machine's fields stand in the status itself: add `#[serde(flatten)]` to this field",
            );
        }
        if is_machine && serde.flatten {
            self.conditions("/conditions".to_owned());
            return true;
        }
        let rust_name = ident.unraw().to_string();
        let path = if serde.flatten {
            String::new()
        } else {
            let name = serde
                .rename
                .unwrap_or_else(|| names::renamed(&rust_name, container.rename_all.as_deref()));
            format!("/{}", name.replace('~', "~0").replace('/', "~1"))
        };
        if serde.flatten && args.has_own_rule() {
            errors.at(
                ident.span(),
                "a flattened field has no place of its own in the JSON, so only `nested` fits; put the rule on the fields inside",
            );
            return is_machine;
        }
        self.add_rules(&path, args, &field.ty);
        is_machine
    }

    fn add_rules(&mut self, path: &str, args: Field, ty: &Type) {
        let kinds = [
            args.volatile.then_some(RuleKind::Volatile),
            (!args.keys.is_empty()).then_some(RuleKind::ListMap(args.keys)),
            args.quantity.then_some(RuleKind::Quantity),
            args.time.then_some(RuleKind::Time),
            args.bounded.map(RuleKind::Bounded),
        ];
        for kind in kinds.into_iter().flatten() {
            self.rules.push(Rule {
                path: path.to_owned(),
                kind,
            });
        }
        if args.nested {
            let (steps, ty) = innermost(ty);
            self.nested.push(Nested {
                path: format!("{path}{steps}"),
                ty: ty.clone(),
            });
        }
    }

    fn conditions(&mut self, path: String) {
        self.rules.push(Rule {
            path,
            kind: RuleKind::ListMap(vec!["type".to_owned()]),
        });
    }
}

impl Field {
    fn has_own_rule(&self) -> bool {
        self.volatile
            || self.quantity
            || self.time
            || self.bounded.is_some()
            || !self.keys.is_empty()
    }
}

fn is_machine_state(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "MachineState"))
}

/// The type inside options, boxes, lists and maps, and the pointer steps that lead to it.
fn innermost(ty: &Type) -> (String, &Type) {
    let Type::Path(path) = ty else {
        return (String::new(), ty);
    };
    let Some(last) = path.path.segments.last() else {
        return (String::new(), ty);
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return (String::new(), ty);
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    let step = match last.ident.to_string().as_str() {
        "Option" | "Box" | "Arc" => "",
        "Vec" | "VecDeque" | "BTreeMap" | "HashMap" => "/*",
        _ => return (String::new(), ty),
    };
    match types.last() {
        Some(inner) => {
            let (steps, ty) = innermost(inner);
            (format!("{step}{steps}"), ty)
        }
        None => (String::new(), ty),
    }
}
