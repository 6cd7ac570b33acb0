//! What the macros accept and refuse, case by case. `TRYBUILD=overwrite` rewrites the messages; read them before a commit.

#[test]
fn accepted_and_refused() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/fail/*.rs");
}
