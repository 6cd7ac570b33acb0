//! What handlers may use, and the proof that every client in it is bounded.

use crate::external::{CallScope, Guard};

/// What a machine's handlers may use. Implemented by `#[derive(MachineContext)]`, which asserts every field.
pub trait MachineContext: Send + Sync + 'static {}

/// A type that may stand in a context: a bounded client, or plain data.
#[diagnostic::on_unimplemented(
    message = "`{Self}` in a context is not a bounded client",
    label = "a client without a timeout can hang the reconcile for ever",
    note = "put the calls into a trait marked `#[timeout_client]` and keep the `Bounded..` type it makes; data that makes no calls is marked `#[context(data)]`"
)]
pub trait ContextField {}

/// A client made by `#[timeout_client]`: every call has a timeout, a permit and a breaker.
pub trait BoundedClient: ContextField + Clone + Send + Sync + 'static {
    /// The client as a handler sees it: bound to the handler's deadline.
    type Handle;

    /// The handle for one run.
    fn handle(&self, scope: CallScope) -> Self::Handle;

    /// What bounds it.
    fn guard(&self) -> &Guard;

    /// The same client within the bounds, and with the memory, of another guard.
    #[must_use]
    fn guarded_by(self, guard: Guard) -> Self;
}

macro_rules! data {
    ($($ty:ty),* $(,)?) => { $(impl ContextField for $ty {})* };
}
data!(
    bool,
    u8,
    u16,
    u32,
    u64,
    usize,
    i8,
    i16,
    i32,
    i64,
    isize,
    f32,
    f64,
    char,
    String,
    &'static str,
    std::time::Duration,
    std::path::PathBuf
);

impl<T: ContextField> ContextField for Option<T> {}
impl<T: ContextField> ContextField for Vec<T> {}
impl<T: ContextField> ContextField for std::sync::Arc<T> {}
impl<K, V: ContextField> ContextField for std::collections::BTreeMap<K, V> {}
impl<K, V: ContextField, S> ContextField for std::collections::HashMap<K, V, S> {}
