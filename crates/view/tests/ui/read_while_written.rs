use weft_view::prelude::*;

fn main() {
    let mut x = Host.zeros::<f32>([2, 2]).unwrap();
    let mut w = x.view_mut();
    w.copy_from(x.view()).unwrap();
}
