//! Who has its turn, and when an object comes back.

hazards! {
    H08 "One tenant or one slow kind of work takes every worker" {
        default: "groups have a share of the places each; fresh events and the backlog of a list take turns",
        compile: [],
        lint: [],
        signals: [Metric("opgen_queue_group_wait_seconds")],
        incidents: [
            groups::one_tenant_does_not_take_every_place kills [GroupShare],
            queue::a_fresh_event_does_not_wait_behind_the_first_list kills [FairLanes],
        ],
    }
    H09 "A business wait is returned as an error" {
        default: "`poll_in` and `wait` are no failures: no backoff, and counted apart from retries",
        compile: [],
        lint: ["pending_as_error"],
        signals: [Metric("opgen_polls_total"), Metric("workqueue_retries_total")],
        incidents: [queue::waiting_for_the_outside_is_no_failure kills [PollsApart]],
    }
    H10 "Retries that are flat or come together" {
        default: "exponential backoff per object with full jitter, and a token bucket for all retries together",
        compile: [],
        lint: ["flat_error_requeue"],
        signals: [Metric("workqueue_retries_total")],
        incidents: [
            failures::failures_back_off_and_success_resets kills [RetryBackoff],
            buckets::an_outage_makes_no_flood_of_retries kills [RetryTokens],
            queue::what_failed_together_does_not_come_back_together kills [RetryJitter],
        ],
    }
    H11 "A requeue after no time, or after very little" {
        default: "polls take a second at least; an object that runs again and again without a change is slowed down",
        compile: ["handler_polls_without_delay"],
        lint: ["zero_requeue"],
        signals: [Metric("opgen_clamped_polls_total"), Metric("opgen_hot_objects"), Event("HotLoop")],
        incidents: [
            queue::a_computed_wait_of_nothing_is_no_spin kills [MinPoll],
            queue::a_circle_of_phases_is_slowed_down kills [HotLoop],
        ],
    }
    H12 "A status write wakes its own reconcile" {
        default: "what is worth a run is hashed and compared with what the last one saw; a status is not part of it",
        compile: [],
        lint: ["unfiltered_primary_watch"],
        signals: [Metric("opgen_hot_objects")],
        incidents: [queue::a_status_is_no_news kills [StatusIsNoNews]],
    }
    H30 "Empty results are polled at full speed" {
        default: "`poll_backoff`: exponential on nothing, back to the shortest wait on content",
        compile: [],
        lint: [],
        signals: [Metric("opgen_poll_interval_seconds")],
        incidents: [polls::empty_polls_grow_rare_and_content_brings_them_back kills [PollBackoff]],
    }
    H40 "The resync comes too rarely, or all at once" {
        default: "every ten minutes, up to a tenth sooner or later, per object, spread from the first one on",
        compile: [],
        lint: [],
        signals: [],
        incidents: [
            polls::what_came_with_one_list_is_not_resynced_together kills [ResyncSpread],
            queue::what_drifts_without_an_event_is_seen kills [Resync],
        ],
    }
    H64 "A phase deadline fires before anybody has looked" {
        default: "a deadline counts only after a run of this process has looked at the outside once",
        compile: ["phase_on_deadline_never_fires"],
        lint: [],
        signals: [],
        incidents: [
            queue::a_deadline_that_ran_out_during_downtime_fails_nothing kills [DeadlineAfterLook],
            failures::a_deadline_takes_the_object_out_of_its_phase kills [],
        ],
    }
    H66 "An event cancels a timer, or a backoff outlives a new spec" {
        default: "the earliest timer wins; a new generation cuts a backoff, a status does not",
        compile: [],
        lint: [],
        signals: [],
        incidents: [
            queue::the_deadline_of_a_phase_puts_off_no_poll kills [EarlierTimer],
            failures::a_panicking_handler_kills_nothing kills [SpecCutsBackoff],
            queue::an_event_puts_off_no_poll kills [],
            healing::the_status_of_a_child_cuts_no_backoff kills [StatusKeepsBackoff],
        ],
    }
}
