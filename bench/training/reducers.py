# SPDX-License-Identifier: BSD-3-Clause
"""How the gradients of several workers become their mean, worker by worker in one process, with the bytes that it takes.

Every reducer works on buckets of equal size, as DistributedDataParallel does, and gives all workers the same bits.  The
numbers are rounded at the places where ranks of an MPI job would round them, because the frames are the same:

  plain             float32
  fp16              PyTorch's fp16_compress_hook: every worker divides and rounds, sums are in float16
  ring zfp          a segment visits all workers; each one decodes the sum, adds its own numbers and encodes it again
  doubling zfp      recursive doubling: in each of log2(N) steps, two groups of workers add their frames
  direct rms        as laconic.torch: every worker sends its frames of a segment to the owner, which adds them, exactly, and
                    sends the sum to all
  direct dense rms  the same with the codec dense: the same numbers in smaller frames
"""
import numpy as np

import laconic

BUCKET = 32768  # numbers


class Plain:
    name, bound = "plain", None

    def __init__(self, workers):
        self.workers, self.sent, self.uncompressed = workers, 0, 0

    def mean(self, gradients):
        """The mean of one float32 array from each worker, and the account of its bytes."""
        out = np.empty_like(gradients[0])
        for begin in range(0, out.size, BUCKET):
            self.bucket([g[begin:begin + BUCKET] for g in gradients], out[begin:begin + BUCKET])
        return out

    def bucket(self, parts, out):
        np.mean(parts, axis=0, dtype=np.float32, out=out)
        self.account(1, parts[0].nbytes, parts[0].nbytes)

    def account(self, messages, sent, uncompressed):
        self.sent += messages * sent
        self.uncompressed += messages * uncompressed

    @property
    def ratio(self):
        return self.uncompressed / max(self.sent, 1)


class Half(Plain):
    name = "fp16"

    def bucket(self, parts, out):
        total = np.zeros(out.size, np.float16)
        for part in parts:
            total += (part / np.float32(len(parts))).astype(np.float16)
        out[:] = total
        self.account(1, out.nbytes // 2, out.nbytes)


class Coded(Plain):
    """algorithm: "ring", "doubling" or "direct"; codec: None is that of the bound."""

    def __init__(self, workers, algorithm, bound, codec=None):
        super().__init__(workers)
        self.algorithm, self.bound = algorithm, bound
        codec = "zfp" if bound.startswith("rate") else codec
        self.name = f"{algorithm} {codec + ' ' if codec else ''}{bound}"
        self.coder = laconic.Coder("f32", bound, codec=codec, contributions=workers)
        self.space = [np.empty(self.coder.capacity(BUCKET), np.uint8) for _ in range(workers + 2)]

    def bucket(self, parts, out):
        getattr(self, self.algorithm)(parts, out)

    def ring(self, parts, out):
        edges = np.linspace(0, out.size, self.workers + 1).astype(int)
        for first in range(self.workers):
            begin, end = edges[first], edges[first + 1]
            if begin == end:
                continue
            here, there = self.space[:2]
            size = self.coder.encode(parts[first][begin:end], here)
            for k in range(1, self.workers):
                self.account(1, size, 4 * (end - begin))
                size, here, there = self.coder.fold(here[:size], parts[(first + k) % self.workers][begin:end], there), there, here
            self.account(self.workers - 1, size, 4 * (end - begin))
            self.coder.decode(here[:size], out[begin:end], self.workers)

    def direct(self, parts, out):
        edges = np.linspace(0, out.size, self.workers + 1).astype(int)
        for owner in range(self.workers):
            begin, end = edges[owner], edges[owner + 1]
            if begin == end:
                continue
            total, frames, there = self.space[:3]
            size = 0
            for k in range(1, self.workers):
                one = self.coder.encode(parts[(owner + k) % self.workers][begin:end], frames)
                self.account(1, one, 4 * (end - begin))
                if k == 1:
                    size, total, frames = one, frames, total
                else:
                    size, total, there = self.coder.add(total[:size], frames[:one], there), there, total
            size = self.coder.fold(total[:size], parts[owner][begin:end], there)
            self.account(self.workers - 1, size, 4 * (end - begin))
            self.coder.decode(there[:size], out[begin:end], self.workers)

    def doubling(self, parts, out):
        frames = []
        for worker, part in enumerate(parts):
            size = self.coder.encode(part, self.space[worker])
            frames.append(self.space[worker][:size].copy())
        while len(frames) > 1:
            group = self.workers // len(frames)  # workers that hold the same frames
            for f in frames:
                self.account(group, f.size, out.nbytes)
            frames = [self.space[0][:self.coder.add(a, b, self.space[0])].copy() for a, b in zip(frames[::2], frames[1::2])]
        self.coder.decode(frames[0], out, self.workers)


RATES = (16, 10, 8, 6, 4)


def all_reducers():
    """name -> a function of the number of workers."""
    made = {"plain": Plain, "fp16": Half}
    for algorithm in ("ring", "doubling"):
        for rate in RATES:
            made[f"{algorithm} zfp rate:{rate}"] = lambda n, a=algorithm, r=rate: Coded(n, a, f"rate:{r}")
    for bound in ("rms:0.1", "rms:0.3"):
        made[f"direct {bound}"] = lambda n, b=bound: Coded(n, "direct", b)
    for bound in ("rms:0.1", "rms:0.3"):
        made[f"direct dense {bound}"] = lambda n, b=bound: Coded(n, "direct", b, "dense")
    return made
