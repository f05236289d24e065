//! Kernels of the user's own: loading, launching, views as parameters, and everything that goes wrong with them.

use weft_cuda_sim::exec::Check;
use weft_cuda_sim::{Config, Streams};
use weft_device::{Buffer, Cuda, Device, DeviceErrorKind, KernelView, LaunchConfig};
use weft_layout::Layout;

use super::{alone, alone_with_faults, names, zeros};

/// Three kernels. `gather` writes a view of two axes row by row; `add_row` adds `n` numbers to a row, thread `t` those from
/// `from[n * t]` on, with nothing between the threads; `wild` writes to address 64.
pub(crate) const PTX: &str = include_str!("user.ptx");

/// A launch of one block.
pub(crate) fn one_block(threads: u32) -> LaunchConfig {
    LaunchConfig { grid: [1, 1, 1], block: [threads, 1, 1], shared_bytes: 0 }
}

#[test]
fn a_view_is_read_as_its_layout_says() {
    alone(Config { streams: Streams::Deferred, unwritten: Check::Report, ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let gather = device.load_ptx(PTX).unwrap().kernel("gather").unwrap();
        assert_eq!((gather.name(), format!("{gather:?}")), ("gather", "Kernel(gather on cuda:0)".to_owned()));
        let src = Buffer::from_slice(&device, &[0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let dense = Layout::from_parts(&[2, 3], &[3, 1], 1).unwrap();
        let row = Layout::from_parts(&[1, 3], &[3, 1], 4).unwrap();
        let views = [
            (dense.clone(), vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            (dense.t().unwrap(), vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0]),
            (dense.flip([0, 1]).unwrap(), vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0]),
            (row.broadcast_to([2, 3]).unwrap(), vec![4.0, 5.0, 6.0, 4.0, 5.0, 6.0]),
        ];
        for (layout, values) in views {
            let dst = zeros(&device, 6);
            let out = KernelView::new(dst.borrowed(), &Layout::row_major([6]).unwrap()).unwrap();
            let view = KernelView::new(src.borrowed(), &layout).unwrap();
            // SAFETY: the kernel's two parameters; it writes the 6 elements of `dst`, which is ours alone.
            unsafe { gather.launch(one_block(6), &[&out, &view]).unwrap() };
            assert_eq!(dst.to_vec().unwrap(), values, "{layout}");
        }
    });
}

#[test]
fn a_view_that_cannot_be_given_is_refused() {
    alone(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let buffer = zeros(&device, 6);
        names();
        let refused = KernelView::new(buffer.borrowed(), &Layout::row_major([1; 9]).unwrap()).unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::TooManyAxes { axes: 9, most: 8 });
        insta::assert_snapshot!(refused, @"kernel_view: 9 axes are more than 8");
        let past = Layout::from_parts(&[2, 3], &[3, 1], 1).unwrap();
        let refused = KernelView::new(buffer.borrowed(), &past).unwrap_err();
        insta::assert_snapshot!(refused, @"kernel_view: operand 0 needs a buffer of 7 elements, there are 6");
        KernelView::new(buffer.borrowed(), &Layout::row_major([0, 7]).unwrap()).unwrap();
        KernelView::new(buffer.borrowed(), &Layout::row_major([1, 1, 1, 1, 1, 1, 2, 3]).unwrap()).unwrap();
        assert_eq!(names(), [""; 0]);
    });
}

/// A kernel keeps its module, a module its device, whatever is dropped first.
#[test]
fn everything_keeps_what_it_needs() {
    alone(Config { streams: Streams::Deferred, ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let (from, row, event) = (zeros(&device, 8), zeros(&device, 2), device.record_event().unwrap());
        let module = device.load_ptx(PTX).unwrap();
        let kernel = module.kernel("add_row").unwrap();
        drop((module, device));
        // SAFETY: the kernel's three parameters; one thread, so that the row is its own.
        unsafe {
            let l = Layout::row_major([8]).unwrap();
            let (row, from) =
                (KernelView::new(row.borrowed(), &l.narrow(0, 0, 2).unwrap()), KernelView::new(from.borrowed(), &l));
            kernel.launch(one_block(1), &[&row.unwrap(), &from.unwrap(), &2u32]).unwrap();
        }
        names();
        drop(kernel);
        assert_eq!(names(), ["cuModuleUnload"]);
        drop(from);
        assert_eq!(row.to_vec().unwrap(), [0.0; 2]);
        drop((row, event));
        let closed = names();
        assert_eq!(closed[closed.len() - 2..], ["cuStreamDestroy_v2", "cuDevicePrimaryCtxRelease_v2"]);
    });
}

/// Four threads add to one broadcast row with nothing between them. No safe code can ask for it; a kernel of one's own can, and
/// the race detector says so.
#[test]
fn four_threads_on_one_row() {
    let (sums, faults) = alone_with_faults(Config { races: Check::Report, ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let kernel = device.load_ptx(PTX).unwrap().kernel("add_row").unwrap();
        let (row, from) = (zeros(&device, 3), Buffer::from_slice(&device, &[1.0f32; 12]).unwrap());
        let view = |b: &Buffer<f32, Cuda>| Layout::row_major([b.len()]).unwrap();
        let arguments = (KernelView::new(row.borrowed(), &view(&row)), KernelView::new(from.borrowed(), &view(&from)));
        // SAFETY: it is not: the threads write each other's elements, which is what is shown. The simulator is no memory of ours.
        unsafe { kernel.launch(one_block(4), &[&arguments.0.unwrap(), &arguments.1.unwrap(), &3u32]).unwrap() };
        row.to_vec().unwrap()
    });
    assert_eq!(sums.len(), 3);
    assert!(faults.first().is_some_and(|fault| fault.contains("race: kernel add_row")), "{faults:#?}");
}

