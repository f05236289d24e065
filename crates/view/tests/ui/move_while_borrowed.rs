use weft_view::prelude::*;

fn main() {
    let x = Host.zeros::<f32>([4]).unwrap();
    let view = x.view();
    let y = x.reshape([2, 2]);
    drop((view, y));
}
