//! Calls about modules: PTX in, kernels and variables out. Images for a certain device (cubin, fatbin) cannot be run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::abi::{Address, Handle, List, Out, Text, TextOut};
use super::codes::{
    Answer, FILE_NOT_FOUND, INVALID_IMAGE, INVALID_PTX, INVALID_VALUE, NO_BINARY_FOR_GPU, NOT_FOUND,
    UNSUPPORTED_PTX_VERSION,
};
use super::device::CAPABILITY;
use super::handles::Kind;
use super::space::Owner;
use super::state::{Function, Module, Sim};
use crate::ptx;

/// `CU_JIT_INFO_LOG_BUFFER` and its size, `CU_JIT_ERROR_LOG_BUFFER` and its size.
const LOGS: [(i32, i32); 2] = [(3, 4), (5, 6)];
const ERROR_LOG: i32 = 5;
const LAST_OPTION: i32 = 34;

/// Begins every ELF file, a cubin among them.
const ELF: &[u8] = b"\x7fELF";
/// Begins a fat binary, and the wrapper around one that compilers make.
const FAT: [[u8; 4]; 2] = [[0x50, 0xed, 0x55, 0xba], [0xb1, 0x43, 0x62, 0x46]];

pub(crate) fn load(sim: &mut Sim, module: Out<Handle>, path: Text) -> Answer {
    sim.current()?;
    module.given()?;
    let path = path.lossy()?;
    let bytes = std::fs::read(&path).map_err(|_| FILE_NOT_FOUND)?;
    if is_binary(|magic| bytes.starts_with(magic)) {
        return Err(refuse_binary(sim));
    }
    install(sim, module, &bytes).map_err(|(code, _)| code)
}

pub(crate) fn load_data(sim: &mut Sim, module: Out<Handle>, image: Text) -> Answer {
    load_image(sim, module, image).map_err(|(code, _)| code)
}

/// Options are for a compiler that is not here; the log buffers are filled, as those of a driver are.
pub(crate) fn load_data_ex(
    sim: &mut Sim,
    module: Out<Handle>,
    image: Text,
    count: u32,
    options: List<i32>,
    values: List<usize>,
) -> Answer {
    let count = count as usize;
    if count > 0 && (options.is_null() || values.is_null()) {
        return sim.current().and(Err(INVALID_VALUE));
    }
    if (0..count).any(|i| !(0..=LAST_OPTION).contains(&options.get(i))) {
        return sim.current().and(Err(INVALID_VALUE));
    }
    let loaded = load_image(sim, module, image);
    for (buffer, size) in LOGS {
        let text = match &loaded {
            Err((_, log)) if buffer == ERROR_LOG => log.as_str(),
            _ => "",
        };
        let find = |option| (0..count).find(|i| options.get(*i) == option);
        if let (Some(buffer), Some(size)) = (find(buffer), find(size)) {
            // The size is the value itself, as wide as an unsigned int, and comes back as what was written.
            let room = values.get(size) & 0xffff_ffff;
            if TextOut::at(values.get(buffer)).put(text, room).is_ok() {
                values.set(size, text.len().min(room - 1));
            }
        }
    }
    loaded.map_err(|(code, _)| code)
}

pub(crate) fn load_fat_binary(sim: &mut Sim, module: Out<Handle>, image: Text) -> Answer {
    sim.current()?;
    module.given()?;
    if image.read().is_err() {
        return Err(INVALID_VALUE);
    }
    Err(refuse_binary(sim))
}

fn is_binary(begins_with: impl Fn(&[u8]) -> bool) -> bool {
    begins_with(ELF) || FAT.iter().any(|magic| begins_with(magic))
}

fn refuse_binary(sim: &mut Sim) -> u32 {
    let call = sim.monitor.current;
    sim.monitor.fault(format!("{call}: the image is a binary for a device; the simulator runs PTX only"));
    NO_BINARY_FOR_GPU
}

/// Loads from memory: the code of the refusal, and what the log says.
fn load_image(sim: &mut Sim, module: Out<Handle>, image: Text) -> Result<(), (u32, String)> {
    let quiet = |code| (code, String::new());
    sim.current().map_err(quiet)?;
    module.given().map_err(quiet)?;
    if is_binary(|magic| image.begins_with(magic)) {
        return Err((refuse_binary(sim), "the simulator runs PTX only".into()));
    }
    let bytes = image.read().map_err(quiet)?;
    install(sim, module, &bytes)
}

