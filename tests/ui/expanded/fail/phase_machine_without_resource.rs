/// The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
::core::compile_error! {
    "the machine names no resource: add `#[machine(resource = YourKind, context = YourContext)]` above the enum"
}
/// The phase `Idle` of [`Other`].
#[derive(Clone, Copy, Debug)]
pub struct Idle;
::core::compile_error! {
    "the machine names no resource: add `#[machine(resource = YourKind)]` above the enum"
}
