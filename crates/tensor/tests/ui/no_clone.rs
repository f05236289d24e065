use weft_device::Host;
use weft_tensor::{Error, Factory};

fn main() -> Result<(), Error> {
    let x = Host.zeros::<f32>([2, 3])?;
    let _copy = x.clone();
    Ok(())
}
