//! A pointer that several threads of one operation use.

/// A pointer that crosses threads. Each of them reads and writes elements of its own through it (D5).
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<T>(*mut T);

impl<T> Shared<T> {
    pub(super) fn new(pointer: *mut T) -> Shared<T> {
        Shared(pointer)
    }

    pub(super) fn get(self) -> *mut T {
        self.0
    }
}

// SAFETY: an address; using it is `unsafe`.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: an address; using it is `unsafe`.
unsafe impl<T> Sync for Shared<T> {}
