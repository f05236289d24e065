//! Where the fields of a C struct lie, and how many bytes of padding it pays for: [`Record`].
//!
//! The rule is that of `#[repr(C)]` and of C compilers: every field starts at the next multiple of its alignment, the whole
//! is aligned like its strictest field and as long as a multiple of that. Everything is `const` and allocates nothing.
//! Sizes, alignments, offsets and padding are in bytes.

use crate::error::{LayoutError, LayoutErrorKind, Op, Result};

/// A type as a record sees it: so many bytes, at a multiple of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// A multiple of `align`, at most `isize::MAX`.
    size: usize,
    /// A power of two.
    align: usize,
}

impl Field {
    /// A field of `size` bytes aligned to `align` bytes.
    ///
    /// # Errors
    ///
    /// `NotPowerOfTwo` for such an alignment, `NotDivisible` where the size is not a multiple of it (an array of such a type
    /// could not keep it aligned), `TooManyBytes` where the size passes `isize::MAX`.
    ///
    /// ```
    /// use weft_layout::record::Field;
    /// let float4 = Field::new(16, 16)?;
    /// assert_eq!((float4.size(), float4.align()), (16, 16));
    /// assert_eq!(Field::new(6, 4).unwrap_err().to_string(), "record: size 6 does not divide by 4");
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn new(size: usize, align: usize) -> Result<Field> {
        if !align.is_power_of_two() {
            return Err(refused(LayoutErrorKind::NotPowerOfTwo { what: "alignment", value: align }));
        }
        if size > MOST {
            return Err(refused(LayoutErrorKind::TooManyBytes { field: 0 }));
        }
        if !size.is_multiple_of(align) {
            let (what, axis, value) = ("size", u32::MAX, size as isize);
            return Err(refused(LayoutErrorKind::NotDivisible { what, axis, value, by: align }));
        }
        Ok(Field { size, align })
    }

    /// The field that a Rust type makes on the target this is compiled for.
    ///
    /// ```
    /// use weft_layout::record::Field;
    /// assert_eq!(Field::of::<[u16; 3]>(), Field::new(6, 2)?);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn of<T>() -> Field {
        Field { size: size_of::<T>(), align: align_of::<T>() }
    }

    /// `len` of these in a row. A length of 0 has no size and keeps the alignment.
    ///
    /// # Errors
    ///
    /// `TooManyBytes` where the size passes `isize::MAX`.
    ///
    /// ```
    /// use weft_layout::record::Field;
    /// assert_eq!(Field::new(8, 4)?.array(3)?, Field::new(24, 4)?);
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn array(self, len: usize) -> Result<Field> {
        match self.size.checked_mul(len) {
            Some(size) if size <= MOST => Ok(Field { size, align: self.align }),
            _ => Err(refused(LayoutErrorKind::TooManyBytes { field: u32::MAX })),
        }
    }

    /// Size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }

    /// Alignment in bytes.
    #[must_use]
    pub const fn align(self) -> usize {
        self.align
    }
}

/// A C struct of `N` fields, laid out in the order in which they are declared.
///
/// | fields | offsets | size | padding |
/// |---|---|---|---|
/// | char, int, char, int | 0, 4, 8, 12 | 16 | 3 + 3 |
/// | int, int, char, char | 0, 4, 8, 9 | 12 | 2 |
///
/// ```
/// use weft_layout::record::{Field, Record};
/// const CHAR: Field = Field::of::<i8>();
/// const INT: Field = Field::of::<i32>();
/// let record = Record::new([CHAR, INT, CHAR, INT])?;
/// assert_eq!(record.offsets(), &[0, 4, 8, 12]);
/// assert_eq!((record.size(), record.align()), (16, 4));
/// assert_eq!(record.padding(), [3, 0, 3, 0]);
/// assert_eq!(record.reordered().size(), 12);
/// # Ok::<(), weft_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record<const N: usize> {
    fields: [Field; N],
    offsets: [usize; N],
    size: usize,
    align: usize,
    /// No field is aligned to more than this.
    pack: usize,
}

impl<const N: usize> Record<N> {
    /// The layout of `#[repr(C)] struct { .. }`. Without fields it has size 0, as in Rust and GNU C (C++ says 1).
    ///
    /// # Errors
    ///
    /// `TooManyBytes` where a field would end past `isize::MAX`, or the whole would.
    ///
    /// ```
    /// use weft_layout::record::{Field, Record};
    /// // Known when compiled: a mistake would be a compile error.
    /// const PAIR: Record<2> = match Record::new([Field::of::<u8>(), Field::of::<u32>()]) {
    ///     Ok(record) => record,
    ///     Err(_) => panic!("too large"),
    /// };
    /// assert_eq!(PAIR.size(), 8);
    /// ```
    pub const fn new(fields: [Field; N]) -> Result<Record<N>> {
        Record::laid_out(fields, 1 << (usize::BITS - 1))
    }

