//! Owned objects and watched dependencies.
//!
//! A kind says which kinds it owns ([`KindOptions::owns`](crate::operator::KindOptions::owns)) and which it refers to
//! ([`KindOptions::watches`](crate::operator::KindOptions::watches)). Each of them has a watch and a cache of its own;
//! a handler reads from the cache and never from the server, and writes by server-side apply:
//! [`Cx::apply`](crate::cx::Cx::apply), [`Cx::child`](crate::cx::Cx::child), [`Cx::related`](crate::cx::Cx::related).

mod adoption;
mod apply;
mod budget;
mod caches;
mod contains;
mod content;
mod declared;
mod desired;
mod erased;
mod error;
mod handle;
mod memo;
mod metadata;
mod names;
mod owner;
mod pace;
mod policy;
mod reference;
mod related;
mod remove;
mod request;
mod scope;
mod seen;
mod store;
mod undecodable;

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};

pub use desired::DESIRED_HASH_ANNOTATION;
pub use error::ChildError;
pub use owner::OWNER_KIND_LABEL;
pub use policy::{Adopt, OwnedOptions, WatchedOptions};
pub use reference::ObjectRef;

pub(crate) use caches::{Children, Index};
pub(crate) use declared::Declared;
pub(crate) use desired::YIELDED_ANNOTATION;
pub(crate) use owner::is_namespaced;
pub(crate) use scope::{ChildNotes, ChildScope};

/// A kind that can be owned or watched: any typed resource, built-in or custom, namespaced or not. Implemented for
/// every type that fits.
pub trait ChildResource:
    kube::Resource<DynamicType = ()>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<T> ChildResource for T where
    T: kube::Resource<DynamicType = ()>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}
