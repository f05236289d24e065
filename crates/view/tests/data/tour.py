"""The tour beside NumPy: `make DIR` writes arrays and prints a chain of steps for each, `check DIR` compares the results.

A line of `make` is NAME, the steps, separated by tabs: the input is DIR/NAME.npy, the result is expected in DIR/NAME.out.npy.
"""

import itertools
import os
import sys

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

TYPES = ["|b1", "|u1", "|i1"] + [
    order + name for name in "u2 u4 u8 i2 i4 i8 f2 f4 f8 c8 c16".split() for order in "<>"
]

# shape, steps, the same in NumPy
CHAINS = [
    ((), "", lambda a: a),
    ((), "unsqueeze=0 broadcast_to=3,2 reshape=-1", lambda a: np.broadcast_to(a, (3, 2)).reshape(-1)),
    ((6,), "", lambda a: a),
    ((6,), "windows=0,3,1,1", lambda a: sliding_window_view(a, 3)),
    ((13,), "windows=0,3,2,3", lambda a: sliding_window_view(a, 7)[::2, ::3]),
    ((10,), "slice=0:-2:1:-3", lambda a: a[-2:1:-3]),
    ((10,), "slice=0:::-1", lambda a: a[::-1]),
    ((10,), "slice=0:20", lambda a: a[20:]),
    ((0, 3), "t", lambda a: a.T),
    ((0, 3), "reshape=3,0,5", lambda a: a.reshape(3, 0, 5)),
    ((3, 4), "t reshape=2,6", lambda a: a.T.reshape(2, 6)),
    ((3, 4), "t contiguous flip=0", lambda a: a.T[::-1]),
    ((3, 4), "flip=0,1", lambda a: a[::-1, ::-1]),
    ((3, 4), "diagonal=0,1,1", lambda a: a.diagonal(1)),
    ((4, 4), "diagonal=0,1,-2", lambda a: a.diagonal(-2)),
    ((3, 4), "narrow=1,1,2 select=0,-1", lambda a: a[-1, 1:3]),
    ((3, 1), "broadcast_to=2,3,4 reshape=2,12", lambda a: np.broadcast_to(a, (2, 3, 4)).reshape(2, 12)),
    ((2, 3, 4), "", lambda a: a),
    ((2, 3, 4), "reverse_axes", lambda a: a.T),
    ((2, 3, 4), "permute=2,0,1 slice=0:1::2 flip=1 reshape=-1", lambda a: a.transpose(2, 0, 1)[1::2, ::-1].reshape(-1)),
    ((2, 3, 4), "transpose=0,-1 move_axis=0,2", lambda a: np.moveaxis(np.swapaxes(a, 0, -1), 0, 2)),
    ((2, 3, 4), "flatten=0,1 unflatten=1,2,-1", lambda a: a.reshape(6, 2, 2)),
    ((2, 3, 4), "transpose=1,2 flatten=1,-1", lambda a: np.swapaxes(a, 1, 2).reshape(2, 12)),
    ((2, 1, 3, 2), "squeeze=1 unsqueeze=-1", lambda a: a.reshape(2, 3, 2, 1)),
    ((2, 2, 1, 2, 1, 2, 3), "permute=6,5,4,3,2,1,0 slice=0::2 flatten=1,3", lambda a: a.T[:2].reshape(2, 4, 1, 2, 2)),
]


def cases():
    """Every type with one chain, in both orders; every chain with one type, in both orders and a foreign byte order."""
    favourite = next(chain for chain in CHAINS if chain[1].startswith("permute=2,0,1"))
    pairs = [(dtype, favourite) for dtype in TYPES] + list(itertools.product(["<f4", ">i2"], CHAINS))
    for (dtype, (shape, steps, numpy)), order in itertools.product(pairs, "CF"):
        yield dtype, shape, order, steps, numpy


def array(k, dtype, shape, order):
    """Random bits, NaNs among them; a bool has two values only."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape)) * dtype.itemsize
    bits = np.random.default_rng(k).integers(0, 2 if dtype == bool else 256, count, dtype=np.uint8)
    return np.asarray(np.frombuffer(bits.tobytes(), dtype).reshape(shape), order=order)


def main(command, folder):
    for k, (dtype, shape, order, steps, numpy) in enumerate(cases()):
        name, a = f"case{k}", array(k, dtype, shape, order)
        path = os.path.join(folder, name)
        if command == "make":
            with open(path + ".npy", "wb") as file:
                np.lib.format.write_array(file, a, version=[(1, 0), (2, 0), (3, 0)][k % 3])
            print(name, *steps.split(), sep="\t")
        else:
            got, want = np.load(path + ".out.npy"), np.ascontiguousarray(numpy(a))
            want = want.reshape(numpy(a).shape)  # ascontiguousarray makes a vector of a number
            same = got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()
            if not same:
                sys.exit(f"{dtype} {shape} {order} {steps!r}: wanted {want.dtype}\n{want}\ngot {got.dtype}\n{got}")


main(*sys.argv[1:])
