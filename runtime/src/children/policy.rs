//! What may differ between the owned and watched kinds.

use std::time::Duration;

/// Whether an object that exists already, and that is not ours, may be taken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adopt {
    /// Never: the object is left as it is, and the owner says so.
    #[default]
    Never,
    /// If no controller owns it.
    IfUnowned,
    /// Whoever owns it: the other controller's reference is taken off.
    Always,
}

/// The options of an owned kind.
#[derive(Clone, Debug, Default)]
pub struct OwnedOptions {
    pub(crate) adopt: Adopt,
    pub(crate) yields: Vec<String>,
    pub(crate) recreate: bool,
    pub(crate) deletes: bool,
    pub(crate) yields_on_conflict: bool,
    pub(crate) rollout: Rollout,
}

/// How fast children change that no spec asked to change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rollout {
    pub(crate) burst: u32,
    pub(crate) every: Duration,
}

impl Default for Rollout {
    fn default() -> Self {
        Self {
            burst: 10,
            every: Duration::from_secs(1),
        }
    }
}

impl OwnedOptions {
    /// The field at this JSON pointer (`/spec/replicas`) is set when the object is created and is somebody else's from
    /// then on: an autoscaler's, for example. The pointer leads through objects, not through lists. May be called more
    /// than once.
    #[must_use]
    pub fn yields(mut self, pointer: impl Into<String>) -> Self {
        self.yields.push(pointer.into());
        self
    }

    /// What to do with an object of that name that is not ours (default: [`Adopt::Never`]).
    #[must_use]
    pub fn adopts(mut self, adopt: Adopt) -> Self {
        self.adopt = adopt;
        self
    }

    /// When the server refuses a change because a field is immutable, the object is deleted and made anew. By default
    /// the owner holds and says why: what a workload keeps may be lost with it.
    #[must_use]
    pub fn recreate_on_immutable(mut self) -> Self {
        self.recreate = true;
        self
    }

    /// Handlers delete children of this kind, by `cx.delete_child` or `cx.prune`. Without it those refuse, and the role
    /// does not allow it: what nobody asked for, nobody can do by mistake.
    #[must_use]
    pub fn deletes(mut self) -> Self {
        self.deletes = true;
        self
    }

    /// How many children of converged owners may change in a minute (default 60, and ten at once): what a new version
    /// of the operator, or a dependency, changes about all of them must not roll every workload at the same time.
    /// Creates, heals, and what a changed spec asks for do not count.
    #[must_use]
    pub fn updates_per_minute(mut self, updates: u32) -> Self {
        let every = Duration::from_secs(60) / updates.max(1);
        self.rollout = Rollout {
            burst: updates.clamp(1, 10),
            every,
        };
        self
    }

    /// A field that another manager has set otherwise is a conflict that the owner holds on. By default it is taken.
    #[must_use]
    pub fn without_force(mut self) -> Self {
        self.yields_on_conflict = true;
        self
    }
}

/// The options of a watched kind. To keep no more than metadata, watch `PartialObjectMeta<Secret>` instead of `Secret`.
#[derive(Clone, Debug, Default)]
pub struct WatchedOptions {
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
}

impl WatchedOptions {
    /// Only objects with these labels are watched and cached; others count as absent.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Only objects with these fields (`type=kubernetes.io/tls`) are watched and cached; others count as absent.
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }
}
