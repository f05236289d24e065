//! What is refused, where, and in which words.

use weft_cuda_sim::ptx::{self, ErrorKind, Options};

const HEAD: &str = ".version 8.4\n.target sm_70\n.address_size 64\n";

#[track_caller]
fn refused(text: &str) -> String {
    let error = ptx::parse(text, &Options::default()).expect_err("it was accepted");
    format!("{:?}: {error}", error.kind)
}

/// The statement stands in line 6 of its text, from column 1.
#[track_caller]
fn statement(text: &str) -> String {
    refused(&format!(
        "{HEAD}.visible .entry k(.param .u64 out) {{\n.reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .b64 %rd<4>;\n{text}\nret; }}"
    ))
}

fn all(texts: &[&str], refuse: fn(&str) -> String) -> String {
    texts.iter().map(|t| format!("{t}\n    {}\n", refuse(t))).collect()
}

#[test]
fn heads() {
    insta::assert_snapshot!(all(
        &[
            "",
            "hello",
            ".version 8.4",
            ".version 8.5\n.target sm_70",
            ".version 9.0\n.target sm_70",
            ".version eight\n.target sm_70",
            ".version 8.4\n.target sm_90",
            ".version 8.4\n.target sm_90a",
            ".version 8.4\n.target compute_70",
            ".version 8.4\n.target sm_70, fast",
            ".version 8.4\n.target sm_70\n.address_size 32",
            ".version 8.4\n.target sm_70\n.visible .entry k() { }",
        ],
        refused
    ));
    let later = Options { newest_version: (9, 0), compute_capability: 90 };
    for text in
        [".version 9.0\n.target sm_90a\n.address_size 64", ".version 8.5\n.target sm_52, debug\n.address_size 64"]
    {
        assert!(ptx::parse(text, &later).is_ok(), "{text}");
    }
}

#[test]
fn modules() {
    fn module(text: &str) -> String {
        refused(&format!("{HEAD}{text}"))
    }
    insta::assert_snapshot!(all(
        &[
            ".visible .func f() { ret; }",
            ".entry k",
            ".entry k() .reqntid 32 { ret; }",
            ".entry k() { ret;",
            ".entry k() { ret; } .entry k() { ret; }",
            ".entry k(.param .u64 a, .param .u32 a) { ret; }",
            ".entry k(.reg .u64 a) { ret; }",
            ".entry k(.param .b8 a[40000]) { ret; }",
            ".entry k(.param .u64 a[]) { ret; }",
            ".global .u32 x = y;",
            ".global .u32 x[1] = {1, 2};",
            ".global .align 3 .u32 x;",
            ".global .b8 x[99999999999];",
            ".global .u32 x; .shared .u32 x;",
            ".extern .global .u32 x;",
            ".global .texref t;",
            ".entry k() { .shared .b8 a[50000]; ret; }",
            ".entry k() { .local .b8 a[70000]; ret; }",
            "/* no end",
            ".entry k() { ret; } é",
        ],
        module
    ));
}

#[test]
fn statements() {
    insta::assert_snapshot!(all(
        &[
            "frobnicate.u32 %r1, %r2;",
            "add.u32 %r1, %r2",
            "add.u32 %r1, %r2, %r9;",
            "add.u32 %r1, %r2, %rd1;",
            "add.u32 %rd1, %r2, %r1;",
            "add.u32 %r1, %r2, nothing;",
            "add.u32 %r1, %r2, %p1;",
            "add.u32 %r1, %r2, 1.5;",
            "add.u32 %r1, %r2;",
            "add.u32 %r1, %r2, %r1, %r1;",
            "add.u128 %r1, %r2, %r1;",
            "add.cc.u32 %r1, %r2, %r1;",
            "add.rz.f32 %f1, %f2, %f3;",
            "mul.u32 %r1, %r2, %r3;",
            "mov.u32 5, %r1;",
            "mov.u32 %r01, %r1;",
            "mov.u32 %r1, %clock;",
            "ld.global.u32 %r1, [%r2];",
            "ld.global.u64 %r1, [%rd2];",
            "ld.global.u32 %r1, %rd2;",
            "ld.global.v2.u32 {%r1, %r2, %r3}, [%rd2];",
            "ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd1}, [%rd2];",
            "ld.global.u32 %r1, [out];",
            "st.param.u64 [out], %rd1;",
            "st.global.u32 [%rd1], %rs1;",
            "ld.global.L1::evict_last.u32 %r1, [%rd1];",
            "atom.global.add.s64 %rd1, [%rd2], %rd3;",
            "atom.global.add.u32 %r1, [%rd2];",
            "red.global.cas.b32 [%rd2], %r1, %r2;",
            "cvt.f32.s32 %f1, %r1;",
            "cvt.rn.s32.s16 %r1, %rs1;",
            "cvt.u32.u64 %rs1, %rd1;",
            "setp.lt.u32 %r1, %r2, %r3;",
            "setp.lt.b32 %p1, %r2, %r3;",
            "setp.about.f32 %p1, %f2, %f3;",
            "selp.b32 %r1, %r2, %r3, %r1;",
            "@%r1 add.u32 %r1, %r2, %r3;",
            "@%p9 add.u32 %r1, %r2, %r3;",
            "bra nowhere;",
            "a: a:",
            "bar.sync 16;",
            "bar.sync 0, 32;",
            "call f;",
            "shfl.down.b32 %r1, %r2, 1, 31;",
            "div.approx.f32 %f1, %f2, %f3;",
            ".reg .b128 %q;",
            ".reg .b32 %r<5>;",
            ".frob;",
            "mov.b64 {%r1, %r2, %r3}, %rd1;",
            "brx.idx %r1, out;",
            "add.u32 %r1, %r2, ];",
            "%r1;",
        ],
        statement
    ));
}

#[test]
fn too_much() {
    let nested = format!("{HEAD}.entry k() {{ {}", "{".repeat(100_000));
    assert_eq!(ptx::parse(&nested, &Options::default()).unwrap_err().kind, ErrorKind::Limit);
    let many: String = (0..20_000).map(|i| format!("mov.u32 %r{i}, {i};")).collect();
    let text = format!("{HEAD}.entry k() {{ .reg .b32 %r<99999999>; {many} }}");
    assert_eq!(ptx::parse(&text, &Options::default()).unwrap_err().kind, ErrorKind::Limit);
    let text = format!("{HEAD}.entry k() {{ .reg .b32 %r<5>; mov.b32 %r1, {{{}}}; }}", "%r1,".repeat(100_000));
    assert_eq!(ptx::parse(&text, &Options::default()).unwrap_err().kind, ErrorKind::Syntax);
    // One long line: places are found without counting from its start each time.
    let long = format!("{HEAD}.entry k() {{ .reg .b32 %r<5>; {} %r9; }}", "mov.u32 %r1, 1; ".repeat(200_000));
    assert_eq!(ptx::parse(&long, &Options::default()).unwrap_err().column, 3_200_032);
}
