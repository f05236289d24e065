"""Writes numpy_strings.jsonl: arrays and what NumPy's `str` makes of each. Run it with the NumPy that README.md names.

One case a line: `dtype` and `shape`; the elements in row-major order, as `bits` (floats and complex parts: their bit
patterns, integers: their values) or as `ramp`, where element i is i times the float with these 64 bits, cast to the dtype;
and `text`.
"""

import json
import pathlib
import struct

import numpy as np

FLOATS = {"f16": (np.float16, np.uint16), "f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}
COMPLEX = {"c32": (np.complex64, np.uint32), "c64": (np.complex128, np.uint64)}
INTEGERS = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
            "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
SHAPES = [(1,), (3,), (7,), (2, 3), (3, 1), (2, 2, 3), (1, 1, 1, 2), (2, 1, 2, 2), (1, 2, 1, 2, 1), (2, 12)]
RAMPS = [(17,), (40,), (100,), (1000,), (1001,), (3, 40), (4, 250), (6, 167), (7, 143), (7, 144), (2, 2, 300), (10, 10, 10),
         (10, 10, 11), (1001, 1), (1, 1001), (2, 3, 200), (5, 6, 7, 8), (501, 2), (2, 501), (8, 2, 8, 2, 8), (1, 1, 1, 1, 30)]

rng = np.random.default_rng(20)
cases = []


def bits(values):
    kind = values.dtype.kind
    flat = values.reshape(-1)
    if kind == "c":
        flat = flat.view(flat.real.dtype)
    if kind in "fc":
        flat = flat.view({2: np.uint16, 4: np.uint32, 8: np.uint64}[flat.itemsize])
    return [int(n) for n in flat]


def case(name, values, ramp=None):
    values = np.ascontiguousarray(values).reshape(np.shape(values))
    content = {"bits": bits(values)} if ramp is None else {"ramp": struct.unpack("<Q", struct.pack("<d", ramp))[0]}
    scalar = values.shape == ()
    text = str(values[()]) if scalar else str(values)
    cases.append({"dtype": name, "shape": list(values.shape), **content, "text": text})


def special(dtype):
    info = np.finfo(dtype)
    near = [1e-4, 1e-3, 1e3, 1e6, 1e8, 1e16, 1.0, 0.1, 1 / 3, 2.0 ** 10, 2.0 ** -14]
    found = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 100.0, 1234.5, 65504.0, 999.5, 123456.789, -99999.0, 1e-5, 1.5e-7, 3.0e10, 9.999999e5,
             16777216.0, 33554448.0, 1e22, 1e23, 9007199254740993.0, 0.3, 0.7, 1e100, 1e-100, 12345678.9, 99999999.0, 0.00012345678,
             # Next to a power of two the neighbours are unevenly far; here two decimals are equally near.
             2.0 ** -6, 2.0 ** -13, -2360054.25,
             float(info.max), float(info.tiny), float(info.smallest_subnormal), float(info.eps),
             float("nan"), float("inf"), float("-inf")]
    with np.errstate(over="ignore"):
        values = [dtype(x) for x in found]
        for x in near:
            middle = dtype(x)
            values += [middle, np.nextafter(middle, dtype(0)), np.nextafter(middle, dtype(np.inf))]
    return values


def floats(name, dtype, count):
    values = special(dtype)
    for x in values:
        case(name, np.array(x, dtype))
        case(name, np.array([x], dtype))
    for _ in range(count):
        case(name, rng.choice(np.array(values, dtype), size=rng.integers(2, 5)))
    with np.errstate(over="ignore"):
        for shape in SHAPES:
            case(name, rng.uniform(-1, 1, shape).astype(dtype))
            case(name, rng.integers(-50, 50, shape).astype(dtype))
            case(name, np.round(rng.uniform(-100, 100, shape), 2).astype(dtype))
            case(name, np.exp(rng.normal(0, 6, shape)).astype(dtype))
            case(name, (rng.uniform(1, 9, shape) * 10.0 ** rng.integers(-9, 12, shape)).astype(dtype))
            holes = rng.uniform(0, 1000, shape).astype(dtype)
            holes.reshape(-1)[rng.integers(0, holes.size)] = rng.choice([np.nan, np.inf, -np.inf])
            case(name, holes)
    words = rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize), size=(count, 3), dtype=np.uint64)
    for row in words.astype({2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]).view(dtype):
        case(name, row)
        case(name, row[0].reshape(()))


for name, (dtype, _) in FLOATS.items():
    floats(name, dtype, 40)

for name, (dtype, _) in COMPLEX.items():
    part = np.float32 if dtype is np.complex64 else np.float64
    parts = np.array(special(part), part)
    for _ in range(60):
        pair = rng.choice(parts, size=(rng.integers(1, 4), 2))
        case(name, pair.view(dtype).reshape(-1))
        case(name, pair[0].view(dtype).reshape(()))
    for re, im in [(0.0, 1.0), (-0.0, 1.0), (1.0, 0.0), (1.0, -0.0), (0.0, 0.0), (1.5, -2.5), (np.nan, 1), (1, np.nan), (np.inf, -np.inf)]:
        pair = np.array([re, im], part)
        case(name, pair.view(dtype).reshape(()))
        case(name, pair.view(dtype))
    for shape in SHAPES:
        pairs = rng.uniform(-10, 10, (*shape, 2)).astype(part)
        case(name, pairs.view(dtype)[..., 0])
        case(name, np.round(pairs, 1).astype(part).view(dtype)[..., 0])

for name, dtype in INTEGERS.items():
    info = np.iinfo(dtype)
    for n in {0, 1, 7, int(info.min), int(info.max)}:
        case(name, np.array(n, dtype))
        case(name, np.array([n], dtype))
    for shape in SHAPES:
        case(name, rng.integers(info.min, info.max, shape, dtype, endpoint=True))
        case(name, rng.integers(max(info.min, -20), 100, shape, dtype))

for name in ["i32", "u64", "f32", "f64", "c64"]:
    dtype = {**INTEGERS, "f32": np.float32, "f64": np.float64, "c64": np.complex128}[name]
    for shape in RAMPS:
        whole = 500 < np.prod(shape) <= 1000  # printed whole: long
        if whole and name not in ["i32", "f32"]:
            continue
        for factor in [1.0] if whole or np.dtype(dtype).kind in "iu" else [1.0, 0.25, 1e-3, -1e-7]:
            ramp = np.arange(np.prod(shape), dtype=np.float64) * factor
            case(name, ramp.astype(dtype).reshape(shape), factor)

for shape in [(0,), (0, 3), (2, 0), (2, 0, 3)]:
    for name, dtype in [("f32", np.float32), ("i64", np.int64), ("c64", np.complex128)]:
        case(name, np.zeros(shape, dtype))

out = pathlib.Path(__file__).with_name("numpy_strings.jsonl")
out.write_text("".join(json.dumps(case) + "\n" for case in cases))
print(f"{len(cases)} cases with NumPy {np.__version__}")
