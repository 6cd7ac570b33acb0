///The phase `Pending` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Pending;
///The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
::core::compile_error! {
    "`#[machine]` has no `contxt`; did you mean `context`?"
}
::core::compile_error! {
    "`#[phase]` has no `dedline`; did you mean `deadline`?"
}
::core::compile_error! {
    "`#[phase]` has no `final`; known: `to`, `steady`, `failed`, `finalizer`, `deadline`, `on_deadline`, `resync`"
}
::core::compile_error! {
    "an object in `Ready` could never leave it: add an arrow, `#[phase(to(..))]`, or mark the phase `steady`"
}
