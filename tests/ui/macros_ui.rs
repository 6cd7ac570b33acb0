//! What the macros accept and refuse, case by case. `TRYBUILD=overwrite` rewrites the messages; read them before a commit.
//!
//! A package of its own: every case is built with all that its package depends on.

#[test]
fn accepted_and_refused() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.compile_fail("fail/*.rs");
}
