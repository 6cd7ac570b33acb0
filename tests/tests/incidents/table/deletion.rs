//! Finalizers and the clean-up of the outside.

hazards! {
    H04 "A deletion waits for the outside and never ends" {
        default: "the finalizer phase destroys, polls and proves; after the clean-up deadline people are told",
        compile: ["handler_gone_without_proof"],
        lint: ["cleanup_returns_requeue"],
        signals: [Metric("opgen_cleanup_stalled"), Condition("CleanupStalled"), Event("CleanupStalled")],
        incidents: [
            finalizer::a_clean_up_that_hangs_is_told kills [CleanupDeadline],
            handles::an_admin_can_let_go_of_what_cannot_be_cleaned_up kills [],
        ],
    }
    H05 "The finalizer comes off before the outside is gone, or all finalizers at once" {
        default: "only our own entry comes off, and only with a proof for every attempt",
        compile: ["handler_gone_without_proof", "handler_gone_outside_the_finalizer"],
        lint: ["finalizer_cleared"],
        signals: [],
        incidents: [
            finalizer::only_our_own_finalizer_comes_off kills [OwnFinalizer],
            proof::a_proof_about_another_object_is_none kills [Proof],
            proof::a_proof_that_no_bounded_client_accepted_is_none kills [Proof],
            finalizer::every_attempt_is_cleaned_up kills [],
        ],
    }
    H06 "The finalizer comes after the side effect, or onto a terminating object" {
        default: "finalizer and identity are persisted in one patch before any handler runs",
        compile: [],
        lint: ["side_effect_before_finalizer"],
        signals: [],
        incidents: [
            finalizer::nothing_is_made_outside_before_the_finalizer_is_persisted kills [FinalizerFirst],
            finalizer::a_terminating_object_is_left_alone kills [],
        ],
    }
    H42 "The operator is removed before its objects" {
        default: "`uninstall` deletes every object and works until all are gone; what is left is named with its reason",
        compile: [],
        lint: [],
        signals: [],
        incidents: [
            uninstall::every_object_goes_and_what_it_made_with_it kills [UninstallWaits],
            uninstall::what_is_left_is_named_with_its_reason kills [UninstallWaits],
        ],
    }
    H45 "A namespace that goes away is written to for ever" {
        default: "the refusal ends the retries until the object is deleted",
        compile: [],
        lint: [],
        signals: [Condition("Stalled")],
        incidents: [deletion::a_namespace_that_goes_away_ends_the_work_in_it kills [NamespaceTerminating]],
    }
    H54 "The server refuses our own status or finalizer" {
        default: "the clean-up waits for no status; a refusal is no lost race: it is told, and tried again with backoff",
        compile: [],
        lint: [],
        signals: [Condition("WriteRefused"), Event("WriteRefused")],
        incidents: [
            status::a_refused_status_does_not_stop_the_clean_up kills [CleanupAlone],
            status::a_refused_status_is_said_and_not_hammered kills [WriteRefused],
        ],
    }
    H58 "A mass deletion destroys everything in seconds" {
        default: "clean-ups of a kind begin at a bounded rate; an annotation lets one pass",
        compile: [],
        lint: [],
        signals: [Event("MassDeletion"), Metric("opgen_held_destroys")],
        incidents: [brake::a_mass_deletion_is_slowed_down_and_told kills [DestroyBrake]],
    }
    H68 "What a clean-up depends on dies first" {
        default: "what a clean-up lacks is said at once, with how to mend it; an annotation lets go of the outside",
        compile: [],
        lint: [],
        signals: [Condition("CleanupBlocked"), Event("CredentialsRefused"), Event("DependencyMissing")],
        incidents: [
            signals::a_clean_up_without_credentials_says_so kills [CleanupBlocked],
            signals::a_clean_up_that_goes_on_is_not_blocked kills [Unobserved],
            credentials::a_clean_up_whose_secret_is_gone_says_what_is_missing kills [CleanupBlocked],
            handles::an_admin_can_let_go_of_what_cannot_be_cleaned_up kills [],
        ],
    }
    H67 "An upgrade renames the finalizer" {
        default: "former finalizers give way to the present one, or hold the clean-up as it does",
        compile: [],
        lint: [],
        signals: [],
        incidents: [
            finalizer::a_former_finalizer_gives_way_in_the_same_patch kills [FormerFinalizers],
            finalizer::a_former_finalizer_holds_the_clean_up_as_ours_does kills [FormerFinalizers],
        ],
    }
}
