//! The assertions of a context and the methods it gives to `Cx`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{Client, Model};

pub(super) fn expand(model: &Model) -> TokenStream {
    let name = &model.name;
    let (impl_generics, ty_generics, where_clause) = model.generics.split_for_impl();
    let assertions = assertions(model);
    let clients = clients(model);
    quote! {
        #[automatically_derived]
        impl #impl_generics ::opgen_runtime::context::MachineContext for #name #ty_generics #where_clause {}
        #assertions
        #clients
    }
}

/// One assertion per field, at the field's type, so that the message points there.
fn assertions(model: &Model) -> Option<TokenStream> {
    if model.asserted.is_empty() || !model.generics.params.is_empty() {
        return None;
    }
    let fields = model.asserted.iter().map(|ty| {
        let span = Span::call_site().located_at(ty.span());
        quote_spanned! {span=> bounded::<#ty>(); }
    });
    Some(quote! {
        const _: () = {
            const fn bounded<T: ::opgen_runtime::context::ContextField>() {}
            #(#fields)*
        };
    })
}

fn clients(model: &Model) -> Option<TokenStream> {
    let has_none = model.clients.is_empty() && model.per_secret.is_empty();
    if has_none || !model.generics.params.is_empty() {
        return None;
    }
    let (vis, name) = (&model.vis, &model.name);
    let doc = format!(" The clients of [`{name}`] as methods of `Cx`; handlers import it.");
    let signatures = model.clients.iter().map(signature);
    let methods = model.clients.iter().map(|client| {
        let (signature, field) = (signature(client), &client.field);
        quote! {
            #signature {
                self.bounded(&self.context().#field)
            }
        }
    });
    let docs = model
        .clients
        .iter()
        .map(|client| format!(" `{}`, bound to this handler's time.", client.field));
    let per_secret = model.per_secret.iter().map(secret_signature);
    let per_secret_methods = model.per_secret.iter().map(|client| {
        let (signature, field) = (secret_signature(client), &client.field);
        quote! {
            #signature {
                self.bounded_for(&self.context().#field, secret)
            }
        }
    });
    let secret_docs = model.per_secret.iter().map(|client| {
        format!(
            " The client of `{}` that belongs to the secret, bound to this handler's time.",
            client.field
        )
    });
    Some(quote! {
        #[doc = #doc]
        #vis trait ContextClients {
            #( #[doc = #docs] #signatures; )*
            #(
                #[doc = #secret_docs]
                #[doc = ""]
                #[doc = " # Errors"]
                #[doc = " If no client can be made from the secret."]
                #per_secret;
            )*
        }

        #[automatically_derived]
        impl<P> ContextClients for ::opgen_runtime::cx::Cx<'_, P>
        where
            P: ::opgen_runtime::phase::Phase<
                Machine: ::opgen_runtime::phase::PhaseMachine<Context = #name>,
            >,
        {
            #(#methods)*
            #(#per_secret_methods)*
        }
    })
}

fn secret_signature(Client { field, ty }: &Client) -> TokenStream {
    let method = format_ident!("{field}_for");
    quote! {
        fn #method(
            &self,
            secret: &::opgen_runtime::__private::Secret,
        ) -> ::opgen_runtime::error::Result<
            <#ty as ::opgen_runtime::context::BoundedClient>::Handle,
        >
    }
}

fn signature(Client { field, ty }: &Client) -> TokenStream {
    quote! { fn #field(&self) -> <#ty as ::opgen_runtime::context::BoundedClient>::Handle }
}
