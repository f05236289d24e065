//! What each kind of method asks of the device: bare verbs nothing, `to_*` one allocation and one walk.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use weft_view::prelude::*;
use weft_view::trace::{Counts, Event, Traced};
use weft_view::{DeviceErrorKind, Error, Result};

/// What was asked while `f` ran.
fn asked(dev: &Traced<Host>, f: impl FnOnce() -> Result<()>) -> Counts {
    dev.take_events();
    f().unwrap();
    dev.counts()
}

const NOTHING: Counts = Counts { allocs: 0, frees: 0, copies: 0, uploads: 0, downloads: 0, runs: 0 };

#[test]
fn bare_verbs_ask_nothing() {
    let dev = Traced::new(Host);
    let mut x = dev.arange(0i64..24).unwrap().reshape([2, 3, 4]).unwrap();
    let mut y = dev.zeros::<f32>([2, 4]).unwrap();
    let counts = asked(&dev, || {
        let v = x.view();
        let _ = v.permute([2, 0, 1])?.transpose(0, 1)?.t()?.move_axis(0, 2)?.reverse_axes();
        let _ = v
            .slice(s![1.., ..;2, NewAxis, -1])?
            .slice_axis(0, ..)?
            .narrow(1, 0, 1)?
            .step(1, -1)?
            .select(0, 0)?
            .squeeze_all();
        v.flip([0])?.unsqueeze(0)?.squeeze(0)?.broadcast_to([5, 2, 3, 4])?.windows(1, 2, 1, 1)?.diagonal(0, 1, 0)?;
        v.reshape([6, 4])?.reshape_in([6, 4], Order::RowMajor)?.flatten(0, 1)?.unflatten(0, [2, -1])?;
        v.as_strided([3], &[2], 1)?.recast::<u64>()?.split_at(0, 1)?;
        assert_eq!(v.chunks(1, 2)?.len(), 2);
        v.copy_plan([4, 6])?;
        assert_eq!(v.shares_memory(x.grad()?), Some(false));
        assert!(v.self_overlap().is_disjoint());
        v.lazy().pad(&[(1, 1), (0, 0), (2, 2)])?.permute([2, 1, 0])?.shrink(&[0..2, 0..1, 0..1])?;
        assert!(v.to_shape([6, 4])?.is_view() && v.to_contiguous_cow()?.is_view());
        y.view_mut().reborrow().t()?.split_at_mut(0, 2)?;
        y.grad_mut()?.recast::<F32x4>()?.chunks_mut(0, 1)?.count();
        let _ = x.view_mut().reshape([6, 4])?.as_strided([2, 2], &[2, 1], 0)?.into_view();
        let (_, _) = x.data_mut_and_grad()?;
        Ok(())
    });
    assert_eq!(counts, NOTHING);
}

#[test]
fn copies_take_one_allocation_and_one_walk() {
    let dev = Traced::new(Host);
    let x = dev.arange(0i64..24).unwrap().reshape([4, 6]).unwrap();
    let y = x.view().t().unwrap();
    let one = Counts { allocs: 1, runs: 1, frees: 1, ..NOTHING };
    let counts = |f: &dyn Fn() -> Result<Tensor<i64, Traced<Host>>>| asked(&dev, || f().map(drop));
    assert_eq!(counts(&|| y.to_contiguous()), one);
    assert_eq!(counts(&|| y.to_order([1, 0])), one);
    assert_eq!(counts(&|| y.to_dtype::<i64>()), one);
    assert_eq!(counts(&|| y.to_shape([24])?.try_into_tensor()), one);
    assert_eq!(counts(&|| y.to_contiguous_cow()?.try_into_tensor()), one);
    assert_eq!(counts(&|| y.to_contiguous_by(&y.copy_plan([24])?)), one);
    assert_eq!(counts(&|| y.try_add(x.view().t()?)), one);
    assert_eq!(counts(&|| y.lazy().to_contiguous(0)), one);
    // The padding, then the elements.
    assert_eq!(counts(&|| y.lazy().pad(&[(1, 1), (0, 0)])?.to_contiguous(0)), Counts { runs: 2, ..one });
    // One walk for each run of neighbours: 0..2, 5, 3..5.
    assert_eq!(counts(&|| y.to_selected(0, &[0, 1, 5, 3, 4])), Counts { runs: 3, ..one });
    // What is written whole is not zeroed first.
    assert!(!dev.events().iter().any(|event| matches!(event, Event::Alloc { zeroed: true, .. })));
}

#[test]
fn writes_take_no_allocation() {
    let dev = Traced::new(Host);
    let (mut x, y) = (dev.zeros::<i64>([4, 6]).unwrap(), dev.ones::<i64>([4, 6]).unwrap());
    let wide = dev.ones::<i64>([3, 4, 6]).unwrap();
    let counts = asked(&dev, || {
        let mut w = x.view_mut();
        w.fill(3)?;
        w.copy_from(&y)?;
        w.accumulate(&wide)?;
        w.mul_assign(y.view().narrow(0, 0, 1)?)?;
        y.view().try_sub(&y).map(drop)?;
        y.view().sub_into(&y, &mut w)
    });
    assert_eq!(counts, Counts { runs: 6, allocs: 1, frees: 1, ..NOTHING });
    // Nothing to write asks nothing.
    let counts = asked(&dev, || x.view_mut().narrow(0, 0, 0)?.fill(1));
    assert_eq!(counts, NOTHING);
}

/// No memory is an error, and everything is as it was.
#[test]
fn no_memory() {
    let dev = Traced::new(Host);
    let x = dev.arange(0i64..6).unwrap().reshape([2, 3]).unwrap();
    let failing = |f: &dyn Fn() -> Result<()>| {
        dev.fail_allocation_after(0);
        dev.take_events();
        let error = f().unwrap_err();
        assert!(
            matches!(&error, Error::Device(e) if matches!(e.kind(), DeviceErrorKind::OutOfMemory { .. })),
            "{error}"
        );
        let counts = dev.counts();
        assert_eq!((counts.allocs, counts.frees, counts.runs), (0, 0, 0));
    };
    failing(&|| x.view().to_contiguous().map(drop));
    failing(&|| x.view().to_order([1, 0]).map(drop));
    failing(&|| x.view().to_dtype::<f32>().map(drop));
    failing(&|| x.view().to_selected(0, &[1]).map(drop));
    failing(&|| x.view().t()?.to_shape(6).map(drop));
    failing(&|| x.view().try_add(&x).map(drop));
    failing(&|| x.view().lazy().to_contiguous(0).map(drop));
    dev.fail_allocation_after(0);
    assert_eq!(x.view().to_string(), "<alloc: out of memory, 48 bytes were requested>");
    assert_eq!(x.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
}

/// Two devices of one type are told apart at run time.
#[test]
fn operands_of_two_devices() {
    let (here, there) = (Traced::new(Host), Traced::new(Host));
    let (mut x, y) = (here.zeros::<i64>([2]).unwrap(), there.ones::<i64>([2]).unwrap());
    let refused = |error: Error, op: &str| {
        assert_eq!(error.to_string(), format!("{op}: the destination is on traced host, an operand on traced host"));
    };
    refused(x.view_mut().copy_from(&y).unwrap_err(), "copy");
    refused(x.view_mut().accumulate(&y).unwrap_err(), "accumulate");
    refused(x.view_mut().add_assign(&y).unwrap_err(), "add");
    refused(x.view().try_add(&y).unwrap_err(), "add");
    assert_eq!(x.view().shares_memory(&y), Some(false));
    assert_eq!(x.to_vec().unwrap(), [0, 0]);
}
