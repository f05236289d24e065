//! Bytes with a bit each that says whether anybody ever wrote them. It knows offsets, and nothing of addresses.
#![forbid(unsafe_code)]

use std::collections::HashMap;

/// What memory holds that nobody wrote: an odd, recognisable, non-zero byte.
pub(crate) const POISON: u8 = 0xa5;

/// A run of bytes that exists as a whole.
#[derive(Debug, Clone)]
pub(crate) struct Flat {
    bytes: Vec<u8>,
    /// Bit `i % 64` of word `i / 64` is set when byte `i` was written.
    written: Vec<u64>,
    /// How many bits are not set; most allocations reach 0 at once and are never looked at again.
    missing: usize,
}

impl Flat {
    pub(crate) fn new(size: usize) -> Flat {
        Flat { bytes: vec![POISON; size], written: vec![0; size.div_ceil(64)], missing: size }
    }

    fn filled(size: usize, byte: u8) -> Flat {
        Flat { bytes: vec![byte; size], written: vec![!0; size.div_ceil(64)], missing: 0 }
    }

    /// Makes it as fresh as new.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(POISON);
        self.written.fill(0);
        self.missing = self.bytes.len();
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// `N` bytes at `at`; `None` past the end.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.bytes.get(at..)?.first_chunk::<N>().copied()
    }

    /// Puts `N` bytes at `at`, which is a multiple of `N`; `None` past the end, with nothing written.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, at: usize, value: [u8; N]) -> Option<()> {
        *self.bytes.get_mut(at..)?.first_chunk_mut::<N>()? = value;
        if self.missing != 0 {
            self.mark_few(at, N);
        }
        Some(())
    }

    /// Marks `len` bytes at `at` as written, all of which share a word.
    fn mark_few(&mut self, at: usize, len: usize) {
        let bits = ones(len) << (at % 64);
        let word = &mut self.written[at / 64];
        self.missing -= (bits & !*word).count_ones() as usize;
        *word |= bits;
    }

    /// Whether the `len` bytes at `at`, which is a multiple of `len`, were all written.
    #[inline(always)]
    pub(crate) fn is_written(&self, at: usize, len: usize) -> bool {
        self.missing == 0 || !(self.written[at / 64] >> (at % 64)) & ones(len) == 0
    }

    fn slice(&self, at: usize, len: usize) -> &[u8] {
        &self.bytes[at..at + len]
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.mark(at, bytes.len());
    }

    fn mark(&mut self, at: usize, len: usize) {
        let (mut at, end) = (at, at + len);
        while self.missing != 0 && at < end {
            let step = (64 - at % 64).min(end - at);
            self.mark_few(at, step);
            at += step;
        }
    }

    /// The first byte at or after `at`, before `end`, that is written or is not (as `written` says).
    fn first(&self, at: usize, end: usize, written: Written) -> Option<usize> {
        if self.missing == 0 {
            return (written == Written::Yes && at < end).then_some(at);
        }
        let mut at = at;
        while at < end {
            let word = self.written[at / 64];
            let word = if written == Written::Yes { word } else { !word } >> (at % 64);
            if word != 0 {
                let found = at + word.trailing_zeros() as usize;
                return (found < end).then_some(found);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }

    fn unmark(&mut self, at: usize, len: usize) {
        for i in at..at + len {
            let word = &mut self.written[i / 64];
            self.missing += (*word >> (i % 64)) as usize & 1;
            *word &= !(1 << (i % 64));
            self.bytes[i] = POISON;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Yes,
    No,
}

/// The lowest `len` bits, `len` from 1 to 64.
#[inline(always)]
fn ones(len: usize) -> u64 {
    !0 >> (64 - len)
}

/// Bytes of a page of a [`Sparse`] store.
const PAGE: u64 = 1 << 16;

/// A run of bytes far too long to exist: only the pages that were written do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sparse {
    pages: HashMap<u64, Flat>,
    /// What a page without an entry holds; `None`: nobody wrote it.
    background: Option<u8>,
}

impl Sparse {
    fn fresh(&self) -> Flat {
        match self.background {
            Some(byte) => Flat::filled(PAGE as usize, byte),
            None => Flat::new(PAGE as usize),
        }
    }

    fn page(&mut self, number: u64) -> &mut Flat {
        let fresh = (!self.pages.contains_key(&number)).then(|| self.fresh());
        self.pages.entry(number).or_insert_with(|| fresh.unwrap_or_else(|| Flat::new(PAGE as usize)))
    }
}

/// The bytes of one allocation. Callers have checked every range against its size.
#[derive(Debug, Clone)]
pub(crate) enum Store {
    /// All of it.
    Flat(Flat),
    /// The pages that were written.
    Sparse(Sparse),
}

impl Store {
    /// Up to 16 bytes that do not cross a multiple of 16.
    pub(crate) fn load<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        match self {
            Store::Flat(flat) => flat.load(usize::try_from(at).ok()?),
            Store::Sparse(sparse) => match sparse.pages.get(&(at / PAGE)) {
                Some(page) => page.load((at % PAGE) as usize),
                None => Some([sparse.background.unwrap_or(POISON); N]),
            },
        }
    }

    pub(crate) fn store<const N: usize>(&mut self, at: u64, value: [u8; N]) -> Option<()> {
        match self {
            Store::Flat(flat) => flat.store(usize::try_from(at).ok()?, value),
            Store::Sparse(sparse) => sparse.page(at / PAGE).store((at % PAGE) as usize, value),
        }
    }

    pub(crate) fn is_written(&self, at: u64, len: usize) -> bool {
        match self {
            Store::Flat(flat) => flat.is_written(at as usize, len),
            Store::Sparse(sparse) => match sparse.pages.get(&(at / PAGE)) {
                Some(page) => page.is_written((at % PAGE) as usize, len),
                None => sparse.background.is_some(),
            },
        }
    }

    pub(crate) fn read(&self, at: u64, to: &mut [u8]) {
        match self {
            Store::Flat(flat) => to.copy_from_slice(flat.slice(at as usize, to.len())),
            Store::Sparse(sparse) => pieces(at, to.len(), |page, inside, range| match sparse.pages.get(&page) {
                Some(flat) => {
                    let len = range.len();
                    to[range].copy_from_slice(flat.slice(inside, len));
                }
                None => to[range].fill(sparse.background.unwrap_or(POISON)),
            }),
        }
    }

    pub(crate) fn write(&mut self, at: u64, from: &[u8]) {
        match self {
            Store::Flat(flat) => flat.write(at as usize, from),
            Store::Sparse(sparse) => {
                pieces(at, from.len(), |page, inside, range| sparse.page(page).write(inside, &from[range]));
            }
        }
    }

    /// Makes every byte of it `byte`, at no cost for what does not exist.
    pub(crate) fn fill_all(&mut self, byte: u8) {
        match self {
            Store::Flat(flat) => {
                flat.bytes.fill(byte);
                flat.mark(0, flat.len());
            }
            Store::Sparse(sparse) => *sparse = Sparse { pages: HashMap::new(), background: Some(byte) },
        }
    }

    /// Makes `len` bytes as if nobody had written them.
    pub(crate) fn forget(&mut self, at: u64, len: usize) {
        match self {
            Store::Flat(flat) => flat.unmark(at as usize, len),
            Store::Sparse(sparse) => {
                pieces(at, len, |page, inside, range| sparse.page(page).unmark(inside, range.len()));
            }
        }
    }

    /// The offset of the first byte of the range that nobody wrote.
    pub(crate) fn first_unwritten(&self, at: u64, len: u64) -> Option<u64> {
        self.first(at, len, Written::No)
    }

    /// The offset of the first byte of the range that somebody wrote.
    pub(crate) fn first_written(&self, at: u64, len: u64) -> Option<u64> {
        self.first(at, len, Written::Yes)
    }

    fn first(&self, at: u64, len: u64, what: Written) -> Option<u64> {
        match self {
            Store::Flat(flat) => flat.first(at as usize, (at + len) as usize, what).map(|f| f as u64),
            Store::Sparse(sparse) => {
                let (mut at, end) = (at, at + len);
                while at < end {
                    let page_end = ((at / PAGE + 1) * PAGE).min(end);
                    let base = at / PAGE * PAGE;
                    let found = match sparse.pages.get(&(at / PAGE)) {
                        Some(flat) => flat.first((at - base) as usize, (page_end - base) as usize, what),
                        None => ((what == Written::Yes) == sparse.background.is_some()).then_some((at - base) as usize),
                    };
                    if let Some(found) = found {
                        return Some(base + found as u64);
                    }
                    at = page_end;
                }
                None
            }
        }
    }
}

/// Cuts `len` bytes at `at` by pages: calls `each(page, offset in the page, range in the slice)`.
fn pieces(at: u64, len: usize, mut each: impl FnMut(u64, usize, core::ops::Range<usize>)) {
    let mut done = 0;
    while done < len {
        let here = at + done as u64;
        let inside = (here % PAGE) as usize;
        let step = (PAGE as usize - inside).min(len - done);
        each(here / PAGE, inside, done..done + step);
        done += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_follow_bytes() {
        let mut flat = Flat::new(200);
        assert!(!flat.is_written(64, 4));
        flat.store(64, [1, 2, 3, 4]).unwrap();
        assert!(flat.is_written(64, 4));
        assert!(!flat.is_written(64, 8));
        assert_eq!(flat.load::<8>(64).unwrap(), [1, 2, 3, 4, POISON, POISON, POISON, POISON]);
        flat.mark(0, 200);
        assert_eq!((flat.missing, flat.first(0, 200, Written::No)), (0, None));
        flat.unmark(130, 3);
        assert_eq!((flat.missing, flat.first(0, 200, Written::No)), (3, Some(130)));
        assert_eq!(flat.first(130, 200, Written::Yes), Some(133));
        assert_eq!(flat.load::<4>(197), None);
        assert_eq!(flat.store(198, [0; 4]), None);
    }

    #[test]
    fn sparse_agrees_with_flat() {
        let mut flat = Store::Flat(Flat::new(1 << 18));
        let mut sparse = Store::Sparse(Sparse::default());
        let text: Vec<u8> = (0..70_000u32).map(|i| (i * 7 % 251) as u8).collect();
        for store in [&mut flat, &mut sparse] {
            store.write(65_000, &text);
            store.store(8, [9; 8]).unwrap();
            store.forget(70_000, 10);
        }
        let (mut a, mut b) = (vec![0; 1 << 18], vec![1; 1 << 18]);
        flat.read(0, &mut a);
        sparse.read(0, &mut b);
        assert_eq!(a, b);
        for at in [0, 8, 9, 16, 64_999, 65_000, 69_999, 70_000, 70_010, 134_999, 135_000, 200_000] {
            assert_eq!(flat.first_unwritten(at, 1000), sparse.first_unwritten(at, 1000), "{at}");
            assert_eq!(flat.first_written(at, 1000), sparse.first_written(at, 1000), "{at}");
        }
        flat.fill_all(3);
        sparse.fill_all(3);
        assert_eq!(sparse.load::<4>(200_000), Some([3; 4]));
        assert_eq!(flat.first_unwritten(0, 1 << 18), None);
        assert_eq!(sparse.first_unwritten(0, 1 << 18), None);
    }
}
