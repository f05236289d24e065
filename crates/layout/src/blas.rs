//! From strides to the arguments of a matrix product in BLAS, or the reason why a copy is needed first.
//!
//! BLAS reads column-major matrices: element `(i, j)` of `r` rows lies at `i + j * ld` with `ld >= max(1, r)`, and a matrix
//! may be handed over transposed. That covers every matrix with one unit stride and another at least as long as the run,
//! row-major ones included. Nothing here calls BLAS or moves an element.

use crate::args::small;
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;
use crate::overlap::Overlap;
use crate::plan::Sorter;

/// Whether BLAS is told to transpose an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trans {
    /// `N`: as it lies, column by column.
    No,
    /// `T`: the memory holds the transposed matrix, column by column.
    Yes,
}

impl Trans {
    /// The other one.
    #[must_use]
    pub const fn flipped(self) -> Trans {
        match self {
            Trans::No => Trans::Yes,
            Trans::Yes => Trans::No,
        }
    }
}

/// How BLAS reads one matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Whether it is handed over as its transpose.
    pub trans: Trans,
    /// The leading dimension, in elements.
    pub ld: usize,
    /// Where the matrix starts, in elements.
    pub offset: usize,
}

/// How BLAS reads a matrix of rank 2.
///
/// Where both forms would do (one row, one column, no element), the one whose leading dimension is a stride of the layout
/// is taken, else the one that is not transposed. Strides of axes of size 1 are never used.
///
/// # Errors
///
/// `Rank` for any rank but 2; `BlasNegativeStride`, `BlasNoUnitStride` and `BlasLeadingStride` where only a copy helps.
///
/// ```
/// use weft_layout::blas::{self, Trans};
/// use weft_layout::Layout;
/// let a = blas::operand(&Layout::col_major([3, 5])?)?;
/// assert_eq!((a.trans, a.ld), (Trans::No, 3));
/// let b = blas::operand(&Layout::row_major([3, 5])?)?;
/// assert_eq!((b.trans, b.ld), (Trans::Yes, 5));
/// let refused = blas::operand(&Layout::from_parts(&[2, 2], &[1, 0], 0)?).unwrap_err();
/// assert_eq!(refused.to_string(), "blas::operand: axis 1 of x has stride 0, needed at least 2: copy it");
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
pub fn operand(layout: &Layout) -> Result<Operand> {
    if layout.ndim() != 2 {
        let kind = LayoutErrorKind::Rank { needed: 2, given: small(layout.ndim()) };
        return Err(LayoutError::new(Op::BlasOperand, kind));
    }
    Matrix::last_two(layout).operand(Op::BlasOperand, 'x')
}

/// The arguments of one (strided batched) `gemm` that computes `c = a b`, in the order and under the names of BLAS.
///
/// Where [`swapped`](Gemm::swapped), BLAS's A is our `b` and its B our `a`: it then computes the transposed product
/// `c^T = b^T a^T`, whose column-major result is our row-major one. With a size of 0 there is nothing to add up: skip the
/// call where `m` or `n` is 0, and only scale `c` where `k` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gemm {
    /// Whether BLAS's A is our `b` and the other way round.
    pub swapped: bool,
    /// `transa`: whether BLAS transposes its A.
    pub transa: Trans,
    /// `transb`: whether BLAS transposes its B.
    pub transb: Trans,
    /// Rows of BLAS's C.
    pub m: usize,
    /// Columns of BLAS's C.
    pub n: usize,
    /// The size that is summed over.
    pub k: usize,
    /// Leading dimension of BLAS's A, in elements.
    pub lda: usize,
    /// Leading dimension of BLAS's B, in elements.
    pub ldb: usize,
    /// Leading dimension of C, in elements.
    pub ldc: usize,
    /// How many products there are; 1 without batch axes.
    pub batch: usize,
    /// From one A to the next, in elements; 0 where every product reads the same, or where there is one.
    pub stride_a: usize,
    /// From one B to the next, in elements.
    pub stride_b: usize,
    /// From one C to the next, in elements.
    pub stride_c: usize,
    /// Where the first A starts, in elements.
    pub offset_a: usize,
    /// Where the first B starts, in elements.
    pub offset_b: usize,
    /// Where the first C starts, in elements.
    pub offset_c: usize,
}

impl Gemm {
    /// Whether sizes, leading dimensions and the batch count fit the `int` of the classic interfaces. Batch strides are 64
    /// bits wide everywhere.
    #[must_use]
    pub fn fits_i32(&self) -> bool {
        [self.m, self.n, self.k, self.lda, self.ldb, self.ldc, self.batch].iter().all(|&n| i32::try_from(n).is_ok())
    }
}

