//! The types and impls of a machine.

use std::time::Duration;

use opgen_phase_model::{
    Arrow, Machine, Phase, Timer,
    graph::{self, Graph},
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Generics, Visibility};

/// The code of a machine in which nothing is wrong.
pub(super) fn expand(vis: &Visibility, machine: &Machine) -> TokenStream {
    let markers = machine.phases.iter().map(|phase| {
        let marker = marker(vis, machine, phase);
        let phase_impl = phase_impl(machine, phase, phase);
        quote! { #marker #phase_impl }
    });
    let arrows = arrows(machine);
    let finalizer = machine.finalizer().map(|phase| {
        let name = &phase.name;
        quote! {
            #[automatically_derived]
            impl ::opgen_runtime::phase::FinalizerPhase for #name {}
        }
    });
    // A missing handler is told at the variant.
    let arms = machine.phases.iter().map(|Phase { name, .. }| {
        quote_spanned! {name.span()=>
            Self::#name => ::opgen_runtime::__private::run_phase::<#name>(object, run),
        }
    });
    let Machine {
        resource, context, ..
    } = machine;
    let names = machine.phases.iter().map(|phase| &phase.name);
    let machine = machine_impl(
        machine,
        &Parts {
            resource: quote! { #resource },
            context: quote! { #context },
            budget: duration(machine.budget),
            all: quote! { &[#(Self::#names),*] },
            info: quote! { &Self::GRAPH.phases[self as usize] },
            dispatch: quote! { match self { #(#arms)* } },
        },
    );
    quote! { #(#markers)* #machine #arrows #finalizer }
}

/// What handlers need of a machine that was refused: every phase, and every move allowed.
pub(super) fn fallback(vis: &Visibility, machine: &Machine, generics: &Generics) -> TokenStream {
    let name = &machine.name;
    let phases = free_names(machine);
    let unit = machine.phases.iter().find(|phase| !phase.has_fields);
    let (Some(unit), Some(resource), true) = (unit, &machine.resource, generics.params.is_empty())
    else {
        return phases
            .iter()
            .map(|phase| marker(vis, machine, phase))
            .collect();
    };
    let context = match &machine.context {
        Some(context) => quote! { #context },
        None => quote! { () },
    };
    let markers = phases.iter().map(|phase| {
        let value = if phase.has_fields { unit } else { phase };
        let marker = marker(vis, machine, phase);
        let phase_impl = phase_impl(machine, phase, value);
        quote! { #marker #phase_impl }
    });
    let names = phases.iter().map(|phase| &phase.name);
    let machine = machine_impl(
        machine,
        &Parts {
            resource: quote! { #resource },
            context,
            budget: quote! { ::core::time::Duration::MAX },
            all: quote! { &[] },
            info: quote! { ::core::unreachable!() },
            dispatch: quote! { let _ = (object, run); ::core::unreachable!() },
        },
    );
    quote! {
        #(#markers)*
        #machine
        #(
            impl<To: ::opgen_runtime::phase::Phase<Machine = #name>> ::opgen_runtime::phase::MovesTo<To> for #names {}
            impl ::opgen_runtime::phase::FinalizerPhase for #names {}
        )*
    }
}

/// The phases whose name may become a type beside the enum.
fn free_names(machine: &Machine) -> Vec<&Phase> {
    let mut free: Vec<&Phase> = Vec::new();
    for phase in &machine.phases {
        if !machine.is_taken(&phase.name) && free.iter().all(|other| other.name != phase.name) {
            free.push(phase);
        }
    }
    free
}

fn marker(vis: &Visibility, machine: &Machine, phase: &Phase) -> TokenStream {
    let (machine, name) = (&machine.name, &phase.name);
    let doc = if phase.doc.is_empty() {
        format!(" The phase `{name}` of [`{machine}`].")
    } else {
        format!(" {} (A phase of [`{machine}`].)", phase.doc)
    };
    quote! {
        #[doc = #doc]
        #[derive(Clone, Copy, Debug)]
        #vis struct #name;
    }
}

fn phase_impl(machine: &Machine, phase: &Phase, value: &Phase) -> TokenStream {
    let (machine, name, value) = (&machine.name, &phase.name, &value.name);
    quote! {
        #[automatically_derived]
        impl ::opgen_runtime::phase::Phase for #name {
            type Machine = #machine;
            const PHASE: #machine = #machine::#value;
        }
    }
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

/// Where the impl of a refused machine differs.
struct Parts {
    resource: TokenStream,
    context: TokenStream,
    budget: TokenStream,
    all: TokenStream,
    info: TokenStream,
    dispatch: TokenStream,
}

fn machine_impl(machine: &Machine, parts: &Parts) -> TokenStream {
    let Parts {
        resource,
        context,
        budget,
        all,
        info,
        dispatch,
    } = parts;
    let name = &machine.name;
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
            const ALL: &'static [Self] = #all;

            fn name(self) -> &'static str {
                self.info().name
            }

            fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
                #info
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
    let drawn = Graph::from(machine);
    let (mermaid, svg) = (graph::mermaid(&drawn), graph::svg(&drawn));
    quote! {
        ::opgen_runtime::graph::PhaseGraph {
            machine: #name,
            phases: &[#(#phases),*],
            mermaid: #mermaid,
            svg: #svg,
        }
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
