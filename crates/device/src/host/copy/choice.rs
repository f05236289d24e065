//! Which kernel a plan runs on, in which blocks and order, on how many threads.
//!
//! | innermost axis of the destination (stride 1) | kernel |
//! |---|---|
//! | source stride 1, together at most 16 bytes, a power of two | the run is one wider word: look again without the axis |
//! | source stride 1 | copy rows |
//! | source stride 0 | fill rows |
//! | source stride -1 | reversed rows |
//! | 2 to 4 words that lie in 2 to 4 planes, which the next axis reads in order | interleave |
//! | every 2nd to 4th word, and another axis reads the words between | deinterleave |
//! | another axis of the source has stride 1 or -1, and is not short | transpose panels |
//! | nothing of this | step: read one by one |
//! | the destination has no axis of stride 1 | element by element |

use weft_layout::Plan;

use super::axis::{Axes, Axis};
use crate::host::Exec;
use crate::host::kernel::Store;

/// A block of this many bytes is a line of cache.
pub(super) const LINE: usize = 64;

/// From how many bytes of destination stores go around the caches. Measured on Zen 3 and Zen 4: below 8 MiB streaming loses, for the
/// destination would stay in the last level; from 12 MiB it wins, for a line need not be read before it is written.
const STREAM_FROM: usize = 12 << 20;

/// A destination that fits the caches of a core with its source: loops keep the order of the destination.
const CACHED: usize = 256 << 10;

/// A page of memory, in bytes.
const PAGE: usize = 4096;

/// So many bytes of short source rows are transposed together: half of a first-level cache.
const SHORT_ROWS: usize = 16 << 10;

/// One thread more for so many bytes of rows: a core nearly fills the memory system with rows.
const ROW_GRAIN: usize = 2 << 20;

/// One thread more for so many bytes of a transposition: bound by latency, so that threads add up.
const PANEL_GRAIN: usize = 1 << 20;

/// A source axis shorter than this many bytes is no panel where stepping reads few bytes in vain.
const SHORT: usize = 16;

/// Composite rows of a panel grow until they have this many words (or the destination's axes end), and never beyond the table.
const LONG_ROW: usize = 128;

/// The most entries in the table of a composite row.
pub(super) const TABLE: usize = 1024;

/// What the innermost loops are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    Copy,
    Fill,
    Reverse,
    Step(isize),
    /// `k` planes, `pitch` words apart in the source.
    Interleave {
        k: usize,
        pitch: isize,
    },
    /// `k` rows, `pitch` words apart in the destination.
    Deinterleave {
        k: usize,
        pitch: isize,
    },
    /// Rows `pitch` words apart in the source, columns `dst_pitch` words apart in the destination.
    Panel {
        dst_pitch: isize,
        pitch: isize,
    },
    /// The rows are the innermost `composite` axes of the destination, tabulated.
    Composite {
        dst_pitch: isize,
    },
    /// Nothing is contiguous in the destination.
    Scatter {
        dst: isize,
        src: isize,
    },
}

/// One of the two axes that a kernel walks itself: how many steps there are, how many at a time, and how far one step moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) axis: Axis,
    pub(super) at_once: usize,
}

impl Block {
    fn whole(axis: Axis) -> Block {
        Block { axis, at_once: axis.size.max(1) }
    }

    pub(super) fn count(&self) -> usize {
        self.axis.size.div_ceil(self.at_once)
    }
}

/// Everything about a copy but its addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) word_bytes: usize,
    /// Where the walk begins, in bytes: destination, source.
    pub(super) start: [usize; 2],
    pub(super) kernel: Kernel,
    pub(super) store: Store,
    pub(super) threads: usize,
    /// The loops around the kernel, outermost first.
    pub(super) outer: Axes,
    /// The kernel's own two axes: the strip or the source's rows, and the row of the destination (or of a panel). The second
    /// one is the inner loop over blocks.
    pub(super) blocks: [Block; 2],
    /// The axes that make up a composite row, outermost first.
    pub(super) composite: Axes,
    pub(super) bytes: usize,
}

