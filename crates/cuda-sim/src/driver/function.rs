//! Calls about kernels: attributes, and how many blocks fit on a multiprocessor.

use super::abi::{Handle, Ignored, Out};
use super::codes::{Answer, INVALID_HANDLE, INVALID_VALUE};
use super::device::{
    BLOCKS_OF_MULTIPROCESSOR, CAPABILITY, MOST_THREADS, MULTIPROCESSORS, SHARED_OF_MULTIPROCESSOR, SHARED_OPTIN,
    THREADS_OF_MULTIPROCESSOR, WARP,
};
use super::handles::Kind;
use super::state::{Function, Sim};
use crate::ptx::Kernel;

const MAX_DYNAMIC_SHARED: i32 = 8;
const CARVEOUT: i32 = 9;

pub(crate) fn get_attribute(sim: &mut Sim, value: Out<i32>, attribute: i32, function: Handle) -> Answer {
    sim.current()?;
    let function = sim.function(function)?;
    let kernel = function.kernel();
    let number = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
    value.put(match attribute {
        0 => kernel.max_threads().min(MOST_THREADS) as i32,
        1 => number(kernel.static_shared()),
        2 | 7 => 0, // constant memory; cache mode
        3 => number(kernel.local()),
        4 => number(kernel.registers()).min(255),
        5 | 6 => CAPABILITY.0 * 10 + CAPABILITY.1, // of the PTX and of the binary
        MAX_DYNAMIC_SHARED => number(function.dynamic_shared),
        CARVEOUT => function.carveout,
        _ => return Err(INVALID_VALUE),
    })
}

pub(crate) fn set_attribute(sim: &mut Sim, function: Handle, attribute: i32, value: i32) -> Answer {
    sim.current()?;
    let function = sim.function(function)?;
    match (attribute, usize::try_from(value)) {
        (MAX_DYNAMIC_SHARED, Ok(bytes)) if bytes + function.kernel().static_shared() <= SHARED_OPTIN => {
            function.dynamic_shared = bytes;
            Ok(())
        }
        (CARVEOUT, _) if (-1..=100).contains(&value) => {
            function.carveout = value;
            Ok(())
        }
        _ => Err(INVALID_VALUE),
    }
}

pub(crate) fn get_module(sim: &mut Sim, module: Out<Handle>, function: Handle) -> Answer {
    sim.current()?;
    let found = sim.function(function)?.module;
    module.put(Handle(found))
}

/// A hint that changes nothing here.
pub(crate) fn set_cache(sim: &mut Sim, function: Handle, config: i32) -> Answer {
    sim.current()?;
    sim.function(function)?;
    if (0..=3).contains(&config) { Ok(()) } else { Err(INVALID_VALUE) }
}

/// A hint that changes nothing here.
pub(crate) fn set_banks(sim: &mut Sim, function: Handle, config: i32) -> Answer {
    sim.current()?;
    sim.function(function)?;
    if (0..=2).contains(&config) { Ok(()) } else { Err(INVALID_VALUE) }
}

pub(crate) fn active_blocks(sim: &mut Sim, blocks: Out<i32>, function: Handle, threads: i32, shared: usize) -> Answer {
    active_blocks_with_flags(sim, blocks, function, threads, shared, 0)
}

pub(crate) fn active_blocks_with_flags(
    sim: &mut Sim,
    blocks: Out<i32>,
    function: Handle,
    threads: i32,
    shared: usize,
    flags: u32,
) -> Answer {
    sim.current()?;
    let kernel = sim.function(function)?.kernel();
    if threads <= 0 || flags > 1 {
        return Err(INVALID_VALUE);
    }
    blocks.put(blocks_at_once(kernel, threads, shared))
}

/// The largest block, because the simulator knows no reason for a smaller one.
pub(crate) fn best_block(
    sim: &mut Sim,
    grid: Out<i32>,
    block: Out<i32>,
    function: Handle,
    shared_of_block: Ignored,
    shared: usize,
    limit: i32,
) -> Answer {
    sim.current()?;
    grid.given()?;
    let kernel = sim.function(function)?.kernel();
    // How much shared memory a block wants is the program's to say, and its function would be called under the lock.
    if shared_of_block.is_some() {
        return Err(super::codes::NOT_SUPPORTED);
    }
    if limit < 0 {
        return Err(INVALID_VALUE);
    }
    let most = kernel.max_threads().min(MOST_THREADS) as i32;
    let threads = if limit == 0 { most } else { most.min(limit) };
    let at_once = blocks_at_once(kernel, threads, shared);
    block.put(threads)?;
    grid.put(at_once * MULTIPROCESSORS)
}

pub(crate) fn available_shared(
    sim: &mut Sim,
    bytes: Out<usize>,
    function: Handle,
    blocks: i32,
    threads: i32,
) -> Answer {
    sim.current()?;
    let function = sim.function(function)?;
    let kernel = function.kernel();
    if blocks <= 0 || threads <= 0 || blocks > blocks_at_once(kernel, threads, 0) {
        return Err(INVALID_VALUE);
    }
    let share = SHARED_OF_MULTIPROCESSOR / blocks as usize;
    bytes.put(share.saturating_sub(RESERVED + kernel.static_shared()).min(SHARED_OPTIN - kernel.static_shared()))
}

/// Shared memory that every block takes for itself.
const RESERVED: usize = 1 << 10;

/// Blocks of one kernel that a multiprocessor holds at once. Registers are not counted: PTX does not say how many there are.
fn blocks_at_once(kernel: &Kernel, threads: i32, shared: usize) -> i32 {
    if threads as u32 > kernel.max_threads().min(MOST_THREADS) {
        return 0;
    }
    let by_threads = THREADS_OF_MULTIPROCESSOR / ((threads - 1) / WARP * WARP + WARP);
    let wanted = shared.saturating_add(kernel.static_shared());
    if wanted > SHARED_OPTIN {
        return 0;
    }
    let by_shared = (SHARED_OF_MULTIPROCESSOR / (wanted + RESERVED)) as i32;
    by_threads.min(by_shared).min(BLOCKS_OF_MULTIPROCESSOR)
}

impl Function {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.ptx.kernels()[self.index]
    }
}

impl Sim {
    pub(crate) fn function(&mut self, handle: Handle) -> Answer<&mut Function> {
        if !self.functions.contains_key(&handle.0) {
            return Err(self.bad_handle(Kind::Function, handle));
        }
        self.functions.get_mut(&handle.0).ok_or(INVALID_HANDLE)
    }
}
