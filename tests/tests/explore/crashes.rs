//! Every crash, and every pair.

use opgen_testkit::{Replay, Violation};

use crate::shop::{Mistake, scenario};

#[test]
fn every_crash_and_every_pair_is_survived() {
    let explored = scenario(Mistake::None).explore_crash_pairs();
    assert!(explored.writes >= 9, "{explored}");
    assert_eq!(explored.crashes, 2 * explored.writes);
    assert!(explored.pairs > explored.crashes, "{explored}");
}

#[test]
fn a_create_that_forgets_its_key_is_found_and_replayed() {
    let wrong = scenario(Mistake::ForgetsKeys);
    let explored = wrong.explore();
    // The same seed, the same lives, whatever the threads do.
    assert_eq!(wrong.explore().to_string(), explored.to_string());
    let (replay, violation) = explored.violations.first().expect("found");
    let replay = replay.as_ref().expect("undisturbed all is well");
    assert!(
        matches!(violation, Violation::Outside { found, .. } if found.created == 2),
        "{explored}"
    );
    assert_eq!(wrong.replay(&replay.to_string()), Err(violation.clone()));
    assert_eq!(scenario(Mistake::None).replay(&replay.to_string()), Ok(()));
}

#[test]
fn a_child_with_a_name_for_each_try_is_found() {
    let explored = scenario(Mistake::NamesTheChildByTime).explore();
    let found = |(replay, violation): &(Option<Replay>, Violation)| {
        replay.is_some() && matches!(violation, Violation::Children { .. })
    };
    assert!(explored.violations.iter().any(found), "{explored}");
}

#[test]
fn a_point_that_never_comes_is_said() {
    let never = scenario(Mistake::None).replay("99b");
    assert!(
        matches!(never, Err(Violation::NoSuchMoment(_))),
        "{never:?}"
    );
}
