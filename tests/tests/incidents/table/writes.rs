//! What is written to the object itself.

hazards! {
    H13 "A time or a counter is written into the status at every look" {
        default: "volatile fields are never a reason to write; words that change again and again are one once a minute; timestamps come from one injectable clock",
        compile: [],
        lint: ["timestamp_in_status"],
        signals: [Metric("opgen_status_patches_total")],
        incidents: [
            status::a_status_that_did_not_change_is_not_sent kills [VolatileFields],
            writes::words_that_change_with_every_look_are_written_rarely kills [SteadyWords],
        ],
    }
    H14 "A condition's transition time moves without a transition" {
        default: "the runtime owns the conditions; the time moves only when the status flips",
        compile: [],
        lint: ["transition_time_without_flip"],
        signals: [],
        incidents: [status::conditions_follow_the_phase kills [TransitionTime]],
    }
    H15 "The whole status is replaced" {
        default: "one minimal JSON patch, tested on uid and phase and on no resourceVersion",
        compile: ["handler_replaces_the_status"],
        lint: ["status_replace"],
        signals: [Metric("rest_client_requests_total")],
        incidents: [
            writes::foreign_writes_cost_our_status_nothing kills [StatusVersion],
            status::fields_of_others_stay kills [],
        ],
    }
    H16 "A status is written although nothing changed" {
        default: "statuses are compared by meaning: nothing is empty, quantities and times have a normal form",
        compile: [],
        lint: ["unconditional_status_patch"],
        signals: [Metric("opgen_status_patches_total")],
        incidents: [writes::the_same_in_other_words_is_not_written kills [SemanticEquality]],
    }
    H17 "A cleared field stays" {
        default: "what was cleared is removed by an operation of its own",
        compile: [],
        lint: ["skip_serializing_on_merged_status"],
        signals: [],
        incidents: [related::a_secret_may_come_later_and_go_again kills [ClearedFields]],
    }
    H18 "The status subresource is missing" {
        default: "generated CRDs have it, and start-up refuses one without it",
        compile: ["status_without_machine", "phase_machine_without_resource"],
        lint: ["missing_status_subresource"],
        signals: [Other("start-up error")],
        incidents: [writes::a_crd_without_the_status_subresource_is_refused kills [StatusSubresource]],
    }
    H21 "Metadata is updated without regard to conflicts" {
        default: "`cx.update_metadata` tests the version, reads again and computes anew",
        compile: [],
        lint: ["replace_without_retry"],
        signals: [],
        incidents: [metadata::a_concurrent_write_is_not_lost kills [MetadataVersion]],
    }
    H46 "A status grows without bound" {
        default: "bounded lists drop their oldest items, and the whole status has a limit",
        compile: [],
        lint: ["growing_status_list"],
        signals: [Metric("opgen_status_bytes")],
        incidents: [
            writes::a_history_in_the_status_stays_short kills [BoundedLists],
            signals::a_status_that_is_too_large_is_said_and_not_sent kills [],
        ],
    }
    H47 "A rollback meets a phase it does not know" {
        default: "only a condition is written; deletion still works",
        compile: [],
        lint: [],
        signals: [Condition("UnknownPhase")],
        incidents: [status::a_phase_of_another_version_is_left_alone kills [UnknownPhase]],
    }
}
