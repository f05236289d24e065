//! The whole state of the simulated driver, behind one lock, and the stacks of current contexts, one a thread.

use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::abi::Handle;
use super::codes::{Answer, INVALID_CONTEXT, INVALID_DEVICE, INVALID_HANDLE};
use super::config::{Config, Environment};
use super::handles::Kind;
use super::managed::Managed;
use super::monitor::{Monitor, say};
use super::queue::Queue;
use super::report::Leak;
use super::space::{MOST_DEVICES, Space};
use crate::ptx;

/// Everything that the driver knows.
pub(crate) struct Sim {
    pub(crate) config: Config,
    /// Whether `cuInit` succeeded.
    pub(crate) started: bool,
    pub(crate) devices: Vec<Device>,
    pub(crate) contexts: BTreeMap<usize, Context>,
    pub(crate) streams: BTreeMap<usize, Stream>,
    pub(crate) events: BTreeMap<usize, Event>,
    pub(crate) modules: BTreeMap<usize, Module>,
    pub(crate) functions: BTreeMap<usize, Function>,
    pub(crate) pinned: BTreeMap<usize, Pinned>,
    pub(crate) managed: BTreeMap<u64, Managed>,
    /// What outlived its context.
    pub(crate) orphans: Vec<Leak>,
    /// Addresses and handles whose free was made to fail.
    pub(crate) refused: BTreeSet<u64>,
    pub(crate) monitor: Monitor,
    /// The number of the last work that was queued.
    pub(crate) last_work: u64,
    /// The state of the generator that interleaves streams.
    pub(crate) random: u64,
    /// Never goes back, so that no handle is given out twice.
    last_handle: u64,
}

/// One simulated device.
pub(crate) struct Device {
    pub(crate) space: Space,
    pub(crate) memory: usize,
    /// The primary context while it is active.
    pub(crate) primary: Option<usize>,
    /// The numbers of the calls that retained it.
    pub(crate) retains: Vec<u64>,
    pub(crate) flags: u32,
}

/// A context, primary or created.
pub(crate) struct Context {
    pub(crate) device: usize,
    pub(crate) is_primary: bool,
    /// The code of the fault that broke it.
    pub(crate) sticky: Option<u32>,
    pub(crate) flags: u32,
    pub(crate) cache: i32,
    pub(crate) banks: i32,
    pub(crate) limits: BTreeMap<i32, usize>,
    pub(crate) legacy: usize,
    pub(crate) call: u64,
}

/// A stream, one of the default streams among them.
pub(crate) struct Stream {
    pub(crate) context: usize,
    pub(crate) device: usize,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    pub(crate) role: Role,
    pub(crate) queue: Queue,
    pub(crate) call: u64,
}

/// What a stream is to its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The legacy default stream, which waits for all blocking streams and they for it.
    Legacy,
    /// The default stream of one thread.
    PerThread(std::thread::ThreadId),
    /// Made by the program.
    Own,
    /// Destroyed by the program while work was left.
    Dying,
}

/// An event.
pub(crate) struct Event {
    pub(crate) context: usize,
    pub(crate) flags: u32,
    /// The work that records it: the stream and the number.
    pub(crate) record: Option<(usize, u64)>,
    pub(crate) time: Option<std::time::Instant>,
    pub(crate) call: u64,
}

/// A loaded module.
pub(crate) struct Module {
    pub(crate) context: usize,
    pub(crate) device: usize,
    pub(crate) functions: BTreeMap<String, usize>,
    pub(crate) globals: BTreeMap<String, (u64, usize)>,
    pub(crate) call: u64,
}

/// A kernel of a loaded module.
pub(crate) struct Function {
    pub(crate) module: usize,
    pub(crate) context: usize,
    pub(crate) ptx: Arc<ptx::Module>,
    /// Which kernel of the module it is.
    pub(crate) index: usize,
    /// The addresses of the module's variables.
    pub(crate) globals: Arc<[u64]>,
    /// The most dynamic shared memory that a launch may ask for, in bytes.
    pub(crate) dynamic_shared: usize,
    pub(crate) carveout: i32,
}

/// Page-locked host memory.
pub(crate) struct Pinned {
    pub(crate) context: usize,
    pub(crate) device: usize,
    pub(crate) bytes: usize,
    /// The memory, unless it is the program's own, registered.
    pub(crate) pages: Option<Box<[Page]>>,
    pub(crate) flags: u32,
    pub(crate) call: u64,
}

/// A page of host memory.
#[derive(Clone)]
#[repr(align(4096))]
pub(crate) struct Page(#[expect(dead_code, reason = "it is memory for the program, not for us")] [u8; 4096]);

impl Page {
    /// Pages of poison, like fresh device memory: what reads them before they are written is wrong.
    pub(crate) fn allocate(bytes: usize) -> Option<Box<[Self]>> {
        let count = bytes.div_ceil(size_of::<Self>());
        let mut pages = Vec::new();
        pages.try_reserve_exact(count).ok()?;
        pages.resize(count, Self([crate::memory::POISON; 4096]));
        Some(pages.into_boxed_slice())
    }
}

thread_local! {
    static STACK: RefCell<(u64, Vec<usize>)> = const { RefCell::new((0, Vec::new())) };
}

/// How often the simulator was started anew. Stacks of before are empty.
static STARTS: AtomicU64 = AtomicU64::new(0);

/// The calling thread's stack of current contexts. A thread that is about to end has none any more.
pub(crate) fn with_stack<T>(f: impl FnOnce(&mut Vec<usize>) -> T) -> Answer<T> {
    let starts = STARTS.load(Ordering::Relaxed);
    let used = STACK.try_with(|stack| {
        let (start, stack) = &mut *stack.borrow_mut();
        if *start != starts {
            *start = starts;
            stack.clear();
        }
        f(stack)
    });
    used.map_err(|_| INVALID_CONTEXT)
}

static SIM: OnceLock<Mutex<Sim>> = OnceLock::new();

/// Locks the simulator. The first time in a process it is set up from the environment.
pub(crate) fn lock() -> MutexGuard<'static, Sim> {
    // Every call leaves the state whole before it can panic, or is a defect that is reported as 999 and a fault.
    SIM.get_or_init(from_environment).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks the simulator unless it is locked or was never used: for the end of a process, which may come at any time.
pub(crate) fn lock_if_free() -> Option<MutexGuard<'static, Sim>> {
    SIM.get()?.try_lock().ok()
}