#[test]
fn ptx_that_cannot_be_loaded() {
    let ((), faults) = alone_with_faults(Config { driver_version: (12, 2), ..Config::default() }, || {
        let device = Cuda::new(0).unwrap();
        let refused = device.load_ptx(PTX.split_at(PTX.find("ld.param").unwrap()).0).unwrap_err();
        let DeviceErrorKind::Ptx { log } = refused.kind() else { panic!("{refused}") };
        assert!(log.contains("line "), "{log}");
        assert!(refused.to_string().starts_with("load_ptx: the driver's compiler refused the PTX: "), "{refused}");
        let newer = PTX.replace(".version 7.0", ".version 8.4");
        let refused = device.load_ptx(&newer).unwrap_err();
        assert_eq!(*refused.kind(), DeviceErrorKind::PtxTooNew { ptx: (8, 4), driver: (12, 2) });
        insta::assert_snapshot!(refused, @"load_ptx: the PTX is of version 8.4, which the driver (CUDA 12.2) does not know; a newer driver does");
        insta::assert_snapshot!(device.load_ptx("a\0b").unwrap_err(), @"load_ptx: the driver's compiler refused the PTX: the text has a zero byte in it");
        let module = device.load_ptx(PTX).unwrap();
        insta::assert_snapshot!(module.kernel("scatter").unwrap_err(), @r#"kernel: the module has no kernel "scatter""#);
        insta::assert_snapshot!(module.kernel("gat\0her").unwrap_err(), @r#"kernel: the module has no kernel "gat\0her""#);
    });
    assert!(!faults.is_empty());
}

#[test]
fn launches_that_the_driver_refuses() {
    let ((), faults) = alone_with_faults(Config::default(), || {
        let device = Cuda::new(0).unwrap();
        let kernel = device.load_ptx(PTX).unwrap().kernel("wild").unwrap();
        let ok = one_block(1);
        let refused = [
            LaunchConfig { grid: [0, 1, 1], ..ok },
            LaunchConfig { grid: [1, 65536, 1], ..ok },
            LaunchConfig { block: [1025, 1, 1], ..ok },
            LaunchConfig { block: [1, 1, 65], ..ok },
            LaunchConfig { shared_bytes: (48 << 10) + 1, ..ok },
        ];
        // SAFETY: none of them is launched.
        let texts = refused.map(|config| unsafe { kernel.launch(config, &[]).unwrap_err().to_string() });
        insta::assert_snapshot!(texts.join("\n"), @r"
        launch: invalid argument (cuLaunchKernel: 1, CUDA_ERROR_INVALID_VALUE)
        launch: invalid argument (cuLaunchKernel: 1, CUDA_ERROR_INVALID_VALUE)
        launch: invalid argument (cuLaunchKernel: 1, CUDA_ERROR_INVALID_VALUE)
        launch: invalid argument (cuLaunchKernel: 1, CUDA_ERROR_INVALID_VALUE)
        launch: too many resources requested for launch (cuLaunchKernel: 701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        ");
        assert_eq!(zeros(&device, 1).to_vec().unwrap(), [0.0]);
    });
    // Refused launches are no faults.
    assert_eq!(faults, [""; 0]);
}

/// A kernel that breaks the device: a later call says so, and every one after it; nothing panics, and other devices work on.
#[test]
fn a_fault_of_a_kernel_is_reported_from_then_on() {
    let ((), faults) = alone_with_faults(Config { streams: Streams::Deferred, ..Config::default() }, || {
        let (device, other) = (Cuda::new(0).unwrap(), Cuda::new(1).unwrap());
        let buffer = zeros(&device, 3);
        let kernel = device.load_ptx(PTX).unwrap().kernel("wild").unwrap();
        let event = device.record_event().unwrap();
        // SAFETY: it is not: it writes to an address of nobody. On the simulator that is a fault and no more.
        unsafe { kernel.launch(one_block(1), &[]).unwrap() };
        insta::assert_snapshot!(device.synchronize().unwrap_err(), @"synchronize: an illegal memory access was encountered (cuStreamSynchronize: 700, CUDA_ERROR_ILLEGAL_ADDRESS)");
        let later = [
            buffer.to_vec().map(drop).unwrap_err(),
            buffer.try_clone().map(drop).unwrap_err(),
            device.record_event().map(drop).unwrap_err(),
            device.load_ptx(PTX).map(drop).unwrap_err(),
        ];
        for refused in later {
            assert!(matches!(refused.kind(), DeviceErrorKind::Driver(error) if error.code == 700), "{refused}");
        }
        assert_eq!(zeros(&other, 2).to_vec().unwrap(), [0.0; 2]);
        drop((buffer, event, kernel));
        let deferred = device.take_deferred_error().unwrap();
        assert!(matches!(deferred.kind(), DeviceErrorKind::Driver(error) if error.code == 700), "{deferred}");
    });
    assert_eq!(faults.len(), 1, "{faults:#?}");
}
