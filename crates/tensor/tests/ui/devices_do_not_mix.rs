use weft_device::Device;
use weft_tensor::{Factory, Result, Tensor};

fn on_the_host<D: Device>(dev: &D) -> Result<Tensor<f32>> {
    dev.zeros([2, 3])
}

fn main() {
    let _ = on_the_host(&weft_device::Host);
}
