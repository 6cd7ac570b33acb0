//! `#[status(..)]` of the struct and of its fields.

use opgen_phase_model::{Errors, attribute};
use proc_macro2::Ident;
use syn::{Attribute, LitStr, parse::ParseStream};

const CONTAINER_KEYS: [&str; 5] = [
    "part",
    "phase",
    "phase_entered_at",
    "observed_generation",
    "conditions",
];
const FIELD_KEYS: [&str; 7] = [
    "volatile", "key", "keys", "quantity", "time", "bounded", "nested",
];

/// What the struct says.
#[derive(Default)]
pub(super) struct Container {
    pub(super) part: bool,
    pub(super) phase: Option<LitStr>,
    pub(super) phase_entered_at: Option<LitStr>,
    pub(super) observed_generation: Option<LitStr>,
    pub(super) conditions: Option<LitStr>,
}

impl Container {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut container = Self::default();
        attribute::read_all(
            attributes,
            "status",
            &CONTAINER_KEYS,
            errors,
            |key, input, _| container.read_key(key, input),
        );
        if container.part && container.names_paths() {
            errors.at(
                attributes.first().map_or_else(proc_macro2::Span::call_site, syn::spanned::Spanned::span),
                "a `part` of a status has no place for the machine; name the paths in the status itself",
            );
        }
        container
    }

    fn read_key(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "part" => self.part = true,
            "phase" => self.phase = Some(pointer(key, input)?),
            "phase_entered_at" => self.phase_entered_at = Some(pointer(key, input)?),
            "observed_generation" => self.observed_generation = Some(pointer(key, input)?),
            _ => self.conditions = Some(pointer(key, input)?),
        }
        Ok(())
    }

    /// Whether it says where the machine is, instead of flattening a `MachineState`.
    pub(super) fn names_paths(&self) -> bool {
        [
            &self.phase,
            &self.phase_entered_at,
            &self.observed_generation,
            &self.conditions,
        ]
        .iter()
        .any(|path| path.is_some())
    }
}

fn pointer(key: &Ident, input: ParseStream<'_>) -> syn::Result<LitStr> {
    let literal = attribute::text(key, input)?;
    let text = literal.value();
    if text.len() > 1 && text.starts_with('/') && !text.ends_with('/') {
        return Ok(literal);
    }
    Err(syn::Error::new(
        literal.span(),
        format!(
            "`{text}` is not a JSON pointer relative to the status; write it like \"/{}\"",
            text.trim_matches('/')
        ),
    ))
}

/// What a field says.
#[derive(Default)]
pub(super) struct Field {
    pub(super) volatile: bool,
    pub(super) keys: Vec<String>,
    pub(super) quantity: bool,
    pub(super) time: bool,
    pub(super) bounded: Option<usize>,
    pub(super) nested: bool,
}

impl Field {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut field = Self::default();
        attribute::read_all(
            attributes,
            "status",
            &FIELD_KEYS,
            errors,
            |key, input, _| field.read_key(key, input),
        );
        field
    }

    fn read_key(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "volatile" => self.volatile = true,
            "quantity" => self.quantity = true,
            "time" => self.time = true,
            "nested" => self.nested = true,
            "bounded" => self.bounded = Some(attribute::number(key, input)?),
            "key" => self.add_keys(key, vec![attribute::text(key, input)?])?,
            _ => {
                let keys = attribute::list::<LitStr>(key, input)?;
                self.add_keys(key, keys)?;
            }
        }
        Ok(())
    }

    fn add_keys(&mut self, key: &Ident, names: Vec<LitStr>) -> syn::Result<()> {
        if !self.keys.is_empty() {
            return Err(syn::Error::new(
                key.span(),
                "`key` and `keys` say the same; keep `keys(\"a\", \"b\")`",
            ));
        }
        self.keys = names.iter().map(LitStr::value).collect();
        Ok(())
    }
}
