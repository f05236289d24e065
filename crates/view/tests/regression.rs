//! Bugs that were found once, each under the name of what went wrong.

use weft_view::Result;
use weft_view::prelude::*;

/// Rank 0 has no range that says "empty", so the fill was left out and the copy gave memory that nobody had written.
#[test]
fn one_padded_position_is_the_fill() -> Result<()> {
    // Freed memory of the size that is asked for next, and not zero.
    drop((0..50).map(|_| Host.full([1], -1i32)).collect::<Result<Vec<_>>>()?);
    let x = Host.arange(1i32..5)?;
    let padding = x.view().lazy().pad(&[(1, 0)])?.slice(s![0])?;
    assert_eq!((padding.shape(), padding.map().valid_count()), (&[][..], 0));
    assert_eq!(padding.to_contiguous(7)?.item()?, 7);
    assert_eq!(padding.to_vec(9)?, [9]);
    let inside = x.view().lazy().pad(&[(1, 0)])?.slice(s![1])?;
    assert_eq!(inside.to_vec(9)?, [1]);
    Ok(())
}

/// Nothing is read of an empty view, so it may begin anywhere. Debug builds asserted that it begins inside the memory, and
/// multiplied its offset by the size of an element.
#[test]
fn an_empty_view_may_begin_anywhere() -> Result<()> {
    let mut memory = [1u64, 2];
    for offset in [0, 2, 3, 100, isize::MAX as usize] {
        let layout = Layout::from_parts(&[2, 0], &[1, 1], offset)?;
        let v = View::from_slice(&memory, layout.clone())?;
        let views = [
            v.as_strided([0], &[1], offset)?,
            v.t()?,
            v.flip([0, 1])?,
            v.select(0, -1)?,
            v.slice(s![1.., ..;-1])?,
            v.reshape([0, 7])?,
            v.flatten(0, 1)?,
            v.diagonal(0, 1, 0)?,
            v.unsqueeze(0)?.squeeze_all(),
            v.broadcast_to([3, 2, 0])?,
            v.split_at(0, 1)?.1,
            v.chunks(0, 1)?.last().unwrap_or(v.clone()),
        ];
        for view in views {
            assert_eq!((view.to_vec()?, view.iter().count(), view.as_slice()), (vec![], 0, Some(&[][..])), "{view:?}");
            assert_eq!((view.shares_memory(&v), v.shares_memory(&view)), (Some(false), Some(false)), "{view:?}");
        }
        assert_eq!(v.recast::<C64>()?.to_string(), "[]");

        let mut w = ViewMut::from_slice(&mut memory, layout)?.t()?;
        w.fill(9)?;
        assert_eq!(w.iter_mut().count(), 0);
        let (mut first, second) = w.split_at_mut(1, 1)?;
        first.copy_from(&second)?;
        assert_eq!(memory, [1, 2]);
    }
    Ok(())
}

/// The documents promised the exact sum rounded once. Sums of 16-bit floats are those of `f32`, as on a GPU: here `f32` drops
/// 2^-24, what is left is half way between two values, and the even one is below the exact sum.
#[test]
fn sums_of_16_bits_are_sums_of_32_bits_rounded_at_the_end() -> Result<()> {
    let mut x = Host.tensor(&[F16::ONE], 1)?;
    let terms = [-11, -24].map(|exponent| F16::from_f32(2.0f32.powi(exponent)));
    x.view_mut().accumulate(Host.tensor(&terms, 2)?)?;
    assert_eq!(x[[0]], F16::from_f32(1.0 + (terms[0].to_f32() + terms[1].to_f32())));
    assert_eq!(x[[0]], F16::ONE);
    Ok(())
}
