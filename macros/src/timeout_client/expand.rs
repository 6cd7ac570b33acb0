//! The boxed trait, the bounded client, and the handle.

use heck::ToSnakeCase;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::{
    args::{Args, Call, Target},
    model::{Argument, Kind, Method, Model},
};
use crate::phase_machine::duration;

pub(super) fn expand(model: &Model) -> TokenStream {
    let item = &model.item;
    if !model.usable {
        return quote! { #item };
    }
    let names = Names::of(&item.ident);
    let client = client(model, &names);
    let handle = handle(model, &names);
    quote! { #item #client #handle }
}

struct Names {
    bounded: Ident,
    handle: Ident,
}

impl Names {
    fn of(name: &Ident) -> Self {
        Self {
            bounded: format_ident!("Bounded{name}"),
            handle: format_ident!("{name}Handle"),
        }
    }
}

fn client(model: &Model, Names { bounded, handle }: &Names) -> TokenStream {
    let (vis, name) = (&model.item.vis, &model.item.ident);
    let label = name.to_string().to_snake_case();
    let settings = settings(&model.args);
    let doc = format!(
        " A [`{name}`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a \
         [`{handle}`] of it."
    );
    let debug = bounded.to_string();
    quote! {
        #[doc = #doc]
        #[derive(Clone)]
        #vis struct #bounded {
            inner: ::std::sync::Arc<dyn #name>,
            guard: ::opgen_runtime::external::Guard,
        }

        #[automatically_derived]
        #[allow(dead_code)]
        impl #bounded {
            /// Bounds `inner` as the trait's attribute says.
            pub fn new(inner: impl #name) -> Self {
                Self::from_arc(::std::sync::Arc::new(inner))
            }

            /// Bounds a shared client as the trait's attribute says.
            #[must_use]
            pub fn from_arc(inner: ::std::sync::Arc<dyn #name>) -> Self {
                let guard = ::opgen_runtime::external::Guard::new(#label, Self::settings());
                Self { inner, guard }
            }

            /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
            pub fn with_settings(
                inner: impl #name,
                settings: ::opgen_runtime::external::ClientSettings,
            ) -> Self {
                let guard = ::opgen_runtime::external::Guard::new(#label, settings);
                Self { inner: ::std::sync::Arc::new(inner), guard }
            }

            /// The bounds that the trait's attribute gives.
            #[must_use]
            pub fn settings() -> ::opgen_runtime::external::ClientSettings {
                #settings
            }

            /// The same client for a target with permits and a breaker of its own.
            #[must_use]
            pub fn for_target(
                &self,
                target: impl ::core::convert::Into<::opgen_runtime::external::Target>,
            ) -> Self {
                Self {
                    inner: ::std::sync::Arc::clone(&self.inner),
                    guard: self.guard.for_target(target),
                }
            }
        }

        #[automatically_derived]
        impl ::core::fmt::Debug for #bounded {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(#debug).field("guard", &self.guard).finish_non_exhaustive()
            }
        }

        #[automatically_derived]
        impl ::opgen_runtime::context::ContextField for #bounded {}

        #[automatically_derived]
        impl ::opgen_runtime::context::BoundedClient for #bounded {
            type Handle = #handle;

            fn handle(&self, scope: ::opgen_runtime::external::CallScope) -> #handle {
                #handle { client: ::core::clone::Clone::clone(self), scope }
            }

            fn guard(&self) -> &::opgen_runtime::external::Guard {
                &self.guard
            }

            fn guarded_by(self, guard: ::opgen_runtime::external::Guard) -> Self {
                Self { guard, ..self }
            }
        }
    }
}

