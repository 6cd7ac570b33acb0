//! Every crash, and every pair.

use opgen_testkit::{Replay, Violation};

use crate::shop::{Mistake, scenario};

#[test]
fn every_crash_and_every_pair_is_survived() {
    let began = std::time::Instant::now();
    let explored = scenario(Mistake::None).explore_crashes();
    println!("{explored} {:?}", began.elapsed());
    assert!(explored.writes >= 9, "{explored}");
    assert_eq!(explored.crashes, 2 * explored.writes);
    assert!(explored.pairs > explored.crashes, "{explored}");
}

/// The same seed, the same lives: whatever the threads do.
#[test]
fn an_exploration_is_the_same_every_time() {
    let wrong = scenario(Mistake::ForgetsKeys);
    let (one, two) = (wrong.explore(), wrong.explore());
    assert_eq!(one.to_string(), two.to_string());
    assert!(!one.violations.is_empty());
}

#[test]
fn a_create_that_forgets_its_key_is_found_and_replayed() {
    let wrong = scenario(Mistake::ForgetsKeys);
    let explored = wrong.explore();
    let (replay, violation) = explored.violations.first().expect("found");
    let replay = replay.as_ref().expect("undisturbed all is well");
    assert!(
        matches!(violation, Violation::Outside { found, .. } if found.created == 2),
        "{explored}"
    );
    assert_eq!(wrong.replay(&replay.to_string()), Err(violation.clone()));
    assert_eq!(scenario(Mistake::None).replay(&replay.to_string()), Ok(()));
}

/// What needs two crashes to show is found by the pairs alone.
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
