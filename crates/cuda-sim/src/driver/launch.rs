//! The call that launches a kernel: its limits, its parameters, and what comes of it.

use std::sync::Arc;

use super::abi::{Handle, List};
use super::codes::{Answer, INVALID_HANDLE, INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES};
use super::device::{MOST_BLOCK, MOST_GRID, MOST_THREADS};
use super::queue::Work;
use super::space::Broken;
use super::state::Sim;
use crate::exec::{Launch, Settings};
use crate::ptx;

/// A launch that was accepted: everything it needs, also after its module is unloaded.
pub(crate) struct Task {
    ptx: Arc<ptx::Module>,
    index: usize,
    globals: Arc<[u64]>,
    parameters: Vec<u8>,
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
}

#[expect(clippy::too_many_arguments, reason = "they are the driver's")]
pub(crate) fn kernel(
    sim: &mut Sim,
    function: Handle,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    shared: u32,
    stream: Handle,
    parameters: List<usize>,
    extra: List<usize>,
) -> Answer {
    let context = sim.current()?;
    let stream = sim.stream(stream)?;
    let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
    let function = sim.function(function)?;
    let of_function = function.context;
    let (ptx, index, globals) = (Arc::clone(&function.ptx), function.index, Arc::clone(&function.globals));
    let most_shared = function.dynamic_shared;
    let kernel = &ptx.kernels()[index];
    sim.monitor.note = Some(kernel.name().to_owned());
    // Kernel, stream and thread have to agree on the context.
    let target = sim.streams.get(&stream).ok_or(INVALID_HANDLE)?;
    if of_function != context || target.context != context {
        return Err(INVALID_HANDLE);
    }
    let device = target.device;
    let in_range = |size: [u32; 3], most: [u32; 3]| size.iter().zip(most).all(|(n, most)| (1..=most).contains(n));
    let threads = block.iter().map(|n| u64::from(*n)).product::<u64>();
    if !in_range(grid, MOST_GRID) || !in_range(block, MOST_BLOCK) || threads > u64::from(MOST_THREADS) {
        return Err(INVALID_VALUE);
    }
    let shared = shared as usize;
    if threads > u64::from(kernel.max_threads()) || shared > most_shared {
        return Err(LAUNCH_OUT_OF_RESOURCES);
    }
    let wanted = kernel.params();
    if !extra.is_null() || (parameters.is_null() && !wanted.is_empty()) {
        return Err(INVALID_VALUE);
    }
    let mut bytes = vec![0; kernel.param_bytes()];
    for (i, parameter) in wanted.iter().enumerate() {
        let from = super::abi::HostIn::at(parameters.get(i));
        if from.is_null() {
            return Err(INVALID_VALUE);
        }
        // The driver learns the size from the kernel, too: a shorter argument of the program is read past its end.
        bytes[parameter.offset..parameter.offset + parameter.size].copy_from_slice(&from.bytes(parameter.size));
    }
    sim.monitor.launches += 1;
    let task = Task { ptx, index, globals, parameters: bytes, grid, block, shared };
    sim.submit(stream, device, Work::Launch(Box::new(task))).map(drop)
}

impl Sim {
    /// Runs an accepted launch. What a device would not notice goes to the log; a fault breaks the context.
    pub(crate) fn run_kernel(&mut self, device: usize, task: &Task, call: (u64, &'static str)) -> Result<(), Broken> {
        let kernel = &task.ptx.kernels()[task.index];
        let launch = Launch {
            kernel,
            params: &task.parameters,
            grid: task.grid,
            block: task.block,
            dynamic_shared: task.shared,
            globals: &task.globals,
        };
        let config = &self.config;
        let settings = Settings {
            seed: config.seed,
            blocks: config.blocks.clone(),
            races: config.races,
            unwritten: config.unwritten,
            ..Settings::default()
        };
        let memory = &mut self.devices[device].space.memory;
        let outcome = crate::exec::run(&launch, memory, &settings);
        self.monitor.ran(&outcome.stats);
        let (number, name) = call;
        for finding in &outcome.findings {
            self.monitor.fault(format!("{name} (call {number}): {finding}"));
        }
        let left_out = outcome.stats.findings_left_out;
        if left_out > 0 {
            self.monitor.fault(format!("{name} (call {number}): {left_out} more findings"));
        }
        outcome.fault.map_or(Ok(()), |fault| Err((fault.code.code(), fault.what)))
    }
}
