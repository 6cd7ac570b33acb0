//! What the outside answers.

hazards! {
    H23 "A failed look or an empty answer is read as absence" {
        default: "`Observed` is present, absent or unknown; only a proof makes absence",
        compile: ["handler_gone_without_proof"],
        lint: ["failure_as_absence"],
        signals: [Condition("Unobserved")],
        incidents: [
            signals::what_cannot_be_observed_is_said_and_taken_back kills [Unobserved],
            provider::a_provider_out_of_its_mind_gets_nothing_released kills [UnknownIsNotAbsent, ProofByStatus],
        ],
    }
    H44 "A provider's wish to be left alone is ignored" {
        default: "Retry-After is heeded per client and target, and a breaker rests one that fails, but not one that answers others",
        compile: [],
        lint: ["retry_after_ignored"],
        signals: [Metric("opgen_external_calls_total")],
        incidents: [
            provider::a_provider_that_throttles_is_left_alone kills [RetryAfter],
            provider::an_api_server_that_throttles_is_left_alone kills [RetryAfter],
            provider::a_provider_that_fails_is_given_a_rest kills [Breaker],
            provider::calls_that_time_out_together_give_no_rest_to_one_that_answers_others kills [BreakerRow],
        ],
    }
    H52 "A provider denies what was just created" {
        default: "absence younger than the settle window after an intent or a create is unknown",
        compile: [],
        lint: [],
        signals: [],
        incidents: [provider::what_comes_to_light_late_is_cleaned_up kills [SettleWindow]],
    }
    H62 "A provider normalises what it is given, and updates never end" {
        default: "`matches` compares as the provider words it; rounds through the same phases, and commands that come of nothing, are slowed down; a phase that does not converge ends at its deadline",
        compile: [],
        lint: [],
        signals: [Metric("opgen_hot_objects"), Metric("opgen_phase_age_seconds"), Condition("Stalled"), Event("UpdateLoop")],
        incidents: [
            provider::an_update_that_changes_nothing_is_slowed_down kills [UpdateLoop],
            provider::a_phase_that_is_taken_back_again_and_again_is_slowed_down kills [UpdateLoop],
            provider::an_update_that_never_arrives_comes_to_an_end kills [PhaseDeadline],
            writes::the_same_in_other_words_is_not_written kills [SemanticEquality],
        ],
    }
    H63 "Credentials rotate and the cached client does not, or clients leak" {
        default: "clients are cached by the version of their secret, and no more than a bound",
        compile: [],
        lint: ["client_built_in_reconcile"],
        signals: [Metric("opgen_client_cache_entries")],
        incidents: [
            credentials::a_client_is_made_once_per_version_of_its_secret kills [ClientVersion],
            credentials::no_more_clients_are_held_than_allowed kills [ClientBound],
            credentials::a_hung_region_takes_no_permits_from_the_others kills [],
        ],
    }
}
