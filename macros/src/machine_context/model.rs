//! The fields of a context, told apart.

use opgen_phase_model::{Errors, attribute};
use syn::{
    Data, DeriveInput, Field, Fields, GenericArgument, Generics, Ident, PathArguments, Type,
    Visibility,
};

const KEYS: [&str; 2] = ["client", "data"];

pub(super) struct Model {
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    /// Refused unless empty; kept so that the impl still fits the item.
    pub(super) generics: Generics,
    /// Fields that must be bounded clients or plain data.
    pub(super) asserted: Vec<Type>,
    /// Fields that become methods of `Cx`.
    pub(super) clients: Vec<Client>,
    /// Fields that become methods of `Cx` that take a secret.
    pub(super) per_secret: Vec<Client>,
}

pub(super) struct Client {
    pub(super) field: Ident,
    pub(super) ty: Type,
}

pub(super) fn read(input: DeriveInput) -> (Model, Errors) {
    let mut errors = Errors::new();
    if !input.generics.params.is_empty() {
        errors.on(
            &input.generics,
            "a context takes no generics: handlers name it, so its types are settled; keep a `dyn` trait behind a `Bounded..` client",
        );
    }
    let mut model = Model {
        vis: input.vis,
        name: input.ident,
        generics: input.generics,
        asserted: Vec::new(),
        clients: Vec::new(),
        per_secret: Vec::new(),
    };
    let fields = match input.data {
        Data::Struct(data) => data.fields,
        Data::Enum(_) | Data::Union(_) => {
            errors.on(
                &model.name,
                "a context is a struct: one field per client or setting",
            );
            return (model, errors);
        }
    };
    if let Fields::Unnamed(tuple) = &fields {
        errors.on(
            tuple,
            "a context names its fields: a client's field is the method by which handlers reach it",
        );
        return (model, errors);
    }
    for field in fields {
        model.add(field, &mut errors);
    }
    (model, errors)
}

impl Model {
    fn add(&mut self, field: Field, errors: &mut Errors) {
        let (mut client, mut data) = (false, false);
        attribute::read_all(&field.attrs, "context", &KEYS, errors, |key, _, _| {
            client |= key == "client";
            data |= key == "data";
            Ok(())
        });
        if client && data {
            errors.on(
                &field.ident,
                "a field is a client or data, not both; keep one",
            );
        }
        if data {
            return;
        }
        self.asserted.push(field.ty.clone());
        if let Some(name) = field.ident.as_ref().filter(|_| !client)
            && let Some(ty) = per_secret(&field.ty)
        {
            self.per_secret.push(Client {
                field: name.clone(),
                ty,
            });
            return;
        }
        if let Some(name) = field.ident.filter(|_| client || is_bounded(&field.ty)) {
            self.clients.push(Client {
                field: name,
                ty: field.ty,
            });
        }
    }
}

/// `C` of `PerSecret<C>`.
fn per_secret(ty: &Type) -> Option<Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(client) if last.ident == "PerSecret" => Some(client.clone()),
        _ => None,
    }
}

/// What `#[timeout_client]` makes is called `Bounded..`.
fn is_bounded(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident.to_string().starts_with("Bounded")),
        _ => false,
    }
}
