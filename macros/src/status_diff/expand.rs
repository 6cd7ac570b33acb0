//! The impls of a status.

use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Model, Nested, Paths, Rule, RuleKind};

pub(super) fn expand(model: &Model) -> TokenStream {
    let name = &model.name;
    let (impl_generics, ty_generics, where_clause) = model.generics.split_for_impl();
    let rules = model.rules.iter().map(rule);
    let list = quote! { ::std::vec![#(#rules),*] };
    let body = if model.nested.is_empty() {
        list
    } else {
        let nested = model.nested.iter().map(nested);
        quote! {
            let mut rules = #list;
            #(#nested)*
            rules
        }
    };
    let machine_status = model.paths.as_ref().map(|paths| {
        let paths = machine_paths(paths);
        quote! {
            #[automatically_derived]
            impl #impl_generics ::opgen_runtime::status::MachineStatus for #name #ty_generics #where_clause {
                const PATHS: ::opgen_runtime::status::MachinePaths = #paths;
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::opgen_runtime::status::StatusDiff for #name #ty_generics #where_clause {
            fn rules() -> ::std::vec::Vec<::opgen_runtime::status::FieldRule> {
                #body
            }
        }
        #machine_status
    }
}

fn rule(Rule { path, kind }: &Rule) -> TokenStream {
    let kind = match kind {
        RuleKind::Volatile => quote! { Volatile },
        RuleKind::ListMap(keys) => {
            quote! { ListMap(::std::vec![#(::std::string::String::from(#keys)),*]) }
        }
        RuleKind::Quantity => quote! { Quantity },
        RuleKind::Time => quote! { Time },
        RuleKind::Bounded(most) => quote! { Bounded(#most) },
    };
    quote! {
        ::opgen_runtime::status::FieldRule {
            path: ::std::string::String::from(#path),
            rule: ::opgen_runtime::status::Rule::#kind,
        }
    }
}

fn nested(Nested { path, ty }: &Nested) -> TokenStream {
    let rules = quote! { <#ty as ::opgen_runtime::status::StatusDiff>::rules() };
    if path.is_empty() {
        return quote! { rules.extend(#rules); };
    }
    quote! {
        rules.extend(#rules.into_iter().map(|mut rule| {
            rule.path.insert_str(0, #path);
            rule
        }));
    }
}

fn machine_paths(paths: &Paths) -> TokenStream {
    let fields: Vec<TokenStream> = [
        (&paths.phase, quote! { phase }),
        (&paths.phase_entered_at, quote! { phase_entered_at }),
        (&paths.observed_generation, quote! { observed_generation }),
        (&paths.conditions, quote! { conditions }),
    ]
    .into_iter()
    .filter_map(|(path, field)| path.as_ref().map(|path| quote! { #field: #path }))
    .collect();
    let default = quote! { ::opgen_runtime::status::MachinePaths::DEFAULT };
    match fields.len() {
        0 => default,
        4 => quote! { ::opgen_runtime::status::MachinePaths { #(#fields),* } },
        _ => quote! { ::opgen_runtime::status::MachinePaths { #(#fields,)* ..#default } },
    }
}
