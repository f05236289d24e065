//! Elementwise operations, broadcast: the three forms of each agree with arithmetic on plain numbers.

use proptest::prelude::*;
use weft_view::Result;
use weft_view::prelude::*;

use super::random::{Random, cases, counting};
use super::twin::Table;

type Try<D> = fn(&View<'_, i64, D>, &View<'_, i64, D>) -> Result<Tensor<i64, D>>;
type Assign<D> = fn(&mut ViewMut<'_, i64, D>, &View<'_, i64, D>) -> Result<()>;
type Into<D> = fn(&View<'_, i64, D>, &View<'_, i64, D>, &mut ViewMut<'_, i64, D>) -> Result<()>;

struct Form<D: Device> {
    by_hand: fn(i64, i64) -> i64,
    into_new: Try<D>,
    in_place: Assign<D>,
    into: Into<D>,
}

fn forms<D: Device>() -> [Form<D>; 6] {
    macro_rules! form {
        ($by_hand:expr, $try:ident, $assign:ident, $into:ident) => {
            Form {
                by_hand: $by_hand,
                into_new: |a, b| a.$try(b),
                in_place: |a, b| a.$assign(b),
                into: |a, b, dst| a.$into(b, dst),
            }
        };
    }
    [
        form!(|a, b| a + b, try_add, add_assign, add_into),
        form!(|a, b| a - b, try_sub, sub_assign, sub_into),
        form!(|a, b| a * b, try_mul, mul_assign, mul_into),
        form!(|a, b| a / b, try_div, div_assign, div_into),
        form!(|a, b| a.max(b), try_maximum, maximum_assign, maximum_into),
        form!(|a, b| a.min(b), try_minimum, minimum_assign, minimum_into),
    ]
}

pub(crate) fn three_forms<D: Device>(device: &D) {
    let forms = forms::<D>();
    proptest!(cases(200), |(seed: u64)| {
        let mut random = Random(seed);
        let shape = random.shape(3);
        let (shape_b, form) = (random.narrower(&shape), &forms[random.below(6)]);
        // Two operands in one buffer, each somewhere; no zero among the numbers.
        let ((place_a, len_a), (place_b, len_b)) = (random.placed(&shape), random.placed(&shape_b));
        let operands = counting(device, 3, len_a.max(len_b));
        let (a, b) = (operands.view_as(&place_a).unwrap(), operands.view_as(&place_b).unwrap());
        let number = |place: usize| place as i64 + 3;
        let (places_a, places_b) = (Table::of(&place_a).places, Table::of(&place_b).broadcast(&shape).places);
        let expected: Vec<_> =
            places_a.iter().zip(&places_b).map(|(&a, &b)| (form.by_hand)(number(a), number(b))).collect();
        let swapped: Vec<_> =
            places_a.iter().zip(&places_b).map(|(&a, &b)| (form.by_hand)(number(b), number(a))).collect();

        let new = (form.into_new)(&a, &b).unwrap();
        prop_assert_eq!((new.shape(), new.to_vec().unwrap()), (&shape[..], expected.clone()));
        // The left one is broadcast too.
        prop_assert_eq!((form.into_new)(&b, &a).unwrap().to_vec().unwrap(), swapped);

        let (place, len) = random.placed(&shape);
        let places = Table::of(&place).places;
        let mut target = device.full([len], -99i64).unwrap();
        (form.into)(&a, &b, &mut target.view_as_mut(&place).unwrap()).unwrap();
        let mut memory = vec![-99; len];
        places.iter().zip(&expected).for_each(|(&place, &value)| memory[place] = value);
        prop_assert_eq!(target.to_vec().unwrap(), memory.clone());

        let mut left = target.view_as_mut(&place).unwrap();
        left.copy_from(&a).unwrap();
        (form.in_place)(&mut left, &b).unwrap();
        prop_assert_eq!(target.to_vec().unwrap(), memory);
    });
}

/// One operand twice, and a view of an operand as the other.
pub(crate) fn in_place_with_itself<D: Device>(device: &D) {
    let x = counting(device, 1, [2, 2]);
    assert_eq!(x.view().try_mul(&x).unwrap().to_vec().unwrap(), [1, 4, 9, 16]);
    assert_eq!(x.view().try_add(x.view().t().unwrap()).unwrap().to_vec().unwrap(), [2, 5, 5, 8]);
    let outer = x.view().reshape([4, 1]).unwrap().try_mul(x.view().reshape(4).unwrap()).unwrap();
    assert_eq!(outer.shape(), [4, 4]);
    assert_eq!(outer.to_vec().unwrap()[4..8], [2, 4, 6, 8]);
    // The halves of one tensor are two operands.
    let mut x = x;
    let (mut top, bottom) = x.view_mut().split_at_mut(0, 1).unwrap();
    top.add_assign(&bottom).unwrap();
    assert_eq!(x.to_vec().unwrap(), [4, 6, 3, 4]);
}

pub(crate) fn refused<D: Device>(device: &D) {
    let (x, y) = (counting(device, 0, [2, 3]), counting(device, 0, [2]));
    let refused = x.view().try_add(&y).unwrap_err();
    assert_eq!(refused.to_string(), "broadcast_shapes: operand 1 has size 2 on axis 0, operand 0 has size 3 on axis 1");
    let z = device.zeros::<C32>([1]).unwrap();
    assert_eq!(z.view().try_maximum(&z).unwrap_err().to_string(), "max: values of type c32 have no order");
}
