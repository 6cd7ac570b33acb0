//! Every verb of the role is needed, and no other.

use crate::shop::{Mistake, operator, scenario};

#[test]
fn each_single_verb_is_needed() {
    let checked = scenario(Mistake::None).check_role();
    assert!(checked.is_least(), "{checked}");
    let said = operator(Mistake::None);
    let verbs = said.role().into_iter().chain(said.role_at_home());
    let verbs: usize = verbs.map(|rule| rule.verbs.len()).sum();
    assert_eq!(checked.permissions.len(), verbs, "{checked}");
}

#[test]
fn what_nothing_needs_is_found() {
    let checked = scenario(Mistake::AsksForTooMuch).check_role();
    let needless: Vec<_> = checked.needless.iter().map(ToString::to_string).collect();
    assert_eq!(
        needless,
        ["get", "create", "patch"].map(|verb| format!("ClusterRole/shop-operator: {verb} secrets")),
        "{checked}"
    );
}
