//! NVRTC, NVIDIA's compiler as a library: CUDA C++ in, PTX out. Eight functions of `nvrtc.h`, opened at run time.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use std::ffi::CString;
use std::path::Path;

use libloading::Library;

use super::{File, at};

/// `nvrtcProgram`
type Program = *mut c_void;
/// `nvrtcResult`; 0 is success.
type Status = c_int;
/// `nvrtcGetPTXSize` and `nvrtcGetProgramLogSize`
type GetSize = unsafe extern "C" fn(Program, *mut usize) -> Status;
/// `nvrtcGetPTX` and `nvrtcGetProgramLog`
type GetText = unsafe extern "C" fn(Program, *mut c_char) -> Status;

pub(super) struct Nvrtc {
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    ptx: (GetSize, GetText),
    log: (GetSize, GetText),
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    error_text: unsafe extern "C" fn(Status) -> *const c_char,
    /// Last, because the functions are in it.
    _library: Library,
}

/// A program of NVRTC until it is dropped.
struct Handle<'a>(&'a Nvrtc, Program);

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `create`, destroyed once.
        unsafe { (self.0.destroy)(&mut self.1) };
    }
}

impl Nvrtc {
    /// The library in the folder that pip filled.
    pub(super) fn load(tools: &Path) -> Result<Nvrtc, String> {
        let path = tools.join("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        // SAFETY: the library is the one whose hash is pinned; loading it runs its initialisers only.
        let library = unsafe { Library::new(&path) }.map_err(|e| at(&path, &e))?;
        macro_rules! function {
            ($name:literal) => {{
                // SAFETY: the type that `nvrtc.h` 12.4 declares for this name; the library outlives the copy.
                *unsafe { library.get($name) }.map_err(|e| at(&path, &e))?
            }};
        }
        Ok(Nvrtc {
            create: function!(b"nvrtcCreateProgram"),
            compile: function!(b"nvrtcCompileProgram"),
            ptx: (function!(b"nvrtcGetPTXSize"), function!(b"nvrtcGetPTX")),
            log: (function!(b"nvrtcGetProgramLogSize"), function!(b"nvrtcGetProgramLog")),
            destroy: function!(b"nvrtcDestroyProgram"),
            error_text: function!(b"nvrtcGetErrorString"),
            _library: library,
        })
    }

    /// The PTX of one source. A warning is an error, with the compiler's words.
    pub(super) fn compile(&self, source: &File, headers: &[File], options: &[&str]) -> Result<String, String> {
        let program = self.program(source, headers)?;
        let options = options.iter().map(|o| c_string(o)).collect::<Result<Vec<_>, _>>()?;
        let options: Vec<_> = options.iter().map(|o| o.as_ptr()).collect();
        // SAFETY: a live program, and as many strings as the count says.
        let status = unsafe { (self.compile)(program.1, options.len() as c_int, options.as_ptr()) };
        let log = self.text(&program, self.log)?;
        if status != 0 || !log.trim().is_empty() {
            return Err(format!("{}: {}\n{}", source.name, self.error(status), log.trim_end()));
        }
        self.text(&program, self.ptx)
    }

    fn program(&self, source: &File, headers: &[File]) -> Result<Handle<'_>, String> {
        let (name, text) = (c_string(&source.name)?, c_string(&source.text)?);
        let header_names = headers.iter().map(|h| c_string(&h.name)).collect::<Result<Vec<_>, _>>()?;
        let header_texts = headers.iter().map(|h| c_string(&h.text)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<_> = header_names.iter().map(|n| n.as_ptr()).collect();
        let texts: Vec<_> = header_texts.iter().map(|t| t.as_ptr()).collect();
        let mut program = ptr::null_mut();
        // SAFETY: NUL-terminated strings, and as many headers as the count says; all outlive the call, which copies them.
        let status = unsafe {
            (self.create)(
                &mut program,
                text.as_ptr(),
                name.as_ptr(),
                names.len() as c_int,
                texts.as_ptr(),
                names.as_ptr(),
            )
        };
        if status != 0 {
            return Err(format!("{}: {}", source.name, self.error(status)));
        }
        Ok(Handle(self, program))
    }

    /// What one pair of functions gives: a size with the closing NUL, and the text.
    fn text(&self, program: &Handle<'_>, (size, get): (GetSize, GetText)) -> Result<String, String> {
        let mut bytes = 0;
        // SAFETY: a live program and a place for the answer.
        let status = unsafe { size(program.1, &mut bytes) };
        let mut text = vec![0u8; bytes];
        // SAFETY: a live program and the bytes that it asked for.
        let status = if status == 0 { unsafe { get(program.1, text.as_mut_ptr().cast()) } } else { status };
        if status != 0 {
            return Err(format!("nvrtc: {}", self.error(status)));
        }
        text.truncate(text.iter().position(|b| *b == 0).unwrap_or(text.len()));
        String::from_utf8(text).map_err(|e| format!("nvrtc: {e}"))
    }

    fn error(&self, status: Status) -> String {
        // SAFETY: answers every number with a text of its own.
        unsafe { CStr::from_ptr((self.error_text)(status)) }.to_string_lossy().into_owned()
    }
}

fn c_string(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|e| format!("nvrtc: {e}"))
}
