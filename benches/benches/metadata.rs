//! What a layout operation costs at rank 4, beside ndarray (fixed and dynamic rank) and candle's `Layout`.
//!
//! Every group is one operation; the libraries are interleaved by running their functions in one process. Arguments pass
//! through `black_box` and so do references to the results, so that nothing is folded away.

use candle_core::{Layout as CandleLayout, Shape as CandleShape};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use ndarray::{ArrayView, Axis, Dim, Dimension, IxDyn, Slice};
use weft_benches::{SHAPE, opaque};
use weft_layout::{Divider32, Divider64, Layout, Plan, s};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// One function of one library. Its result is shown to the optimiser where it lies: handing it over by value would add a
/// block move behind single stores, which costs as much as the operation.
fn row<R>(g: &mut Group, name: &str, mut f: impl FnMut() -> R) {
    g.bench_function(name, |b| {
        b.iter(|| {
            let result = f();
            opaque(&result);
        });
    });
}

fn weft() -> Layout {
    Layout::row_major(SHAPE).unwrap()
}

fn candle() -> CandleLayout {
    CandleLayout::contiguous(CandleShape::from(SHAPE.to_vec()))
}

static DATA: [f32; 2 * 4 * 10 * 16] = [0.0; 2 * 4 * 10 * 16];

fn fixed() -> ArrayView<'static, f32, ndarray::Ix4> {
    ArrayView::from_shape(SHAPE, &DATA).unwrap()
}

fn dynamic() -> ArrayView<'static, f32, IxDyn> {
    fixed().into_dyn()
}

fn create(g: &mut Group) {
    row(g, "weft/array", || Layout::row_major(opaque(SHAPE)));
    row(g, "weft/slice", || Layout::row_major(opaque(&SHAPE[..])));
    row(g, "ndarray/Ix4", || ArrayView::from_shape(opaque(SHAPE), opaque(&DATA[..])).unwrap());
    row(g, "ndarray/IxDyn", || ArrayView::from_shape(IxDyn(opaque(&SHAPE)), opaque(&DATA[..])).unwrap());
    row(g, "candle", || CandleLayout::contiguous(opaque(&SHAPE[..])));
}

fn permute(g: &mut Group) {
    let (w, c, f, d) = (weft(), candle(), fixed(), dynamic());
    row(g, "weft/permute", || opaque(&w).permute(opaque([0, 2, 1, 3])));
    row(g, "weft/transpose", || opaque(&w).transpose(opaque(1), opaque(2)));
    row(g, "ndarray/Ix4", || opaque(f).permuted_axes(opaque([0, 2, 1, 3])));
    row(g, "ndarray/IxDyn", || opaque(d.view()).permuted_axes(opaque(IxDyn(&[0, 2, 1, 3]))));
    row(g, "candle", || opaque(&c).transpose(opaque(1), opaque(2)).unwrap());
}

fn slice(g: &mut Group) {
    let (w, c, f, d) = (weft(), candle(), fixed(), dynamic());
    row(g, "weft/narrow", || opaque(&w).narrow(opaque(2), opaque(1), opaque(8)));
    row(g, "weft/slice4", || opaque(&w).slice(s![opaque(0)..2, opaque(1)..3, opaque(1)..9, opaque(0)..16]));
    row(g, "ndarray/Ix4", || {
        let mut v = opaque(f);
        v.slice_axis_inplace(Axis(opaque(2)), Slice::from(opaque(1)..9));
        v
    });
    row(g, "ndarray/IxDyn", || {
        let mut v = opaque(&d).view();
        v.slice_axis_inplace(Axis(opaque(2)), Slice::from(opaque(1)..9));
        v
    });
    row(g, "candle", || opaque(&c).narrow(opaque(2), opaque(1), opaque(8)).unwrap());
}

fn broadcast(g: &mut Group) {
    let w = Layout::row_major([10, 16]).unwrap();
    let c = CandleLayout::contiguous((10, 16));
    let f = ArrayView::from_shape((10, 16), &DATA[..160]).unwrap();
    let d = f.into_dyn();
    row(g, "weft", || opaque(&w).broadcast_to(opaque(SHAPE)));
    row(g, "ndarray/Ix4", || opaque(&f).broadcast(opaque(Dim(SHAPE))).unwrap().dim());
    row(g, "ndarray/IxDyn", || opaque(&d).broadcast(opaque(IxDyn(&SHAPE))).unwrap().raw_dim().ndim());
    row(g, "candle", || opaque(&c).broadcast_as(opaque(&SHAPE[..])).unwrap());
}

fn reshape(g: &mut Group) {
    let (w, f, d) = (weft(), fixed(), dynamic());
    let swapped = w.transpose(1, 2).unwrap();
    row(g, "weft/view", || opaque(&w).reshape(opaque([8usize, 10, 16])));
    row(g, "weft/refused", || opaque(&swapped).reshape(opaque([2usize, 10, 64])));
    row(g, "ndarray/Ix4", || opaque(f).into_shape_with_order(opaque((8, 10, 16))).unwrap());
    row(g, "ndarray/IxDyn", || opaque(d.view()).into_shape_with_order(opaque(IxDyn(&[8, 10, 16]))).unwrap());
    let t = f.permuted_axes([0, 2, 1, 3]);
    row(g, "ndarray/refused", || opaque(t).into_shape_with_order(opaque((2, 10, 64))).is_err());
}

