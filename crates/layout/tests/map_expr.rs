//! The source text of maps, run: Rust by rustc, CUDA C as C by the system's compiler, against what the map itself says.
#![cfg(feature = "alloc")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a helper is a failed test too")]

use core::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use weft_layout::{Language, Layout, OffsetMap};

/// The views of the texts, and what a person would write for them.
#[test]
fn the_texts_views_as_a_person_would_write_them() {
    let matrix = Layout::row_major([3, 4]).unwrap();
    let map = |layout: Layout| OffsetMap::from(layout);
    let expr = |map: OffsetMap| (map.to_expr().to_string(), map.to_expr().guard());
    let plain = |text: &str| (text.to_string(), String::new());
    assert_eq!(expr(map(matrix.reshape([2, 6]).unwrap())), plain("6*i + j"));
    assert_eq!(expr(map(matrix.t().unwrap())), plain("i + 4*j"));
    assert_eq!(expr(map(Layout::row_major([4]).unwrap().broadcast_to([3, 4]).unwrap())), plain("j"));
    assert_eq!(expr(map(matrix.narrow(0, 1, 2).unwrap().narrow(1, 1, 3).unwrap())), plain("4*i + j + 5"));
    let padded = map(matrix.clone()).pad(&[(0, 0), (1, 1)]).unwrap();
    assert_eq!(expr(padded), ("4*i + j - 1".into(), "1 <= j && j < 5".into()));
    // One row of memory left, one column in front, nothing at all, one element.
    let row = map(matrix.narrow(0, 2, 1).unwrap()).pad(&[(1, 1), (0, 2)]).unwrap();
    assert_eq!(expr(row), ("j + 8".into(), "i == 1 && j < 4".into()));
    let front = map(matrix.clone()).pad(&[(0, 0), (1, 0)]).unwrap();
    assert_eq!(expr(front.clone()), ("4*i + j - 1".into(), "1 <= j".into()));
    assert_eq!(expr(front.slice_axis(1, ..1).unwrap()), ("0".into(), "false".into()));
    assert_eq!(expr(map(Layout::from_parts(&[], &[], 7).unwrap())), plain("7"));
    let eight = map(Layout::row_major([2; 8]).unwrap());
    assert_eq!(eight.to_expr().to_string(), "128*i + 64*j + 32*k + 16*l + 8*m + 4*n + 2*i6 + i7");
}

/// Padding that would take the constant out of 64 bits stays beside its variable.
#[test]
fn far_padding_is_not_folded() {
    let far = (isize::MAX / 4) as usize;
    let map = OffsetMap::from(Layout::from_parts(&[2], &[3], 1).unwrap()).pad(&[(far, 0)]).unwrap();
    assert_eq!(map.to_expr().to_string(), format!("3*(i - {far}) + 1"));
    assert_eq!(map.to_expr().guard(), format!("{far} <= i"));
}

/// Maps of all kinds: layouts with any signs, permuted, flipped, padded, shrunk, broadcast; none too large to print.
fn maps() -> Vec<OffsetMap> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut maps = vec![];
    while maps.len() < 150 {
        let shape: Vec<usize> = (0..below(4)).map(|_| 1 + below(4)).collect();
        let strides: Vec<isize> = shape.iter().map(|_| below(13) as isize - 6).collect();
        let mut map = OffsetMap::from(Layout::from_parts(&shape, &strides, 80 + below(3)).unwrap());
        for _ in 0..below(6) {
            let axes = map.ndim();
            let axis = below(axes.max(1)) as isize;
            let next = match below(5) {
                0 if axes > 0 => map.flip([axis]),
                1 if axes > 1 => map.permute((1..axes).chain([0]).collect::<Vec<usize>>()),
                2 if axes < 4 => map.unsqueeze(axis),
                3 => map.pad(&(0..axes).map(|_| (below(3), below(3))).collect::<Vec<_>>()),
                _ => {
                    let ranges: Vec<_> = map.shape().iter().map(|&n| below(n.div_ceil(2) + 1).min(n)..n).collect();
                    map.shrink(&ranges)
                }
            };
            map = next.unwrap();
        }
        if map.numel() <= 600 {
            maps.push(map);
        }
    }
    maps
}

/// What a reader of `buf[k] = k` sees, a line a map; -1 where there is no memory.
fn expected(maps: &[OffsetMap]) -> String {
    let mut text = String::new();
    for map in maps {
        for read in map.offsets() {
            write!(text, "{} ", read.map_or(-1, |at| at as i64)).unwrap();
        }
        text.push('\n');
    }
    text
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// Compiles `source` with `compiler` and gives what the program prints; `None` where there is no such compiler.
fn run(compiler: &str, args: &[&str], name: &str, source: &str) -> Option<String> {
    let (file, program) = (scratch(name), scratch(&format!("{name}.out")));
    std::fs::write(&file, source).unwrap();
    let built = Command::new(compiler).args(args).arg(&file).arg("-o").arg(&program).output().ok()?;
    assert!(built.status.success(), "{compiler}: {}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{name} failed");
    Some(String::from_utf8(ran.stdout).unwrap())
}

#[test]
fn rust_loops_read_what_the_map_reads() {
    let maps = maps();
    let mut source =
        String::from("#![allow(unused)]\nfn main() {\nlet buf: Vec<i64> = (0..400).collect();\nlet fill = -1i64;\n");
    for map in &maps {
        let loops = map.to_expr().to_loops(Language::Rust);
        write!(source, "{{ let mut out: Vec<i64> = vec![];\n{loops}").unwrap();
        source += "for x in out { print!(\"{x} \"); } println!(); }\n";
    }
    source += "}\n";
    let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
    let printed = run(&rustc, &["--edition=2024"], "map_expr.rs", &source).expect("cargo runs, so rustc does");
    assert_eq!(printed, expected(&maps));
}

#[test]
fn cuda_loops_read_what_the_map_reads() {
    let maps = maps();
    let mut source = String::from("#include <stdbool.h>\n#include <stdio.h>\nstatic long long buf[400], page[1000];\n");
    source += "int main(void) {\nconst long long fill = -1;\nfor (int k = 0; k < 400; ++k) buf[k] = k;\n";
    for map in &maps {
        let loops = map.to_expr().to_loops(Language::Cuda);
        write!(source, "{{ long long *out = page;\n{loops}").unwrap();
        source += "for (long long *x = page; x < out; ++x) printf(\"%lld \", *x); printf(\"\\n\"); }\n";
    }
    source += "(void)fill; return 0; }\n";
    match run("cc", &["-std=c99"], "map_expr.c", &source) {
        Some(printed) => assert_eq!(printed, expected(&maps)),
        None => skip("cuda_loops_read_what_the_map_reads", "there is no C compiler `cc`"),
    }
}

/// Counts a test that could not run: `CONTRIBUTING.md` has the convention.
fn skip(test: &str, reason: &str) {
    let line = format!("SKIP {test}: {reason}\n");
    print!("{line}");
    if let Some(file) = std::env::var_os("WEFT_SKIP_FILE") {
        use std::io::Write as _;
        std::fs::OpenOptions::new().append(true).create(true).open(file).unwrap().write_all(line.as_bytes()).unwrap();
    }
}
