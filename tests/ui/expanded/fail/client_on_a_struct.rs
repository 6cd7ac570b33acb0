pub struct Provider;
::core::compile_error! {
    "`#[timeout_client]` stands on an async trait, or on an `impl` of such a trait"
}
impl Provider {}
::core::compile_error! {
    "`#[timeout_client]` stands on the impl of a trait: `impl YourProvider for ..`"
}
