//! An object of that name is there already: ours, a former owner's, nobody's, or somebody else's.

use std::sync::Arc;

use tokio::time::Instant;

use crate::mutant::{Mutant, mutated};
use crate::{
    children::{
        Adopt, ChildError, ChildResource, DESIRED_HASH_ANNOTATION,
        apply::{GOING, Job, Round},
        error::HOLD,
        memo::Refused,
        owner::{Standing, controller_of},
        scope::Stop,
        store::Entry,
    },
    reference::{Reason, reasons},
};

impl<T: ChildResource> Job<'_, T> {
    /// An object that the cache does not show.
    pub(super) async fn found(&self, object: Arc<T>) -> Round<T> {
        let standing = self.standing(&object);
        if standing == Standing::Ours {
            let entry = self.store.answered(object);
            return self.update(entry).await;
        }
        self.admit(&standing, &object, None)?;
        self.take_over(&object, None).await
    }

    pub(super) fn standing(&self, object: &T) -> Standing {
        let kind = &self.scope.children().owner_kind;
        match kind.standing(object.meta(), self.scope.owner()) {
            // Somebody took our reference off: the mark says that it is ours, since the owner's uid is part of it.
            Standing::Unowned if self.is_ours_by_mark(object) => Standing::Ours,
            standing => standing,
        }
    }

    fn is_ours_by_mark(&self, object: &T) -> bool {
        let annotations = object.meta().annotations.as_ref();
        let mark = annotations.and_then(|all| all.get(DESIRED_HASH_ANNOTATION));
        mark.is_some_and(|mark| {
            *mark == self.desired.hash || self.memo(|memo| memo.was_applied(mark))
        })
    }

    /// Whether an object that is not ours may be taken over.
    pub(super) fn admit(
        &self,
        standing: &Standing,
        object: &T,
        live: Option<u64>,
    ) -> Result<(), Stop> {
        if mutated(Mutant::Adoption) {
            return Ok(());
        }
        let (what, adopt) = (self.what(), self.store.options.adopt);
        let refused = match (standing, adopt) {
            (Standing::Ours, _)
            | (Standing::Unowned, Adopt::IfUnowned | Adopt::Always)
            | (Standing::Foreign(_), Adopt::Always) => return Ok(()),
            (Standing::Former, _) => {
                self.memo(|memo| memo.waiter = Some(self.scope.owner().key.clone()));
                let message = format!(
                    "{what} belongs to a former {} of the same name and is about to be collected",
                    self.scope.children().owner_kind.kind
                );
                return Err(ChildError::waits(reasons::FORMER_OWNER, message, GOING).into());
            }
            (Standing::Unowned, Adopt::Never) => format!(
                "{what} exists and is not ours: delete or rename it, or allow it by `.adopts(Adopt::IfUnowned)`"
            ),
            (Standing::Foreign(by), _) => format!(
                "{what} exists and is controlled by {by}: choose another name, or allow it by `.adopts(Adopt::Always)`"
            ),
        };
        tracing::warn!(child = %what, uid = ?object.meta().uid, "adoption refused");
        Err(self.refuse(reasons::ADOPTION_REFUSED, refused, live))
    }

    /// Holds: the same apply onto the same object is not tried again for a while.
    pub(super) fn refuse(&self, reason: Reason, message: String, live: Option<u64>) -> Stop {
        let error = ChildError::blocked(reason, message);
        let refused = Refused {
            hash: self.desired.hash.clone(),
            live,
            // A little less than the owner's own wait, or its next look would come too early for nothing.
            until: Instant::now() + HOLD.mul_f64(0.9),
            error: error.clone(),
        };
        self.memo(|memo| {
            memo.refused = Some(refused);
            memo.waiter = Some(self.scope.owner().key.clone());
        });
        self.count("refused");
        error.into()
    }

    /// Takes over an object that is not ours, as the policy allows.
    pub(super) async fn take_over(&self, object: &Arc<T>, entry: Option<&Entry<T>>) -> Round<T> {
        let meta = object.meta();
        if let Some(other) = controller_of(meta) {
            let owners = meta.owner_references.iter().flatten();
            let index = owners.take_while(|owner| owner.uid != other.uid).count();
            self.requests()
                .disown::<T>(self.key(), index, &other.uid)
                .await?;
        }
        tracing::info!(child = %self.what(), "adopted");
        let uid = meta.uid.as_deref().unwrap_or_default();
        self.send(&self.desired.to_update(uid), entry, false).await
    }
}
