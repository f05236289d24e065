//! What NumPy has no string for: element types it lacks, and the line of `Debug`.

use insta::assert_snapshot;
use weft_device::{Bf16, C32, Element, F32x4, Host, trace::Traced};
use weft_tensor::Factory;

#[test]
fn bf16_prints_the_digits_it_has() {
    let values = [1.0, 0.1, -2.5, 100.0].map(Bf16::from_f32);
    assert_snapshot!(Host.tensor(&values, 4).unwrap(), @"[  1.    0.1  -2.5 100. ]");
    assert_snapshot!(Host.tensor(&[0.0078125, 3.0e38, 1e-40].map(Bf16::from_f32), 3).unwrap(), @"[7.8e-03 3.0e+38 9.2e-41]");
    assert_snapshot!(Host.full((), Bf16::from_f32(0.3)).unwrap(), @"0.3");
}

#[test]
fn lanes_print_as_an_axis() {
    let x = Host.tensor(&[F32x4([1.0, 2.0, 3.0, 4.5]), F32x4([-1.0, 0.0, 0.25, 100.0])], 2).unwrap();
    assert_snapshot!(x, @r"
    [[  1.     2.     3.     4.5 ]
     [ -1.     0.     0.25 100.  ]]
    ");
    assert_snapshot!(Host.full((), F32x4([1.0; 4])).unwrap(), @"[1. 1. 1. 1.]");
    // 251 elements are 1004 numbers: summarised.
    assert_snapshot!(Host.full(251, F32x4([1.0; 4])).unwrap(), @r"
    [[1. 1. 1. 1.]
     [1. 1. 1. 1.]
     [1. 1. 1. 1.]
     ...
     [1. 1. 1. 1.]
     [1. 1. 1. 1.]
     [1. 1. 1. 1.]]
    ");
}

#[test]
fn debug_says_what_it_is() {
    let x = Host.options().col_major().without_grad().tensor(&[C32::new(1.0, -2.0), C32::ONE], [1, 2]).unwrap();
    assert_snapshot!(format!("{x:?}"), @r"
    Tensor<c32> (1,2):(1,1)@0 on host, without gradient
    [[1.-2.j 1.+0.j]]
    ");
    let x = Traced::new(Host).zeros::<f32>([2, 0]).unwrap();
    assert_snapshot!(format!("{x:?}"), @r"
    Tensor<f32> (2,0):(1,1)@0 on traced host, with gradient
    []
    ");
}