fn settings(args: &Args) -> TokenStream {
    let timeout = args
        .timeout
        .map(duration)
        .map(|value| quote! { timeout: #value, });
    let bulkhead = args.bulkhead.map(|value| quote! { bulkhead: #value, });
    let settle = args
        .settle
        .map(duration)
        .map(|value| quote! { settle: #value, });
    if timeout.is_none() && bulkhead.is_none() && settle.is_none() {
        return quote! { ::core::default::Default::default() };
    }
    quote! {
        ::opgen_runtime::external::ClientSettings {
            #timeout #bulkhead #settle
            ..::core::default::Default::default()
        }
    }
}

fn handle(model: &Model, Names { bounded, handle }: &Names) -> TokenStream {
    let (vis, name) = (&model.item.vis, &model.item.ident);
    let doc = format!(" A [`{bounded}`] within one handler: no call outlives the handler's time.");
    let methods = model
        .methods
        .iter()
        .map(|method| handle_method(name, method));
    quote! {
        #[doc = #doc]
        #[derive(Clone, Debug)]
        #vis struct #handle {
            client: #bounded,
            scope: ::opgen_runtime::external::CallScope,
        }

        #[automatically_derived]
        #[allow(dead_code)]
        impl #handle {
            /// The same handle for a target with permits and a breaker of its own.
            #[must_use]
            pub fn for_target(
                &self,
                target: impl ::core::convert::Into<::opgen_runtime::external::Target>,
            ) -> Self {
                Self {
                    client: self.client.for_target(target),
                    scope: ::core::clone::Clone::clone(&self.scope),
                }
            }

            #(#methods)*
        }
    }
}

fn handle_method(name: &Ident, method: &Method) -> TokenStream {
    let Method {
        attributes, sig, ..
    } = method;
    let docs = method_docs(name, method);
    let body = body(name, method);
    let refused = matches!(method.kind, Kind::Refused);
    let quiet = refused.then(|| quote! { #[allow(unused_variables)] });
    quote! {
        #(#attributes)*
        #docs
        #quiet
        pub #sig { #body }
    }
}

/// An undocumented method of the trait still gets a line, and a call says how it fails.
fn method_docs(name: &Ident, method: &Method) -> TokenStream {
    let documented = method.attributes.iter().any(|a| a.path().is_ident("doc"));
    let title = (!documented).then(|| {
        let title = format!(" Calls [`{name}::{}`] within the bounds.", method.sig.ident);
        quote! { #[doc = #title] }
    });
    let errors = (!matches!(method.kind, Kind::Plain)).then(|| {
        quote! {
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = " What the call returned, or that a bound was met."]
        }
    });
    quote! { #title #errors }
}

fn body(name: &Ident, method: &Method) -> TokenStream {
    let function = &method.sig.ident;
    let arguments = method
        .arguments
        .iter()
        .map(|argument| match (&method.kind, argument) {
            (Kind::Plain, Argument { name, .. })
            | (
                _,
                Argument {
                    name,
                    by_reference: true,
                },
            ) => {
                quote! { #name }
            }
            (_, Argument { name, .. }) => quote! { ::core::clone::Clone::clone(&#name) },
        });
    let call = quote! { #name::#function(&*self.client.inner, #(#arguments),*) };
    let guard = quote! { self.client.guard };
    match &method.kind {
        Kind::Plain => call,
        Kind::Call(options) => {
            let options = call_options(function, options);
            quote! { #guard.call(&self.scope, #options, || #call).await }
        }
        Kind::Creates(options, key) => {
            let options = call_options(function, options);
            quote! { #guard.create(&self.scope, #options, #key, || #call).await }
        }
        Kind::Observes(options, key) => {
            let options = call_options(function, options);
            let key = match key {
                Some(key) => quote! { ::core::option::Option::Some(#key) },
                None => quote! { ::core::option::Option::None },
            };
            quote! { #guard.observe(&self.scope, #options, #key, || #call).await }
        }
        Kind::Refused => quote! { ::core::unreachable!() },
    }
}

fn call_options(function: &Ident, call: &Call) -> TokenStream {
    let method = function.to_string();
    let idempotent = call.idempotent.then(|| quote! { .idempotent() });
    let timeout = call
        .timeout
        .map(duration)
        .map(|value| quote! { .timeout(#value) });
    let target = call.target.as_ref().map(|target| match target {
        Target::Text(text) => quote! { .target(#text) },
        // By reference: the call itself may be made again with it.
        Target::Argument(name) => quote! {
            .target(<_ as ::core::convert::AsRef<str>>::as_ref(&#name))
        },
    });
    quote! { ::opgen_runtime::external::CallOptions::new(#method) #idempotent #timeout #target }
}
