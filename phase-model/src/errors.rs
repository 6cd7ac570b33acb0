//! Everything that is wrong with an input, reported together.

use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// A bag of errors, so that one build shows all mistakes and not only the first.
#[derive(Debug, Default)]
#[must_use = "errors that nobody reads are mistakes that nobody sees"]
pub struct Errors {
    all: Vec<syn::Error>,
}

impl Errors {
    /// An empty bag.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    pub fn push(&mut self, error: syn::Error) {
        self.all.push(error);
    }

    /// Adds a message that points at one place.
    pub fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Adds a message that points at the whole of `tokens`.
    pub fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds what another bag holds.
    pub fn append(&mut self, other: Self) {
        self.all.extend(other.all);
    }

    /// The value, or nothing and the error kept.
    pub fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.push(error);
                None
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them as one error of `syn`, or nothing.
    #[must_use]
    pub fn into_error(self) -> Option<syn::Error> {
        self.all.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        })
    }

    /// The value, if nothing is wrong.
    ///
    /// # Errors
    /// All errors of the bag as one.
    pub fn finish<T>(self, value: T) -> syn::Result<T> {
        match self.into_error() {
            None => Ok(value),
            Some(error) => Err(error),
        }
    }
}
