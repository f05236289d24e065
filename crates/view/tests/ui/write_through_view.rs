use weft_view::prelude::*;

fn main() {
    let x = Host.zeros::<f32>([3]).unwrap();
    x.view().fill(1.0);
}
