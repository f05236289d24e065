//! The driver's result codes, with their names and texts. The texts are the driver's own or say the same in fewer words.

use core::ffi::CStr;

pub(crate) const SUCCESS: u32 = 0;
pub(crate) const INVALID_VALUE: u32 = 1;
pub(crate) const NO_DEVICE: u32 = 100;
pub(crate) const NOT_SUPPORTED: u32 = 801;
pub(crate) const UNKNOWN: u32 = 999;

pub(crate) struct Code {
    code: u32,
    pub(crate) name: &'static CStr,
    pub(crate) text: &'static CStr,
}

/// Whether `cust_raw`'s enum of result codes has `code`.
pub(crate) fn is_declared(code: u32) -> bool {
    in_table(&DECLARED, code).is_some()
}

pub(crate) fn find(code: u32) -> Option<&'static Code> {
    in_table(&DECLARED, code).or_else(|| in_table(&NEWER, code))
}

/// Both tables are sorted by code.
fn in_table(table: &'static [Code], code: u32) -> Option<&'static Code> {
    table.binary_search_by_key(&code, |c| c.code).ok().map(|at| &table[at])
}

/// What CUDA calls a result code, from this crate's own table: codes of later versions than `cust_raw` are in it too.
///
/// ```
/// assert_eq!(weft_cuda_shim::error_name(222), Some("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"));
/// assert_eq!(weft_cuda_shim::error_name(12345), None);
/// ```
#[must_use]
pub fn error_name(code: u32) -> Option<&'static str> {
    find(code)?.name.to_str().ok()
}

/// What a result code means, in a few words, from this crate's own table.
///
/// ```
/// assert_eq!(weft_cuda_shim::error_text(100), Some("no CUDA-capable device is detected"));
/// ```
#[must_use]
pub fn error_text(code: u32) -> Option<&'static str> {
    find(code)?.text.to_str().ok()
}

const fn code(code: u32, name: &'static CStr, text: &'static CStr) -> Code {
    Code { code, name, text }
}

