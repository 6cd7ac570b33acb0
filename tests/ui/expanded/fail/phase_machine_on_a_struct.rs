::core::compile_error! {
    "a phase machine is an enum: one variant per phase, without fields"
}
