//! The table of driver calls: for each its C name, its arguments, and the function that serves it.
//!
//! The functions that [`lookup`] hands out, those that the library `weft-cuda-sim-so` exports, and [`NAMES`] all come from here.

use core::ffi::{CStr, c_void};

use super::abi::{Address, Handle, HostFunction, HostIn, HostOut, Ignored, List, Out, Show, Text, TextOut, UserData};
use super::boundary::enter;
use super::{context, copy, device, event, function, host, launch, managed, memory, module, stream};

/// Calls the macro `m` with the whole table.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_driver_call {
    ($m:ident) => {
        $m! {
            device::init: cuInit(flags: u32);
            device::driver_version: cuDriverGetVersion(version: Out<i32>);
            device::error_name: cuGetErrorName(error: u32, name: Out<usize>);
            device::error_string: cuGetErrorString(error: u32, text: Out<usize>);
            device::count: cuDeviceGetCount(count: Out<i32>);
            device::get: cuDeviceGet(device: Out<i32>, ordinal: i32);
            device::name: cuDeviceGetName(name: TextOut, room: i32, device: i32);
            device::uuid: cuDeviceGetUuid(uuid: HostOut, device: i32);
            device::uuid: cuDeviceGetUuid_v2(uuid: HostOut, device: i32);
            device::total_memory: cuDeviceTotalMem_v2(bytes: Out<usize>, device: i32);
            device::attribute: cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: i32);
            device::compute_capability: cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32);
            device::can_access_peer: cuDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32);

            context::retain: cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32);
            context::release: cuDevicePrimaryCtxRelease_v2(device: i32);
            context::reset: cuDevicePrimaryCtxReset_v2(device: i32);
            context::set_primary_flags: cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32);
            context::primary_state: cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, active: Out<i32>);
            context::create: cuCtxCreate_v2(context: Out<Handle>, flags: u32, device: i32);
            context::destroy: cuCtxDestroy_v2(context: Handle);
            context::set_current: cuCtxSetCurrent(context: Handle);
            context::get_current: cuCtxGetCurrent(context: Out<Handle>);
            context::push: cuCtxPushCurrent_v2(context: Handle);
            context::pop: cuCtxPopCurrent_v2(context: Out<Handle>);
            context::get_device: cuCtxGetDevice(device: Out<i32>);
            context::get_flags: cuCtxGetFlags(flags: Out<u32>);
            context::api_version: cuCtxGetApiVersion(context: Handle, version: Out<u32>);
            context::synchronize: cuCtxSynchronize();
            context::priorities: cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>);
            context::get_cache: cuCtxGetCacheConfig(config: Out<i32>);
            context::set_cache: cuCtxSetCacheConfig(config: i32);
            context::get_banks: cuCtxGetSharedMemConfig(config: Out<i32>);
            context::set_banks: cuCtxSetSharedMemConfig(config: i32);
            context::get_limit: cuCtxGetLimit(value: Out<usize>, limit: i32);
            context::set_limit: cuCtxSetLimit(limit: i32, value: usize);

            memory::info: cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>);
            memory::alloc: cuMemAlloc_v2(address: Out<Address>, bytes: usize);
            memory::alloc_pitch: cuMemAllocPitch_v2(address: Out<Address>, pitch: Out<usize>, width: usize, height: usize, element: u32);
            managed::alloc: cuMemAllocManaged(address: Out<Address>, bytes: usize, flags: u32);
            memory::free: cuMemFree_v2(address: Address);
            memory::alloc_async: cuMemAllocAsync(address: Out<Address>, bytes: usize, stream: Handle);
            memory::free_async: cuMemFreeAsync(address: Address, stream: Handle);
            memory::address_range: cuMemGetAddressRange_v2(base: Out<Address>, bytes: Out<usize>, address: Address);
            memory::pointer_attribute: cuPointerGetAttribute(value: HostOut, attribute: i32, address: Address);
            managed::advise: cuMemAdvise(address: Address, bytes: usize, advice: i32, device: i32);
            managed::prefetch: cuMemPrefetchAsync(address: Address, bytes: usize, device: i32, stream: Handle);

            host::alloc: cuMemAllocHost_v2(host: Out<HostOut>, bytes: usize);
            host::alloc_with_flags: cuMemHostAlloc(host: Out<HostOut>, bytes: usize, flags: u32);
            host::free: cuMemFreeHost(host: HostOut);
            host::register: cuMemHostRegister_v2(host: HostOut, bytes: usize, flags: u32);
            host::unregister: cuMemHostUnregister(host: HostOut);
            host::get_flags: cuMemHostGetFlags(flags: Out<u32>, host: HostOut);
            host::device_pointer: cuMemHostGetDevicePointer_v2(address: Out<Address>, host: HostOut, flags: u32);

            copy::upload: cuMemcpyHtoD_v2(to: Address, from: HostIn, bytes: usize);
            copy::download: cuMemcpyDtoH_v2(to: HostOut, from: Address, bytes: usize);
            copy::duplicate: cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize);
            copy::upload_async: cuMemcpyHtoDAsync_v2(to: Address, from: HostIn, bytes: usize, stream: Handle);
            copy::download_async: cuMemcpyDtoHAsync_v2(to: HostOut, from: Address, bytes: usize, stream: Handle);
            copy::duplicate_async: cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: Handle);
            copy::any: cuMemcpy(to: Address, from: Address, bytes: usize);
            copy::any_async: cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: Handle);
            copy::fill8: cuMemsetD8_v2(to: Address, value: u8, count: usize);
            copy::fill16: cuMemsetD16_v2(to: Address, value: u16, count: usize);
            copy::fill32: cuMemsetD32_v2(to: Address, value: u32, count: usize);
            copy::fill8_async: cuMemsetD8Async(to: Address, value: u8, count: usize, stream: Handle);
            copy::fill16_async: cuMemsetD16Async(to: Address, value: u16, count: usize, stream: Handle);
            copy::fill32_async: cuMemsetD32Async(to: Address, value: u32, count: usize, stream: Handle);

            stream::create: cuStreamCreate(stream: Out<Handle>, flags: u32);
            stream::create_with_priority: cuStreamCreateWithPriority(stream: Out<Handle>, flags: u32, priority: i32);
            stream::destroy: cuStreamDestroy_v2(stream: Handle);
            stream::synchronize: cuStreamSynchronize(stream: Handle);
            stream::query: cuStreamQuery(stream: Handle);
            stream::wait_event: cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32);
            stream::get_flags: cuStreamGetFlags(stream: Handle, flags: Out<u32>);
            stream::get_priority: cuStreamGetPriority(stream: Handle, priority: Out<i32>);
            stream::get_context: cuStreamGetCtx(stream: Handle, context: Out<Handle>);
            stream::launch_host_function: cuLaunchHostFunc(stream: Handle, function: HostFunction, data: UserData);

            event::create: cuEventCreate(event: Out<Handle>, flags: u32);
            event::destroy: cuEventDestroy_v2(event: Handle);
            event::record: cuEventRecord(event: Handle, stream: Handle);
            event::query: cuEventQuery(event: Handle);
            event::synchronize: cuEventSynchronize(event: Handle);
            event::elapsed: cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle);

            module::load: cuModuleLoad(module: Out<Handle>, path: Text);
            module::load_data: cuModuleLoadData(module: Out<Handle>, image: Text);
            module::load_data_ex: cuModuleLoadDataEx(module: Out<Handle>, image: Text, count: u32, options: List<i32>, values: List<usize>);
            module::load_fat_binary: cuModuleLoadFatBinary(module: Out<Handle>, image: Text);
            module::unload: cuModuleUnload(module: Handle);
            module::get_function: cuModuleGetFunction(function: Out<Handle>, module: Handle, name: Text);
            module::get_global: cuModuleGetGlobal_v2(address: Out<Address>, bytes: Out<usize>, module: Handle, name: Text);

            function::get_attribute: cuFuncGetAttribute(value: Out<i32>, attribute: i32, function: Handle);
            function::set_attribute: cuFuncSetAttribute(function: Handle, attribute: i32, value: i32);
            function::get_module: cuFuncGetModule(module: Out<Handle>, function: Handle);
            function::set_cache: cuFuncSetCacheConfig(function: Handle, config: i32);
            function::set_banks: cuFuncSetSharedMemConfig(function: Handle, config: i32);
            function::active_blocks: cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: Out<i32>, function: Handle, threads: i32, shared: usize);
            function::active_blocks_with_flags: cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: Out<i32>, function: Handle, threads: i32, shared: usize, flags: u32);
            function::best_block: cuOccupancyMaxPotentialBlockSize(grid: Out<i32>, block: Out<i32>, function: Handle, shared_of_block: Ignored, shared: usize, limit: i32);
            function::available_shared: cuOccupancyAvailableDynamicSMemPerBlock(bytes: Out<usize>, function: Handle, blocks: i32, threads: i32);

            launch::kernel: cuLaunchKernel(function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, shared: u32, stream: Handle, parameters: List<usize>, extra: List<usize>);
        }
    };
}

macro_rules! define {
    ($($file:ident::$serve:ident: $name:ident($($arg:ident: $type:ty),*);)*) => {
        $(
            #[doc = concat!("The driver call `", stringify!($name), "`; the answer is its result code.")]
            ///
            /// # Safety
            ///
            /// S1: pointers are as the driver API asks.
            #[allow(non_snake_case, reason = "the names are the driver's")]
            pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
                enter(
                    stringify!($name),
                    |_done| vec![$((stringify!($arg), $arg.show(_done))),*],
                    |sim| $file::$serve(sim, $($arg),*),
                )
            }
        )*

        /// The C names of all calls that the simulator serves.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The function that serves the driver call of that C name; null for calls that the simulator does not have.
        ///
        /// Every answer is an `unsafe extern "C" fn` with the signature of the driver API and a `u32` as its result.
        // One address in the whole program, so that installing it twice can be seen to be the same.
        #[inline(never)]
        pub fn lookup(name: &CStr) -> *const c_void {
            match name.to_bytes() {
                $(bytes if bytes == stringify!($name).as_bytes() => $name as *const c_void,)*
                _ => core::ptr::null(),
            }
        }
    };
}

for_each_driver_call!(define);
