//! The tour, from its arguments to what it prints and writes: the whole walk, sessions with files, and files and chains
//! that cannot be; then the same chains in NumPy itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use proptest::prelude::*;

#[path = "../examples/tour/main.rs"]
#[allow(dead_code, reason = "its `main` is for the command line")]
mod tour;

/// What the program printed, and what it would return to the shell.
struct Ran {
    code: u8,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Ran {
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = tour::run(&args, &mut out, &mut err);
    Ran { code, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// An empty folder of one test.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file of the format's first version.
fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

fn f32s(count: u8) -> Vec<u8> {
    (0..count).flat_map(|k| f32::from(k).to_le_bytes()).collect()
}

/// A session in `folder` as a person sees it: the command and what it printed, without the path of the folder.
fn session(folder: &Path, args: &[&str]) -> String {
    let full = |arg: &str| if arg.ends_with(".npy") { folder.join(arg).display().to_string() } else { arg.to_owned() };
    let owned: Vec<String> = args.iter().map(|arg| full(arg)).collect();
    let ran = run(&owned.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.code == 0, ran.err.is_empty());
    let shown = format!("$ tour {}\n{}{}exit code {}\n", args.join(" "), ran.out, ran.err, ran.code);
    shown.replace(&format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR), "")
}

#[test]
fn the_whole_tour() {
    let ran = run(&[]);
    assert_eq!((ran.code, &ran.err[..]), (0, ""));
    assert_eq!(ran.out.lines().find(|line| line.chars().count() > 100), None);
    insta::assert_snapshot!(ran.out);
}

#[test]
fn help_and_each_step_in_it() {
    let ran = run(&["--help"]);
    assert_eq!((ran.code, &ran.err[..]), (0, ""));
    insta::assert_snapshot!(ran.out);

    let file = folder("help").join("x.npy");
    fs::write(&file, npy("'<f4'", "False", "(2, 3, 1)", &f32s(6))).unwrap();
    let steps = ran.out.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let mut count = 0;
    for step in steps {
        assert_eq!(run(&[file.to_str().unwrap(), step]).err, "");
        count += 1;
    }
    assert_eq!(count, 18);
}

/// A reader who has left, or a disk that is full.
struct Closed(io::ErrorKind);

impl io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_who_leaves_is_no_failure() {
    for (kind, code, text) in [(io::ErrorKind::BrokenPipe, 0, ""), (io::ErrorKind::Other, 1, "tour: other error\n")] {
        let mut err = Vec::new();
        assert_eq!(tour::run(&[], &mut Closed(kind), &mut err), code);
        assert_eq!(String::from_utf8(err).unwrap(), text);
    }
}

#[test]
fn sessions() {
    let folder = folder("sessions");
    fs::write(folder.join("f.npy"), npy("'<f4'", "True", "(2, 3, 4)", &f32s(24))).unwrap();
    fs::write(folder.join("c.npy"), npy("'>i2'", "False", "(3, 4)", &[0, 1, 0, 2, 0, 3].repeat(4))).unwrap();
    fs::write(folder.join("b.npy"), npy("'|b1'", "False", "(4,)", &[1, 0, 0, 1])).unwrap();
    let sessions = [
        &["f.npy", "permute=2,0,1", "slice=0:1::2", "flip=1", "reshape=-1", "-o", "out.npy"][..],
        &["c.npy", "t", "narrow=0,1,2", "-o", "t.npy"],
        &["t.npy"],
        &["b.npy", "slice=0::3", "-o", "booleans.npy"],
        &["booleans.npy"],
        &["b.npy", "broadcast_to=8,4", "windows=1,2,1,1", "transpose=1,2", "flatten=1,2"],
        &["c.npy", "t", "contiguous", "contiguous"],
    ];
    insta::assert_snapshot!(sessions.map(|args| session(&folder, args)).join("\n"));
}

#[test]
fn bad_chains() {
    let folder = folder("bad_chains");
    fs::write(folder.join("x.npy"), npy("'<f4'", "False", "(3, 4)", &f32s(12))).unwrap();
    let chains = [
        "turn",
        "t=1",
        "permute=0",
        "permute=0,0",
        "permute=a",
        "transpose=0,2",
        "slice=0",
        "slice=:1",
        "slice=0:1:2:0",
        "slice=0:1:2:3:4",
        "slice=0:x",
        "narrow=0,2,2",
        "narrow=0,-1,2",
        "select=0,3",
        "squeeze=0",
        "broadcast_to=3,5",
        "broadcast_to=-1",
        "reshape=5,-1",
        "reshape=-1,-1",
        "reshape=13",
        "flatten=1,0",
        "unflatten=1,3,2",
        "diagonal=0,0,0",
        "windows=0,4,1,1",
        "windows=0,2,0,1",
        "reshape=99999999999999999999",
        "broadcast_to=4611686018427387904,3,4",
    ];
    let mut texts = String::new();
    for chain in chains {
        let text = session(&folder, &["x.npy", chain, "-o", "out.npy"]);
        assert!(text.ends_with("exit code 1\n"), "{text}");
        texts += text.lines().rev().nth(1).unwrap();
        texts += "\n";
    }
    assert!(!folder.join("out.npy").exists());
    insta::assert_snapshot!(texts);
}

#[test]
fn bad_command_lines_and_files() {
    let folder = folder("bad_files");
    let whole = npy("'<f4'", "False", "(3, 4)", &f32s(12));
    let deep = format!("({}3{},)", "(".repeat(50), ")".repeat(50));
    let long = [b"\x93NUMPY\x02\x00", &u32::MAX.to_le_bytes()[..], b"{}"].concat();
    let files: &[(&str, Vec<u8>)] = &[
        ("x.npy", whole.clone()),
        ("empty.npy", Vec::new()),
        ("text.npy", b"1.0, 2.0, 3.0".to_vec()),
        ("magic.npy", whole[..6].to_vec()),
        ("header.npy", whole[..40].to_vec()),
        ("data.npy", whole[..whole.len() - 1].to_vec()),
        ("version.npy", [b"\x93NUMPY\x07\x00".as_slice(), &whole[8..]].concat()),
        ("long.npy", long),
        ("deep.npy", npy("'<f4'", "False", &deep, &[])),
        ("object.npy", npy("'|O'", "False", "(3,)", &[0; 24])),
        ("record.npy", npy("[('a', '<i4'), ('b', '<f8')]", "False", "(3,)", &[0; 36])),
        ("time.npy", npy("'<M8[ns]'", "False", "(3,)", &[0; 24])),
        ("string.npy", npy("'<U3'", "False", "(3,)", &[0; 36])),
        ("long_double.npy", npy("'<f16'", "False", "(3,)", &[0; 48])),
        ("type.npy", npy("'<q4'", "False", "(3,)", &[0; 12])),
        ("bool.npy", npy("'|b1'", "False", "(2,)", &[1, 7])),
        ("negative.npy", npy("'<f4'", "False", "(-3,)", &[])),
        ("overflow.npy", npy("'|u1'", "False", "(4294967296, 4294967296)", &[])),
        ("overflow0.npy", npy("'|u1'", "False", "(0, 4294967296, 4294967296)", &[])),
        ("huge.npy", npy("'<f8'", "False", "(1152921504606846975,)", &[])),
        ("hex.npy", npy("'<f4'", "False", "(0xffffffffffffffff,)", &[])),
        ("order.npy", npy("'<f4'", "3", "(3,)", &[0; 12])),
        ("shape.npy", npy("'<f4'", "False", "7", &[0; 12])),
        ("no_shape.npy", whole.iter().map(|&byte| if byte == b'h' { b'k' } else { byte }).collect()),
        ("python.npy", npy("'<f4'", "False", "(3,", &[0; 12])),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let mut texts = String::new();
    let names = files.iter().skip(1).map(|(name, _)| vec![*name]);
    let lines = [
        vec!["absent.npy"],
        vec!["-o"],
        vec!["-o", "out.npy"],
        vec!["x.npy", "-o"],
        vec!["x.npy", "-o", "a.npy", "-o", "b.npy"],
        vec!["x.npy", "--fast"],
        vec!["x.npy", "t", "-o", "x.npy"],
    ];
    for args in names.chain(lines) {
        let text = session(&folder, &args);
        assert!(text.ends_with("exit code 1\n"), "{text}");
        texts += &format!("{}: {}\n", args.join(" "), text.lines().rev().nth(1).unwrap());
    }
    assert_eq!(fs::read(folder.join("x.npy")).unwrap(), whole, "a file was overwritten");
    insta::assert_snapshot!(texts);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// No bytes whatever make the program panic, hang or allocate without bound.
    #[test]
    fn any_bytes_are_survived(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..10u8, any::<u8>()), 1..8),
        fortran in prop::sample::select(&["True", "False"][..]),
    ) {
        let mut file = npy("'<f4'", fortran, "(2, 3, 4)", &f32s(24));
        for (at, edit, byte) in edits {
            // Nine edits of ten in the header.
            let len = file.len().max(1);
            let at = if edit == 0 { at.index(len) } else { at.index(len.min(80)) };
            match edit {
                0 | 1 if at < file.len() => file[at] = byte,
                2 => file.truncate(at),
                3 => { file.splice(at..at.min(file.len()), *b"99999999999"); }
                4 => { file.splice(at..at.min(file.len()), *b"(((["); }
                5 => { file.splice(at..at.min(file.len()), [byte]); }
                6 if at < file.len() => { file.remove(at); }
                7 if at < file.len() => file[at] = file[at].wrapping_add(1),
                8 => { file.splice(at..at.min(file.len()), *b"0, "); }
                _ => { file.splice(at..at.min(file.len()), *b"1-"); }
            }
        }
        // The length of the header follows the edits more often than not.
        if file.len() > 200 && file.starts_with(b"\x93NUMPY\x01") {
            let header = u16::try_from(file.len() - 10 - 96).unwrap();
            file[8..10].copy_from_slice(&header.to_le_bytes());
        }
        let path = folder("any_bytes").join("x.npy");
        fs::write(&path, &file).unwrap();
        let ran = run(&[path.to_str().unwrap(), "flip=0", "reshape=-1"]);
        prop_assert_eq!(ran.code == 0, ran.err.is_empty());
        prop_assert!(ran.code <= 1);
    }
}

/// Says, where the counts are kept, that a test could not run.
fn skip(test: &str, reason: &str) {
    let line = format!("SKIP {test}: {reason}\n");
    print!("{line}");
    if let Some(path) = std::env::var_os("WEFT_SKIP_FILE") {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        io::Write::write_all(&mut file, line.as_bytes()).unwrap();
    }
}

#[test]
fn numpy_gives_the_same() {
    let python = std::env::var("WEFT_PYTHON").unwrap_or("python3".into());
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output();
    if !has_numpy.is_ok_and(|output| output.status.success()) {
        return skip("tour::numpy_gives_the_same", &format!("{python} has no NumPy; WEFT_PYTHON names another"));
    }
    let folder = folder("numpy");
    let script = |command: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tour.py");
        let output = Command::new(&python).arg(script).arg(command).arg(&folder).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let cases = script("make");
    assert!(cases.lines().count() > 100);
    for case in cases.lines() {
        let mut words = case.split('\t');
        let name = words.next().unwrap();
        let (input, output) = (folder.join(format!("{name}.npy")), folder.join(format!("{name}.out.npy")));
        let mut args = vec![input.to_str().unwrap()];
        args.extend(words);
        args.extend(["-o", output.to_str().unwrap()]);
        let ran = run(&args);
        assert_eq!((ran.code, &ran.err[..]), (0, ""), "{case}");
    }
    script("check");
}
