//! The committed PTX on a simulated memory: every address checked, every race and every byte that nobody wrote reported.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use weft_cuda_sim::exec::{self, Blocks, Check, Settings};
use weft_cuda_sim::memory::Memory;
use weft_cuda_sim::ptx;
use weft_layout::{IndexWidth, Layout};

use super::super::launch::{Family, Launch};
use crate::element::{Bf16, C32, C64, Element, F16, F32x4};

/// Elements between address 0 of an operand and where it is: 32 bits do not reach, so a plan over layouts that begin there
/// runs the 64-bit kernels. The memory before it does not exist and is not touched.
pub(super) const FAR: usize = 1 << 31;

/// How every case is run: near, with the grid of the launch; and far, in two blocks that take all steps in many rounds.
pub(super) const FORMS: [(usize, u32); 2] = [(0, u32::MAX), (FAR, 2)];

/// The layout as it is for both index widths: near, and from an offset of [`FAR`] on.
pub(super) fn moved(layout: &Layout, by: usize) -> Layout {
    Layout::from_parts(layout.shape(), layout.strides(), layout.offset() + by).unwrap()
}

/// Memory and kernels.
pub(super) struct Sim {
    memory: Memory,
    /// Grids are no larger: threads then go through more rounds.
    most_blocks: u32,
    /// In which order blocks and warps run.
    pub(super) seed: Option<u64>,
    pub(super) blocks: Blocks,
    /// Whether reading what nobody wrote is a failure.
    pub(super) unwritten: Check,
}

impl Sim {
    pub(super) fn new(most_blocks: u32) -> Sim {
        Sim { memory: Memory::new(), most_blocks, seed: Some(1), blocks: Blocks::All, unwritten: Check::Report }
    }

    /// The address of a copy of these values, with nothing readable before and after.
    pub(super) fn upload<T: Element>(&mut self, values: &[T]) -> usize {
        let address = self.memory.alloc(size_of_val(values) as u64).unwrap();
        self.memory.write(address, bytes_of(values)).unwrap();
        address as usize
    }

    /// So many bytes that nobody has written.
    pub(super) fn uninit(&mut self, bytes: usize) -> usize {
        self.memory.alloc(bytes as u64).unwrap() as usize
    }

    /// So many bytes of which only what is written exists.
    pub(super) fn unbacked(&mut self, bytes: usize) -> usize {
        self.memory.alloc_virtual(bytes as u64).unwrap() as usize
    }

    /// Writes values to some part of an allocation.
    pub(super) fn write<T: Element>(&mut self, address: usize, values: &[T]) {
        self.memory.write(address as u64, bytes_of(values)).unwrap();
    }

    pub(super) fn download<T: Element>(&self, address: usize, len: usize) -> Vec<T> {
        let mut values = vec![T::ZERO; len];
        // SAFETY: as many bytes as the values have, each pattern of which is a value (`Element`).
        let bytes = unsafe { core::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(&values[..])) };
        self.memory.read(address as u64, bytes).unwrap();
        values
    }

    /// Runs the launch; a fault, a race or a read of bytes that nobody wrote fails the test.
    #[track_caller]
    pub(super) fn run(&mut self, launch: &mut Launch) {
        launch.grid[0] = launch.grid[0].min(self.most_blocks);
        static MODULES: Mutex<Option<HashMap<(Family, IndexWidth), ptx::Module>>> = Mutex::new(None);
        let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
        let module = modules.get_or_insert_default().entry((launch.family, launch.index)).or_insert_with(|| {
            ptx::parse(launch.family.ptx(launch.index), &ptx::Options::default()).unwrap_or_else(|e| panic!("{e}"))
        });
        let kernel = module.kernel(&launch.entry).unwrap();
        let mut parameters = vec![0; kernel.param_bytes()];
        for (place, pointer) in kernel.params().iter().zip(launch.args.pointers()) {
            // SAFETY: `choice` pins that the arguments are as long as the parameters.
            let argument = unsafe { core::slice::from_raw_parts(pointer.cast::<u8>(), place.size) };
            parameters[place.offset..][..place.size].copy_from_slice(argument);
        }
        let settings = Settings {
            seed: self.seed,
            blocks: self.blocks.clone(),
            races: Check::Report,
            unwritten: self.unwritten,
            ..Settings::default()
        };
        let run = exec::Launch::new(kernel, launch.grid, launch.block, &parameters);
        let outcome = exec::run(&run, &mut self.memory, &settings);
        assert_eq!(outcome.fault, None, "{launch}");
        assert_eq!(outcome.findings, [], "{launch}");
    }
}

pub(super) fn bytes_of<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY: elements have no padding (`Element`).
    unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// The same numbers every time: xorshift.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }
}

/// Values to calculate with, and what it means that two devices agree on one.
pub(super) trait Sample: Element {
    /// Any value; small integers, fractions, extremes, and every special value, each often enough.
    fn sample(random: &mut Random) -> Self;

