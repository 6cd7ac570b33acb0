//! Leader election: of several processes of one operator, one works.
//!
//! A Lease with resourceVersion preconditions says who. Nobody's wall clock counts: a candidate waits until it has
//! seen the same renewal for the whole lease duration by its own monotonic clock, and the leader stops a renewal
//! deadline after it *sent* the last one that succeeded. Since the deadline is shorter than the duration, the leader
//! has stopped before its successor starts, whatever the network did in between.
//!
//! The lease lives on a thread, a runtime and a client of its own: a blocked executor, or writes that wait in line,
//! cannot lose it.

mod api;
mod elector;
mod record;

use std::time::Duration;

use tokio::{
    sync::{oneshot, watch},
    task::JoinHandle,
};

use crate::{
    clients::Clients, clock::SharedClock, manifests::RoleRule, mutant::carried, operator::Placement,
};
use api::LeaseApi;
use elector::Elector;

/// How to elect. The defaults are those of the Kubernetes components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaderElection {
    /// The name of this candidate, unlike that of any other: by default the host's name (in a pod, the pod's) and
    /// random letters, since a restarted container has the same host name.
    pub identity: String,
    /// How long others wait for a leader that does not renew (default 15 s, whole seconds).
    pub lease_duration: Duration,
    /// How long the leader goes on after the start of its last successful renewal (default 10 s).
    pub renew_deadline: Duration,
    /// How often the lease is renewed or asked for, up to a fifth longer (default 2 s).
    pub retry_period: Duration,
}

impl Default for LeaderElection {
    fn default() -> Self {
        let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "operator".to_owned());
        let random: String = (0..8).map(|_| fastrand::alphanumeric()).collect();
        Self {
            identity: format!("{host}_{random}"),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

impl LeaderElection {
    /// Whether the numbers can work.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn check(&self) -> Result<(), String> {
        if self.identity.is_empty() {
            return Err(
                "leader election: the identity is empty: give each process its own".to_owned(),
            );
        }
        if self.lease_duration < Duration::from_secs(1) || self.lease_duration.subsec_nanos() > 0 {
            return Err(format!(
                "leader election: the lease duration is {:?}: the server keeps whole seconds, at least one",
                self.lease_duration
            ));
        }
        // Requests under way when the leader stops need time to end, and clocks do not tick alike.
        if self.renew_deadline.mul_f64(1.25) > self.lease_duration {
            return Err(format!(
                "leader election: a renew deadline of {:?} leaves too little of a lease duration of {:?}: four fifths of it at most",
                self.renew_deadline, self.lease_duration
            ));
        }
        if self.retry_period.is_zero() || self.retry_period.mul_f64(2.4) > self.renew_deadline {
            return Err(format!(
                "leader election: a retry period of {:?} does not allow two tries within the renew deadline of {:?}",
                self.retry_period, self.renew_deadline
            ));
        }
        Ok(())
    }
}

/// Where a candidate stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Another one leads, or nobody yet.
    Waiting,
    /// This process leads.
    Leading,
    /// It did, and must not any more.
    Lost(String),
    /// It may not even ask.
    Refused(String),
    /// It gave the lease back.
    Released,
}

/// The name of the lease of an operator. One that looks after a single namespace has its own.
pub(crate) fn name(operator: &str, only_in: Option<&str>) -> String {
    match only_in {
        Some(namespace) => format!("{operator}-{namespace}"),
        None => operator.to_owned(),
    }
}

/// What the lease needs in the operator's own namespace.
pub(crate) fn rules(lease: &str) -> Vec<RoleRule> {
    let rule = |names: Vec<String>, verbs: Vec<&'static str>| RoleRule {
        group: "coordination.k8s.io".to_owned(),
        resource: "leases".to_owned(),
        names,
        verbs,
        cluster: false,
    };
    vec![
        // A create has no name that a role could be bound to.
        rule(Vec::new(), vec!["create"]),
        rule(vec![lease.to_owned()], vec!["get", "update"]),
    ]
}

