//! What may differ between the kinds of one operator.

use std::{sync::Arc, time::Duration};

use crate::{
    children::{ChildResource, Declared, ObjectRef, OwnedOptions, WatchedOptions},
    engine::{bucket::Rate, groups::GroupBy, kind::Limits, predicate::Watched},
    phase::PhaseMachine,
};

/// What may differ between the kinds of one operator.
pub struct KindOptions<M: PhaseMachine> {
    pub(super) watched: Watched,
    pub(super) limits: Limits,
    pub(super) labels: Option<String>,
    pub(super) declared: Declared<M::Resource>,
    pub(super) former_finalizers: Vec<String>,
    pub(super) group_by: Option<GroupBy<M::Resource>>,
}

impl<M: PhaseMachine> std::fmt::Debug for KindOptions<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KindOptions")
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}

impl<M: PhaseMachine> KindOptions<M> {
    /// Objects of kind `T` may be made as children: see [`Cx::apply`](crate::cx::Cx::apply).
    #[must_use]
    pub fn owns<T: ChildResource>(self) -> Self {
        self.owns_with::<T>(|options| options)
    }

    /// The same, with options.
    #[must_use]
    pub fn owns_with<T: ChildResource>(
        mut self,
        options: impl FnOnce(OwnedOptions) -> OwnedOptions,
    ) -> Self {
        self.declared.own::<T>(options(OwnedOptions::default()));
        self
    }

    /// The object refers to objects of kind `T`: those that `refs` names. A change of one of them wakes it, and
    /// [`Cx::related`](crate::cx::Cx::related) finds them without a request.
    #[must_use]
    pub fn watches<T: ChildResource>(
        self,
        refs: impl Fn(&M::Resource) -> Vec<ObjectRef> + Send + Sync + 'static,
    ) -> Self {
        self.watches_with::<T>(refs, |options| options)
    }

    /// The same, with options.
    #[must_use]
    pub fn watches_with<T: ChildResource>(
        mut self,
        refs: impl Fn(&M::Resource) -> Vec<ObjectRef> + Send + Sync + 'static,
        options: impl FnOnce(WatchedOptions) -> WatchedOptions,
    ) -> Self {
        let options = options(WatchedOptions::default());
        self.declared.refer::<T>(options, refs);
        self
    }

    /// Also run when this label changes.
    #[must_use]
    pub fn watch_label(mut self, name: impl Into<String>) -> Self {
        self.watched.labels.push(name.into());
        self
    }

    /// Also run when this annotation changes.
    #[must_use]
    pub fn watch_annotation(mut self, name: impl Into<String>) -> Self {
        self.watched.annotations.push(name.into());
        self
    }

    /// Only objects with these labels.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// How many runs at a time (default 256).
    #[must_use]
    pub fn in_flight(mut self, runs: usize) -> Self {
        self.limits.in_flight = runs.max(1);
        self
    }

    /// Objects of one group (a tenant, a class of work) together take at most their share of the runs at a time: see
    /// [`group_share`](Self::group_share). Groups should be few: the first twenty have a metric of their own.
    #[must_use]
    pub fn group_by(
        mut self,
        group: impl Fn(&M::Resource) -> String + Send + Sync + 'static,
    ) -> Self {
        self.group_by = Some(GroupBy(Arc::new(group)));
        self
    }

    /// What one group may take of the runs at a time, from 0 to 1 (default 0.25; at least one run).
    #[must_use]
    pub fn group_share(mut self, share: f64) -> Self {
        self.limits.group_share = share;
        self
    }

    /// How many retries after errors there are, of all objects together: so many at once, then so many a minute
    /// (default 500, then 6000).
    #[must_use]
    pub fn retries(mut self, burst: u32, a_minute: u32) -> Self {
        self.limits.retries = Rate::per_minute(burst, a_minute);
        self
    }

    /// How many background jobs at a time (default 16): see [`Cx::job`](crate::cx::Cx::job).
    #[must_use]
    pub fn jobs(mut self, places: usize) -> Self {
        self.limits.jobs = places;
        self
    }

    /// The brake on mass deletions: so many clean-ups may begin at once, then so many a minute (default 20, then 30).
    /// Those above wait, with the event `MassDeletion`; the annotation `opgen.dev/allow-destroy: "true"` lets one pass.
    #[must_use]
    pub fn mass_deletion(mut self, burst: u32, a_minute: u32) -> Self {
        self.limits.destroys = Rate::per_minute(burst, a_minute);
        self
    }

    /// Finalizers by which former versions held these objects, such as those of the operator that this one takes over
    /// from. On a living object the present one (`<group>/cleanup`) takes their place in one patch; on one that is being
    /// deleted they count as ours, so they come off when the clean-up is done, and not before.
    #[must_use]
    pub fn former_finalizers<S: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = S>,
    ) -> Self {
        self.former_finalizers
            .extend(names.into_iter().map(Into::into));
        self
    }

    /// How often a settled object is looked at, where its phase does not say (default 10 min).
    #[must_use]
    pub fn resync(mut self, every: Duration) -> Self {
        self.limits.resync = every;
        self
    }
}
