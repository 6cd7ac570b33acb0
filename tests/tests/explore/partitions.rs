//! Two replicas, one of them cut off.

use opgen_testkit::Violation;

use crate::shop::{Mistake, scenario};

#[test]
fn a_leader_that_is_cut_off_stops_before_its_successor_starts() {
    assert_eq!(scenario(Mistake::None).explore_partitions(6), Ok(()));
}

#[test]
fn replicas_without_a_leader_are_found() {
    let found = scenario(Mistake::None)
        .without_leader_election()
        .explore_partitions(1);
    assert!(
        matches!(
            found,
            Err(Violation::TwoLeaders(_) | Violation::TwoAtOnce(_))
        ),
        "{found:?}"
    );
}
