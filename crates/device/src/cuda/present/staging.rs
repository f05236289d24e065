//! [`Staging`]: two pieces of pinned host memory, through which large transfers go while the next piece is made ready.
//!
//! From ordinary memory the driver copies through pinned memory of its own, one piece at a time, and the GPU waits while the
//! host fills it. With two pieces one is filled while the other travels.

use cust::event::{Event, EventFlags};
use cust::memory::LockedBuffer;
use cust::stream::Stream;

use super::calls::{check, check_raw};
use crate::cuda::CudaPointer;
use crate::error::Result;

/// How large a piece is, in bytes.
const PIECE: usize = 4 << 20;

/// From how many bytes on: with fewer than two pieces nothing overlaps.
pub(super) const WORTHWHILE: usize = 2 * PIECE;

/// Two pieces of pinned memory. It is used and dropped with the context current (C2).
pub(super) struct Staging {
    pieces: [Piece; 2],
}

struct Piece {
    memory: LockedBuffer<u8>,
    /// When the GPU is done with the piece.
    done: Event,
}

impl Staging {
    /// The two pieces, made at the first call. None where the host has no memory to pin: transfers then go the plain way.
    pub(super) fn of(place: &mut Option<Staging>) -> Option<&mut Staging> {
        if place.is_none() {
            *place = Some(Staging { pieces: [Piece::new()?, Piece::new()?] });
        }
        place.as_mut()
    }

    /// # Safety
    ///
    /// Both are good for `bytes` bytes, and the destination is the caller's alone.
    pub(super) unsafe fn upload(
        &mut self,
        stream: &Stream,
        dst: CudaPointer,
        src: *const u8,
        bytes: usize,
    ) -> Result<()> {
        for (piece, at) in (0..bytes).step_by(PIECE).enumerate() {
            let some = PIECE.min(bytes - at);
            let Piece { memory, done } = &mut self.pieces[piece % 2];
            check("upload", "cuEventSynchronize", done.synchronize())?;
            // SAFETY: the caller's; the GPU is done with the piece.
            let result = unsafe {
                core::ptr::copy_nonoverlapping(src.add(at), memory.as_mut_ptr(), some);
                let to = dst.0 + at as u64;
                cust::sys::cuMemcpyHtoDAsync_v2(to, memory.as_ptr().cast(), some, stream.as_inner())
            };
            check_raw("upload", "cuMemcpyHtoDAsync_v2", result)?;
            check("upload", "cuEventRecord", done.record(stream))?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// Both are good for `bytes` bytes, and nobody else uses `dst`.
    pub(super) unsafe fn download(
        &mut self,
        stream: &Stream,
        src: CudaPointer,
        dst: *mut u8,
        bytes: usize,
    ) -> Result<()> {
        // SAFETY: the caller's, in every line below.
        unsafe {
            self.fetch(stream, src, 0, bytes)?;
            for (piece, at) in (0..bytes).step_by(PIECE).enumerate() {
                self.fetch(stream, src, (piece + 1) * PIECE, bytes)?;
                let Piece { memory, done } = &mut self.pieces[piece % 2];
                check("download", "cuEventSynchronize", done.synchronize())?;
                core::ptr::copy_nonoverlapping(memory.as_ptr(), dst.add(at), PIECE.min(bytes - at));
            }
        }
        Ok(())
    }

    /// Asks for the piece that begins `at` bytes in, if there is one. Its place is free: what was in it has been copied out.
    ///
    /// # Safety
    ///
    /// `src` is good for `bytes` bytes.
    unsafe fn fetch(&mut self, stream: &Stream, src: CudaPointer, at: usize, bytes: usize) -> Result<()> {
        if at >= bytes {
            return Ok(());
        }
        let Piece { memory, done } = &mut self.pieces[at / PIECE % 2];
        // An upload may still be reading it, or a download that failed writing it.
        check("download", "cuEventSynchronize", done.synchronize())?;
        let (to, from) = (memory.as_mut_ptr().cast(), src.0 + at as u64);
        // SAFETY: the caller's; the piece is free.
        let result = unsafe { cust::sys::cuMemcpyDtoHAsync_v2(to, from, PIECE.min(bytes - at), stream.as_inner()) };
        check_raw("download", "cuMemcpyDtoHAsync_v2", result)?;
        check("download", "cuEventRecord", done.record(stream))
    }
}

impl Piece {
    fn new() -> Option<Piece> {
        let memory = LockedBuffer::new(&0, PIECE).ok()?;
        let done = Event::new(EventFlags::DISABLE_TIMING).ok()?;
        Some(Piece { memory, done })
    }
}
