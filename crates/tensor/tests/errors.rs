//! Every text a tensor can refuse with.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test, in helpers too")]

use core::error::Error as _;

use insta::assert_snapshot;
use weft_device::{Buffer, Host};
use weft_layout::Layout;
use weft_tensor::{Error, Factory, InShape, Refused, Result, Tensor};

fn grid() -> Tensor<f32> {
    Host.zeros([2, 3]).unwrap()
}

#[test]
fn layout_errors_say_the_shape() {
    assert_snapshot!(grid().reshape([4]).unwrap_err(), @"reshape: 6 elements do not make a shape of 4 in shape [2, 3]");
    assert_snapshot!(grid().reshape([-1, -1]).unwrap_err(), @"reshape: -1 at axes 0 and 1, only one size can be inferred in shape [2, 3]");
    assert_snapshot!(grid().into_order([1, 0]).unwrap().reshape(6).unwrap_err(), @"reshape: axis 0 of the target spans axes 0 and 1, which are not one run in memory (stride 1, needed 6) in shape [2, 3]");
    assert_snapshot!(grid().into_order([0, 2]).unwrap_err(), @"with_order: axis 2 is out of range for rank 2 (valid: -2..=1) in shape [2, 3]");
    assert_snapshot!(grid().into_order([0]).unwrap_err(), @"with_order: needs 2 values, one for each axis, got 1 in shape [2, 3]");
    let order = Host.options().order([0, 0]);
    assert_snapshot!(order.zeros::<f32>([2, 3]).unwrap_err(), @"with_order: axis 0 is given twice in shape [2, 3]");
    assert_snapshot!(order.arange(0..3).unwrap_err(), @"with_order: needs 1 values, one for each axis, got 2 in shape [3]");
    assert_snapshot!(Host.eye::<u8>(usize::MAX).unwrap_err(), @"row_major: the product of the sizes passes 9223372036854775807 at axis 0 (size 18446744073709551615) in shape [18446744073709551615, 18446744073709551615]");
    // What views are built with: the sentence of the design.
    let layout = Layout::row_major([4, 8]).unwrap();
    assert_snapshot!(layout.narrow(1, 3, 6).in_shape(&layout).unwrap_err(), @"narrow: range 3..9 is past the end of axis 1 (size 8) in shape [4, 8]");
    // Without a shape at hand the text is that of the layout.
    assert_snapshot!(Error::from(layout.narrow(1, 3, 6).unwrap_err()), @"narrow: range 3..9 is past the end of axis 1 (size 8)");
}

#[test]
fn counts() {
    assert_snapshot!(Host.tensor(&[1.0], [2, 3]).unwrap_err(), @"tensor: 1 values for the 6 elements of shape [2, 3]");
    assert_snapshot!(Host.from_slice(&[1.0], [2, 3]).unwrap_err(), @"from_slice: 1 values for the 6 elements of shape [2, 3]");
    assert_snapshot!(Host.from_vec(vec![1.0], [2, 3]).unwrap_err(), @"from_vec: 1 values for the 6 elements of shape [2, 3]");
    assert_snapshot!(grid().copy_to_slice(&mut [0.0; 7]).unwrap_err(), @"copy_to_slice: 7 values for the 6 elements of shape [2, 3]");
    assert_snapshot!(grid().item().unwrap_err(), @"item: needs exactly one element, there are 6 in shape [2, 3]");
    assert_snapshot!(Host.zeros::<f32>([2, 0]).unwrap().item().unwrap_err(), @"item: needs exactly one element, there are 0 in shape [2, 0]");
    assert_snapshot!(Host.arange(0.0..f32::INFINITY).unwrap_err(), @"arange: the range 0.0..inf has no finite length");
    assert_snapshot!(Host.arange(f64::NAN..1.5).unwrap_err(), @"arange: the range NaN..1.5 has no finite length");
}

#[test]
fn gradients_and_memory() {
    assert_snapshot!(grid().without_grad().zero_grad().unwrap_err(), @"zero_grad: the tensor has no gradient");
    assert_snapshot!(Host.zeros::<f64>([1 << 61]).unwrap_err(), @"alloc: 2305843009213693952 elements of 8 bytes are more than 9223372036854775807 bytes");
}

#[test]
fn a_buffer_makes_a_tensor_only_where_it_is_read_whole_and_once() {
    let buffer = || Buffer::from_slice(&Host, &[1, 2, 3, 4, 5, 6]).unwrap();
    let with = |layout: Layout| Tensor::from_dense(buffer(), layout);
    let row = Layout::row_major([2, 3]).unwrap();
    assert_eq!(with(row.clone()).unwrap().to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(with(row.t().unwrap()).unwrap().to_vec().unwrap(), [1, 4, 2, 5, 3, 6]);
    assert!(!with(row.clone()).unwrap().has_grad());
    assert_snapshot!(with(Layout::row_major(5).unwrap()).unwrap_err(), @"from_dense: 6 values for the 5 elements of shape [5]");
    assert_snapshot!(with(Layout::row_major(7).unwrap()).unwrap_err(), @"from_dense: 6 values for the 7 elements of shape [7]");
    let odd =
        [Layout::from_parts(&[2, 3], &[0, 1], 0), Layout::from_parts(&[6], &[2], 0), row.flip([0]), row.flip([1])];
    for layout in odd {
        let refused = with(layout.unwrap()).unwrap_err();
        assert!(matches!(refused.error, Error::NotDense { op: "from_dense", .. }));
        assert_eq!(refused.value.to_vec().unwrap(), [1, 2, 3, 4, 5, 6]);
    }
    assert_snapshot!(with(row.flip([0]).unwrap()).unwrap_err(), @"from_dense: the strides do not read each element of a buffer once in shape [2, 3]");
}

#[test]
fn refusals_pass_through_question_marks() {
    fn ours() -> Result<Tensor<f32>> {
        Ok(grid().reshape([4])?)
    }
    fn anybodys() -> Result<Tensor<f32>, Box<dyn core::error::Error + Send + Sync>> {
        Ok(grid().reshape([4])?)
    }
    let text = "reshape: 6 elements do not make a shape of 4 in shape [2, 3]";
    assert_eq!(ours().unwrap_err().to_string(), text);
    assert_eq!(anybodys().unwrap_err().to_string(), text);
    let refused: Refused<Tensor<f32>> = grid().reshape([4]).unwrap_err();
    assert!(refused.source().is_none(), "one sentence, said once");
    assert_snapshot!(format!("{refused:?}"), @"Refused { error: Layout { error: LayoutError { op: Reshape, kind: Numel { have: 6, want: 4 } }, shape: Some([2, 3]) }, value: weft_tensor::tensor::Tensor<f32> }");
}
