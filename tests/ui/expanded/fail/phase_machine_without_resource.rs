///The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
::core::compile_error! {
    "the machine names no resource: add `#[machine(resource = YourKind)]` above the enum"
}
