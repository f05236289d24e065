use weft_device::Host;
use weft_tensor::{Error, Factory, Tensor};

fn consume(_x: Tensor<f32>) {}

fn main() -> Result<(), Error> {
    let x = Host.zeros::<f32>([2, 3])?;
    consume(x);
    println!("{x}");
    Ok(())
}
