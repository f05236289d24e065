//! `docs/simulator.md` says what the code says.

use weft_cuda_sim::driver::VARIABLES;

const PAGE: &str = include_str!("../../../../docs/simulator.md");

#[test]
fn the_page_has_every_variable() {
    for (name, value, meaning) in VARIABLES {
        let row = format!("| `{name}` | {value} | {meaning} |\n");
        assert!(PAGE.contains(&row), "docs/simulator.md lacks {row}");
    }
    let rows = PAGE.matches("\n| `WEFT_CUDA_SIM_").count();
    assert_eq!(rows, VARIABLES.len());
}

#[test]
fn the_page_has_every_function() {
    let source = include_str!("../../src/driver/control.rs");
    let functions: Vec<&str> = source.lines().filter_map(|l| l.strip_prefix("pub fn ")?.split('(').next()).collect();
    assert!(functions.len() > 10, "{functions:?}");
    for function in functions {
        assert!(PAGE.contains(&format!("`{function}(")), "docs/simulator.md lacks {function}");
    }
}
