/// The phase `Ready` of [`Life`].
#[derive(Clone, Copy, Debug)]
pub struct Ready;
::core::compile_error! {
    "a phase enum takes no generics: a phase is a name in the status, not a type parameter"
}
