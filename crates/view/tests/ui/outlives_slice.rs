use weft_view::prelude::*;

fn main() {
    let view = {
        let memory = vec![0.0f32; 2];
        View::from_slice(&memory, Layout::row_major([2]).unwrap()).unwrap().flip([0]).unwrap()
    };
    drop(view);
}