/// A process that wants to lead. Dropped, it ends without a release: the lease runs out.
pub struct Candidacy {
    standing: watch::Receiver<Standing>,
    orders: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Candidacy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Candidacy").finish_non_exhaustive()
    }
}

impl Drop for Candidacy {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Where the lease is.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Candidacy {
    /// Begins to ask for the lease. From then on `clients` write only while this process leads.
    ///
    /// # Errors
    /// If the numbers cannot work, or the thread or its client cannot be made.
    pub fn start(
        placement: Placement,
        election: LeaderElection,
        place: Place,
        clients: &Clients,
        clock: SharedClock,
    ) -> Result<Self, String> {
        election.check()?;
        let (tell, standing) = watch::channel(Standing::Waiting);
        let (orders, ordered) = oneshot::channel();
        let elector = {
            let clients = clients.clone();
            move || -> Result<Elector, String> {
                Ok(Elector {
                    api: LeaseApi {
                        client: clients.for_lease().map_err(|error| error.to_string())?,
                        namespace: place.namespace,
                        name: place.name,
                    },
                    election,
                    clock,
                    fence: clients.fence_switch(),
                    metrics: clients.metrics().clone(),
                })
            }
        };
        let task = match placement {
            Placement::Inline => Some(tokio::spawn(elector()?.run(tell, ordered))),
            Placement::Threads => {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(|error| format!("no runtime for the lease: {error}"))?;
                std::thread::Builder::new()
                    .name("lease".to_owned())
                    .spawn(carried(move || {
                        runtime.block_on(async {
                            match elector() {
                                Ok(elector) => elector.run(tell, ordered).await,
                                Err(why) => {
                                    tell.send_replace(Standing::Refused(why));
                                }
                            }
                        });
                    }))
                    .map_err(|error| format!("no thread for the lease: {error}"))?;
                None
            }
        };
        Ok(Self {
            standing,
            orders: Some(orders),
            task,
        })
    }

    /// Waits until this process leads.
    ///
    /// # Errors
    /// If it never will.
    pub async fn led(&self) -> Result<(), String> {
        let mut standing = self.standing.clone();
        let settled = standing
            .wait_for(|standing| *standing != Standing::Waiting)
            .await;
        match settled.as_deref() {
            Ok(Standing::Leading) => Ok(()),
            Ok(Standing::Lost(why) | Standing::Refused(why)) => Err(why.clone()),
            Ok(Standing::Waiting | Standing::Released) | Err(_) => {
                Err("the lease's thread has ended".to_owned())
            }
        }
    }

    /// Waits until the lease is lost, and says why.
    pub async fn lost(&self) -> String {
        let mut standing = self.standing.clone();
        let lost = standing
            .wait_for(|standing| !matches!(standing, Standing::Waiting | Standing::Leading))
            .await;
        match lost.as_deref() {
            Ok(Standing::Lost(why) | Standing::Refused(why)) => why.clone(),
            // A thread that panicked renews nothing.
            _ => "the lease's thread has ended".to_owned(),
        }
    }

    /// Gives the lease back, once nothing is under way any more.
    pub async fn release(mut self) {
        if let Some(orders) = self.orders.take() {
            let _ = orders.send(());
        }
        let _ = self
            .standing
            .wait_for(|standing| !matches!(standing, Standing::Waiting | Standing::Leading))
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_can_work_are_accepted() {
        assert_eq!(LeaderElection::default().check(), Ok(()));
        let with = |lease, renew, retry| LeaderElection {
            lease_duration: Duration::from_secs(lease),
            renew_deadline: Duration::from_secs(renew),
            retry_period: Duration::from_secs(retry),
            ..LeaderElection::default()
        };
        assert!(with(10, 10, 2).check().is_err(), "no margin");
        assert!(with(0, 0, 0).check().is_err());
        assert!(with(15, 4, 2).check().is_err(), "one try only");
    }

    #[test]
    fn identities_differ() {
        assert_ne!(
            LeaderElection::default().identity,
            LeaderElection::default().identity
        );
    }
}
