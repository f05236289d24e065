//! Calls about the driver and its devices.

use super::abi::{HostOut, Out, TextOut};
use super::codes::{Answer, INVALID_VALUE, describe};
use super::state::Sim;

/// The compute capability of every simulated device.
pub(crate) const CAPABILITY: (i32, i32) = (8, 0);
/// The most threads that a block may have.
pub(crate) const MOST_THREADS: u32 = 1024;
/// The most threads of a block along x, y and z.
pub(crate) const MOST_BLOCK: [u32; 3] = [1024, 1024, 64];
/// The most blocks along x, y and z.
pub(crate) const MOST_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// Shared memory that a block may have without asking.
pub(crate) const SHARED: usize = 48 << 10;
/// Shared memory that a block may have after `cuFuncSetAttribute`.
pub(crate) const SHARED_OPTIN: usize = 163 << 10;
/// Shared memory of a multiprocessor; a block takes 1 KiB more than it asks for.
pub(crate) const SHARED_OF_MULTIPROCESSOR: usize = 164 << 10;
pub(crate) const WARP: i32 = 32;
pub(crate) const MULTIPROCESSORS: i32 = 4;
pub(crate) const THREADS_OF_MULTIPROCESSOR: i32 = 2048;
pub(crate) const BLOCKS_OF_MULTIPROCESSOR: i32 = 32;
/// Pitches are multiples of this.
pub(crate) const PITCH: usize = 512;

/// The last attribute that a driver of the simulated version knows.
const LAST_ATTRIBUTE: i32 = 135;

pub(crate) fn init(sim: &mut Sim, flags: u32) -> Answer {
    if flags != 0 {
        return Err(INVALID_VALUE);
    }
    if sim.config.init_code != 0 {
        return Err(sim.config.init_code);
    }
    sim.started = true;
    Ok(())
}

pub(crate) fn driver_version(sim: &mut Sim, version: Out<i32>) -> Answer {
    let (major, minor) = sim.config.driver_version;
    version.put(i32::try_from(major * 1000 + minor * 10).unwrap_or(i32::MAX))
}

pub(crate) fn error_name(_: &mut Sim, error: u32, name: Out<usize>) -> Answer {
    text(describe(error).map(|d| d.0), name)
}

pub(crate) fn error_string(_: &mut Sim, error: u32, text_out: Out<usize>) -> Answer {
    text(describe(error).map(|d| d.1), text_out)
}

/// An unknown code gets a null pointer and the answer 1, as from a driver.
fn text(found: Option<&'static core::ffi::CStr>, place: Out<usize>) -> Answer {
    place.put(found.map_or(0, |t| t.as_ptr() as usize))?;
    found.map(drop).ok_or(INVALID_VALUE)
}

pub(crate) fn count(sim: &mut Sim, count: Out<i32>) -> Answer {
    count.put(i32::try_from(sim.devices.len()).unwrap_or(i32::MAX))
}

pub(crate) fn get(sim: &mut Sim, device: Out<i32>, ordinal: i32) -> Answer {
    sim.device_index(ordinal)?;
    device.put(ordinal)
}

pub(crate) fn name(sim: &mut Sim, name: TextOut, room: i32, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    let room = usize::try_from(room).map_err(|_| INVALID_VALUE)?;
    name.put(&format!("Simulated CUDA device {index}"), room)
}

pub(crate) fn uuid(sim: &mut Sim, uuid: HostOut, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    if uuid.is_null() {
        return Err(INVALID_VALUE);
    }
    let mut bytes = *b"weft-cuda-sim\0\0\0";
    bytes[15] = index as u8;
    uuid.fill(&bytes);
    Ok(())
}

pub(crate) fn total_memory(sim: &mut Sim, bytes: Out<usize>, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    bytes.put(sim.devices[index].memory)
}

pub(crate) fn compute_capability(sim: &mut Sim, major: Out<i32>, minor: Out<i32>, device: i32) -> Answer {
    sim.device_index(device)?;
    major.given()?;
    minor.put(CAPABILITY.1)?;
    major.put(CAPABILITY.0)
}

pub(crate) fn can_access_peer(sim: &mut Sim, can: Out<i32>, device: i32, peer: i32) -> Answer {
    sim.device_index(device)?;
    sim.device_index(peer)?;
    can.put(0)
}

pub(crate) fn attribute(sim: &mut Sim, value: Out<i32>, attribute: i32, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    if !(1..=LAST_ATTRIBUTE).contains(&attribute) {
        return Err(INVALID_VALUE);
    }
    value.put(match attribute {
        1 => MOST_THREADS as i32,
        2..=4 => MOST_BLOCK[attribute as usize - 2] as i32,
        5..=7 => MOST_GRID[attribute as usize - 5] as i32,
        8 => SHARED as i32,
        9 => 64 << 10, // constant memory
        10 => WARP,
        11 => i32::MAX,      // pitch
        12 | 82 => 64 << 10, // registers of a block, of a multiprocessor
        13 => 1_410_000,     // clock in kHz
        14 => PITCH as i32,  // alignment of textures
        15 | 40 => 1,        // copies overlap with kernels; engines for that
        16 => MULTIPROCESSORS,
        31 => 1,                // kernels of several streams at once
        33 => index as i32 + 1, // PCI bus
        36 => 1_215_000,        // memory clock in kHz
        37 => 5120,             // bus width in bits
        38 => 40 << 20,         // L2 cache
        39 => THREADS_OF_MULTIPROCESSOR,
        41 => 1,  // one address space
        51 => 32, // alignment of texture pitches
        75 => CAPABILITY.0,
        76 => CAPABILITY.1,
        78 => 1,      // stream priorities
        79 | 80 => 1, // L1 caches
        81 => SHARED_OF_MULTIPROCESSOR as i32,
        83 => 1, // managed memory
        87 => 2, // f32 against f64
        97 => SHARED_OPTIN as i32,
        99 => 1, // host memory can be registered
        106 => BLOCKS_OF_MULTIPROCESSOR,
        111 => 1 << 10, // shared memory that a block takes for itself
        115 => 1,       // cuMemAllocAsync
        // Everything else is a feature that the simulator does not have, mapped memory among them.
        _ => 0,
    })
}
