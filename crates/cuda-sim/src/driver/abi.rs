//! The types that cross the C boundary: as wide as the driver's own, and safe to read and write through.
//!
//! **S1.** A value of these types came in as an argument of a driver call (or is kept from one, or is memory of the simulator's
//! own), and the caller of that call promised what the driver API asks of a pointer. It is null, or valid for what the call reads or writes through it, until the
//! call has returned (and for a transfer that was queued, until that has run).

use core::ffi::{CStr, c_char, c_void};

use super::codes::{Answer, INVALID_VALUE};
use super::trace::Value;

/// A handle of the driver: a context, stream, event, module or function. Never an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Handle(pub(crate) usize);

/// A device address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Address(pub(crate) u64);

/// Where an answer goes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// Where host bytes go.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct HostOut(*mut u8);

/// Where host bytes come from.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct HostIn(*const u8);

/// A C string.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Text(*const c_char);

/// Where a name goes.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct TextOut(*mut c_char);

/// A list: launch parameters, option keys and values.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct List<T>(*mut T);

/// What a host function is called with.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct UserData(pub(crate) *mut c_void);

/// A function of the caller, for `cuLaunchHostFunc`.
pub type HostFunction = Option<unsafe extern "C" fn(UserData)>;

/// A function of the caller that no call of the simulator makes.
pub type Ignored = Option<unsafe extern "C" fn()>;

impl<T: Copy> Out<T> {
    /// Refuses null, for calls that must not do their work before they know where the answer goes.
    pub(crate) fn given(self) -> Answer<Self> {
        if self.0.is_null() { Err(INVALID_VALUE) } else { Ok(self) }
    }

    /// Writes the answer; null is refused.
    pub(crate) fn put(self, value: T) -> Answer {
        self.given()?;
        // SAFETY: S1, not null; C callers owe no alignment beyond their type's, and unaligned writes ask for none.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the answer where one is wanted.
    pub(crate) fn put_if_wanted(self, value: T) {
        let _ = self.put(value);
    }

    /// What was written, for the trace.
    fn seen(self) -> Option<T> {
        // SAFETY: S1; only asked for after the call wrote it.
        if self.0.is_null() { None } else { Some(unsafe { self.0.read_unaligned() }) }
    }
}

impl HostOut {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> usize {
        self.0 as usize
    }

    /// The bytes that the caller gave to be written.
    pub(crate) fn fill(self, bytes: &[u8]) {
        // SAFETY: S1; the caller checked for null, and the length is the one the call was given.
        unsafe { core::ptr::copy(bytes.as_ptr(), self.0, bytes.len()) };
    }

    /// The same place later, when queued work runs.
    pub(crate) fn at(address: usize) -> Self {
        Self(address as *mut u8)
    }
}

impl HostIn {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> usize {
        self.0 as usize
    }

    /// A copy of the caller's bytes.
    pub(crate) fn bytes(self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        // SAFETY: S1; the caller checked for null, and the length is the one the call was given.
        unsafe { core::ptr::copy(self.0, bytes.as_mut_ptr(), count) };
        bytes
    }

    /// The same place later, when queued work runs.
    pub(crate) fn at(address: usize) -> Self {
        Self(address as *const u8)
    }
}

impl Text {
    /// The text; null is refused.
    pub(crate) fn read(self) -> Answer<Vec<u8>> {
        if self.0.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: S1: a C string that ends in NUL.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }

    pub(crate) fn lossy(self) -> Answer<String> {
        Ok(String::from_utf8_lossy(&self.read()?).into_owned())
    }

    /// The first bytes of an image that need not be text.
    pub(crate) fn begins_with(self, magic: &[u8]) -> bool {
        // SAFETY: S1: an image is longer than the first bytes that differ from `magic`, which is as far as this reads.
        !self.0.is_null() && (0..magic.len()).all(|i| unsafe { self.0.add(i).cast::<u8>().read() } == magic[i])
    }
}

impl TextOut {
    /// Writes a text cut to `room` bytes, its NUL among them.
    pub(crate) fn put(self, text: &str, room: usize) -> Answer {
        if self.0.is_null() || room == 0 {
            return Err(INVALID_VALUE);
        }
        let kept = text.len().min(room - 1);
        // SAFETY: S1: valid for `room` bytes, of which `kept + 1` are written.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.0, kept);
            self.0.add(kept).write(0);
        }
        Ok(())
    }

    pub(crate) fn at(address: usize) -> Self {
        Self(address as *mut c_char)
    }
}

impl<T: Copy> List<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The element `i`, which the caller of the driver call gave.
    pub(crate) fn get(self, i: usize) -> T {
        // SAFETY: S1; the count came with the list, and null was refused.
        unsafe { self.0.add(i).read_unaligned() }
    }

    /// Writes the element `i`.
    pub(crate) fn set(self, i: usize, value: T) {
        // SAFETY: S1; the count came with the list, and null was refused.
        unsafe { self.0.add(i).write_unaligned(value) }
    }
}

/// How an argument reads in the trace.
pub(crate) trait Show {
    /// The value; `done` says that the call succeeded, so that an answer may be read.
    fn show(&self, done: Done) -> Value;
}

/// Whether the call gave its answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Yes,
    No,
}

macro_rules! show_as {
    ($($kind:ident: $($type:ty)*;)*) => {$($(
        impl Show for $type {
            fn show(&self, _: Done) -> Value {
                Value::$kind((*self).into())
            }
        }
    )*)*};
}
show_as! { Number: i32 u32 u16 u8; Real: f32; }

impl Show for usize {
    fn show(&self, _: Done) -> Value {
        Value::Number(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl Show for Handle {
    fn show(&self, _: Done) -> Value {
        Value::Handle(self.0 as u64)
    }
}

impl Show for Address {
    fn show(&self, _: Done) -> Value {
        Value::Address(self.0)
    }
}

impl<T: Copy + Show> Show for Out<T> {
    fn show(&self, done: Done) -> Value {
        let seen = if done == Done::Yes { self.seen() } else { None };
        seen.map_or(Value::Nothing, |v| v.show(done))
    }
}

impl Show for Text {
    fn show(&self, _: Done) -> Value {
        self.lossy().map_or(Value::Nothing, |text| {
            let name = text.len() <= 80 && !text.contains('\n');
            if name { Value::Text(text) } else { Value::Host(self.0 as u64) }
        })
    }
}

macro_rules! show_host {
    ($($type:ty)*) => {$(
        impl Show for $type {
            fn show(&self, _: Done) -> Value {
                Value::Host(self.0 as u64)
            }
        }
    )*};
}
show_host! { HostOut HostIn TextOut UserData }

impl<T> Show for List<T> {
    fn show(&self, _: Done) -> Value {
        Value::Host(self.0 as u64)
    }
}

impl Show for HostFunction {
    fn show(&self, _: Done) -> Value {
        Value::Host(self.map_or(0, |f| f as usize as u64))
    }
}

impl Show for Ignored {
    fn show(&self, _: Done) -> Value {
        Value::Host(self.map_or(0, |f| f as usize as u64))
    }
}