    /// A value of the usual size with all its digits, so that sums of many stay finite and every addition rounds.
    fn ordinary(random: &mut Random) -> Self;

    /// The same bits, or both a NaN.
    fn agrees(self, other: Self) -> bool;
}

macro_rules! integer {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> $type {
                let any = random.next();
                match any >> 60 {
                    0 => 0,
                    1 => $type::MIN,
                    2 => $type::MAX,
                    3 => (0 as $type).wrapping_sub(1),
                    4..8 => (any & 15) as $type,
                    _ => any as $type,
                }
            }
            fn ordinary(random: &mut Random) -> $type {
                $type::sample(random)
            }
            fn agrees(self, other: $type) -> bool {
                self == other
            }
        }
    )*};
}

integer!(u8 u16 u32 u64 i8 i16 i32 i64);

macro_rules! float {
    ($($type:ident $bits:ident)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> $type {
                let any = random.next();
                match any >> 60 {
                    0 => [0.0, -0.0, $type::INFINITY, $type::NEG_INFINITY, $type::MIN_POSITIVE, $type::MAX][any as usize % 6],
                    // Two NaNs, of which one is not canonical.
                    1 => $type::from_bits($type::NAN.to_bits() | (any as $bits & 1)),
                    2 if any & 1 == 0 => $type::from_bits((any >> 8) as $bits),
                    2 => $type::MIN_POSITIVE / (any & 0xff) as $type,
                    3..8 => (any & 31) as $type - 16.0,
                    _ => ((any & 0xff_ffff) as $type - 8_388_608.0) / 4096.0,
                }
            }
            fn ordinary(random: &mut Random) -> $type {
                (random.next() as i64) as $type / 2f32.powi(52) as $type
            }
            fn agrees(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )*};
}

float!(f32 u32 f64 u64);

macro_rules! half {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> $type {
                match random.below(3) {
                    0 => $type::from_bits(random.next() as u16),
                    _ => $type::from_f32(f32::sample(random)),
                }
            }
            fn ordinary(random: &mut Random) -> $type {
                $type::from_f32(f32::ordinary(random) / 64.0)
            }
            fn agrees(self, other: $type) -> bool {
                self.to_bits() == other.to_bits() || self.to_f32().is_nan() && other.to_f32().is_nan()
            }
        }
    )*};
}

half!(F16 Bf16);

macro_rules! complex {
    ($($type:ident $part:ident)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> $type {
                $type::new($part::sample(random), $part::sample(random))
            }
            fn ordinary(random: &mut Random) -> $type {
                $type::new($part::ordinary(random), $part::ordinary(random))
            }
            fn agrees(self, other: $type) -> bool {
                self.re.agrees(other.re) && self.im.agrees(other.im)
            }
        }
    )*};
}

complex!(C32 f32 C64 f64);

impl Sample for F32x4 {
    fn sample(random: &mut Random) -> F32x4 {
        F32x4(core::array::from_fn(|_| f32::sample(random)))
    }
    fn ordinary(random: &mut Random) -> F32x4 {
        F32x4(core::array::from_fn(|_| f32::ordinary(random)))
    }
    fn agrees(self, other: F32x4) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| a.agrees(b))
    }
}

pub(super) fn samples<T: Sample>(seed: u64, len: usize) -> Vec<T> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..len).map(|_| T::sample(&mut random)).collect()
}

pub(super) fn ordinary<T: Sample>(seed: u64, len: usize) -> Vec<T> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..len).map(|_| T::ordinary(&mut random)).collect()
}

/// Whether what the kernels left is what the host left, element by element.
#[track_caller]
pub(super) fn assert_agree<T: Sample>(given: &[T], host: &[T], what: &dyn core::fmt::Display) {
    assert_eq!(given.len(), host.len());
    for (at, (&given, &host)) in given.iter().zip(host).enumerate() {
        assert!(given.agrees(host), "{what}: element {at} is {given:?}, the host says {host:?}");
    }
}

/// Calls a function that is generic over an element type once for each type.
macro_rules! for_every_element {
    ($check:ident($($argument:expr),*)) => {{
        $check::<u8>($($argument),*);
        $check::<u16>($($argument),*);
        $check::<u32>($($argument),*);
        $check::<u64>($($argument),*);
        $check::<i8>($($argument),*);
        $check::<i16>($($argument),*);
        $check::<i32>($($argument),*);
        $check::<i64>($($argument),*);
        $check::<$crate::F16>($($argument),*);
        $check::<$crate::Bf16>($($argument),*);
        $check::<f32>($($argument),*);
        $check::<f64>($($argument),*);
        $check::<$crate::F32x4>($($argument),*);
        $check::<$crate::C32>($($argument),*);
        $check::<$crate::C64>($($argument),*);
    }};
}
pub(super) use for_every_element;
