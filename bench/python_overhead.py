#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What laconic.compress and Coder.encode add to the C functions: the same work in turns, in one process.

    python bench/python_overhead.py LIBRARY     # liblaconic-codec.so, for the C functions by ctypes

The C functions are timed in a loop of C: a Coder of the library called from ctypes costs as much as Python's own call, so
its fixed cost (a call with 0 numbers) is measured and taken away.  Prints medians of 15 rounds.
"""
import ctypes, statistics, sys, time

import numpy as np

import laconic


class Bound(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_int), ("value", ctypes.c_double)]


class Coding(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("dtype", ctypes.c_int), ("bound", Bound), ("codec", ctypes.c_int),
                ("denormals", ctypes.c_int), ("reduction", ctypes.c_int), ("contributions", ctypes.c_uint32),
                ("frame_elements", ctypes.c_int64), ("threads", ctypes.c_int32)]


def c_encoder(library, bound, x, out):
    coding, coder, written = Coding(), ctypes.c_void_p(), ctypes.c_size_t()
    library.laconic_coding_init_sized(ctypes.byref(coding), ctypes.c_size_t(ctypes.sizeof(coding)))
    coding.dtype = 1
    library.laconic_bound_parse(bound.encode(), ctypes.byref(coding.bound))
    assert library.laconic_coder_create(ctypes.byref(coding), ctypes.byref(coder)) == 0
    encode = library.laconic_coder_encode
    encode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    arguments = coder, x.ctypes.data, ctypes.c_size_t(x.size), out.ctypes.data, ctypes.c_size_t(out.size), ctypes.byref(written)
    nothing = coder, x.ctypes.data, ctypes.c_size_t(0), out.ctypes.data, ctypes.c_size_t(out.size), ctypes.byref(written)
    return (lambda: encode(*arguments)), (lambda: encode(*nothing))


def seconds(call, repeats):
    begin = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - begin) / repeats


def main(path):
    library = ctypes.CDLL(path)
    for size, repeats in ((4 << 10, 2000), (1 << 20, 50), (64 << 20, 2)):
        x = np.cumsum(np.random.default_rng(1).standard_normal(size // 4)).astype(np.float32)
        coder = laconic.Coder("f32", "abs:1e-2")
        out = np.zeros(coder.capacity(x.size), np.uint8)
        c, nothing = c_encoder(library, "abs:1e-2", x, out)
        calls = {"C": c, "empty": nothing, "encode": lambda: coder.encode(x, out), "compress": lambda: laconic.compress(x, "abs:1e-2"),
                 "into": lambda: laconic.compress(x, "abs:1e-2", out=out)}
        rounds = [{name: seconds(call, repeats) for name, call in calls.items()} for _ in range(15)]
        m = {name: statistics.median(r[name] for r in rounds) for name in calls}
        in_c = m["C"] - m["empty"]
        print(f"{size:9d} bytes: C {1e6 * in_c:.2f} us, Coder.encode +{1e6 * (m['encode'] - in_c):.2f} us ({in_c / m['encode']:.3f} of "
              f"its speed), compress +{1e6 * (m['compress'] - in_c):.2f} us ({in_c / m['compress']:.3f}), "
              f"compress into a buffer +{1e6 * (m['into'] - in_c):.2f} us ({in_c / m['into']:.3f})")


main(*sys.argv[1:])
