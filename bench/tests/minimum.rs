//! What an operator asks of the server: not a request more than it has to.
#![allow(clippy::unwrap_used)]

use opgen_bench::{case::Side, idle};

#[test]
fn an_object_costs_two_writes_and_an_idle_hour_none() {
    let objects = 20;
    let figure = idle::measure(Side::Opgen, objects, 3).unwrap();
    // Finalizer and identity in one patch; one phase change, so one status write.
    assert_eq!(figure.main_writes, objects);
    assert_eq!(figure.status_writes, objects);
    assert_eq!(figure.idle_writes, 0);
    // Nothing but watches that are opened again, each after 160 s at the earliest; every resync has run meanwhile.
    let watches = 3 * 3600 / 160 + 1;
    assert!(figure.idle_requests <= watches, "{figure:?}");
    assert!(figure.idle_requests > 0, "nobody watches: {figure:?}");
}

#[test]
fn the_measure_tells_an_operator_that_writes_when_nothing_changed() {
    let figure = idle::measure(Side::Documented, 5, 1).unwrap();
    // Its status patch is unconditional, and it looks at each object every ten minutes.
    assert!(figure.idle_writes >= 5 * 5, "{figure:?}");
}
