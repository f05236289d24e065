//! Counts the tests of a `cargo test` run by reading what it printed.

use crate::report::Tally;

/// Counts every `test result:` line of `log`. A failed or silent run with no failed test in it (it did not compile, say)
/// is one failure.
pub(crate) fn count(log: &str, succeeded: bool) -> Tally {
    let mut tally = Tally::default();
    let mut results = 0;
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix("test result: ") {
            results += 1;
            tally.passed += number_before(rest, " passed");
            tally.failed += number_before(rest, " failed");
        } else if let Some(name) = ignored_test(line) {
            tally.skips.push(format!("{name}: ignored in the source"));
        }
    }
    if tally.failed == 0 && (!succeeded || results == 0) {
        tally.failed = 1;
    }
    tally
}

/// Takes the tests that said they could not run, one `SKIP name: reason` line each, out of the passed ones.
pub(crate) fn subtract_skips(tally: &mut Tally, skip_file: &str) {
    for line in skip_file.lines().filter(|l| !l.trim().is_empty()) {
        tally.passed = tally.passed.saturating_sub(1);
        tally.skips.push(line.strip_prefix("SKIP ").unwrap_or(line).to_owned());
    }
}

fn ignored_test(line: &str) -> Option<&str> {
    let (name, after) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    after.starts_with("ignored").then_some(name)
}

fn number_before(text: &str, unit: &str) -> usize {
    let before = text.split(unit).next().unwrap_or_default();
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
running 4 tests
test a ... ok
test b ... FAILED
test c ... ignored, too slow
test result: FAILED. 12 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: ok. 30 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn result_lines_are_added_up() {
        let tally = count(LOG, false);
        assert_eq!((tally.passed, tally.failed), (42, 1));
        assert_eq!(tally.skips, ["c: ignored in the source"]);
    }

    #[test]
    fn a_run_without_results_is_a_failure() {
        assert_eq!(count("error: could not compile `x`", false).failed, 1);
        assert_eq!(count("", true).failed, 1);
        assert_eq!(count("test result: ok. 0 passed; 0 failed;", true).failed, 0);
        assert_eq!(count("test result: ok. 3 passed; 0 failed;\nerror: signal 11", false).failed, 1);
    }

    #[test]
    fn a_skipped_test_is_not_a_passed_one() {
        let mut tally = count(LOG, false);
        subtract_skips(&mut tally, "SKIP npy::numpy_reads_it: no NumPy\n\n");
        assert_eq!(tally.passed, 41);
        assert_eq!(tally.skips[1], "npy::numpy_reads_it: no NumPy");
    }
}
