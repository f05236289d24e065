use weft_view::prelude::*;

fn main() {
    let view = {
        let x = Host.zeros::<f32>([2]).unwrap();
        x.view()
    };
    drop(view);
}
