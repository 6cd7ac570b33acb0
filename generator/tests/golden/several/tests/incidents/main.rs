//! The incidents that take operators down, as tests: an in-memory API server, virtual time, no cluster.

mod shop;
mod sign;
mod till;

/// The role that `manifests` prints is the least one: whichever verb is taken out of it, something fails for some kind.
#[test]
fn every_verb_of_the_role_is_needed() {
    let checked = [shop::check_role(), till::check_role(), sign::check_role()];
    let mut needless = checked[0].needless.clone();
    for one in checked {
        assert_eq!(one.violation, None);
        needless.retain(|permission| one.needless.contains(permission));
    }
    assert!(needless.is_empty(), "{needless:?}");
}
