pub trait Provider: ::core::marker::Send + ::core::marker::Sync + 'static {
    fn ping<'call>(
        &'call self,
        zone: &'call str,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>>;
    fn pong<'call>(
        &'call self,
        zone: &'call str,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>>;
}
/// A [`Provider`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a [`ProviderHandle`] of it.
#[derive(Clone)]
pub struct BoundedProvider {
    inner: ::std::sync::Arc<dyn Provider>,
    guard: ::opgen_runtime::external::Guard,
}
#[automatically_derived]
#[allow(dead_code)]
impl BoundedProvider {
    /// Bounds `inner` as the trait's attribute says.
    pub fn new(inner: impl Provider) -> Self {
        Self::from_arc(::std::sync::Arc::new(inner))
    }
    /// Bounds a shared client as the trait's attribute says.
    #[must_use]
    pub fn from_arc(inner: ::std::sync::Arc<dyn Provider>) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("provider", Self::settings());
        Self { inner, guard }
    }
    /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
    pub fn with_settings(
        inner: impl Provider,
        settings: ::opgen_runtime::external::ClientSettings,
    ) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("provider", settings);
        Self {
            inner: ::std::sync::Arc::new(inner),
            guard,
        }
    }
    /// The bounds that the trait's attribute gives.
    #[must_use]
    pub fn settings() -> ::opgen_runtime::external::ClientSettings {
        ::core::default::Default::default()
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
impl ::core::fmt::Debug for BoundedProvider {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.debug_struct("BoundedProvider")
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::ContextField for BoundedProvider {}
#[automatically_derived]
impl ::opgen_runtime::context::BoundedClient for BoundedProvider {
    type Handle = ProviderHandle;
    fn handle(&self, scope: ::opgen_runtime::external::CallScope) -> ProviderHandle {
        ProviderHandle {
            client: ::core::clone::Clone::clone(self),
            scope,
        }
    }
    fn guard(&self) -> &::opgen_runtime::external::Guard {
        &self.guard
    }
    fn guarded_by(self, guard: ::opgen_runtime::external::Guard) -> Self {
        Self { guard, ..self }
    }
}
/// A [`BoundedProvider`] within one handler: no call outlives the handler's time.
#[derive(Clone, Debug)]
pub struct ProviderHandle {
    client: BoundedProvider,
    scope: ::opgen_runtime::external::CallScope,
}
#[automatically_derived]
#[allow(dead_code)]
impl ProviderHandle {
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
    /// Calls [`Provider::ping`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    #[allow(unused_variables)]
    pub async fn ping(&self, zone: &str) -> CallResult<()> {
        ::core::unreachable!()
    }
    /// Calls [`Provider::pong`] within the bounds.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    #[allow(unused_variables)]
    pub async fn pong(&self, zone: &str) -> CallResult<()> {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "`ping` has no argument `region`: name the one that says which region, endpoint or account the call goes to"
}
::core::compile_error! {
    "`target` is the name of an argument, as in `target = region`, or a text, as in `target = \"eu\"`"
}
