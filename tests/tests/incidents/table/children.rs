//! Objects made for an object.

hazards! {
    H50 "A foreign object is overwritten by the first apply" {
        default: "an existing object is adopted only by declared policy",
        compile: [],
        lint: [],
        signals: [Event("AdoptionRefused"), Condition("ChildBlocked")],
        incidents: [
            adoption::a_foreign_object_is_not_overwritten kills [Adoption],
            adoption::two_owners_do_not_share_a_child kills [Adoption],
        ],
    }
    H55 "A field fight with an autoscaler or a webhook" {
        default: "applies are budgeted per child, whoever wrote last; a field can be yielded",
        compile: [],
        lint: ["owns_autoscaled_field"],
        signals: [Event("FieldFight"), Condition("FieldFight")],
        incidents: [
            fights::a_field_fight_is_slowed_down_and_told kills [ApplyBudget],
            fights::a_desired_state_that_changes_at_every_run_is_slowed_down kills [ApplyBudget],
            fights::a_yielded_field_is_left_to_its_owner kills [],
        ],
    }
    H56 "An immutable field of a child would have to change" {
        default: "the owner holds and says why, or the child is made anew by declared policy",
        compile: [],
        lint: [],
        signals: [Condition("ChildBlocked"), Event("ImmutableField")],
        incidents: [
            healing::an_immutable_field_holds_the_owner_without_hammering kills [RefusalHeld],
            healing::an_immutable_field_recreates_where_that_is_allowed kills [],
        ],
    }
    H59 "An upgrade of the operator rolls every workload at once" {
        default: "the desired hash knows no version of the operator; unasked changes take turns; defaults of the server are no difference",
        compile: [],
        lint: ["volatile_child_field"],
        signals: [Metric("opgen_children_applied_total")],
        incidents: [
            life::a_new_version_of_the_operator_rolls_one_workload_after_the_other kills [UpdateBudget],
            life::what_the_server_fills_in_is_no_reason_to_apply kills [],
            life::a_restart_writes_nothing kills [],
        ],
    }
    H60 "An owner reference across namespaces" {
        default: "refused with words, before any request",
        compile: [],
        lint: ["cross_namespace_owner"],
        signals: [Condition("Stalled")],
        incidents: [
            adoption::an_owner_in_another_namespace_is_refused_before_any_request kills [OwnerNamespace],
        ],
    }
    H61 "Derived names collide or are too long" {
        default: "63 characters at most, with a hash of owner and suffix",
        compile: [],
        lint: ["truncated_name"],
        signals: [],
        incidents: [names::long_names_do_not_collide kills [NameHash]],
    }
}
