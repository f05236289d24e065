use weft_view::prelude::*;

fn main() {
    let (mut x, y) = (Host.zeros::<f32>([2]).unwrap(), Host.zeros::<f64>([2]).unwrap());
    x.view_mut().copy_from(&y).unwrap();
}
