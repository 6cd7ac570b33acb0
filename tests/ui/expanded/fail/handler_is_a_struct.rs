pub struct Pending;
::core::compile_error! {
    "`#[reconcile_phase]` stands on an async function: `async fn name(cx: &mut Cx<'_, YourPhase>) -> Result<Step<YourPhase>>`"
}
