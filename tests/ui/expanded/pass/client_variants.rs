pub(crate) trait Registry: ::core::marker::Send + ::core::marker::Sync + 'static {
    /// Owned arguments are cloned for a retry.
    fn tag<'call>(
        &'call self,
        name: String,
        tags: Vec<String>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>>;
    /// Borrowed data, elided and hidden lifetimes.
    fn send<'call>(
        &'call self,
        bytes: &'call [u8],
        label: Option<&'call str>,
        cow: std::borrow::Cow<'call, str>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        Result<usize, CallError>,
    >;
    /// Looks without a key.
    fn anything<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Observed<String>>,
    >;
    /// Goes to a region.
    fn list<'call>(
        &'call self,
        region: &'call str,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Vec<String>>,
    >;
    /// Goes to a region whose name is owned.
    fn count<'call>(
        &'call self,
        region: String,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<usize>,
    >;
    /// Always goes to the same one.
    fn bill<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<u64>>;
    /// Has a body.
    fn ping<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<bool>,
    > {
        ::std::boxed::Box::pin(async move {
            let sent = self.send(b"ping", None, "".into()).await?;
            Ok(sent == 4)
        })
    }
    fn same(&self, left: &str, right: &str) -> bool {
        left == right
    }
}
/// A [`Registry`] whose every call has a timeout, a permit and a breaker. It stands in the context; handlers get a [`RegistryHandle`] of it.
#[derive(Clone)]
pub(crate) struct BoundedRegistry {
    inner: ::std::sync::Arc<dyn Registry>,
    guard: ::opgen_runtime::external::Guard,
}
#[automatically_derived]
#[allow(dead_code)]
impl BoundedRegistry {
    /// Bounds `inner` as the trait's attribute says.
    pub fn new(inner: impl Registry) -> Self {
        Self::from_arc(::std::sync::Arc::new(inner))
    }
    /// Bounds a shared client as the trait's attribute says.
    #[must_use]
    pub fn from_arc(inner: ::std::sync::Arc<dyn Registry>) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("registry", Self::settings());
        Self { inner, guard }
    }
    /// Bounds `inner` in another way; begin with [`settings`](Self::settings).
    pub fn with_settings(
        inner: impl Registry,
        settings: ::opgen_runtime::external::ClientSettings,
    ) -> Self {
        let guard = ::opgen_runtime::external::Guard::new("registry", settings);
        Self {
            inner: ::std::sync::Arc::new(inner),
            guard,
        }
    }
    /// The bounds that the trait's attribute gives.
    #[must_use]
    pub fn settings() -> ::opgen_runtime::external::ClientSettings {
        ::opgen_runtime::external::ClientSettings {
            bulkhead: 4usize,
            ..::core::default::Default::default()
        }
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
impl ::core::fmt::Debug for BoundedRegistry {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.debug_struct("BoundedRegistry")
            .field("guard", &self.guard)
            .finish_non_exhaustive()
    }
}
#[automatically_derived]
impl ::opgen_runtime::context::ContextField for BoundedRegistry {}
#[automatically_derived]
impl ::opgen_runtime::context::BoundedClient for BoundedRegistry {
    type Handle = RegistryHandle;
    fn handle(&self, scope: ::opgen_runtime::external::CallScope) -> RegistryHandle {
        RegistryHandle {
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
/// A [`BoundedRegistry`] within one handler: no call outlives the handler's time.
#[derive(Clone, Debug)]
pub(crate) struct RegistryHandle {
    client: BoundedRegistry,
    scope: ::opgen_runtime::external::CallScope,
}
#[automatically_derived]
#[allow(dead_code)]
impl RegistryHandle {
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
    /// Owned arguments are cloned for a retry.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn tag(&self, name: String, tags: Vec<String>) -> CallResult<()> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("tag").idempotent(),
                || Registry::tag(
                    &*self.client.inner,
                    ::core::clone::Clone::clone(&name),
                    ::core::clone::Clone::clone(&tags),
                ),
            )
            .await
    }
    /// Borrowed data, elided and hidden lifetimes.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn send(
        &self,
        bytes: &[u8],
        label: Option<&str>,
        cow: std::borrow::Cow<'_, str>,
    ) -> Result<usize, CallError> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("send"),
                || Registry::send(
                    &*self.client.inner,
                    bytes,
                    ::core::clone::Clone::clone(&label),
                    ::core::clone::Clone::clone(&cow),
                ),
            )
            .await
    }
    /// Looks without a key.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn anything(&self) -> CallResult<Observed<String>> {
        self.client
            .guard
            .observe(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("anything"),
                ::core::option::Option::None,
                || Registry::anything(&*self.client.inner),
            )
            .await
    }
    /// Goes to a region.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn list(&self, region: &str) -> CallResult<Vec<String>> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("list")
                    .idempotent()
                    .target(<_ as ::core::convert::AsRef<str>>::as_ref(&region)),
                || Registry::list(&*self.client.inner, region),
            )
            .await
    }
    /// Goes to a region whose name is owned.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn count(&self, region: String) -> CallResult<usize> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("count")
                    .target(<_ as ::core::convert::AsRef<str>>::as_ref(&region)),
                || Registry::count(
                    &*self.client.inner,
                    ::core::clone::Clone::clone(&region),
                ),
            )
            .await
    }
    /// Always goes to the same one.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn bill(&self) -> CallResult<u64> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("bill").target("billing"),
                || Registry::bill(&*self.client.inner),
            )
            .await
    }
    /// Has a body.
    ///
    /// # Errors
    /// What the call returned, or that a bound was met.
    pub async fn ping(&self) -> CallResult<bool> {
        self.client
            .guard
            .call(
                &self.scope,
                ::opgen_runtime::external::CallOptions::new("ping")
                    .timeout(::core::time::Duration::from_millis(250u64)),
                || Registry::ping(&*self.client.inner),
            )
            .await
    }
    /// Calls [`Registry::same`] within the bounds.
    pub fn same(&self, left: &str, right: &str) -> bool {
        Registry::same(&*self.client.inner, left, right)
    }
}
impl<T: Send + Sync + 'static> Registry for Memory<T> {
    fn tag<'call>(
        &'call self,
        name: String,
        mut tags: Vec<String>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<()>> {
        ::std::boxed::Box::pin(async move {
            tags.push(name);
            Ok(())
        })
    }
    fn send<'call>(
        &'call self,
        bytes: &'call [u8],
        _: Option<&'call str>,
        _: std::borrow::Cow<'call, str>,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        Result<usize, CallError>,
    > {
        ::std::boxed::Box::pin(async move {
            if bytes.is_empty() {
                return Err(CallError::rejected("nothing to send"));
            }
            Ok(bytes.len())
        })
    }
    fn list<'call>(
        &'call self,
        region: &'call str,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Vec<String>>,
    > {
        ::std::boxed::Box::pin(async move { Ok(vec![region.to_owned()]) })
    }
    fn count<'call>(
        &'call self,
        region: String,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<usize>,
    > {
        ::std::boxed::Box::pin(async move { Ok(region.len()) })
    }
    fn bill<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<'call, CallResult<u64>> {
        ::std::boxed::Box::pin(async move { Ok(1) })
    }
    fn anything<'call>(
        &'call self,
    ) -> ::opgen_runtime::__private::futures::future::BoxFuture<
        'call,
        CallResult<Observed<String>>,
    > {
        ::std::boxed::Box::pin(async move {
            Ok(Observed::Unknown("nobody looked".to_owned()))
        })
    }
}