fn facts(g: &mut Group) {
    let (w, c, f, d) = (weft(), candle(), fixed(), dynamic());
    row(g, "weft/is_contiguous", || opaque(&w).is_contiguous());
    row(g, "ndarray/Ix4/is_standard_layout", || opaque(&f).is_standard_layout());
    row(g, "ndarray/IxDyn/is_standard_layout", || opaque(&d).is_standard_layout());
    row(g, "candle/is_contiguous", || opaque(&c).is_contiguous());
    row(g, "weft/clone", || opaque(&w).clone());
}

/// Index to offset: a loop of 64 checked lookups in one call, as a user's loop has it.
fn lookup(g: &mut Group) {
    let (w, f, d) = (weft(), fixed(), dynamic());
    let coords: Vec<[usize; 4]> = (0..64).map(|k| [k % 2, k % 4, k % 10, k % 16]).collect();
    g.throughput(criterion::Throughput::Elements(64));
    row(g, "weft/offset_of", || opaque(&coords).iter().map(|at| w.offset_of(at).unwrap()).sum::<usize>());
    row(g, "ndarray/Ix4/get", || {
        opaque(&coords).iter().map(|&at| f.get(at).unwrap() as *const f32 as usize).fold(0, usize::wrapping_add)
    });
    row(g, "ndarray/IxDyn/get", || {
        opaque(&coords).iter().map(|at| d.get(&at[..]).unwrap() as *const f32 as usize).fold(0, usize::wrapping_add)
    });
    row(g, "weft/coords_of_linear", || (0..64).map(|k| w.coords_of_linear(opaque(k)).unwrap()[3]).sum::<usize>());
    let t = w.transpose(1, 2).unwrap();
    row(g, "weft/offset_of_linear", || (0..64).map(|k| t.offset_of_linear(opaque(k)).unwrap()).sum::<usize>());
    let by = [Divider32::new(16).unwrap(), Divider32::new(4).unwrap(), Divider32::new(10).unwrap()];
    row(g, "weft/dividers32", || {
        (0..64u32)
            .map(|k| {
                let (q, a) = by[0].div_rem(opaque(k));
                let (q, b) = by[1].div_rem(q);
                let (q, c) = by[2].div_rem(q);
                a + b + c + q
            })
            .sum::<u32>()
    });
    let by = [Divider64::new(16).unwrap(), Divider64::new(4).unwrap(), Divider64::new(10).unwrap()];
    row(g, "weft/dividers64", || {
        (0..64u64)
            .map(|k| {
                let (q, a) = by[0].div_rem(opaque(k));
                let (q, b) = by[1].div_rem(q);
                let (q, c) = by[2].div_rem(q);
                a + b + c + q
            })
            .sum::<u64>()
    });
}

/// Every offset of a 64 x 64 x 64 view: inner axis contiguous, and not. (candle keeps its iterator private.)
fn walk(g: &mut Group) {
    const N: [usize; 3] = [64, 64, 64];
    let rows = Layout::row_major(N).unwrap().permute([1, 0, 2]).unwrap();
    let cols = Layout::row_major(N).unwrap().reverse_axes();
    let data = vec![1.0f32; 64 * 64 * 64];
    let view = ArrayView::from_shape(N, &data).unwrap();
    let (nd_rows, nd_cols) = (view.permuted_axes([1, 0, 2]), view.reversed_axes());
    g.throughput(criterion::Throughput::Elements(64 * 64 * 64));
    let sum = usize::wrapping_add;
    row(g, "weft/rows", || opaque(&rows).offsets().fold(0, sum));
    row(g, "weft/cols", || opaque(&cols).offsets().fold(0, sum));
    row(g, "weft/cols/next", || {
        let mut total = 0usize;
        for offset in opaque(&cols).offsets() {
            total = total.wrapping_add(offset);
        }
        total
    });
    let addresses = |view: &ArrayView<f32, ndarray::Ix3>| view.iter().map(|x| x as *const f32 as usize).fold(0, sum);
    row(g, "ndarray/rows", || addresses(opaque(&nd_rows)));
    row(g, "ndarray/cols", || addresses(opaque(&nd_cols)));
}

fn plan(g: &mut Group) {
    let src = weft().transpose(1, 2).unwrap();
    let dst = Layout::row_major(src.shape()).unwrap();
    row(g, "weft/two operands", || Plan::new([opaque(&dst), opaque(&src)]));
    let repeated = Layout::row_major([16]).unwrap().broadcast_to(src.shape()).unwrap();
    row(g, "weft/three operands", || Plan::new([opaque(&dst), opaque(&src), opaque(&repeated)]));
}

fn metadata(c: &mut Criterion) {
    type Named = (&'static str, fn(&mut Group));
    let groups: [Named; 9] = [
        ("create", create),
        ("permute", permute),
        ("slice", slice),
        ("broadcast", broadcast),
        ("reshape", reshape),
        ("facts", facts),
        ("lookup", lookup),
        ("walk", walk),
        ("plan", plan),
    ];
    for (name, run) in groups {
        let mut group = c.benchmark_group(name);
        run(&mut group);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    // Short samples, many of them: medians of an interleaved run are what is compared.
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(600));
    targets = metadata
}
criterion_main!(benches);
