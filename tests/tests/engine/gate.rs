use opgen_runtime::secs;
use opgen_testkit::Fault;

use crate::gadget::{Fake, gadget, scenario};

/// Building polls each second, the watch is four seconds late, and `create` is not idempotent: a run on a view older
/// than our own write would find the object in Pending and make a second gadget.
#[test]
pub fn no_run_sees_less_than_our_own_last_write() {
    let fake = || {
        Fake::default()
            .that_forgets_keys()
            .with_build_time(secs(20))
    };
    scenario(fake).run(async |world| {
        let lag = Fault::new()
            .verb("watch")
            .resource("gadgets")
            .lag_events(secs(4));
        let lagging = world.cluster.inject(lag);
        world.cluster.create_raw(gadget("a")).unwrap();
        world.ready(&gadget("a")).await;
        assert!(lagging.fired() > 0);
        assert_eq!(world.provider.calls("create"), 1);
    });
}

/// A watch that lost the event of our own write: after five seconds the object is read past the cache, once.
#[test]
pub fn a_missed_event_costs_one_read() {
    scenario(|| Fake::default().with_build_time(secs(20))).run(async |world| {
        world.cluster.inject(
            Fault::new()
                .verb("watch")
                .resource("gadgets")
                .times(4)
                .drop_events(),
        );
        world.cluster.create_raw(gadget("seen-late")).unwrap();
        world.cluster.create_raw(gadget("b")).unwrap();
        world.ready(&gadget("b")).await;
        let reads = world
            .cluster
            .log()
            .count(|entry| entry.verb == "get" && entry.resource == "gadgets");
        assert!(reads <= 4, "{reads} live reads");
    });
}

/// A run whose task panics after a write reports nothing; its successor must know of the write all the same.
#[test]
pub fn a_run_that_is_cut_leaves_its_last_write_behind() {
    scenario(Fake::default).run(async |world| {
        let lag = Fault::new()
            .verb("watch")
            .resource("gadgets")
            .lag_events(secs(4));
        world.cluster.inject(lag);
        world.provider.poison(true);
        world.cluster.create_raw(gadget("a")).unwrap();
        let created = || world.provider.calls("create");
        world.until(|| created() > 0).await;
        world.provider.poison(false);
        world.ready(&gadget("a")).await;
        assert!(world.metric("controller_runtime_reconcile_panics_total") > 0.5);
        let in_vain = world.cluster.log().count(|entry| {
            entry.verb == "patch" && entry.resource == "gadgets" && !entry.committed
        });
        assert_eq!(
            in_vain, 0,
            "no run began with less than the one before wrote"
        );
    });
}
