//! One launch: what it is, what comes of it, and the loop over its blocks.

use std::collections::HashSet;

use super::block::Block;
use super::order::Order;
use super::races::{Scope, Shadow};
use super::settings::{Blocks, Check};
use super::{Fault, FaultCode, Finding, FindingKind, Settings};
use crate::memory::Memory;
use crate::ptx::Kernel;

/// What is launched.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its parameters, at the offsets of [`Kernel::params`]; [`Kernel::param_bytes`] of them.
    pub params: &'a [u8],
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory on top of those that the kernel declares.
    pub dynamic_shared: usize,
    /// The addresses of [`crate::ptx::Module::globals`], in that order.
    pub globals: &'a [u64],
}

impl<'a> Launch<'a> {
    /// A launch without dynamic shared memory and without module variables.
    #[must_use]
    pub fn new(kernel: &'a Kernel, grid: [u32; 3], block: [u32; 3], params: &'a [u8]) -> Launch<'a> {
        Launch { kernel, params, grid, block, dynamic_shared: 0, globals: &[] }
    }
}

/// How much a launch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Blocks that ran.
    pub blocks: u64,
    /// Instructions, counted once a warp.
    pub warp_instructions: u64,
    /// Instructions, counted once a thread.
    pub lane_instructions: u64,
    /// Findings that were not kept: of the same lines as one that was, or beyond [`Settings::finding_limit`].
    pub findings_left_out: u64,
}

/// What came of a launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// How much it did.
    pub stats: Stats,
    /// What a device would not have noticed.
    pub findings: Vec<Finding>,
    /// Why it ended early, if it did. What it wrote until then stays written.
    pub fault: Option<Fault>,
}

/// What the parts of a launch share while it runs.
pub(super) struct Run<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) memory: &'a mut Memory,
    pub(super) settings: &'a Settings,
    pub(super) outcome: Outcome,
    /// Who used which byte of global memory, where races are looked for.
    pub(super) shadow: Shadow,
    /// Counts the blocks that ran and the barriers in them; two accesses of one era have no barrier between them.
    pub(super) era: u32,
    /// Where races are looked for: the first era of every block that ran, and the number of the block.
    pub(super) eras: Vec<(u32, u64)>,
    /// What was found already, by the lines in the PTX: each is told once.
    told: HashSet<(&'static str, u32, u32)>,
    pub(super) order: Order,
}

impl Run<'_> {
    /// Keeps a finding, or counts it where there is one of the same lines or there are too many.
    pub(super) fn find(&mut self, finding: Finding) {
        let earlier = match finding.kind {
            FindingKind::Race { with } => with.line,
            FindingKind::Unwritten => 0,
        };
        let is_new = self.told.insert((finding.memory, earlier, finding.at.line));
        if is_new && self.outcome.findings.len() < self.settings.finding_limit {
            self.outcome.findings.push(finding);
        } else {
            self.outcome.stats.findings_left_out += 1;
        }
    }

    pub(super) fn races(&self) -> bool {
        self.settings.races == Check::Report
    }
}

/// More shared memory than any device has; real limits are for the driver to check.
const MOST_SHARED: usize = 1 << 20;

/// Runs a kernel over a memory.
///
/// What does not fit together (a parameter list of the wrong length, a grid without blocks) is a fault too.
#[must_use]
pub fn run(launch: &Launch<'_>, memory: &mut Memory, settings: &Settings) -> Outcome {
    let (outcome, order) = (Outcome::default(), Order::new(settings.seed));
    let mut run = Run {
        launch,
        memory,
        settings,
        outcome,
        shadow: Shadow::new(Scope::Device),
        era: 0,
        eras: Vec::new(),
        told: HashSet::new(),
        order,
    };
    if let Err(fault) = check(launch).and_then(|()| blocks(&mut run)) {
        run.outcome.fault = Some(fault);
    }
    run.outcome
}

fn check(launch: &Launch<'_>) -> Result<(), Fault> {
    let Launch { kernel, params, grid, block, dynamic_shared, .. } = launch;
    let refused = |what: String| {
        let what = format!("kernel {}: {what}", kernel.name);
        Err(Fault { code: FaultCode::LaunchFailed, what })
    };
    let threads = block.iter().fold(1u64, |all, &n| all.saturating_mul(u64::from(n)));
    if grid.contains(&0) {
        return refused(format!("a grid of {grid:?} has no blocks"));
    }
    if threads == 0 || threads > u64::from(kernel.max_threads) {
        return refused(format!("a block of {block:?} has {threads} threads, 1 to {} run", kernel.max_threads));
    }
    if params.len() != kernel.param_bytes {
        return refused(format!("{} bytes of parameters are given, it has {}", params.len(), kernel.param_bytes));
    }
    let shared = kernel.static_shared.saturating_add(*dynamic_shared);
    if shared > MOST_SHARED {
        return refused(format!("{shared} bytes of shared memory are more than {MOST_SHARED}"));
    }
    Ok(())
}

fn blocks(run: &mut Run<'_>) -> Result<(), Fault> {
    let grid = run.launch.grid.map(u64::from);
    let mut block = Block::new(run.launch);
    match &run.settings.blocks {
        Blocks::All => {
            let all = grid[0] * grid[1] * grid[2];
            let mut shuffle = run.order.permutation(all);
            for number in 0..all {
                let number = shuffle.place(number);
                let at = [number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]];
                block.run(run, at.map(|n| n as u32))?;
            }
        }
        Blocks::Only(chosen) => {
            let inside = |at: &&[u32; 3]| at.iter().zip(run.launch.grid).all(|(a, n)| *a < n);
            for at in chosen.iter().filter(inside) {
                block.run(run, *at)?;
            }
        }
    }
    Ok(())
}
