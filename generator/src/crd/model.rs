//! The types to be emitted, as data.

/// All types of one CRD version; [`Ty::Named`] is an index into it.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    pub(super) types: Vec<TypeDef>,
}

/// One type.
#[derive(Clone, Debug)]
pub(super) struct TypeDef {
    pub(super) name: String,
    /// The JSON pointer of its values, `*` for any item, for the reader of the emitted code.
    pub(super) place: String,
    pub(super) doc: Vec<String>,
    pub(super) body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Struct(Struct),
    Enum(Enum),
}

/// The fields of an object.
#[derive(Clone, Debug, Default)]
pub(super) struct Struct {
    pub(super) fields: Vec<Field>,
    /// The identifier of the map that keeps fields nobody declared, where the schema keeps them.
    pub(super) other: Option<String>,
}

/// A string enum.
#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub(super) variants: Vec<Variant>,
    /// The identifier of the variant for values that this schema does not know.
    pub(super) unknown: String,
    /// The variant that the schema's default names.
    pub(super) default: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) ident: String,
    pub(super) value: String,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) ident: String,
    /// The property's name in JSON.
    pub(super) wire: String,
    pub(super) doc: Vec<String>,
    pub(super) ty: Ty,
    pub(super) is_required: bool,
    /// The fields that tell the items of a list-map apart.
    pub(super) list_keys: Vec<String>,
    /// Whether it is a text that stands for an instant.
    pub(super) is_time: bool,
}

/// A Rust type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Bool,
    /// One of Rust's integer types.
    Int(&'static str),
    /// Keeps `1` and `1.0` apart, and all digits.
    Number,
    String,
    IntOrString,
    /// Any JSON, null too.
    Any,
    ObjectMeta,
    List(Box<Ty>),
    Map(Box<Ty>),
    /// A value that may be null.
    Nullable(Box<Ty>),
    Named(usize),
}

impl Ty {
    /// Whether an absent value and a null are two things, so that `Option` alone cannot tell them apart.
    pub(super) fn admits_null(&self) -> bool {
        matches!(self, Self::Any | Self::Nullable(_))
    }

    /// The named type inside lists, maps and options.
    pub(super) fn named(&self) -> Option<usize> {
        match self {
            Self::Named(index) => Some(*index),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.named(),
            _ => None,
        }
    }

    /// Whether `test` holds for this type or one inside it, not looking into named types.
    pub(super) fn contains(&self, test: &impl Fn(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => {
                    inner.contains(test)
                }
                _ => false,
            }
    }
}

impl Module {
    /// The fields of the resource itself.
    pub(super) fn root_fields(&self) -> &[Field] {
        match self.types.first().map(|def| &def.body) {
            Some(Body::Struct(body)) => &body.fields,
            _ => &[],
        }
    }

    pub(super) fn structs(&self) -> impl Iterator<Item = &Struct> {
        self.types.iter().filter_map(|def| match &def.body {
            Body::Struct(body) => Some(body),
            Body::Enum(_) => None,
        })
    }

    /// The types inside the one at `root` with something to say about how they compare: list-map keys, times, or such a type inside.
    pub(super) fn comparing(&self, root: usize) -> Vec<bool> {
        let mut found = vec![false; self.types.len()];
        self.compares(root, &mut found);
        found[root] = false;
        found
    }

    fn compares(&self, index: usize, found: &mut [bool]) -> bool {
        if let Body::Struct(body) = &self.types[index].body {
            for field in &body.fields {
                let inner = field.ty.named();
                let is_inside = inner.is_some_and(|inner| self.compares(inner, found));
                found[index] |= is_inside || field.is_time || !field.list_keys.is_empty();
            }
        }
        found[index]
    }

    /// Whether `test` holds for the type of any field, or a type inside one.
    pub(super) fn any_type(&self, test: &impl Fn(&Ty) -> bool) -> bool {
        self.structs()
            .flat_map(|body| &body.fields)
            .any(|field| field.ty.contains(test))
    }
}