/// The `gemm` that computes `c = a b` over the last two axes: `a` is `(.., m, k)`, `b` is `(.., k, n)`, `c` is `(.., m, n)`.
///
/// The leading axes are the batch and the same for all three; an input that is read again and again is broadcast first
/// ([`broadcast_to`](Layout::broadcast_to)) and then has batch stride 0. Several batch axes must be one run in every
/// operand; they may be in any order and reversed.
///
/// # Errors
///
/// `TooFewAxes`, `GemmRank` and `GemmSize` where the shapes do not make a product; `BlasNegativeStride`, `BlasNoUnitStride`
/// and `BlasLeadingStride` name the operand that needs a copy; `BlasNegativeBatch` and `BlasBatchAxes`; `BlasBatchOverlap` where `c` would be written
/// twice, `OverlapUnknown` where that is not decided.
///
/// ```
/// use weft_layout::blas::{self, Trans};
/// use weft_layout::Layout;
/// let (a, b, c) = (Layout::row_major([2, 3])?, Layout::row_major([3, 5])?, Layout::row_major([2, 5])?);
/// let g = blas::gemm(&a, &b, &c)?;
/// // Row-major throughout: gemm(N, N, 5, 2, 3, b, 5, a, 3, c, 5).
/// assert!(g.swapped);
/// assert_eq!((g.transa, g.transb), (Trans::No, Trans::No));
/// assert_eq!((g.m, g.n, g.k, g.lda, g.ldb, g.ldc), (5, 2, 3, 5, 3, 5));
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[doc(alias = "matmul")]
#[doc(alias = "bmm")]
pub fn gemm(a: &Layout, b: &Layout, c: &Layout) -> Result<Gemm> {
    check_shapes(a, b, c)?;
    let [ma, mb, mc] = [a, b, c].map(Matrix::last_two);
    let (mut first, mut second) = (ma.operand(Op::BlasGemm, 'a')?, mb.operand(Op::BlasGemm, 'b')?);
    // The result is never transposed; where it would have to be, its transpose is computed instead.
    let (swapped, ldc) = match mc.forms() {
        (Some(ld), _) => (false, ld),
        (None, Some(ld)) => (true, ld),
        (None, None) => return Err(mc.refusal(Op::BlasGemm, 'c')),
    };
    let (mut m, mut n) = (mc.sizes[0], mc.sizes[1]);
    let k = ma.sizes[1];

    let batch = Batch::new(a, b, c)?;
    let [mut stride_a, mut stride_b, stride_c] = batch.strides;
    [first.offset, second.offset] = [batch.offsets[0], batch.offsets[1]];
    if swapped {
        (m, n) = (n, m);
        (first, second) = (second, first);
        (stride_a, stride_b) = (stride_b, stride_a);
        first.trans = first.trans.flipped();
        second.trans = second.trans.flipped();
    }
    if batch.count > 1 {
        let kind = match c.self_overlap(Layout::DEFAULT_BUDGET) {
            Overlap::Disjoint | Overlap::Identical => None,
            Overlap::Overlapping { .. } => Some(LayoutErrorKind::BlasBatchOverlap { stride: stride_c }),
            Overlap::Unknown { budget } => Some(LayoutErrorKind::OverlapUnknown { budget }),
        };
        if let Some(kind) = kind {
            return Err(LayoutError::new(Op::BlasGemm, kind));
        }
    }
    Ok(Gemm {
        swapped,
        transa: first.trans,
        transb: second.trans,
        m,
        n,
        k,
        lda: first.ld,
        ldb: second.ld,
        ldc,
        batch: batch.count,
        stride_a,
        stride_b,
        stride_c,
        offset_a: first.offset,
        offset_b: second.offset,
        offset_c: batch.offsets[2],
    })
}

/// The last two axes of a layout.
#[derive(Clone, Copy)]
struct Matrix {
    sizes: [usize; 2],
    strides: [isize; 2],
    /// The axis of the layout that the rows are.
    axis: usize,
    offset: usize,
}

impl Matrix {
    /// `layout` has at least two axes.
    fn last_two(layout: &Layout) -> Matrix {
        let axis = layout.ndim() - 2;
        let of = |values: &[isize]| [values[axis], values[axis + 1]];
        let sizes = [layout.shape()[axis], layout.shape()[axis + 1]];
        // The strides of an empty matrix mean nothing; it is as good as a fresh one.
        let strides = if layout.is_empty() { of(layout.canonical().strides()) } else { of(layout.strides()) };
        Matrix { sizes, strides, axis, offset: layout.offset() }
    }

    /// The leading dimension as it lies, and as a transpose; `None` where BLAS cannot read it so.
    fn forms(&self) -> (Option<usize>, Option<usize>) {
        let ld = |run: usize, across: usize| {
            let (size, least) = (self.sizes[across], self.sizes[run].max(1));
            if self.sizes[run] > 1 && self.strides[run] != 1 {
                return None;
            }
            if size <= 1 {
                // Never used to go anywhere, and still checked by BLAS.
                return Some(least);
            }
            usize::try_from(self.strides[across]).ok().filter(|&stride| stride >= least)
        };
        (ld(0, 1), ld(1, 0))
    }

