//! Every panel kernel against the formula, over every size of tail.

use super::{Panels, naive};
use crate::host::Isa;
use crate::host::kernel::{Rows, Store};

/// Words around the destination that nothing may touch.
const GUARD: usize = 70;

/// Rows of either side apart from one another, the destination's also in whole lines.
fn check<W: Panels + From<u8>>(word: impl Fn(usize) -> W, sizes: &[usize]) {
    check_pitches(word, sizes, &[(0, 1), (3, 1), (0, 64 / W::BYTES)]);
}

/// `pitches`: how far rows are apart, and to what the pitch of the destination is rounded up. Rounded ones are aligned to lines.
fn check_pitches<W: Panels + From<u8>>(word: impl Fn(usize) -> W, sizes: &[usize], pitches: &[(usize, usize)]) {
    for &m in sizes {
        for &n in sizes {
            for &(gap, multiple) in pitches {
                let side = 64 / W::BYTES;
                let in_lines = multiple > 1;
                let pitch = (m + gap).next_multiple_of(multiple) as isize;
                let source: Vec<W> = (0..m * (n + gap)).map(&word).collect();
                let table: Vec<isize> = (0..m).map(|i| ((i * 7 + 3) % m.max(1) * (n + gap)) as isize).collect();
                let last = m.saturating_sub(1) as isize * (n + gap) as isize;
                // Forwards, backwards, anyhow.
                let ways = [
                    (0, Rows::Pitch((n + gap) as isize)),
                    (last, Rows::Pitch(-((n + gap) as isize))),
                    (0, Rows::Table(&table)),
                ];
                for (start, rows) in ways {
                    let len = n * pitch as usize + 2 * GUARD + side;
                    let from = |words: &[W]| {
                        let aligned = words[GUARD..].as_ptr().align_offset(64).min(side);
                        GUARD + if in_lines { aligned } else { 1 }
                    };
                    let run = |kernel: super::Panel<W>, store| {
                        let mut words = vec![W::from(0xA5); len];
                        let at = from(&words);
                        // SAFETY: both sides hold the panel.
                        unsafe {
                            let dst = words.as_mut_ptr().add(at);
                            kernel(dst, pitch, source.as_ptr().offset(start), rows, m, n, store);
                        }
                        let guarded = |words: &[W]| words.iter().all(|word| *word == W::from(0xA5));
                        assert!(guarded(&words[..at]) && guarded(&words[at + n * pitch as usize..]), "{m} x {n}");
                        words[at..at + n * pitch as usize].to_vec()
                    };
                    let twin = run(naive::panel::<W>, Store::Cached);
                    for isa in [Isa::Portable, Isa::best()] {
                        for store in [Store::Cached, Store::Stream] {
                            let what = format!("{m} x {n}, {isa:?}, {store:?}, pitch {pitch}, {rows:?}");
                            assert!(run(W::panel(isa), store) == twin, "{what}");
                        }
                    }
                }
            }
        }
    }
}

/// No two neighbours are alike, in whatever byte.
fn mixed(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[test]
fn panels_of_4_and_8_and_16_bytes() {
    let sizes: Vec<usize> = (0..36).chain([63, 64, 65, 97]).collect();
    check::<u32>(|i| (mixed(i) >> 32) as u32, &sizes);
    let sizes: Vec<usize> = (0..19).chain([31, 32, 33]).collect();
    check::<u64>(mixed, &sizes);
    let sizes: Vec<usize> = (0..11).chain([15, 16, 17]).collect();
    check::<u128>(|i| u128::from(mixed(i)) << 64 | u128::from(!mixed(i)), &sizes);
}

#[test]
fn panels_whose_rows_crowd_a_cache() {
    check_pitches::<u32>(|i| (mixed(i) >> 32) as u32, &[15, 16, 17, 35], &[(0, 512)]);
}

#[test]
fn panels_of_2_bytes() {
    let sizes: Vec<usize> = (0..18).chain([31, 32, 33, 40, 41, 63, 64, 65, 130]).collect();
    check::<u16>(|i| (mixed(i) >> 48) as u16, &sizes);
}

#[test]
fn panels_of_1_byte() {
    let sizes: Vec<usize> = [0, 1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 80, 127, 130, 257].to_vec();
    check::<u8>(|i| (mixed(i) >> 56) as u8, &sizes);
}