impl Choice {
    /// `None` when the plan has more axes than the engine keeps. The plan is not empty.
    pub(super) fn new(exec: Exec, plan: &Plan<2>, element_bytes: usize) -> Option<Choice> {
        let axes = plan.axes().iter().map(|axis| Axis { size: axis.size, dst: axis.strides[0], src: axis.strides[1] });
        let mut axes = Axes::from_list(axes)?;
        let mut start = plan.offsets();
        let word_bytes = element_bytes * widen(&mut axes, element_bytes);
        let Some(inner) = axes.pop() else {
            let blocks = [Block::whole(Axis::ONE), Block::whole(Axis { size: 1, dst: 1, src: 1 })];
            return Some(Choice {
                word_bytes,
                start: start.map(|at| at * element_bytes),
                kernel: Kernel::Copy,
                store: Store::Cached,
                threads: 1,
                outer: axes,
                blocks,
                composite: Axes::default(),
                bytes: word_bytes,
            });
        };
        let per_word = word_bytes / element_bytes;
        let bytes = plan.numel() * element_bytes;
        let mut composite = Axes::default();
        let mut blocks = [Block::whole(Axis::ONE), Block::whole(inner)];
        let unit = axes.iter().rposition(|axis| axis.src.unsigned_abs() == 1);
        let kernel = match (inner.dst, inner.src, unit) {
            (1, 1, _) => Kernel::Copy,
            (1, 0, _) => Kernel::Fill,
            (1, -1, _) => Kernel::Reverse,
            (1, step, Some(unit)) if !prefers_steps(step, &axes[unit], word_bytes) => {
                let mut other = axes.remove(unit);
                if other.src == -1 {
                    // Walked from its other end it reads forwards. No offset leaves the walk: P1.
                    let last = other.size as isize - 1;
                    start[0] = start[0].wrapping_add_signed(last * other.dst * per_word as isize);
                    start[1] = start[1].wrapping_add_signed(last * other.src * per_word as isize);
                    (other.dst, other.src) = (-other.dst, 1);
                }
                transposition(inner, other, &mut axes, &mut composite, &mut blocks)
            }
            (1, step, _) => Kernel::Step(step),
            (dst, src, _) => Kernel::Scatter { dst, src },
        };
        let is_panel = matches!(kernel, Kernel::Panel { .. } | Kernel::Composite { .. });
        order(&mut axes, is_panel, bytes);
        if !is_panel {
            // The rows of the innermost loop are the kernel's affair.
            blocks[0] = Block::whole(axes.pop().unwrap_or(Axis::ONE));
        }
        let threads = exec.threads_for(bytes, if is_panel { PANEL_GRAIN } else { ROW_GRAIN });
        let mut choice = Choice {
            word_bytes,
            start: start.map(|at| at * element_bytes),
            kernel,
            store: Store::Cached,
            threads,
            outer: axes,
            blocks,
            composite,
            bytes,
        };
        choice.store = choice.pick_store();
        choice.cut();
        Some(choice)
    }

    /// The same copy with another way of storing and so many threads, whatever its size.
    #[cfg(test)]
    pub(super) fn forced(mut self, store: Store, threads: usize) -> Choice {
        (self.store, self.threads) = (store, threads);
        self.cut();
        self
    }

    /// Streams what is large, in whole lines.
    fn pick_store(&self) -> Store {
        let row = self.blocks[1].axis.size * self.word_bytes;
        // A row shorter than this has too little between the lines that it shares with its neighbours.
        let long = match self.kernel {
            Kernel::Scatter { .. } => return Store::Cached,
            Kernel::Interleave { k, .. } => row * k >= 8 * LINE,
            _ => row >= 8 * LINE || row.is_multiple_of(LINE),
        };
        if self.bytes >= STREAM_FROM && long { Store::Stream } else { Store::Cached }
    }

    /// Cuts the kernel's axes into blocks: panels for the caches, rows where there are too few of them for the threads.
    fn cut(&mut self) {
        let line = (LINE / self.word_bytes).max(1);
        if let Kernel::Panel { .. } | Kernel::Composite { .. } = self.kernel {
            let pitch = match self.kernel {
                Kernel::Panel { pitch, .. } => Some(pitch.unsigned_abs().saturating_mul(self.word_bytes)),
                _ => None,
            };
            let [along_source, along_destination] = &mut self.blocks;
            let source_row = along_source.axis.size * self.word_bytes;
            let rows = if self.bytes <= CACHED && self.threads == 1 {
                // Both sides are near whatever the order is, and every block has edges.
                4096
            } else if source_row > 4 * LINE {
                // A page of each source row at a time, from as many rows as can be followed at once: few where each has a page of
                // its own, for the lines of all of them lie in few sets of a cache where the pitch is a power of two.
                along_source.at_once = along_source.axis.size.min(PAGE / self.word_bytes).min(1024);
                if pitch.is_some_and(|pitch| pitch < PAGE) { 64 } else { 16 }
            } else if pitch.is_some() {
                // Short source rows, read whole: as many as stay in the first-level cache while they are read line by line.
                SHORT_ROWS / source_row.max(1)
            } else {
                // The rows of a table may begin anywhere; a long row of the destination is worth more.
                4096
            };
            along_destination.at_once = along_destination.axis.size.min(rows.next_multiple_of(line)).max(1);
            return;
        }
        if self.threads == 1 {
            return;
        }
        // Four pieces a thread, so that one that is held up does not hold up the whole.
        let wanted = (4 * self.threads).div_ceil(self.outer.count());
        let [strip, row] = &mut self.blocks;
        strip.at_once = strip.axis.size.div_ceil(wanted).max(1);
        let wanted = wanted.div_ceil(strip.count());
        // No two threads write in one line.
        row.at_once = row.axis.size.div_ceil(wanted).next_multiple_of(line).max(1);
    }
}

