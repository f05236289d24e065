//! What must not compile, and what the compiler says then.

#[test]
fn refused_by_the_compiler() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
