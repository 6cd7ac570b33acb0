//! What a run writes into the object's metadata: finalizer and identity, in one patch.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::{
    engine::{
        api::{Part, Patched},
        attempts,
        driver::{Driver, failed, retry},
        finalizer::{self, Operation},
        kind::Kind,
        report::Next,
    },
    identity::Identity,
    mutant::{Mutant, mutated},
    phase::PhaseMachine,
};

/// How often a patch is computed anew after somebody else wrote first, before the run gives up.
const RACES: usize = 4;

impl<M: PhaseMachine> Driver<M> {
    /// Sends a metadata patch, made anew as often as others write first; `None` = nothing to send.
    pub(super) async fn patch_meta(
        &mut self,
        make: impl Fn(&ObjectMeta) -> Option<Vec<Operation>>,
    ) -> Result<(), Next> {
        for _ in 0..RACES {
            let Some(patch) = make(self.meta()) else {
                return Ok(());
            };
            match self.kind.api.patch(&self.key, Part::Main, &patch).await {
                Patched::Done(envelope) => return self.take(envelope, true),
                Patched::Gone => return Err(Next::Released),
                Patched::TestFailed => self.refresh().await?,
                Patched::Refused(message) => {
                    return Err(retry(format!("the server refuses our metadata: {message}")));
                }
                Patched::Failed(error) => return Err(failed(&error)),
            }
        }
        Err(retry(
            "others keep changing the object's metadata".to_owned(),
        ))
    }

    /// Finalizer and identity are on the object before any handler may touch the outside.
    pub(super) async fn adopt(&mut self) -> Result<Identity, Next> {
        if Kind::<M>::finalizer_phase().is_some() {
            let (kind, kept) = (Arc::clone(&self.kind), self.kept_identity());
            self.patch_meta(|meta| {
                let written = finalizer::identity_of(meta);
                let known = attempts::known(meta, kept.as_ref(), kind.clock.now());
                let complete =
                    written.is_some() && written == known && kind.finalizer.is_complete(meta);
                if complete || meta.deletion_timestamp.is_some() {
                    return None;
                }
                let identity = known.unwrap_or_else(|| attempts::first(meta, kind.clock.now()));
                Some(kind.finalizer.adopt(meta, &identity))
            })
            .await?;
        }
        if self.meta().deletion_timestamp.is_some() {
            return Err(Next::Again);
        }
        Ok(self.identity())
    }

    pub(super) fn identity(&self) -> Identity {
        let (meta, started_at) = (self.meta(), self.kind.started_at);
        let found = self.identity.get_or_init(|| {
            attempts::known(meta, self.kept_identity().as_ref(), started_at)
                .unwrap_or_else(|| attempts::first(meta, started_at))
        });
        let mut identity = found.clone();
        if mutated(Mutant::StableKey) {
            identity.uid = format!("{}-{}", started_at.as_second(), identity.uid);
        }
        identity
    }

    /// Leaving the failed phase is a new attempt: recorded before the status says so.
    pub(super) async fn next_attempt(&mut self, identity: &Identity) -> Result<Identity, Next> {
        let next = identity.next_attempt(self.kind.clock.now());
        let (wanted, uid) = (next.clone(), self.meta().uid.clone());
        self.patch_meta(|meta| {
            let known = finalizer::identity_of(meta);
            let done = known
                .as_ref()
                .is_some_and(|known| known.attempt >= wanted.attempt);
            (!done && meta.uid == uid).then(|| finalizer::next_attempt(meta, &wanted))
        })
        .await?;
        Ok(self.identity())
    }
}
