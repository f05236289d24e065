//! Calls about contexts: primary ones, created ones, and the stack of those that are current on a thread.
//!
//! A handle of a context is never used twice: after the last release and a new retain the old handle answers 201.

use super::abi::{Handle, Out};
use super::codes::{Answer, INVALID_CONTEXT, INVALID_VALUE, PRIMARY_CONTEXT_ACTIVE, UNSUPPORTED_LIMIT};
use super::handles::Kind;
use super::report::{Leak, LeakKind, LeakState};
use super::state::{Context, Role, Sim, with_stack};

/// The flags of a context that the driver API names.
const FLAGS: u32 = 0x1f;

/// The limits that a device has, with their values at first.
const LIMITS: [(i32, usize); 6] = [(0, 1024), (1, 1 << 20), (2, 8 << 20), (3, 2), (4, 2048), (5, 64)];

/// Why a context ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Released for the last time or destroyed: whatever it still has is a leak.
    Released,
    /// Reset on purpose, which is a way to clean up.
    Reset,
}

pub(crate) fn retain(sim: &mut Sim, context: Out<Handle>, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    context.given()?;
    let handle = match sim.devices[index].primary {
        Some(handle) => handle,
        None => {
            let flags = sim.devices[index].flags;
            let handle = add(sim, index, true, flags);
            sim.devices[index].primary = Some(handle);
            handle
        }
    };
    let call = sim.call();
    sim.devices[index].retains.push(call);
    context.put(Handle(handle))
}

pub(crate) fn release(sim: &mut Sim, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    let primary = sim.devices[index].primary.ok_or(INVALID_CONTEXT)?;
    sim.devices[index].retains.pop().ok_or(INVALID_CONTEXT)?;
    if sim.devices[index].retains.is_empty() {
        sim.devices[index].primary = None;
        end(sim, primary, End::Released);
    }
    Ok(())
}

/// Ends the primary context whoever holds it. Their handles are void; the next retain makes a new context without a fault.
pub(crate) fn reset(sim: &mut Sim, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    if let Some(primary) = sim.devices[index].primary.take() {
        sim.devices[index].retains.clear();
        end(sim, primary, End::Reset);
    }
    Ok(())
}

pub(crate) fn set_primary_flags(sim: &mut Sim, device: i32, flags: u32) -> Answer {
    let index = sim.device_index(device)?;
    if flags & !FLAGS != 0 {
        return Err(INVALID_VALUE);
    }
    let primary = sim.devices[index].primary;
    match primary.and_then(|p| sim.contexts.get_mut(&p)) {
        Some(context) if context.sticky.is_some() => Err(PRIMARY_CONTEXT_ACTIVE),
        Some(context) => {
            context.flags = flags;
            sim.devices[index].flags = flags;
            Ok(())
        }
        None => {
            sim.devices[index].flags = flags;
            Ok(())
        }
    }
}

pub(crate) fn primary_state(sim: &mut Sim, device: i32, flags: Out<u32>, active: Out<i32>) -> Answer {
    let index = sim.device_index(device)?;
    flags.given()?;
    active.put(i32::from(sim.devices[index].primary.is_some()))?;
    flags.put(sim.devices[index].flags)
}

/// Makes a context and makes it current.
pub(crate) fn create(sim: &mut Sim, context: Out<Handle>, flags: u32, device: i32) -> Answer {
    let index = sim.device_index(device)?;
    context.given()?;
    if flags & !FLAGS != 0 {
        return Err(INVALID_VALUE);
    }
    let handle = add(sim, index, false, flags);
    with_stack(|stack| stack.push(handle))?;
    context.put(Handle(handle))
}

/// Ends a created context, and takes it off the calling thread's stack where it is on top.
pub(crate) fn destroy(sim: &mut Sim, context: Handle) -> Answer {
    if sim.contexts.get(&context.0).is_none_or(|c| c.is_primary) {
        return Err(INVALID_CONTEXT);
    }
    end(sim, context.0, End::Released);
    with_stack(|stack| {
        if stack.last() == Some(&context.0) {
            stack.pop();
        }
    })
}

fn add(sim: &mut Sim, device: usize, is_primary: bool, flags: u32) -> usize {
    let handle = sim.new_handle(Kind::Context);
    let call = sim.call();
    let limits = LIMITS.into_iter().collect();
    let context = Context { device, is_primary, sticky: None, flags, cache: 0, banks: 1, limits, legacy: 0, call };
    sim.contexts.insert(handle, context);
    let legacy = sim.add_stream(handle, Role::Legacy, 0, 0);
    if let Some(context) = sim.contexts.get_mut(&handle) {
        context.legacy = legacy;
    }
    handle
}

/// Frees what a context has, and remembers what the program should have freed itself.
fn end(sim: &mut Sim, handle: usize, why: End) {
    sim.finish_context(handle);
    let leaks: Vec<Leak> = sim.leaks_of(handle).into_iter().map(orphan).collect();
    if why == End::Released {
        sim.orphans.extend(leaks);
    }
    let (call, virtual_from) = (sim.call(), sim.config.virtual_from);
    for device in &mut sim.devices {
        device.space.release_context(handle, call, virtual_from);
    }
    let space = |device: usize| &sim.devices[device].space;
    sim.managed.retain(|address, m| space(m.device).find(*address, 1).is_some());
    sim.streams.retain(|_, s| s.context != handle);
    sim.events.retain(|_, e| e.context != handle);
    sim.modules.retain(|_, m| m.context != handle);
    sim.functions.retain(|_, f| f.context != handle);
    sim.pinned.retain(|_, p| p.context != handle);
    sim.contexts.remove(&handle);
}

