//! From a layout of fixed rank to one of any rank and back.

use super::FixedLayout;
use crate::args::small;
use crate::dims::{Shape, Strides};
use crate::error::{LayoutError, LayoutErrorKind, Op, Result};
use crate::layout::Layout;

/// A layout of rank `N`.
impl<const N: usize> From<FixedLayout<N>> for Layout {
    fn from(fixed: FixedLayout<N>) -> Layout {
        let (shape, strides) = (Shape::from_slice(&fixed.shape), Strides::from_slice(&fixed.strides));
        Layout { shape, strides, offset: fixed.offset }
    }
}

/// `Rank` where the layout has not `N` axes.
impl<const N: usize> TryFrom<&Layout> for FixedLayout<N> {
    type Error = LayoutError;

    fn try_from(layout: &Layout) -> Result<FixedLayout<N>> {
        match (layout.shape().try_into(), layout.strides().try_into()) {
            (Ok(shape), Ok(strides)) => Ok(FixedLayout { shape, strides, offset: layout.offset() }),
            _ => {
                let kind = LayoutErrorKind::Rank { needed: small(N), given: small(layout.ndim()) };
                Err(LayoutError::new(Op::FromParts, kind))
            }
        }
    }
}
