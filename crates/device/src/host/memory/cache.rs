//! Freed blocks that wait for the next request of their size class.

use core::ptr::NonNull;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::release;

/// What is kept when nobody says otherwise.
const LIMIT: usize = 1 << 30;

/// The cache of the process: a tensor may be freed on another thread than the one that asks for the next.
pub(super) static CACHE: Cache = Cache::new(LIMIT);

/// Blocks of memory from [`fresh`](super::fresh), each with its size class.
pub(super) struct Cache(Mutex<State>);

struct State {
    /// The oldest first.
    blocks: VecDeque<Block>,
    held: usize,
    limit: usize,
}

struct Block {
    start: NonNull<u8>,
    class: usize,
}

// SAFETY: a block is memory that nobody uses.
unsafe impl Send for Block {}

impl Cache {
    pub(super) const fn new(limit: usize) -> Cache {
        Cache(Mutex::new(State { blocks: VecDeque::new(), held: 0, limit }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No state in between is visible when a thread dies: nothing here panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block of this class, the one freed last: it is the likeliest to be in the CPU's caches.
    pub(super) fn take(&self, class: usize) -> Option<NonNull<u8>> {
        let mut state = self.state();
        let at = state.blocks.iter().rposition(|block| block.class == class)?;
        let block = state.blocks.remove(at)?;
        state.held -= class;
        Some(block.start)
    }

    /// Keeps a block that nobody uses any more, and frees the oldest ones beyond the limit.
    pub(super) fn give(&self, start: NonNull<u8>, class: usize) {
        let mut state = self.state();
        // Room in the list is memory too, and there may be none.
        if state.blocks.try_reserve(1).is_err() {
            drop(state);
            // SAFETY: the block's owner gave it away.
            unsafe { release(start, class) };
            return;
        }
        state.blocks.push_back(Block { start, class });
        state.held += class;
        let limit = state.limit;
        self.shrink(state, limit);
    }

    /// Frees everything; how many bytes that was.
    pub(super) fn clear(&self) -> usize {
        self.shrink(self.state(), 0)
    }

    pub(super) fn set_limit(&self, bytes: usize) {
        let mut state = self.state();
        state.limit = bytes;
        self.shrink(state, bytes);
    }

    pub(super) fn limit(&self) -> usize {
        self.state().limit
    }

    pub(super) fn held(&self) -> usize {
        self.state().held
    }

    /// Frees the oldest blocks until no more than `most` bytes are kept; how many bytes went.
    fn shrink(&self, mut state: MutexGuard<'_, State>, most: usize) -> usize {
        let mut freed = 0;
        while state.held > most {
            let Some(Block { start, class }) = state.blocks.pop_front() else { break };
            state.held -= class;
            freed += class;
            // SAFETY: the cache's own, and no longer in its list.
            unsafe { release(start, class) };
        }
        freed
    }
}