    fn operand(&self, op: Op, name: char) -> Result<Operand> {
        let [rows, columns] = self.sizes;
        let (trans, ld) = match self.forms() {
            // Both only for at most one row or one column. One column that has a real stride downwards keeps it.
            (Some(_), Some(ld)) if columns <= 1 && rows > 1 => (Trans::Yes, ld),
            (Some(ld), _) => (Trans::No, ld),
            (None, Some(ld)) => (Trans::Yes, ld),
            (None, None) => return Err(self.refusal(op, name)),
        };
        Ok(Operand { trans, ld, offset: self.offset })
    }

    #[cold]
    fn refusal(&self, op: Op, operand: char) -> LayoutError {
        let moves = |axis: usize| self.sizes[axis] > 1;
        let at = |axis: usize| small(self.axis + axis);
        let backwards = (0..2).find(|&axis| moves(axis) && self.strides[axis] < 0);
        let run = (0..2).find(|&axis| !moves(axis) || self.strides[axis] == 1);
        let kind = match (backwards, run) {
            (Some(axis), _) => {
                LayoutErrorKind::BlasNegativeStride { operand, axis: at(axis), stride: self.strides[axis] }
            }
            (None, None) => LayoutErrorKind::BlasNoUnitStride { operand, strides: (self.strides[0], self.strides[1]) },
            (None, Some(run)) => LayoutErrorKind::BlasLeadingStride {
                operand,
                axis: at(1 - run),
                stride: self.strides[1 - run],
                needed: self.sizes[run].max(1),
            },
        };
        LayoutError::new(op, kind)
    }
}

/// The batch axes of `a`, `b` and `c` as one.
struct Batch {
    count: usize,
    strides: [usize; 3],
    offsets: [usize; 3],
}

impl Batch {
    fn new(a: &Layout, b: &Layout, c: &Layout) -> Result<Batch> {
        let operands = [c, a, b];
        let shape = &c.shape()[..c.ndim() - 2];
        let count = shape.iter().product();
        // The order of the products does not matter, so the axes are sorted, turned and fused like those of any plan.
        let mut sorter = Sorter::new(operands.map(Layout::offset));
        if !c.is_empty() {
            // With nothing to sum over an input has no element, and its strides mean nothing.
            let stride = |operand: &Layout, axis: usize| if operand.is_empty() { 0 } else { operand.strides()[axis] };
            for axis in (0..shape.len()).rev() {
                sorter.add(shape[axis], operands.map(|operand| stride(operand, axis)));
            }
        }
        let (axes, [offset_c, offset_a, offset_b]) = sorter.finish();
        let [stride_c, stride_a, stride_b] = match axes.as_slice() {
            [] => [0; 3],
            [axis] => axis.strides,
            _ => {
                return Err(LayoutError::new(Op::BlasGemm, LayoutErrorKind::BlasBatchAxes { axes: small(axes.len()) }));
            }
        };
        let forwards = |operand: char, stride: isize| {
            let kind = LayoutErrorKind::BlasNegativeBatch { operand, stride };
            usize::try_from(stride).map_err(|_| LayoutError::new(Op::BlasGemm, kind))
        };
        let strides = [forwards('a', stride_a)?, forwards('b', stride_b)?, forwards('c', stride_c)?];
        Ok(Batch { count, strides, offsets: [offset_a, offset_b, offset_c] })
    }
}

fn check_shapes(a: &Layout, b: &Layout, c: &Layout) -> Result<()> {
    for operand in [a, b, c] {
        if operand.ndim() < 2 {
            let kind = LayoutErrorKind::TooFewAxes { needed: 2, ndim: small(operand.ndim()) };
            return Err(LayoutError::new(Op::BlasGemm, kind));
        }
    }
    let (rank, rows, columns) = (c.ndim(), c.ndim() - 2, c.ndim() - 1);
    for (name, operand) in [('a', a), ('b', b)] {
        if operand.ndim() != rank {
            let kind = LayoutErrorKind::GemmRank { operand: name, ndim: small(operand.ndim()), needed: small(rank) };
            return Err(LayoutError::new(Op::BlasGemm, kind));
        }
    }
    let equal = |first: (char, &Layout, usize), second: (char, &Layout, usize)| {
        let (first_size, second_size) = (first.1.shape()[first.2], second.1.shape()[second.2]);
        if first_size == second_size {
            return Ok(());
        }
        let (first, second) = ((first.0, small(first.2)), (second.0, small(second.2)));
        Err(LayoutError::new(Op::BlasGemm, LayoutErrorKind::GemmSize { first, first_size, second, second_size }))
    };
    for axis in 0..rows {
        equal(('a', a, axis), ('c', c, axis))?;
        equal(('b', b, axis), ('c', c, axis))?;
    }
    equal(('a', a, columns), ('b', b, rows))?;
    equal(('a', a, rows), ('c', c, rows))?;
    equal(('b', b, columns), ('c', c, columns))
}
