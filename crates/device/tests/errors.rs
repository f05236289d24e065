//! Every error text, made by the call that gives it.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use weft_device::trace::Traced;
use weft_device::{BinaryOp, Buffer, BufferRef, C32, DeviceError, Element, F32x4, Host, ops};
use weft_layout::{Layout, Plan};

fn binary<T: Element>(op: BinaryOp, a: &[T], b: &[T]) -> DeviceError {
    let l = Layout::row_major([a.len()]).unwrap();
    let (a, b) = (BufferRef::from_slice(a), BufferRef::from_slice(b));
    let dst = Buffer::<T>::new_zeroed(&Host, a.len()).unwrap();
    // SAFETY: D5: `dst` is ours alone.
    unsafe { ops::binary(op, &Plan::new([&l, &l, &l]).unwrap(), dst.borrowed(), a, b).unwrap_err() }
}

#[test]
fn texts() {
    let mut texts = vec![
        Buffer::<f64>::new_zeroed(&Host, usize::MAX).unwrap_err(),
        Buffer::<u8>::new_zeroed(&Host, isize::MAX as usize).unwrap_err(),
        Buffer::<u8>::new_zeroed(&Host, 3).unwrap().copy_to_slice(&mut [0; 4]).unwrap_err(),
        binary(BinaryOp::Div, &[1u8, 2], &[1, 0]),
        binary(BinaryOp::Div, &[1i64, i64::MIN], &[-1, -1]),
        binary(BinaryOp::Max, &[C32::ONE], &[C32::ONE]),
        binary(BinaryOp::Min, &[F32x4::ONE], &[F32x4::ONE]),
        binary(BinaryOp::Add, &[1u8, 2], &[1]),
    ];
    let l = Layout::row_major([1]).unwrap();
    let (a, b) = (Traced::new(Host), Traced::new(Host));
    let (a, b) = (Buffer::from_slice(&a, &[1u8]).unwrap(), Buffer::from_slice(&b, &[1u8]).unwrap());
    // SAFETY: D5: both are ours alone.
    texts.push(unsafe { ops::copy(&Plan::new([&l, &l]).unwrap(), a.borrowed(), b.borrowed()).unwrap_err() });
    let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"), @r"
    alloc: 18446744073709551615 elements of 8 bytes are more than 9223372036854775807 bytes
    alloc: out of memory, 9223372036854775807 bytes were requested
    copy_to_slice: the buffer has 3 elements, the slice 4
    div: the divisor at offset 1 is zero
    div: the least value of its type, at offset 1, divided by -1 has no quotient
    max: values of type c32 have no order
    min: values of type f32x4 have no order
    add: operand 2 needs a buffer of 2 elements, there are 1
    copy: the destination is on traced host, an operand on traced host
    ");

    // The address is the allocator's.
    let bytes = [0u8; 9];
    let odd = &bytes[usize::from(bytes.as_ptr().addr().is_multiple_of(2))..];
    let refused = BufferRef::from_slice(odd).recast::<u32>().unwrap_err().to_string();
    assert_eq!(refused, format!("recast: address {:#x} is not a multiple of 4 bytes", odd.as_ptr().addr()));
}

#[test]
fn an_error_is_an_error() {
    let refused: Box<dyn core::error::Error + Send + Sync> = binary(BinaryOp::Div, &[1u8], &[0]).into();
    assert!(refused.source().is_none());
    assert_eq!(refused.downcast_ref::<DeviceError>().unwrap().op(), "div");
}
