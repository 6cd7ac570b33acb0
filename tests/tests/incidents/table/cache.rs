//! What is read: lists, watches, caches and the decisions made on them.

hazards! {
    H19 "A decision on a cache older than our own write" {
        default: "a run waits until the cache shows our last write; a status write tests phase and entry time",
        compile: [],
        lint: ["create_without_deterministic_name"],
        signals: [Metric("opgen_gate_wait_seconds")],
        incidents: [
            gate::no_run_sees_less_than_our_own_last_write kills [],
            gate::a_run_that_is_cut_leaves_its_last_write_behind kills [Gate],
            status::a_foreign_move_is_never_overwritten kills [PhaseTest],
            healing::a_lagging_watch_leads_to_no_second_apply kills [],
        ],
    }
    H20 "Live reads in the hot path" {
        default: "everything is read from caches; a read past them is the exception, and rationed",
        compile: [],
        lint: ["get_in_reconcile"],
        signals: [Metric("rest_client_requests_total")],
        incidents: [
            life::a_child_costs_one_request_and_none_is_read kills [CacheFirst, Containment],
            buckets::reads_past_the_cache_are_rationed kills [LiveReads],
        ],
    }
    H25 "A generation predicate drops what it should not" {
        default: "uid, generation, finalizers, deletion and annotations of ours count; deletions of children always do",
        compile: [],
        lint: ["bare_generation_predicate"],
        signals: [],
        incidents: [
            cache::a_namesake_with_the_same_generation_is_new kills [PredicateWidth],
            healing::a_deleted_child_is_made_anew kills [ChildDeletions],
        ],
    }
    H26 "A watch of a core kind without a filter" {
        default: "owned kinds are watched by an owner label; managedFields are not kept; metadata alone on request",
        compile: [],
        lint: ["unbounded_watch"],
        signals: [Metric("opgen_cache_objects"), Metric("opgen_cache_bytes")],
        incidents: [
            cache::foreign_objects_of_an_owned_kind_are_not_cached kills [OwnedSelector],
            cache::managed_fields_are_not_kept kills [ManagedFields],
            related::metadata_alone_can_be_watched kills [],
        ],
    }
    H27 "A list without a limit, or one that is cut" {
        default: "lists are paged; a listing counts as complete only if its last page arrived",
        compile: [],
        lint: ["unpaged_list"],
        signals: [Metric("listwatch_sync_duration_seconds")],
        incidents: [
            cache::long_lists_come_in_pages kills [PagedLists],
            provider::a_listing_without_an_end_proves_nothing kills [CompleteListing],
        ],
    }
    H28 "A watch expires, ends or is refused with 410 at its start" {
        default: "watches have a timeout, start anew with a list, and recover from a 410 at their start; one that is silent is compared with the server's version",
        compile: [],
        lint: ["swallowed_watch_errors"],
        signals: [Metric("listwatch_errors_total"), Metric("listwatch_sync_duration_seconds")],
        incidents: [
            cache::a_watch_refused_with_410_begins_with_a_list kills [ExpiredStart],
            watch::a_410_at_the_start_of_a_watch_is_no_dead_end kills [ExpiredStart],
            restore::a_watch_from_the_future_begins_anew kills [WentBack],
            restore::a_watch_that_was_not_cut_begins_anew_too kills [WentBack],
            watch::an_expired_version_leads_to_a_new_list kills [],
            watch::a_watch_that_breaks_is_taken_up_again kills [],
            cache::what_went_while_the_watch_was_expired_is_forgotten kills [ListLoss],
        ],
    }
    H29 "A failing auxiliary watch delays everything; a missing right or CRD is silent" {
        default: "each watch has a backoff of its own; start-up checks CRDs and rights",
        compile: [],
        lint: [],
        signals: [Endpoint("/readyz")],
        incidents: [
            isolation::a_failing_watch_of_children_delays_only_what_needs_it kills [IsolatedWatches],
            start::a_missing_crd_is_a_loud_error kills [Preflight],
            start::a_missing_right_is_a_loud_error kills [Preflight],
            preflight::a_missing_right_on_what_is_owned_or_watched_is_a_loud_error kills [],
        ],
    }
    H34 "Configuration is read from the API at every reconcile" {
        default: "what an object refers to is watched and indexed",
        compile: [],
        lint: ["get_in_reconcile"],
        signals: [],
        incidents: [
            related::a_changed_secret_wakes_who_refers_to_it_and_nobody_reads_it kills [DependencyIndex],
        ],
    }
    H41 "One object that does not decode fails the list" {
        default: "each object is decoded on its own",
        compile: [],
        lint: [],
        signals: [Metric("opgen_undecodable_objects"), Event("Undecodable")],
        incidents: [
            watch::an_object_that_does_not_decode_harms_no_other kills [DecodedAlone],
            undecodable::a_child_that_does_not_decode_is_told_and_not_taken_for_absent kills [],
        ],
    }
    H53 "A partial listing prunes what lives" {
        default: "pruning takes a complete listing; a cache that is being read anew is none",
        compile: ["prune_from_a_partial_list"],
        lint: ["prune_from_partial_list"],
        signals: [],
        incidents: [isolation::a_store_that_is_not_complete_prunes_nothing kills [CompletePrune]],
    }
    H65 "A right is lost, or a list refused, for one kind at run time" {
        default: "the others go on; what was known is kept and marked stale, and nothing is concluded from it",
        compile: [],
        lint: [],
        signals: [Endpoint("/readyz")],
        incidents: [
            cache::what_a_refused_list_held_is_not_gone kills [StaleKept],
            isolation::a_watch_that_fails_later_keeps_what_it_knew kills [],
            isolation::readiness_names_the_watch_that_fails kills [],
        ],
    }
    H57 "A stale CRD is served" {
        default: "the served schema is compared with ours at start-up",
        compile: [],
        lint: [],
        signals: [Other("start-up error"), Endpoint("/readyz")],
        incidents: [
            start::an_older_crd_is_a_loud_error kills [ServedSchema],
            start::a_version_that_is_no_longer_served_is_a_loud_error kills [],
        ],
    }
}
