//! The loop itself: some rows of a destination and two operands.

use super::Loop;

/// `rows` rows of `n` elements; the strides are those of destination and operands along a row and from row to row.
pub(super) struct Rows<D, A, B, F> {
    pub(super) rows: usize,
    pub(super) n: usize,
    pub(super) along: [isize; 3],
    pub(super) down: [isize; 3],
    pub(super) dst: *mut D,
    pub(super) a: *const A,
    pub(super) b: *const B,
    pub(super) f: F,
}

impl<D: Copy, A: Copy, B: Copy, F: Fn(A, B) -> D> Loop for Rows<D, A, B, F> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Rows { rows, n, mut along, down, dst, a, b, f } = self;
        if size_of::<B>() == 0 {
            // It stands still wherever it is.
            along[2] = 0;
        }
        if size_of::<A>() == 0 {
            along[1] = 0;
        }
        for row in 0..rows as isize {
            // SAFETY: whoever made the loop has these rows. An operand that stands still is read once: no step writes it, or
            // there is a single one (D5).
            unsafe {
                let (dst, a, b) = (dst.offset(row * down[0]), a.offset(row * down[1]), b.offset(row * down[2]));
                match along {
                    [1, 1, 1] => (0..n).for_each(|i| dst.add(i).write(f(a.add(i).read(), b.add(i).read()))),
                    [1, 1, 0] => {
                        let b = b.read();
                        (0..n).for_each(|i| dst.add(i).write(f(a.add(i).read(), b)));
                    }
                    [1, 0, 1] => {
                        let a = a.read();
                        (0..n).for_each(|i| dst.add(i).write(f(a, b.add(i).read())));
                    }
                    [by, step_a, step_b] => (0..n as isize).for_each(|i| {
                        dst.offset(i * by).write(f(a.offset(i * step_a).read(), b.offset(i * step_b).read()));
                    }),
                }
            }
        }
    }
}