fn orphan(leak: Leak) -> Leak {
    let state = if leak.state == LeakState::Alive { LeakState::Orphaned } else { leak.state };
    Leak { state, ..leak }
}

impl Sim {
    /// Whether the code is that of the fault that broke the current context.
    pub(crate) fn is_broken(&self, code: u32) -> bool {
        let top = self.top().ok().flatten();
        top.and_then(|t| self.contexts.get(&t)).is_some_and(|c| c.sticky == Some(code))
    }

    /// A release of a primary context was made to fail: one of its retains is no leak of the program's.
    pub(crate) fn refuse_release(&mut self, ordinal: i64) {
        let index = i32::try_from(ordinal).ok().and_then(|o| self.device_index(o).ok());
        if let Some(call) = index.and_then(|i| self.devices[i].retains.last()) {
            self.refused.insert(retain_key(*call));
        }
    }

    /// The contexts that are alive.
    pub(crate) fn live_contexts(&self) -> Vec<Leak> {
        let leak = |device, address, call, key| {
            let state = if self.refused.contains(&key) { LeakState::FreeRefused } else { LeakState::Alive };
            Leak { kind: LeakKind::Context, device, address, bytes: 0, call, state }
        };
        let mut leaks = Vec::new();
        for (index, device) in self.devices.iter().enumerate() {
            let address = device.primary.unwrap_or(0) as u64;
            leaks.extend(device.retains.iter().map(|call| leak(index, address, *call, retain_key(*call))));
        }
        let created = self.contexts.iter().filter(|(_, c)| !c.is_primary);
        leaks.extend(created.map(|(handle, c)| leak(c.device, *handle as u64, c.call, *handle as u64)));
        leaks
    }
}

/// A retain has no handle of its own: it is known by the number of its call, below all addresses.
fn retain_key(call: u64) -> u64 {
    call
}

/// Replaces the top of the stack; null takes it away.
pub(crate) fn set_current(sim: &mut Sim, context: Handle) -> Answer {
    if context.0 != 0 && !sim.contexts.contains_key(&context.0) {
        return Err(INVALID_CONTEXT);
    }
    with_stack(|stack| {
        stack.pop();
        if context.0 != 0 {
            stack.push(context.0);
        }
    })
}

pub(crate) fn get_current(sim: &mut Sim, context: Out<Handle>) -> Answer {
    context.put(Handle(sim.top()?.unwrap_or(0)))
}

pub(crate) fn push(sim: &mut Sim, context: Handle) -> Answer {
    if !sim.contexts.contains_key(&context.0) {
        return Err(INVALID_CONTEXT);
    }
    with_stack(|stack| stack.push(context.0))
}

pub(crate) fn pop(_: &mut Sim, context: Out<Handle>) -> Answer {
    let popped = with_stack(Vec::pop)?.ok_or(INVALID_CONTEXT)?;
    context.put_if_wanted(Handle(popped));
    Ok(())
}

pub(crate) fn get_device(sim: &mut Sim, device: Out<i32>) -> Answer {
    let (_, index) = sim.current_device()?;
    device.put(index as i32)
}

pub(crate) fn get_flags(sim: &mut Sim, flags: Out<u32>) -> Answer {
    let current = current(sim)?.flags;
    flags.put(current)
}

pub(crate) fn api_version(sim: &mut Sim, context: Handle, version: Out<u32>) -> Answer {
    let known = if context.0 == 0 { sim.current().is_ok() } else { sim.contexts.contains_key(&context.0) };
    if known { version.put(3020) } else { Err(INVALID_CONTEXT) }
}

pub(crate) fn synchronize(sim: &mut Sim) -> Answer {
    let current = sim.current()?;
    sim.finish_context(current);
    sim.current().map(drop)
}

/// The priorities that streams may have: 0 is the least, and a smaller number goes first.
pub(crate) const GREATEST_PRIORITY: i32 = -5;

pub(crate) fn priorities(sim: &mut Sim, least: Out<i32>, greatest: Out<i32>) -> Answer {
    sim.current()?;
    least.put_if_wanted(0);
    greatest.put_if_wanted(GREATEST_PRIORITY);
    Ok(())
}

fn current(sim: &mut Sim) -> Answer<&mut Context> {
    let current = sim.current()?;
    sim.contexts.get_mut(&current).ok_or(INVALID_CONTEXT)
}

pub(crate) fn get_cache(sim: &mut Sim, config: Out<i32>) -> Answer {
    let cache = current(sim)?.cache;
    config.put(cache)
}

pub(crate) fn set_cache(sim: &mut Sim, config: i32) -> Answer {
    set(&mut current(sim)?.cache, config, 3)
}

pub(crate) fn get_banks(sim: &mut Sim, config: Out<i32>) -> Answer {
    let banks = current(sim)?.banks;
    config.put(banks)
}

pub(crate) fn set_banks(sim: &mut Sim, config: i32) -> Answer {
    set(&mut current(sim)?.banks, config, 2)
}

fn set(place: &mut i32, value: i32, most: i32) -> Answer {
    if !(0..=most).contains(&value) {
        return Err(INVALID_VALUE);
    }
    *place = value;
    Ok(())
}

pub(crate) fn get_limit(sim: &mut Sim, value: Out<usize>, limit: i32) -> Answer {
    let found = current(sim)?.limits.get(&limit).copied();
    value.put(found.ok_or(UNSUPPORTED_LIMIT)?)
}

pub(crate) fn set_limit(sim: &mut Sim, limit: i32, value: usize) -> Answer {
    let place = current(sim)?.limits.get_mut(&limit).ok_or(UNSUPPORTED_LIMIT)?;
    *place = value;
    Ok(())
}
