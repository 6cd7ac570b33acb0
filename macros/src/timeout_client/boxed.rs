//! Async methods as boxed `Send` futures, so that the trait can be a `dyn`.
//!
//! Every elided lifetime becomes `'call`: a call lives as long as the shortest of what it borrows.

use quote::quote;
use syn::{
    Block, ImplItem, ItemImpl, Lifetime, ReceiverKind, ReturnType, Signature, TypeReference,
    parse_quote, parse_quote_spanned, spanned::Spanned, visit_mut, visit_mut::VisitMut,
};

/// Boxes the async methods of an impl; the others stay.
pub(super) fn impl_block(item: &mut ItemImpl) {
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item
            && method.sig.asyncness.is_some()
        {
            signature(&mut method.sig);
            method.block = body(&method.block);
        }
    }
}

/// `async fn f(&self, ..) -> T` as `fn f<'call>(&'call self, ..) -> BoxFuture<'call, T>`.
pub(super) fn signature(sig: &mut Signature) {
    sig.asyncness = None;
    let mut elided = Elided;
    for input in &mut sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => {
                if let ReceiverKind::Reference(_, lifetime, _) = &mut receiver.kind {
                    lifetime.get_or_insert_with(call_lifetime);
                }
            }
            syn::FnArg::Typed(typed) => elided.visit_type_mut(&mut typed.ty),
        }
    }
    let output = match &mut sig.output {
        ReturnType::Default => quote! { () },
        ReturnType::Type(_, ty) => {
            elided.visit_type_mut(ty);
            quote! { #ty }
        }
    };
    sig.output = parse_quote! {
        -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, #output>
    };
    sig.generics.params.insert(0, parse_quote! { 'call });
}

/// The body of an async method as that of the boxed one.
pub(super) fn body(block: &Block) -> Block {
    parse_quote_spanned! {block.span()=> {
        ::std::boxed::Box::pin(async move #block)
    }}
}

fn call_lifetime() -> Lifetime {
    parse_quote! { 'call }
}

struct Elided;

impl VisitMut for Elided {
    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        reference.lifetime.get_or_insert_with(call_lifetime);
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = call_lifetime();
        }
    }
}
