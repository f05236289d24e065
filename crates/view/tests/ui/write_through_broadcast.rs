use weft_view::prelude::*;

fn main() {
    let mut x = Host.zeros::<f32>([3]).unwrap();
    x.view_mut().broadcast_to([2, 3]);
}