    /// The layout of `#[repr(C, packed(pack))]`: no field is aligned to more than `pack` bytes, nor is the whole.
    ///
    /// # Errors
    ///
    /// As [`new`](Record::new), and `NotPowerOfTwo` for such a `pack`.
    ///
    /// ```
    /// use weft_layout::record::{Field, Record};
    /// let record = Record::packed([Field::of::<u8>(), Field::of::<u32>()], 2)?;
    /// assert_eq!((record.offsets(), record.size(), record.align()), (&[0, 2], 6, 2));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    pub const fn packed(fields: [Field; N], pack: usize) -> Result<Record<N>> {
        if !pack.is_power_of_two() {
            return Err(refused(LayoutErrorKind::NotPowerOfTwo { what: "pack", value: pack }));
        }
        Record::laid_out(fields, pack)
    }

    const fn laid_out(fields: [Field; N], pack: usize) -> Result<Record<N>> {
        let mut offsets = [0; N];
        let (mut end, mut strictest) = (0, 1);
        let mut i = 0;
        while i < N {
            let align = at_most(fields[i].align, pack);
            if align > strictest {
                strictest = align;
            }
            let next = match round_up(end, align) {
                // Both are at most isize::MAX, so the sum does not wrap.
                Some(start) if start + fields[i].size <= MOST => (start, start + fields[i].size),
                _ => return Err(refused(LayoutErrorKind::TooManyBytes { field: i as u32 })),
            };
            (offsets[i], end) = next;
            i += 1;
        }
        match round_up(end, strictest) {
            Some(size) => Ok(Record { fields, offsets, size, align: strictest, pack }),
            None => Err(refused(LayoutErrorKind::TooManyBytes { field: N.saturating_sub(1) as u32 })),
        }
    }

    /// The fields in the order in which they lie.
    #[must_use]
    pub const fn fields(&self) -> &[Field; N] {
        &self.fields
    }

    /// Where each field starts, in bytes.
    #[must_use]
    pub const fn offsets(&self) -> &[usize; N] {
        &self.offsets
    }

    /// Size in bytes, the padding at the end included: how far apart the elements of an array of this are.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Alignment in bytes.
    #[must_use]
    pub const fn align(&self) -> usize {
        self.align
    }

    /// Bytes of padding after each field; what follows the last one is the padding at the end.
    ///
    /// Padding inside a nested record belongs to that record.
    #[must_use]
    pub const fn padding(&self) -> [usize; N] {
        let mut padding = [0; N];
        let mut i = 0;
        while i < N {
            let next = if i + 1 < N { self.offsets[i + 1] } else { self.size };
            padding[i] = next - (self.offsets[i] + self.fields[i].size);
            i += 1;
        }
        padding
    }

    /// Bytes of padding in all.
    #[must_use]
    pub const fn total_padding(&self) -> usize {
        let padding = self.padding();
        let (mut total, mut i) = (0, 0);
        while i < N {
            total += padding[i];
            i += 1;
        }
        total
    }

    /// This record as a field of another one.
    ///
    /// ```
    /// use weft_layout::record::{Field, Record};
    /// let inner = Record::new([Field::of::<i16>(), Field::of::<f32>()])?.as_field();
    /// let outer = Record::new([Field::of::<i8>(), inner.array(2)?])?;
    /// assert_eq!((outer.offsets(), outer.size()), (&[0, 4], 20));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn as_field(&self) -> Field {
        Field { size: self.size, align: self.align }
    }

    /// The same fields in an order with the least padding: by falling alignment, equal ones as they were.
    ///
    /// No order needs less: sizes are multiples of alignments, so this one has no padding but at the end. Where the declared
    /// order is as small already, the padding is the same and only the offsets may differ.
    ///
    /// ```
    /// use weft_layout::record::{Field, Record};
    /// let (double, char) = (Field::of::<f64>(), Field::of::<i8>());
    /// let record = Record::new([char, double, char])?;
    /// assert_eq!(record.reordered(), Record::new([double, char, char])?);
    /// assert_eq!((record.size(), record.reordered().size()), (24, 16));
    /// # Ok::<(), weft_layout::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn reordered(&self) -> Record<N> {
        let mut fields = self.fields;
        let mut end = 1;
        while end < N {
            let mut at = end;
            while at > 0 && at_most(fields[at].align, self.pack) > at_most(fields[at - 1].align, self.pack) {
                (fields[at], fields[at - 1]) = (fields[at - 1], fields[at]);
                at -= 1;
            }
            end += 1;
        }
        match Record::laid_out(fields, self.pack) {
            Ok(record) => record,
            // Not reached: this order is no larger.
            Err(_) => *self,
        }
    }
}

/// The largest size of anything, in bytes.
const MOST: usize = isize::MAX as usize;

const fn refused(kind: LayoutErrorKind) -> LayoutError {
    LayoutError::new(Op::Record, kind)
}

const fn at_most(align: usize, pack: usize) -> usize {
    if align < pack { align } else { pack }
}

/// The next multiple of `align`, a power of two; `None` past `isize::MAX`.
const fn round_up(n: usize, align: usize) -> Option<usize> {
    match n.checked_next_multiple_of(align) {
        Some(n) if n <= MOST => Some(n),
        _ => None,
    }
}
