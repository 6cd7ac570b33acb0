use opgen_runtime::secs;
use opgen_testkit::Fault;
use serde_json::json;

use crate::ticket::{scenario, ticket};

#[test]
pub fn the_three_points_of_a_steady_state() {
    scenario(|kind| kind)
        .object(ticket("a", "work"))
        .run(async |world| {
            world.provider.work_takes(secs(10));
            world.advance(secs(2)).await;
            assert!(world.metric("opgen_synced") > 0.5);
            assert!(world.metric("opgen_converged") < 0.5);
            assert!(world.metric("opgen_quiescent") < 0.5);
            world.ready(&ticket("a", "work")).await;
            world.advance(secs(2)).await;
            assert!(world.metric("opgen_converged") > 0.5);
            assert!(world.metric("opgen_quiescent") > 0.5);
            // A paused object waits for nobody but its admin.
            let pause = json!({"metadata": {"annotations": {"opgen.dev/paused": "true"}}});
            world.patch(&ticket("a", "work"), &pause);
            world.advance(secs(25)).await;
            assert!(world.metric("opgen_quiescent") > 0.5);
            assert!((world.metric("opgen_paused_objects") - 1.0).abs() < 0.1);
            world.provider.fail(true);
            world.cluster.create_raw(ticket("b", "work")).unwrap();
            world.advance(secs(60)).await;
            assert!(world.metric("opgen_quiescent") < 0.5, "one backs off");
            assert!(world.metric("opgen_converged") < 0.5);
        });
}

#[test]
pub fn a_list_that_never_answers_is_not_quiet() {
    scenario(|kind| kind).run(async |world| {
        assert!(world.metric("opgen_quiescent") < 0.5);
        // The first list is that of the start-up check.
        let hung = Fault::new().resource("tickets").verb("list").hang();
        let hung = world.cluster.inject(hung.occurrence(2).times(1000));
        world.advance(secs(600)).await;
        assert!(hung.fired() > 1, "{} lists hung", hung.fired());
        assert!(world.metric("opgen_synced") < 0.5);
        assert!(world.metric("opgen_quiescent") < 0.5);
    });
}

#[test]
pub fn phases_and_work_in_progress_are_counted() {
    scenario(|kind| kind).run(async |world| {
        for number in 0..3 {
            let object = ticket(&format!("c{number}"), "count");
            world.cluster.create_raw(object).unwrap();
        }
        world.cluster.create_raw(ticket("done", "work")).unwrap();
        world.advance(secs(100)).await;
        let text = world.metrics.encode();
        let value = |line: &str| {
            text.lines()
                .find_map(|one| one.strip_prefix(line)?.trim().parse::<f64>().ok())
                .unwrap_or_else(|| panic!("no {line} in {text}"))
        };
        let of = |name: &str, phase: &str| {
            value(&format!("{name}{{kind=\"Ticket\",phase=\"{phase}\"}}"))
        };
        assert!((of("opgen_phase_objects", "Open") - 3.0).abs() < 0.1);
        assert!((of("opgen_phase_objects", "Done") - 1.0).abs() < 0.1);
        assert!((of("opgen_phase_objects", "Closing")).abs() < 0.1);
        assert!((80.0..=101.0).contains(&of("opgen_phase_age_seconds", "Open")));
        assert!(world.metric("opgen_cache_bytes") > 1000.0);
        assert!(world.metric("listwatch_sync_duration_seconds_count") > 0.5);
        assert!(
            world.metric("opgen_gate_wait_seconds_count") < 0.5,
            "the cache keeps up"
        );
        world.provider.work_takes(secs(18));
        world.cluster.create_raw(ticket("slow", "work")).unwrap();
        let seen = world
            .until(|| world.metric("workqueue_longest_running_processor_seconds") > 4.0)
            .await;
        assert!(seen.unwrap() < secs(18));
        assert!(world.metric("workqueue_unfinished_work_seconds") > 4.0);
    });
}

#[test]
pub fn waits_for_the_cache_are_measured() {
    scenario(|kind| kind)
        .object(ticket("a", "count"))
        .run(async |world| {
            let lag = Fault::new()
                .resource("tickets")
                .verb("watch")
                .lag_events(secs(3));
            world.cluster.inject(lag);
            world.cluster.inject(
                Fault::new()
                    .resource("tickets")
                    .close_watch_after(1)
                    .occurrence(1),
            );
            world.advance(secs(60)).await;
            let waits = world.metric("opgen_gate_wait_seconds_count");
            let waited = world.metric("opgen_gate_wait_seconds_sum");
            assert!(
                waits > 3.0 && waited / waits > 1.0,
                "{waits} waits, {waited} s"
            );
        });
}

#[test]
pub fn failures_have_reasons() {
    scenario(|kind| kind)
        .object(ticket("a", "work"))
        .run(async |world| {
            world.provider.fail(true);
            world.advance(secs(30)).await;
            world.provider.fail(false);
            world.provider.panic(true);
            world.advance(secs(60)).await;
            world.provider.panic(false);
            world.provider.work_takes(secs(1000));
            world.advance(secs(120)).await;
            let text = world.metrics.encode();
            for reason in ["transient", "panic", "timeout"] {
                let line =
                    format!("opgen_reconcile_errors_total{{kind=\"Ticket\",reason=\"{reason}\"}}");
                assert!(text.contains(&line), "no {reason}: {text}");
            }
        });
}

/// More events than may wait to be written: the rest is dropped, and counted.
#[test]
pub fn events_that_are_dropped_are_counted() {
    scenario(|kind| kind.mass_deletion(1, 1)).run(async |world| {
        let names: Vec<_> = (0..400).map(|number| format!("t{number}")).collect();
        for name in &names {
            world.cluster.create_raw(ticket(name, "work")).unwrap();
        }
        for name in &names {
            world.ready(&ticket(name, "work")).await;
        }
        // Nothing is written meanwhile.
        world
            .cluster
            .inject(Fault::new().resource("events").verb("create").hang());
        for name in &names {
            world.delete(&ticket(name, "work"));
        }
        world.advance(secs(5)).await;
        let metrics = world.metrics.encode();
        let line = "opgen_events_total{reason=\"MassDeletion\",result=\"dropped\"} ";
        let dropped = metrics.lines().find_map(|one| one.strip_prefix(line));
        let dropped: f64 = dropped.expect(&metrics).parse().unwrap();
        assert!((130.0..=145.0).contains(&dropped), "{dropped}");
    });
}
