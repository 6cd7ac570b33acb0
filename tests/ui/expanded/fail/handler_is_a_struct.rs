pub struct Pending;
::core::compile_error! {
    "expected `fn`"
}