/// The values of cust_raw 0.11's `CUresult`, which are CUDA 11.4's.
static DECLARED: [Code; 87] = [
    code(0, c"CUDA_SUCCESS", c"no error"),
    code(1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    code(2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    code(3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    code(4, c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    code(5, c"CUDA_ERROR_PROFILER_DISABLED", c"profiler disabled while using an external profiling tool"),
    code(6, c"CUDA_ERROR_PROFILER_NOT_INITIALIZED", c"profiler not initialized"),
    code(7, c"CUDA_ERROR_PROFILER_ALREADY_STARTED", c"profiler already started"),
    code(8, c"CUDA_ERROR_PROFILER_ALREADY_STOPPED", c"profiler already stopped"),
    code(34, c"CUDA_ERROR_STUB_LIBRARY", c"the library is a stub, not a driver"),
    code(100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    code(101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    code(102, c"CUDA_ERROR_DEVICE_NOT_LICENSED", c"the device is not licensed for compute work"),
    code(200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    code(201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    code(202, c"CUDA_ERROR_CONTEXT_ALREADY_CURRENT", c"context already current"),
    code(205, c"CUDA_ERROR_MAP_FAILED", c"mapping of a buffer object failed"),
    code(206, c"CUDA_ERROR_UNMAP_FAILED", c"unmapping of a buffer object failed"),
    code(207, c"CUDA_ERROR_ARRAY_IS_MAPPED", c"array is mapped"),
    code(208, c"CUDA_ERROR_ALREADY_MAPPED", c"resource already mapped"),
    code(209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    code(210, c"CUDA_ERROR_ALREADY_ACQUIRED", c"resource already acquired"),
    code(211, c"CUDA_ERROR_NOT_MAPPED", c"resource not mapped"),
    code(212, c"CUDA_ERROR_NOT_MAPPED_AS_ARRAY", c"resource not mapped as array"),
    code(213, c"CUDA_ERROR_NOT_MAPPED_AS_POINTER", c"resource not mapped as pointer"),
    code(214, c"CUDA_ERROR_ECC_UNCORRECTABLE", c"uncorrectable ECC error encountered"),
    code(215, c"CUDA_ERROR_UNSUPPORTED_LIMIT", c"limit is not supported on this architecture"),
    code(216, c"CUDA_ERROR_CONTEXT_ALREADY_IN_USE", c"exclusive-thread device already in use by a different thread"),
    code(217, c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", c"peer access is not supported between these two devices"),
    code(218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    code(219, c"CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", c"invalid OpenGL or DirectX context"),
    code(220, c"CUDA_ERROR_NVLINK_UNCORRECTABLE", c"uncorrectable NVLink error detected during the execution"),
    code(221, c"CUDA_ERROR_JIT_COMPILER_NOT_FOUND", c"PTX JIT compiler library not found"),
    code(222, c"CUDA_ERROR_UNSUPPORTED_PTX_VERSION", c"the provided PTX was compiled with an unsupported toolchain"),
    code(223, c"CUDA_ERROR_JIT_COMPILATION_DISABLED", c"PTX JIT compilation was disabled"),
    code(224, c"CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", c"the device does not support this execution affinity"),
    code(300, c"CUDA_ERROR_INVALID_SOURCE", c"device kernel source is invalid"),
    code(301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    code(302, c"CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", c"shared object symbol not found"),
    code(303, c"CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", c"shared object initialization failed"),
    code(304, c"CUDA_ERROR_OPERATING_SYSTEM", c"OS call failed or operation not supported on this OS"),
    code(400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    code(401, c"CUDA_ERROR_ILLEGAL_STATE", c"the operation cannot be performed in the present state"),
    code(500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    code(600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    code(700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    code(701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    code(702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    code(703, c"CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", c"launch uses incompatible texturing mode"),
    code(704, c"CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", c"peer access is already enabled"),
    code(705, c"CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", c"peer access has not been enabled"),
    code(708, c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"cannot set while device is active in this process"),
    code(709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    code(710, c"CUDA_ERROR_ASSERT", c"device-side assert triggered"),
    code(711, c"CUDA_ERROR_TOO_MANY_PEERS", c"peer mapping resources exhausted"),
    code(
        712,
        c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        c"part or all of the requested memory range is already mapped",
    ),
    code(713, c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", c"pointer does not correspond to a registered memory region"),
    code(714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error"),
    code(715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    code(716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    code(717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"operation not supported on global/shared address space"),
    code(718, c"CUDA_ERROR_INVALID_PC", c"invalid program counter"),
    code(719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    code(720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
    code(800, c"CUDA_ERROR_NOT_PERMITTED", c"operation not permitted"),
    code(801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    code(802, c"CUDA_ERROR_SYSTEM_NOT_READY", c"system not yet initialized"),
    code(803, c"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", c"system has unsupported display driver / cuda driver combination"),
    code(
        804,
        c"CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
        c"forward compatibility was attempted on non supported hardware",
    ),
    code(805, c"CUDA_ERROR_MPS_CONNECTION_FAILED", c"the MPS client cannot connect to its server"),
    code(806, c"CUDA_ERROR_MPS_RPC_FAILURE", c"a call to the MPS server failed"),
    code(807, c"CUDA_ERROR_MPS_SERVER_NOT_READY", c"the MPS server is not ready for new clients"),
    code(808, c"CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", c"the MPS server has no room for another client"),
    code(809, c"CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", c"the MPS server has no room for another device connection"),
    code(900, c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", c"operation not permitted when stream is capturing"),
    code(901, c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", c"operation failed due to a previous error during capture"),
    code(902, c"CUDA_ERROR_STREAM_CAPTURE_MERGE", c"operation would result in a merge of separate capture sequences"),
    code(903, c"CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", c"capture was not ended in the same stream as it began"),
    code(904, c"CUDA_ERROR_STREAM_CAPTURE_UNJOINED", c"capturing stream has unjoined work"),
    code(905, c"CUDA_ERROR_STREAM_CAPTURE_ISOLATION", c"dependency created on uncaptured work in another stream"),
    code(
        906,
        c"CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
        c"operation would make the legacy stream depend on a capturing blocking stream",
    ),
    code(907, c"CUDA_ERROR_CAPTURED_EVENT", c"operation not permitted on an event last recorded in a capturing stream"),
    code(
        908,
        c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
        c"attempt to terminate a thread-local capture sequence from another thread",
    ),
    code(909, c"CUDA_ERROR_TIMEOUT", c"wait operation timed out"),
    code(
        910,
        c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
        c"the graph update violates constraints of the instantiated graph",
    ),
    code(911, c"CUDA_ERROR_EXTERNAL_DEVICE", c"an external device has failed"),
    code(999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

/// What later versions of CUDA have added, up to 12.8.
static NEWER: [Code; 13] = [
    code(46, c"CUDA_ERROR_DEVICE_UNAVAILABLE", c"device is busy or unavailable"),
    code(225, c"CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", c"the PTX calls cudaDeviceSynchronize, which is not supported"),
    code(226, c"CUDA_ERROR_CONTAINED", c"a contained error has left the process unable to use the device"),
    code(402, c"CUDA_ERROR_LOSSY_QUERY", c"the query would lose information"),
    code(721, c"CUDA_ERROR_TENSOR_MEMORY_LEAK", c"tensor memory was not freed"),
    code(810, c"CUDA_ERROR_MPS_CLIENT_TERMINATED", c"the MPS server has ended this client"),
    code(811, c"CUDA_ERROR_CDP_NOT_SUPPORTED", c"the kernel launches kernels, which the device does not support"),
    code(812, c"CUDA_ERROR_CDP_VERSION_MISMATCH", c"the kernel launches kernels by another version of the interface"),
    code(912, c"CUDA_ERROR_INVALID_CLUSTER_SIZE", c"the kernel's cluster size is not supported"),
    code(913, c"CUDA_ERROR_FUNCTION_NOT_LOADED", c"the function is not loaded"),
    code(914, c"CUDA_ERROR_INVALID_RESOURCE_TYPE", c"invalid resource type"),
    code(
        915,
        c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
        c"insufficient resources or invalid resource configuration",
    ),
    code(916, c"CUDA_ERROR_KEY_ROTATION", c"a key rotation sequence has failed"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_apart() {
        for table in [&DECLARED[..], &NEWER] {
            assert!(table.is_sorted_by(|a, b| a.code < b.code));
        }
        assert!(NEWER.iter().all(|c| !is_declared(c.code)));
    }

    #[test]
    fn words_are_unlike_each_other_and_plain() {
        let all: Vec<&Code> = DECLARED.iter().chain(&NEWER).collect();
        for code in &all {
            assert_eq!(all.iter().filter(|c| c.name == code.name).count(), 1, "{:?}", code.name);
            assert_eq!(all.iter().filter(|c| c.text == code.text).count(), 1, "{:?}", code.text);
            let text = code.text.to_str().unwrap();
            assert!(!text.is_empty() && !text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn a_code_is_found_or_it_is_not() {
        assert_eq!((error_name(0), error_text(0)), (Some("CUDA_SUCCESS"), Some("no error")));
        assert_eq!(error_name(912), Some("CUDA_ERROR_INVALID_CLUSTER_SIZE"));
        assert!(!is_declared(912) && is_declared(911) && !is_declared(9) && !is_declared(u32::MAX));
        assert_eq!((error_name(706), error_text(706)), (None, None));
    }
}