fn from_environment() -> Mutex<Sim> {
    let environment = Environment::read(|name| std::env::var(name).ok());
    let mut sim = Sim::new(environment.config, 0);
    for complaint in environment.complaints {
        say(&complaint);
        sim.monitor.fault(complaint);
    }
    if let Some((name, nth, code)) = environment.fail {
        sim.monitor.fail(name, nth, code);
    }
    if environment.report {
        super::exit::report_at_exit();
    }
    Mutex::new(sim)
}

impl Sim {
    fn new(config: Config, last_handle: u64) -> Self {
        let devices = (0..config.devices.min(MOST_DEVICES)).map(|i| Device {
            space: Space::new(i as usize),
            memory: config.memory,
            primary: None,
            retains: Vec::new(),
            flags: 0,
        });
        Self {
            started: false,
            devices: devices.collect(),
            contexts: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            pinned: BTreeMap::new(),
            managed: BTreeMap::new(),
            orphans: Vec::new(),
            refused: BTreeSet::new(),
            monitor: Monitor::new(config.trace),
            last_work: 0,
            random: super::queue::seed_of(config.streams),
            last_handle,
            config,
        }
    }

    /// A driver as in a process that has just started, with other settings. Every handle of before is unknown to it.
    pub(crate) fn restart(&mut self, config: Config) {
        STARTS.fetch_add(1, Ordering::Relaxed);
        *self = Self::new(config, self.last_handle);
    }

    pub(crate) fn new_handle(&mut self, kind: Kind) -> usize {
        self.last_handle += 1;
        kind.handle(self.last_handle).0
    }

    /// The number of the call that is being served.
    pub(crate) fn call(&self) -> u64 {
        self.monitor.calls
    }

    pub(crate) fn device_index(&self, ordinal: i32) -> Answer<usize> {
        let index = usize::try_from(ordinal).map_err(|_| INVALID_DEVICE)?;
        if index < self.devices.len() { Ok(index) } else { Err(INVALID_DEVICE) }
    }

    /// The context that is current on the calling thread, whether or not it still exists.
    pub(crate) fn top(&self) -> Answer<Option<usize>> {
        with_stack(|stack| stack.last().copied())
    }

    /// The current context, alive and without a fault.
    pub(crate) fn current(&self) -> Answer<usize> {
        let top = self.top()?.ok_or(INVALID_CONTEXT)?;
        match self.contexts.get(&top) {
            None => Err(INVALID_CONTEXT),
            Some(Context { sticky: Some(code), .. }) => Err(*code),
            Some(_) => Ok(top),
        }
    }

    /// The current context and the number of its device.
    pub(crate) fn current_device(&self) -> Answer<(usize, usize)> {
        let context = self.current()?;
        Ok((context, self.contexts.get(&context).ok_or(INVALID_CONTEXT)?.device))
    }

    /// The stream that a handle stands for: 0 and 1 are the legacy default stream, 2 is the calling thread's.
    pub(crate) fn stream(&mut self, handle: Handle) -> Answer<usize> {
        let context = self.current()?;
        match handle.0 {
            0 | 1 => Ok(self.contexts.get(&context).ok_or(INVALID_CONTEXT)?.legacy),
            2 => {
                let role = Role::PerThread(std::thread::current().id());
                let found = self.streams.iter().find(|(_, s)| s.context == context && s.role == role).map(|(h, _)| *h);
                Ok(found.unwrap_or_else(|| self.add_stream(context, role, 0, 0)))
            }
            own => match self.streams.get(&own) {
                Some(stream) if stream.role == Role::Own => Ok(own),
                _ => Err(self.bad_handle(Kind::Stream, handle)),
            },
        }
    }

    pub(crate) fn add_stream(&mut self, context: usize, role: Role, flags: u32, priority: i32) -> usize {
        let handle = self.new_handle(Kind::Stream);
        let device = self.contexts.get(&context).map_or(0, |c| c.device);
        let call = self.call();
        let queue = Queue::default();
        self.streams.insert(handle, Stream { context, device, flags, priority, role, queue, call });
        handle
    }

    /// Counts and words the use of a handle that stands for nothing.
    pub(crate) fn bad_handle(&mut self, expected: Kind, handle: Handle) -> u32 {
        self.monitor.bad_handles += 1;
        let call = self.monitor.current;
        let what = match Kind::of(handle.0 as u64) {
            Some((kind, number)) if kind == expected && number <= self.last_handle => {
                format!("{call}: {kind} {:#x} was destroyed, or belongs to a context that was", handle.0)
            }
            Some((kind, number)) if number <= self.last_handle => {
                format!("{call}: {:#x} is {}, not {}", handle.0, kind.with_article(), expected.with_article())
            }
            _ => format!("{call}: {:#x} was never {}", handle.0, expected.with_article()),
        };
        self.monitor.fault(what);
        INVALID_HANDLE
    }
}
