//! Sizes, recycling, zeros.

use core::ptr::NonNull;

use super::cache::Cache;
use super::{ALIGN, CACHED_FROM, HostMemory, fresh, pages, size_class};

#[test]
fn a_class_wastes_a_quarter_at_most_and_is_its_own_class() {
    let mut sizes: Vec<usize> = (0..40).flat_map(|k| [(1usize << k) - 1, 1 << k, (1 << k) + 1, 3 << k]).collect();
    sizes.extend([CACHED_FROM - 1, CACHED_FROM, 81_920, 81_921, isize::MAX as usize / 2]);
    for bytes in sizes {
        let class = size_class(bytes).unwrap();
        assert!(bytes <= class && class - bytes <= bytes / 4, "{bytes} bytes in a class of {class}");
        assert_eq!(size_class(class), Some(class));
        assert!(bytes >= CACHED_FROM || class == bytes);
        assert!(!pages::serves(class) || class.is_multiple_of(1 << 20), "{class}");
    }
    assert_eq!([65_536, 65_537, 81_920, 81_921].map(size_class), [65_536, 81_920, 81_920, 98_304].map(Some));
    for bytes in [isize::MAX as usize, usize::MAX / 2 + 1, usize::MAX - 7, usize::MAX] {
        assert_eq!(size_class(bytes), None);
        assert!(HostMemory::zeroed(bytes).is_err() && HostMemory::uninit(bytes).is_err());
    }
}

/// A block of a class, told by its address.
fn block(class: usize) -> (NonNull<u8>, usize) {
    (fresh(class, false).unwrap(), class)
}

#[test]
fn the_cache_gives_the_youngest_of_a_class_and_frees_the_oldest() {
    let cache = Cache::new(4 * CACHED_FROM);
    let blocks = [CACHED_FROM, CACHED_FROM, 2 * CACHED_FROM].map(block);
    for (start, class) in blocks {
        cache.give(start, class);
    }
    assert_eq!((cache.held(), cache.take(3 * CACHED_FROM)), (4 * CACHED_FROM, None));
    assert_eq!(cache.take(CACHED_FROM), Some(blocks[1].0));
    cache.give(blocks[1].0, CACHED_FROM);
    // One byte over the limit: the oldest goes.
    let (start, class) = block(CACHED_FROM);
    cache.give(start, class);
    assert_eq!(cache.held(), 4 * CACHED_FROM);
    assert_eq!([(); 3].map(|()| cache.take(CACHED_FROM)), [Some(start), Some(blocks[1].0), None]);
    for start in [start, blocks[1].0] {
        cache.give(start, CACHED_FROM);
    }
    cache.set_limit(CACHED_FROM);
    assert_eq!((cache.held(), cache.limit()), (CACHED_FROM, CACHED_FROM));
    assert_eq!((cache.clear(), cache.held()), (CACHED_FROM, 0));
    // Larger than the limit: not kept at all. No limit: nothing is.
    for limit in [CACHED_FROM, 0] {
        cache.set_limit(limit);
        let (start, class) = block(2 * CACHED_FROM);
        cache.give(start, class);
        assert_eq!(cache.held(), 0);
    }
}

#[test]
fn memory_is_aligned_and_zeroed_whatever_it_was_before() {
    for bytes in [1, 255, CACHED_FROM - 1, CACHED_FROM, 100_000, 1 << 20, 4 << 20, (4 << 20) + 1, 9 << 20] {
        for _ in 0..3 {
            let memory = HostMemory::zeroed(bytes).unwrap();
            let start = memory.pointer().0;
            assert_eq!(start.addr() % ALIGN, 0);
            // SAFETY: D1: `bytes` bytes, all of them written, which nobody else uses.
            let all = unsafe { core::slice::from_raw_parts_mut(start, bytes) };
            assert!(all.iter().all(|&byte| byte == 0), "{bytes} bytes");
            all.fill(0xA5);
            drop(memory);
            let memory = HostMemory::uninit(bytes).unwrap();
            // SAFETY: as above, and written here.
            unsafe { memory.pointer().0.write_bytes(0x5A, bytes) };
        }
    }
}

#[test]
fn blocks_are_handed_out_once_to_many_threads() {
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            scope.spawn(move || {
                for round in 0..200 {
                    let bytes = CACHED_FROM + round % 3 * CACHED_FROM;
                    let memory = HostMemory::uninit(bytes).unwrap();
                    let start = memory.pointer().0;
                    // SAFETY: D1, written before it is read.
                    unsafe {
                        start.write_bytes(thread, bytes);
                        std::thread::yield_now();
                        let all = core::slice::from_raw_parts(start, bytes);
                        assert!(all.iter().all(|&byte| byte == thread), "somebody else has the block");
                    }
                }
            });
        }
    });
}
