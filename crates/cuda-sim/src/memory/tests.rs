//! Allocations, bounds, and what is known of each byte.

use super::*;

#[test]
fn copies_carry_what_was_never_written() {
    let mut memory = Memory::new();
    let a = memory.alloc(200_000).unwrap();
    let b = memory.alloc_virtual(1 << 40).unwrap();
    memory.write(a + 10, &[7; 100_000]).unwrap();
    memory.copy(b + (1 << 39), a, 200_000).unwrap();
    let there = b + (1 << 39);
    assert_eq!(memory.first_unwritten(there, 200_000).unwrap(), Some(there));
    assert_eq!(memory.first_unwritten(there + 10, 100_000).unwrap(), None);
    assert_eq!(memory.first_unwritten(there + 10, 100_001).unwrap(), Some(there + 100_010));
    let mut bytes = [0; 3];
    memory.read(there + 9, &mut bytes).unwrap();
    assert_eq!(bytes, [POISON, 7, 7]);
}

#[test]
fn overlapping_copies_move() {
    let text: Vec<u8> = (0..150_000u32).map(|i| (i % 253) as u8).collect();
    for (to, from) in [(0u64, 1000u64), (1000, 0), (70_000, 10), (10, 70_000)] {
        let mut memory = Memory::new();
        let a = memory.alloc(250_000).unwrap();
        memory.fill(a, &[0], 250_000).unwrap();
        memory.write(a + from, &text).unwrap();
        memory.copy(a + to, a + from, 150_000).unwrap();
        let mut back = vec![0; 150_000];
        memory.read(a + to, &mut back).unwrap();
        assert!(back == text, "{to} from {from}");
    }
}

#[test]
fn addresses_are_told_apart() {
    let mut memory = Memory::new();
    assert_eq!(memory.read(5, &mut [0]).unwrap_err().to_string(), "memory: 0x5 is in no allocation, and there is none");
    let a = memory.alloc(100).unwrap();
    let b = memory.alloc(100).unwrap();
    assert_eq!((a, b), (FIRST_ADDRESS, FIRST_ADDRESS + 4096 + 512));
    let text = |r: Result<(), AccessError>| r.unwrap_err().to_string();
    insta::assert_snapshot!(text(memory.write(a + 98, &[0; 3])), @"memory: 3 bytes at 0x700000000062 run past the 100-byte allocation at 0x700000000000 (they start at its byte 98)");
    insta::assert_snapshot!(text(memory.write(a + 100, &[0; 3])), @"memory: 0x700000000064 is in no allocation; the nearest is 100 bytes at 0x700000000000, which ends 0 bytes before it");
    insta::assert_snapshot!(text(memory.write(b - 1, &[0; 3])), @"memory: 0x7000000011ff is in no allocation; the nearest is 100 bytes at 0x700000001200, which starts 1 bytes after it");
    insta::assert_snapshot!(memory.free(a + 1).unwrap_err().to_string(), @"free: 0x700000000001 is 1 bytes into the 100-byte allocation at 0x700000000000");
    memory.free(a).unwrap();
    insta::assert_snapshot!(text(memory.write(a + 1, &[0; 3])), @"memory: 0x700000000001 was freed: it is byte 1 of a 100-byte allocation at 0x700000000000");
    insta::assert_snapshot!(memory.free(a).unwrap_err().to_string(), @"free: 0x700000000000 was freed: it is byte 0 of a 100-byte allocation at 0x700000000000");
    assert_eq!((memory.live_bytes(), memory.allocations().count()), (100, 1));
    assert_eq!(memory.alloc(0), Err(AccessError::Size { size: 0 }));
    assert_eq!(memory.alloc(u64::MAX), Err(AccessError::Size { size: u64::MAX }));
    assert!(memory.alloc(100).unwrap() > b, "addresses are never given twice");
    memory.read(12345, &mut []).unwrap();
}

#[test]
fn fill_repeats_its_pattern() {
    let mut memory = Memory::new();
    let a = memory.alloc(10_000).unwrap();
    memory.fill(a + 2, &[1, 2], 4999).unwrap();
    let mut bytes = vec![0; 9998];
    memory.read(a + 2, &mut bytes).unwrap();
    assert!(bytes.chunks(2).all(|c| c == [1, 2]));
    assert_eq!(memory.first_unwritten(a, 10_000).unwrap(), Some(a));
    assert_eq!(memory.first_unwritten(a + 2, 9998).unwrap(), None);
    memory.fill(a, &[9], 10_000).unwrap();
    assert_eq!(memory.first_unwritten(a, 10_000).unwrap(), None);
    let big = memory.alloc(1 << 40).unwrap();
    memory.fill(big, &[0], 1 << 40).unwrap();
    memory.fill(big, &[0], 0).unwrap();
    assert_eq!(memory.first_unwritten(big, 1 << 40).unwrap(), None);
    assert!(matches!(memory.fill(big, &[0, 0], u64::MAX), Err(AccessError::Size { .. })));
}
