//! The types and impls of a machine.

use std::time::Duration;

use opgen_phase_model::{Arrow, Machine, Phase, Timer};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Visibility;

/// The code of a machine in which nothing is wrong.
pub(super) fn expand(vis: &Visibility, machine: &Machine) -> TokenStream {
    let markers = markers(vis, machine);
    let arrows = arrows(machine);
    let finalizer = machine.finalizer().map(|phase| {
        let name = &phase.name;
        quote! {
            #[automatically_derived]
            impl ::opgen_runtime::phase::FinalizerPhase for #name {}
        }
    });
    let arms = machine.phases.iter().map(|Phase { name, .. }| {
        quote_spanned! {name.span()=>
            Self::#name => ::opgen_runtime::__private::run_phase::<#name>(object, run),
        }
    });
    let machine = machine_impl(machine, &quote! { match self { #(#arms)* } });
    quote! { #markers #machine #arrows #finalizer }
}

/// What handlers need of a machine that was refused: every phase, and every move allowed.
pub(super) fn fallback(vis: &Visibility, machine: &Machine) -> TokenStream {
    let name = &machine.name;
    let mut unique = machine.clone();
    let mut seen = Vec::new();
    unique.phases.retain(|phase| {
        let taken = phase.name == *name || seen.contains(&phase.name);
        seen.push(phase.name.clone());
        !taken
    });
    let marks = markers(vis, &unique);
    if machine.resource.is_none() || machine.context.is_none() || unique.phases.is_empty() {
        return marks;
    }
    let phases = unique.phases.iter().map(|phase| &phase.name);
    let machine = machine_impl(
        &unique,
        &quote! { let _ = (object, run); ::core::unreachable!() },
    );
    quote! {
        #marks
        #machine
        #(
            impl<To: ::opgen_runtime::phase::Phase<Machine = #name>> ::opgen_runtime::phase::MovesTo<To> for #phases {}
            impl ::opgen_runtime::phase::FinalizerPhase for #phases {}
        )*
    }
}

fn markers(vis: &Visibility, machine: &Machine) -> TokenStream {
    let machine_name = &machine.name;
    let with_machine = machine.resource.is_some() && machine.context.is_some();
    machine
        .phases
        .iter()
        .map(|phase| {
            let name = &phase.name;
            let doc = if phase.doc.is_empty() {
                format!("The phase `{name}` of [`{machine_name}`].")
            } else {
                format!("{} (A phase of [`{machine_name}`].)", phase.doc)
            };
            let phase_impl = with_machine.then(|| {
                quote! {
                    #[automatically_derived]
                    impl ::opgen_runtime::phase::Phase for #name {
                        type Machine = #machine_name;
                        const PHASE: #machine_name = #machine_name::#name;
                    }
                }
            });
            quote! {
                #[doc = #doc]
                #[derive(Clone, Copy, Debug)]
                #vis struct #name;
                #phase_impl
            }
        })
        .collect()
}

fn arrows(machine: &Machine) -> TokenStream {
    machine
        .phases
        .iter()
        .flat_map(|phase| {
            machine
                .targets(phase)
                .into_iter()
                .map(|to| (&phase.name, to))
        })
        .map(|(from, to)| {
            quote! {
                #[automatically_derived]
                impl ::opgen_runtime::phase::MovesTo<#to> for #from {}
            }
        })
        .collect()
}

fn machine_impl(machine: &Machine, dispatch: &TokenStream) -> TokenStream {
    let Machine {
        name,
        resource,
        context,
        ..
    } = machine;
    let budget = duration(machine.budget);
    let phases = machine.phases.iter().map(|phase| &phase.name);
    let graph = graph(machine);
    let crd = crd(machine);
    quote! {
        #[automatically_derived]
        impl #name {
            /// The phases and their arrows, as data.
            pub const GRAPH: ::opgen_runtime::graph::PhaseGraph = #graph;
        }

        #[automatically_derived]
        impl ::opgen_runtime::phase::PhaseMachine for #name {
            type Resource = #resource;
            type Context = #context;

            const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
            const BUDGET: ::core::time::Duration = #budget;
            const ALL: &'static [Self] = &[#(Self::#phases),*];

            fn name(self) -> &'static str {
                self.info().name
            }

            fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
                &Self::GRAPH.phases[self as usize]
            }

            fn crd() -> ::opgen_runtime::__private::serde_json::Value {
                #crd
            }

            fn dispatch<'a>(
                self,
                object: &'a Self::Resource,
                run: &'a mut ::opgen_runtime::cx::Run<Self>,
            ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
                'a,
                ::opgen_runtime::error::Result<::opgen_runtime::step::Outcome<Self>>,
            > {
                #dispatch
            }
        }
    }
}

fn crd(machine: &Machine) -> TokenStream {
    let resource = &machine.resource;
    match &machine.crd {
        Some(path) => {
            quote! { ::opgen_runtime::__private::crd_from_yaml(::core::include_str!(#path)) }
        }
        None => quote! {
            ::opgen_runtime::__private::serde_json::to_value(
                <#resource as ::opgen_runtime::__private::kube::CustomResourceExt>::crd(),
            )
            .expect("a CRD is made of JSON")
        },
    }
}

fn graph(machine: &Machine) -> TokenStream {
    let name = machine.name.to_string();
    let phases = machine.phases.iter().map(|phase| info(machine, phase));
    quote! {
        ::opgen_runtime::graph::PhaseGraph { machine: #name, phases: &[#(#phases),*] }
    }
}

fn info(machine: &Machine, phase: &Phase) -> TokenStream {
    let Phase {
        doc,
        initial,
        steady,
        failed,
        finalizer,
        ..
    } = phase;
    let name = phase.name.to_string();
    let to = machine.targets(phase).into_iter().map(ToString::to_string);
    let timer = |timer: Option<Timer>| option(timer.map(|timer| duration(timer.duration)));
    let deadline = timer(phase.deadline);
    let resync = timer(phase.resync);
    let on_deadline = option(phase.on_deadline.as_ref().map(|Arrow { name, .. }| {
        let name = name.to_string();
        quote! { #name }
    }));
    quote! {
        ::opgen_runtime::graph::PhaseInfo {
            name: #name,
            doc: #doc,
            to: &[#(#to),*],
            initial: #initial,
            steady: #steady,
            failed: #failed,
            finalizer: #finalizer,
            deadline: #deadline,
            on_deadline: #on_deadline,
            resync: #resync,
        }
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote! { ::core::option::Option::Some(#value) },
        None => quote! { ::core::option::Option::None },
    }
}

/// The shortest constructor that gives this duration.
pub(crate) fn duration(duration: Duration) -> TokenStream {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if millis % 1000 == 0 {
        let seconds = millis / 1000;
        quote! { ::core::time::Duration::from_secs(#seconds) }
    } else {
        quote! { ::core::time::Duration::from_millis(#millis) }
    }
}
