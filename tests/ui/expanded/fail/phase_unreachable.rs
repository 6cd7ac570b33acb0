/// The phase `Pending` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Pending;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Pending {
    type Machine = Life;
    const PHASE: Life = Life::Pending;
}
/// The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Ready {
    type Machine = Life;
    const PHASE: Life = Life::Ready;
}
/// The phase `Resizing` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Resizing;
#[automatically_derived]
impl ::opgen_runtime::phase::Phase for Resizing {
    type Machine = Life;
    const PHASE: Life = Life::Resizing;
}
#[automatically_derived]
impl Life {
    /// The phases and their arrows, as data.
    pub const GRAPH: ::opgen_runtime::graph::PhaseGraph = ::opgen_runtime::graph::PhaseGraph {
        machine: "Life",
        phases: &[
            ::opgen_runtime::graph::PhaseInfo {
                name: "Pending",
                doc: "",
                to: &["Ready"],
                initial: true,
                steady: false,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Ready",
                doc: "",
                to: &[],
                initial: false,
                steady: true,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
            ::opgen_runtime::graph::PhaseInfo {
                name: "Resizing",
                doc: "",
                to: &["Ready"],
                initial: false,
                steady: false,
                failed: false,
                finalizer: false,
                deadline: ::core::option::Option::None,
                on_deadline: ::core::option::Option::None,
                resync: ::core::option::Option::None,
            },
        ],
        mermaid: "..",
        svg: "..",
    };
}
#[automatically_derived]
impl ::opgen_runtime::phase::PhaseMachine for Life {
    type Resource = Database;
    type Context = Context;
    const GRAPH: ::opgen_runtime::graph::PhaseGraph = Self::GRAPH;
    const BUDGET: ::core::time::Duration = ::core::time::Duration::MAX;
    const ALL: &'static [Self] = &[];
    fn name(self) -> &'static str {
        self.info().name
    }
    fn info(self) -> &'static ::opgen_runtime::graph::PhaseInfo {
        ::core::unreachable!()
    }
    fn crd() -> ::opgen_runtime::__private::serde_json::Value {
        ::opgen_runtime::__private::serde_json::to_value(
                <Database as ::opgen_runtime::__private::kube::CustomResourceExt>::crd(),
            )
            .expect("a CRD is made of JSON")
    }
    fn dispatch<'a>(
        self,
        object: &'a Self::Resource,
        run: &'a mut ::opgen_runtime::cx::Run<Self>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'a,
        ::opgen_runtime::error::Result<::opgen_runtime::step::Outcome<Self>>,
    > {
        let _ = (object, run);
        ::core::unreachable!()
    }
}
impl<
    To: ::opgen_runtime::phase::Phase<Machine = Life>,
> ::opgen_runtime::phase::MovesTo<To> for Pending {}
impl ::opgen_runtime::phase::FinalizerPhase for Pending {}
impl<
    To: ::opgen_runtime::phase::Phase<Machine = Life>,
> ::opgen_runtime::phase::MovesTo<To> for Ready {}
impl ::opgen_runtime::phase::FinalizerPhase for Ready {}
impl<
    To: ::opgen_runtime::phase::Phase<Machine = Life>,
> ::opgen_runtime::phase::MovesTo<To> for Resizing {}
impl ::opgen_runtime::phase::FinalizerPhase for Resizing {}
::core::compile_error! {
    "no arrow reaches `Resizing` from `Pending`: add `Resizing` to the `to(..)` of the phase that leads here, or remove it"
}
