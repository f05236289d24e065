//! Result codes of the driver API, their names and their texts.

use core::ffi::CStr;

/// What a call answers: `Err` holds the code.
pub(crate) type Answer<T = ()> = Result<T, u32>;

macro_rules! codes {
    ($($name:ident = $code:literal, $text:literal;)*) => {
        $(
            #[doc = concat!("`CUDA_ERROR_", stringify!($name), "`: ", $text, ".")]
            pub const $name: u32 = $code;
        )*

        /// Name and text of a code, as the driver words them.
        pub(crate) fn describe(code: u32) -> Option<(&'static CStr, &'static CStr)> {
            let texts = match code {
                0 => ("CUDA_SUCCESS\0", "no error\0"),
                $($code => (concat!("CUDA_ERROR_", stringify!($name), "\0"), concat!($text, "\0")),)*
                _ => return None,
            };
            let text = |t: &'static str| CStr::from_bytes_with_nul(t.as_bytes()).ok();
            Some((text(texts.0)?, text(texts.1)?))
        }
    };
}

codes! {
    INVALID_VALUE = 1, "invalid argument";
    OUT_OF_MEMORY = 2, "out of memory";
    NOT_INITIALIZED = 3, "initialization error";
    DEINITIALIZED = 4, "driver shutting down";
    STUB_LIBRARY = 34, "CUDA driver is a stub library";
    NO_DEVICE = 100, "no CUDA-capable device is detected";
    INVALID_DEVICE = 101, "invalid device ordinal";
    INVALID_IMAGE = 200, "device kernel image is invalid";
    INVALID_CONTEXT = 201, "invalid device context";
    NO_BINARY_FOR_GPU = 209, "no kernel image is available for execution on the device";
    UNSUPPORTED_LIMIT = 215, "limit is not supported on this architecture";
    INVALID_PTX = 218, "a PTX JIT compilation failed";
    JIT_COMPILER_NOT_FOUND = 221, "PTX JIT compiler library not found";
    UNSUPPORTED_PTX_VERSION = 222, "the provided PTX was compiled with an unsupported toolchain.";
    FILE_NOT_FOUND = 301, "file not found";
    OPERATING_SYSTEM = 304, "OS call failed or operation not supported on this OS";
    INVALID_HANDLE = 400, "invalid resource handle";
    NOT_FOUND = 500, "named symbol not found";
    NOT_READY = 600, "device not ready";
    ILLEGAL_ADDRESS = 700, "an illegal memory access was encountered";
    LAUNCH_OUT_OF_RESOURCES = 701, "too many resources requested for launch";
    LAUNCH_TIMEOUT = 702, "the launch timed out and was terminated";
    PRIMARY_CONTEXT_ACTIVE = 708, "cannot set while device is active in this process";
    CONTEXT_IS_DESTROYED = 709, "context is destroyed";
    ASSERT = 710, "device-side assert triggered";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "part or all of the requested memory range is already mapped";
    HOST_MEMORY_NOT_REGISTERED = 713, "pointer does not correspond to a registered memory region";
    ILLEGAL_INSTRUCTION = 715, "an illegal instruction was encountered";
    MISALIGNED_ADDRESS = 716, "misaligned address";
    INVALID_ADDRESS_SPACE = 717, "operation not supported on global/shared address space";
    LAUNCH_FAILED = 719, "unspecified launch failure";
    NOT_PERMITTED = 800, "operation not permitted";
    NOT_SUPPORTED = 801, "operation not supported";
    UNKNOWN = 999, "unknown error";
}