/// How many elements one word can be: the innermost run whole, where it is short, or one.
fn widen(axes: &mut Axes, element_bytes: usize) -> usize {
    let Some((inner, outer)) = axes.split_last() else { return 1 };
    let (run, size) = (inner.size, inner.size as isize);
    if [inner.dst, inner.src] != [1, 1] || !run.is_power_of_two() || run > 16 / element_bytes {
        return 1;
    }
    if outer.iter().any(|axis| axis.dst % size != 0 || axis.src % size != 0) {
        return 1;
    }
    axes.pop();
    for axis in axes.iter_mut() {
        (axis.dst, axis.src) = (axis.dst / size, axis.src / size);
    }
    run
}

/// Whether reading every `step`-th word is better than a panel along an axis of the source that is as short as `other`.
fn prefers_steps(step: isize, other: &Axis, word_bytes: usize) -> bool {
    // All words of the lines are wanted by the other axis: then a short panel reads each line once.
    let whole = step.unsigned_abs() == other.size;
    !whole && step.unsigned_abs() <= 4 && other.size * word_bytes < SHORT
}

/// The destination's innermost axis and the source's one of stride 1 are two: sets up the kernel's axes.
fn transposition(inner: Axis, other: Axis, axes: &mut Axes, composite: &mut Axes, blocks: &mut [Block; 2]) -> Kernel {
    let few = 2..=4;
    if few.contains(&inner.size) && other.dst == inner.size as isize {
        blocks[1] = Block::whole(Axis { size: other.size, dst: other.dst, src: 1 });
        return Kernel::Interleave { k: inner.size, pitch: inner.src };
    }
    if few.contains(&other.size) && inner.src == other.size as isize {
        return Kernel::Deinterleave { k: other.size, pitch: other.dst };
    }
    blocks[0] = Block::whole(other);
    // Short rows of the destination: as many of its next axes as lie behind one another make up a longer one.
    let mut row = inner.size;
    let mut first = axes.len();
    while row < LONG_ROW && first > 0 {
        let next = axes[first - 1];
        let longer = row.saturating_mul(next.size);
        if next.dst != row as isize || longer > TABLE {
            break;
        }
        (row, first) = (longer, first - 1);
    }
    if first == axes.len() {
        return Kernel::Panel { dst_pitch: other.dst, pitch: inner.src };
    }
    let mut list = [Axis::ONE; super::axis::MOST];
    let count = axes.len() - first + 1;
    for to in list[..count - 1].iter_mut().rev() {
        *to = axes.pop().unwrap_or(Axis::ONE);
    }
    list[count - 1] = inner;
    *composite = Axes::from_list(list[..count].iter().copied()).unwrap_or_default();
    // The table says where the rows begin, so a step along them moves the source by nothing.
    blocks[1] = Block::whole(Axis { size: row, dst: 1, src: 0 });
    Kernel::Composite { dst_pitch: other.dst }
}

/// The order of the outer loops, outermost first.
fn order(axes: &mut Axes, is_panel: bool, bytes: usize) {
    let largest_first = |key: fn(&Axis) -> usize| move |axis: &Axis| core::cmp::Reverse(key(axis));
    if is_panel {
        // Near on either side is near: what is loaded or written next shares pages with what was.
        axes.sort_by_key(largest_first(|axis| axis.src.unsigned_abs().min(axis.dst.unsigned_abs())));
    } else if bytes > CACHED {
        // Reading is what waits: the source is walked forwards, and stores are buffered.
        axes.sort_by_key(largest_first(|axis| axis.src.unsigned_abs()));
    }
}
