use weft_view::prelude::*;

fn main() {
    let mut x = Host.zeros::<f32>([2]).unwrap();
    let mut a = x.view_mut();
    let mut b = x.view_mut();
    a.fill(1.0).unwrap();
    b.fill(2.0).unwrap();
}
