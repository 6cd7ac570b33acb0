//! Starting, stopping, leading, and telling how it goes.

hazards! {
    H35 "Not ready reported as ready; health on the blocked runtime" {
        default: "probes live on a thread of their own; ready means caches synced, live means the loops turn",
        compile: [],
        lint: ["constant_health"],
        signals: [Endpoint("/livez"), Endpoint("/readyz")],
        incidents: [
            isolation::readiness_names_the_watch_that_fails kills [Readiness],
            operation::a_loop_that_no_longer_turns_is_not_live kills [Liveness],
            operation::a_blocked_handler_does_not_silence_the_probes kills [ProbeThread],
        ],
    }
    H36 "Leader election is missing, or fences nothing" {
        default: "a Lease with preconditions on a thread of its own; who lost it writes nothing and ends",
        compile: [],
        lint: [],
        signals: [Metric("leader_election_master_status")],
        incidents: [
            partition::a_partitioned_leader_stops_before_its_successor_starts kills [RenewDeadline],
            partition::who_takes_the_lease_by_hand_ends_the_leader kills [LeaseVersion],
            fence::nothing_is_written_once_the_time_is_over kills [Fence],
            thread::a_blocked_executor_does_not_lose_the_lease kills [],
        ],
    }
    H37 "A shutdown cuts work, or never ends" {
        default: "runs in flight may end within the drain limit",
        compile: [],
        lint: [],
        signals: [],
        incidents: [
            shutdown::a_drain_lets_runs_end_but_not_for_ever kills [Drain, DrainBound],
            hand_over::a_clean_end_drains_and_hands_over_at_once kills [Drain],
        ],
    }
    H38 "Nobody knows which object is stuck" {
        default: "every object that is not settled is listed: phase, since when, why",
        compile: [],
        lint: [],
        signals: [Endpoint("/debug/reconciles"), Metric("opgen_phase_age_seconds")],
        incidents: [
            operation::the_object_that_is_stuck_can_be_found kills [Board],
            metrics::phases_and_work_in_progress_are_counted kills [],
        ],
    }
    H39 "Is it quiet, or dead?" {
        default: "three points: synced, converged, quiescent",
        compile: [],
        lint: [],
        signals: [Metric("opgen_quiescent"), Metric("opgen_converged"), Metric("opgen_synced")],
        incidents: [metrics::the_three_points_of_a_steady_state kills [Quiescence]],
    }
    H43 "Secrets in a status, an event or a log" {
        default: "`Sensitive<T>` does not serialise and prints as redacted",
        compile: ["status_with_a_secret"],
        lint: ["secret_in_status"],
        signals: [],
        incidents: [
            people::a_secret_cannot_be_shown kills [],
            credentials::a_refused_token_is_shown_nowhere kills [],
        ],
    }
    H48 "A role too wide, or without a verb" {
        default: "the role comes from the builder, and every test runs under it",
        compile: [],
        lint: ["wildcard_rbac"],
        signals: [Metric("rest_client_requests_total")],
        incidents: [
            people::the_generated_role_is_enough_and_no_wildcard kills [Role],
            names::the_role_names_what_is_owned_and_watched kills [],
        ],
    }
    H49 "No way to hold or to push a single object" {
        default: "annotations pause an object, its deletion too, and make it run once",
        compile: [],
        lint: [],
        signals: [Metric("opgen_paused_objects"), Condition("Paused")],
        incidents: [
            handles::pause_holds_everything_and_its_end_lets_go kills [Pause],
            handles::one_object_can_be_made_to_run kills [ReconcileAt],
        ],
    }
    H69 "Object names or free text as metric labels" {
        default: "labels have few values: kinds, phases, results, and the first twenty groups",
        compile: [],
        lint: ["unbounded_metric_label"],
        signals: [],
        incidents: [people::a_thousand_tenants_make_no_thousand_series kills [BoundedLabels]],
    }
}
