use weft_view::prelude::*;

fn main() {
    let mut x = Host.zeros::<f32>([4]).unwrap();
    let w = x.view_mut();
    let _ = w.clone();
}
