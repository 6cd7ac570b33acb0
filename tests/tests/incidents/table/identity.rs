//! Who an object is to the outside.

hazards! {
    H22 "A crash between create and record" {
        default: "idempotency keys derive from the persisted identity: the same after a crash",
        compile: ["client_creates_without_key", "client_creates_by_looking"],
        lint: ["non_idempotent_create"],
        signals: [Other("crash exploration")],
        incidents: [
            jobs::a_crash_starts_the_job_again_with_its_key kills [StableKey],
            failures::every_crash_is_survived kills [StableKey],
            failures::a_create_that_is_not_idempotent_is_found kills [],
        ],
    }
    H24 "An old object's event is applied to a namesake" {
        default: "every write tests the uid, and deletes have it as a precondition",
        compile: [],
        lint: ["delete_without_precondition"],
        signals: [],
        incidents: [
            identity::an_old_uid_replayed_after_a_restart_harms_no_namesake kills [UidTest],
            identity::a_child_replaced_by_a_namesake_is_not_deleted kills [DeletePrecondition],
        ],
    }
    H51 "An object is restored under a new uid" {
        default: "identity and attempt stand in an annotation, written with the finalizer and bound to namespace and name",
        compile: [],
        lint: ["uid_only_identity"],
        signals: [Event("IdentityAdopted"), Condition("Identity")],
        incidents: [
            signals::a_restored_object_says_whose_identity_it_has kills [],
            signals::a_replace_that_drops_the_identity_loses_no_attempt kills [],
            finalizer::a_restored_object_finds_what_it_made kills [IdentityKept],
            finalizer::a_copied_manifest_gets_an_identity_of_its_own kills [IdentityBound],
        ],
    }
}
