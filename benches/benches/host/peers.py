"""The rows of the host benchmark in NumPy and PyTorch: told over stdin which row to prepare and whom to run, one JSON a line."""

import json
import math
import random
import sys
import time

import numpy as np

try:
    import torch
except (ImportError, OSError):
    torch = None

TYPES = {"u8": "uint8", "u16": "uint16", "i32": "int32", "f32": "float32", "i64": "int64", "f64": "float64", "c64": "complex128"}


def values(shape, dtype, seed):
    """Whole numbers below 251, in no order that anybody could use."""
    numbers = np.arange(seed, seed + math.prod(shape), dtype=np.uint64)
    numbers *= np.uint64(0x9E3779B97F4A7C15)
    return ((numbers >> np.uint64(40)) % np.uint64(251)).astype(dtype).reshape(shape)


def naive(row, source, operand, at):
    """One element of the result, where a row has one for each element of its view."""
    place = row["offset"] + sum(i * s for i, s in zip(at, row["strides"]))
    value = source.reshape(-1)[place]
    if row["work"] == "add":
        return value + {"same": lambda: operand[at], "row": lambda: operand[at[1]], "transposed": lambda: operand[at[::-1]]}[row["operand"]]()
    return source.dtype.type(row["value"]) if row["work"] == "fill" else value


class Row:
    """Buffers, and a function for each contender that returns its result."""

    def __init__(self, row, threads):
        dtype = TYPES[row["type"]]
        self.kept = [] if row["work"] == "cold" else None
        source = values(row["base"], dtype, 1)
        strides = [s * source.itemsize for s in row["strides"]]
        view = np.lib.stride_tricks.as_strided(source.reshape(-1)[row["offset"]:], row["shape"], strides, writeable=False)
        operand = None
        if row["work"] == "add":
            n, m = row["shape"]
            shape = {"same": (n, m), "row": (m,), "transposed": (m, n)}[row["operand"]]
            operand = values(shape, dtype, 2)
        result = np.ones(row["result"], dtype)
        self.contenders = [("numpy", 1, of_numpy(row, source, view, operand, result))]
        if torch is not None and min(row["strides"], default=0) >= 0:
            run = of_torch(row, source, operand, result)
            self.contenders += [("torch", n, run) for n in threads]
        self.check(row, source, operand)

    def check(self, row, source, operand):
        if row["work"] in ("sum", "pad"):
            axis = row.get("axis", 0)
            expected = np.pad(source, 1) if row["work"] == "pad" else source.astype("float64").sum(axis).reshape(row["result"])
        else:
            expected = self.contenders[0][2]().copy()
            for _ in range(200):
                at = tuple(random.randrange(n) for n in row["shape"])
                assert expected[at] == naive(row, source, operand, at), f"numpy is wrong at {at}"
        for name, _, run in self.contenders:
            result = run()
            assert np.array_equal(np.asarray(result), expected), f"{name} computes something else"

    def time(self, who, times):
        _, threads, run = self.contenders[who]
        if torch is not None:
            torch.set_num_threads(threads)
        started = time.perf_counter()
        for _ in range(times):
            result = run()
            if self.kept is not None:
                self.kept.append(result)
        seconds = time.perf_counter() - started
        return seconds


def of_numpy(row, source, view, operand, result):
    work = row["work"]
    if work == "copy":
        return lambda: (np.copyto(result, view), result)[1]
    if work in ("recycled", "cold"):
        return lambda: view.copy(order="C")
    if work == "fill":
        return lambda: (result.fill(row["value"]), result)[1]
    if work == "sum":
        keep = row["axis"] == 1
        return lambda: np.sum(source, axis=row["axis"], keepdims=keep, out=result)
    if work == "add":
        other = operand.T if row["operand"] == "transposed" else operand
        return lambda: np.add(source, other, out=result)
    return lambda: np.pad(source, 1)


def of_torch(row, source, operand, result):
    work = row["work"]
    memory, result = torch.from_numpy(source), torch.from_numpy(result)
    view = torch.as_strided(memory, row["shape"], row["strides"], row["offset"])
    if work == "copy":
        return lambda: result.copy_(view)
    if work in ("recycled", "cold"):
        return lambda: view.contiguous()
    if work == "fill":
        return lambda: result.fill_(row["value"])
    if work == "sum":
        keep = row["axis"] == 1
        return lambda: torch.sum(memory, row["axis"], keepdim=keep, out=result)
    if work == "add":
        other = torch.from_numpy(operand)
        other = other.T if row["operand"] == "transposed" else other
        return lambda: torch.add(memory, other, out=result)
    return lambda: torch.nn.functional.pad(memory, (1, 1, 1, 1))


def main():
    versions = {"numpy": np.__version__, "torch": None if torch is None else torch.__version__}
    print(json.dumps(versions), flush=True)
    row = None
    for line in sys.stdin:
        told = json.loads(line)
        if told["do"] == "prepare":
            row = None
            row = Row(told["row"], told["threads"])
            answer = [[name, threads] for name, threads, _ in row.contenders]
        else:
            answer = row.time(told["who"], told["times"])
        print(json.dumps(answer), flush=True)


main()