fn install(sim: &mut Sim, out: Out<Handle>, bytes: &[u8]) -> Result<(), (u32, String)> {
    let quiet = |code| (code, String::new());
    let (context, device) = sim.current_device().map_err(quiet)?;
    let Ok(text) = core::str::from_utf8(bytes) else {
        sim.monitor.fault(format!("{}: the image is neither PTX nor UTF-8", sim.monitor.current));
        return Err((INVALID_IMAGE, "the image is neither PTX nor UTF-8".into()));
    };
    let options = ptx::Options {
        newest_version: newest_ptx(sim.config.driver_version),
        compute_capability: (CAPABILITY.0 * 10 + CAPABILITY.1) as u32,
    };
    let parsed = ptx::parse(text, &options).map_err(|error| {
        let log = error.to_string();
        sim.monitor.fault(format!("{}: {log}", sim.monitor.current));
        (code_of(error.kind), log)
    })?;
    let globals = place_globals(sim, context, device, &parsed).map_err(quiet)?;
    let handle = sim.new_handle(Kind::Module);
    let parsed = Arc::new(parsed);
    let addresses: Arc<[u64]> = globals.into();
    let mut functions = BTreeMap::new();
    for (index, kernel) in parsed.kernels().iter().enumerate() {
        let function = sim.new_handle(Kind::Function);
        functions.insert(kernel.name().to_owned(), function);
        let dynamic_shared = super::device::SHARED.saturating_sub(kernel.static_shared());
        sim.functions.insert(
            function,
            Function {
                module: handle,
                context,
                ptx: Arc::clone(&parsed),
                index,
                globals: Arc::clone(&addresses),
                dynamic_shared,
                carveout: -1,
            },
        );
    }
    let globals = parsed.globals().iter().zip(addresses.iter());
    let globals = globals.map(|(g, address)| (g.name.clone(), (*address, g.size as usize))).collect();
    let call = sim.call();
    sim.modules.insert(handle, Module { context, device, functions, globals, call });
    out.put(Handle(handle)).map_err(quiet)
}

/// Allocates and fills the variables of a module; when there is no room for all of them, there is none of them.
fn place_globals(sim: &mut Sim, context: usize, device: usize, parsed: &ptx::Module) -> Answer<Vec<u64>> {
    let mut addresses = Vec::new();
    for global in parsed.globals() {
        let bytes = usize::try_from(global.size).map_err(|_| super::codes::OUT_OF_MEMORY)?.max(1);
        let placed = sim.allocate(context, device, bytes, Owner::Module);
        let filled = placed.and_then(|address| {
            addresses.push(address);
            sim.devices[device].space.write(address, &global.initial).map_err(|(code, _)| code)
        });
        if let Err(code) = filled {
            release(sim, device, addresses);
            return Err(code);
        }
    }
    Ok(addresses)
}

fn release(sim: &mut Sim, device: usize, addresses: impl IntoIterator<Item = u64>) {
    let (call, virtual_from) = (sim.call(), sim.config.virtual_from);
    for address in addresses {
        sim.devices[device].space.release(address, call, virtual_from);
    }
}

fn code_of(kind: ptx::ErrorKind) -> u32 {
    match kind {
        ptx::ErrorKind::Version => UNSUPPORTED_PTX_VERSION,
        ptx::ErrorKind::Target => NO_BINARY_FOR_GPU,
        _ => INVALID_PTX,
    }
}

/// The newest PTX that a driver of that CUDA version knows.
pub(crate) fn newest_ptx((major, minor): (u32, u32)) -> (u32, u32) {
    match (major, minor) {
        (..=10, _) => (6, 5),
        (11, _) => (7, minor.min(8)),
        (12, ..=5) => (8, minor),
        (12, _) => (8, minor.min(9) - 1),
        (13.., _) => (major - 4, minor),
    }
}

/// Waits for the device first: queued launches may still use the variables.
pub(crate) fn unload(sim: &mut Sim, module: Handle) -> Answer {
    let (_, device) = sim.current_device()?;
    sim.module(module)?;
    sim.finish_device(device);
    sim.current()?;
    if let Some(unloaded) = sim.modules.remove(&module.0) {
        unloaded.functions.values().for_each(|function| drop(sim.functions.remove(function)));
        release(sim, unloaded.device, unloaded.globals.values().map(|(address, _)| *address));
    }
    Ok(())
}

pub(crate) fn get_function(sim: &mut Sim, function: Out<Handle>, module: Handle, name: Text) -> Answer {
    sim.current()?;
    function.given()?;
    let name = name.lossy()?;
    let found = sim.module(module)?.functions.get(&name).copied();
    function.put(Handle(found.ok_or(NOT_FOUND)?))
}

pub(crate) fn get_global(
    sim: &mut Sim,
    address: Out<Address>,
    bytes: Out<usize>,
    module: Handle,
    name: Text,
) -> Answer {
    sim.current()?;
    let name = name.lossy()?;
    let (found, size) = sim.module(module)?.globals.get(&name).copied().ok_or(NOT_FOUND)?;
    address.put_if_wanted(Address(found));
    bytes.put_if_wanted(size);
    Ok(())
}

impl Sim {
    fn module(&mut self, handle: Handle) -> Answer<&Module> {
        if !self.modules.contains_key(&handle.0) {
            return Err(self.bad_handle(Kind::Module, handle));
        }
        self.modules.get(&handle.0).ok_or(super::codes::INVALID_HANDLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ptx_of_a_driver() {
        let table = [
            ((10, 2), (6, 5)),
            ((11, 0), (7, 0)),
            ((11, 8), (7, 8)),
            ((12, 0), (8, 0)),
            ((12, 2), (8, 2)),
            ((12, 4), (8, 4)),
            ((12, 5), (8, 5)),
            ((12, 6), (8, 5)),
            ((12, 8), (8, 7)),
            ((12, 9), (8, 8)),
            ((13, 0), (9, 0)),
            ((13, 1), (9, 1)),
        ];
        for (driver, ptx) in table {
            assert_eq!(newest_ptx(driver), ptx, "driver {driver:?}");
        }
    }
}
