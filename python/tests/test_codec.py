# SPDX-License-Identifier: BSD-3-Clause
"""The codecs: compress, decompress, Coder, describe."""
import threading

import numpy as np
import pytest

import laconic

ml_dtypes = pytest.importorskip("ml_dtypes")

SEED = 20261124
FLOATS = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16]
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def field(count, dtype, seed=SEED):
    print("seed", seed)
    x = np.cumsum(np.random.default_rng(seed).standard_normal(count)) / 16
    return x.astype(dtype)


def rounding(x):
    """Half a unit in the last place of the largest value, which the type itself rounds by."""
    return float(ml_dtypes.finfo(x.dtype).eps) * float(np.max(np.abs(x.astype(np.float64)), initial=0)) / 2


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("count", [0, 1, 17, 1024, 70000, 200001])
def test_bound_is_kept(dtype, count):
    x = field(count, dtype)
    frames = laconic.compress(x, "abs:0.25")
    again = laconic.decompress(frames)
    assert again.shape == (count,) and (again.dtype == x.dtype or count == 0)  # no frames, no type
    error = np.abs(again.astype(np.float64) - x.astype(np.float64))
    assert np.max(error, initial=0) <= 0.25 + rounding(x)
    if count >= 70000:
        assert len(frames) < x.nbytes / 1.5


def test_relative_bound_is_one_of_the_range():
    x = field(100000, np.float32)
    least, greatest = laconic.finite_range(x)
    assert (least, greatest) == (float(x.min()), float(x.max()))
    error = np.abs(laconic.decompress(laconic.compress(x, "rel:1e-3")).astype(np.float64) - x)
    assert error.max() <= 1e-3 * (greatest - least) * (1 + 1e-6)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_lossless_keeps_every_bit(dtype):
    random = np.random.default_rng(SEED)
    x = random.integers(0, 256, 100003 * np.dtype(dtype).itemsize, dtype=np.uint8).view(dtype)
    again = laconic.decompress(laconic.compress(x, "lossless"))
    assert again.dtype == x.dtype
    assert again.tobytes() == x.tobytes()


def test_values_that_are_not_finite_come_through():
    x = field(5000, np.float32)
    x[[3, 1500, 4999]] = np.nan, np.inf, -np.inf
    again = laconic.decompress(laconic.compress(x, "abs:0.1"))
    assert np.isnan(again[3]) and again[1500] == np.inf and again[4999] == -np.inf
    others = np.isfinite(x)
    assert np.max(np.abs(again[others] - x[others])) <= 0.1 + 1e-6


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_no_byte(threads):
    x = field(1000003, np.float32)
    frames = laconic.compress(x, "rel:1e-4")
    assert laconic.compress(x, "rel:1e-4", threads=threads) == frames
    one = laconic.decompress(frames)
    assert laconic.decompress(frames, threads=threads).tobytes() == one.tobytes()
    one, several = (laconic.Coder("f32", "abs:1e-2", contributions=3, threads=t) for t in (1, threads))
    out = [np.empty(c.capacity(x.size), np.uint8) for c in (one, several)]
    parts = [bytes(o[:c.encode(x, o)]) for c, o in zip((one, several), out)]
    assert parts[0] == parts[1]
    folded = [bytes(o[:c.fold(parts[0], x[::-1].copy(), o)]) for c, o in zip((one, several), out)]
    assert folded[0] == folded[1]
    added = [bytes(o[:c.add(parts[0], folded[0], o)]) for c, o in zip((one, several), out)]
    assert added[0] == added[1]


def test_given_buffer_gets_the_same_frames():
    x = field(100_000, np.float32)
    frames = laconic.compress(x, "abs:1e-3")
    capacity = laconic.Coder("f32", "abs:1e-3").capacity(x.size)
    for out in (bytearray(capacity), np.zeros(capacity, np.uint8), np.zeros(capacity // 4 + 1, np.float32)):
        view = laconic.compress(x, "abs:1e-3", out=out)
        assert isinstance(view, memoryview) and view == frames
        assert bytes(memoryview(out).cast("B")[:len(frames)]) == frames
        assert laconic.decompress(view).tobytes() == laconic.decompress(frames).tobytes()
    with pytest.raises(laconic.Error, match="capacity"):
        laconic.compress(x, "abs:1e-3", out=bytearray(100))
    with pytest.raises(Exception, match="writable|read-only|readonly"):
        laconic.compress(x, "abs:1e-3", out=bytes(capacity))


@pytest.mark.parametrize("codec", ["quant", "dense"])
def test_one_large_number_does_not_spoil_the_bound_of_others(codec):
    x = np.random.default_rng(SEED).uniform(-0.5, 0.5, 5000)
    x[1234] = 1e9
    back = laconic.decompress(laconic.compress(x, "block:1e-9", codec=codec))
    assert 0 < np.abs(back - x).max() <= 1e-9
    whole = laconic.decompress(laconic.compress(x, "rel:1e-9", codec=codec))
    assert np.abs(whole - x).max() > 0.1


@pytest.mark.parametrize("bound, dtype", [("abs:1e-3", np.float32), ("abs:1e-3", np.float64), ("rms:0.1", np.float32),
                                          ("rms:0.1", ml_dtypes.bfloat16), ("rms:0.1", np.float16)])
def test_sums_are_exact_in_any_order(bound, dtype):
    count, ranks = 70001, 5
    x = [field(count, dtype, SEED + k) for k in range(ranks)]
    coder = laconic.Coder(dtype, bound, contributions=ranks)
    out = np.empty(coder.capacity(count), np.uint8)
    frames = [bytes(out[:coder.encode(a, out)]) for a in x]

    def added(order):
        total = frames[order[0]]
        for k in order[1:]:
            total = bytes(out[:coder.add(total, frames[k], out)])
        return total

    folded = frames[0]
    for a in x[1:]:
        folded = bytes(out[:coder.fold(folded, a, out)])
    assert added(range(ranks)) == added([3, 1, 4, 0, 2]) == folded
    mean = np.empty(count, dtype)
    coder.decode(folded, mean, divisor=ranks)
    exact = np.mean([a.astype(np.float64) for a in x], axis=0)
    error = np.abs(mean.astype(np.float64) - exact)
    if bound.startswith("abs"):
        assert error.max() <= 1e-3 + rounding(mean)
    else:
        root = np.mean([[np.sqrt(np.mean(b.astype(np.float64) ** 2)) for b in np.array_split(a, range(512, count, 512))]
                        for a in x], axis=0)
        limit = np.repeat(root, 512)[:count] * 0.1
        assert np.all(error <= limit * (1 + 1e-6) + rounding(mean))


@pytest.mark.parametrize("reduction", ["max", "min"])
def test_extremes(reduction):
    a, b = field(3000, np.float32), field(3000, np.float32, SEED + 1)
    coder = laconic.Coder(np.float32, "abs:1e-3", reduction=reduction)
    out = np.empty(coder.capacity(a.size), np.uint8)
    frames = bytes(out[:coder.encode(a, out)])
    result = np.empty_like(a)
    coder.decode(out[:coder.fold(frames, b, out)].copy(), result)
    exact = {"max": np.maximum, "min": np.minimum}[reduction](a, b)
    assert np.abs(result - exact).max() <= 1e-3 + rounding(a)


def test_describe():
    info = laconic.describe(laconic.compress(field(200000, np.float64), "abs:0.01"))
    assert info.count == 200000 and info.frames == 4 and info.dtype == "f64" and info.codec == "quant"
    assert 0 < info.error <= 0.01
    assert laconic.describe(b"") == (0, 0, None, None, 0.0)


def test_buffers_of_every_kind():
    x = field(4000, np.float32)
    frames = laconic.compress(x, "abs:0.01")
    assert laconic.compress(x.reshape(40, 100), "abs:0.01") == frames
    assert laconic.compress(memoryview(x), "abs:0.01") == frames
    read_only = x.copy()
    read_only.flags.writeable = False
    assert laconic.compress(read_only, "abs:0.01") == frames
    expected = laconic.decompress(frames)
    for data in (bytearray(frames), memoryview(frames), np.frombuffer(frames, np.uint8)):
        assert laconic.decompress(data).tobytes() == expected.tobytes()
    out = np.empty((4, 1000), np.float32)
    assert laconic.decompress(frames, out=out) is out
    assert out.tobytes() == expected.tobytes()


def test_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        x = torch.arange(5000, dtype=torch.float32).to(dtype).requires_grad_()
        frames = laconic.compress(x, "rms:0.1")
        out = torch.empty(5000, dtype=dtype)
        laconic.decompress(frames, out=out)
        assert laconic.describe(frames).dtype == laconic.Coder(dtype, "rms:0.1").dtype
        assert torch.allclose(out.double(), x.detach().double(), atol=0.1 * 5000)


@pytest.mark.parametrize("call, error, words", [
    (lambda x: laconic.compress(x, "abs:-1"), laconic.Error, "abs:E"),
    (lambda x: laconic.compress(x, "nonsense"), laconic.Error, "lossless"),
    (lambda x: laconic.compress(x, "abs:1", codec="gzip"), ValueError, "quant"),
    (lambda x: laconic.compress(x, "abs:1", threads=-1), laconic.Error, "threads"),
    (lambda x: laconic.compress(x[::2], "abs:1"), (TypeError, ValueError), "contiguous"),
    (lambda x: laconic.compress(x.astype(np.int32), "abs:1"), laconic.Error, "lossless"),
    (lambda x: laconic.compress(x.astype(np.complex64), "abs:1"), TypeError, "float32"),
    (lambda x: laconic.compress(x.astype(">f4"), "abs:1"), TypeError, "byte order"),
    (lambda x: laconic.compress([1.0, 2.0], "abs:1"), TypeError, "list"),
    (lambda x: laconic.compress(x, "rate:8", codec="quant"), laconic.Error, "zfp"),
    (lambda x: laconic.decompress(b"not a frame, but long enough for a header"), laconic.Error, "frame"),
    (lambda x: laconic.decompress(laconic.compress(x, "abs:1")[:-1]), laconic.Error, ""),
    (lambda x: laconic.decompress(laconic.compress(x, "abs:1"), out=np.empty(3, np.float32)), laconic.Error, "3"),
    (lambda x: laconic.decompress(laconic.compress(x, "abs:1"), out=np.empty(100)), ValueError, "f32"),
    (lambda x: laconic.decompress(laconic.compress(x, "abs:1"), out=bytes(400)), (TypeError, ValueError), "writable"),
    (lambda x: laconic.Coder("f31", "abs:1"), ValueError, "f32"),
    (lambda x: laconic.Coder("f32", "abs:1", reduction="product"), ValueError, "sum"),
    (lambda x: laconic.Coder("f32", "abs:1", frame_elements=-1), laconic.Error, "frame_elements"),
    (lambda x: laconic.Coder("f32", "abs:1").encode(x, bytearray(10)), laconic.Error, "capacity"),
    (lambda x: laconic.Coder("f32", "rel:1").fold(b"", x, bytearray(10000)), laconic.Error, "rel"),
    (lambda x: laconic.Coder("f32", "abs:1").decode(b"", x, 0.0), laconic.Error, "divisor"),
])
def test_errors_name_what_is_valid(call, error, words):
    with pytest.raises(error, match=".") as raised:
        call(np.arange(100, dtype=np.float32))
    assert words in str(raised.value)


def test_frames_of_other_sizes_are_refused():
    x = field(5000, np.float32)
    out = np.empty(100000, np.uint8)
    small = laconic.Coder("f32", "abs:0.1", contributions=2, frame_elements=1000)
    frames = bytes(out[:small.encode(x, out)])
    usual = laconic.Coder("f32", "abs:0.1", contributions=2)
    with pytest.raises(laconic.Error, match="frame_elements"):
        usual.fold(frames, x, out)
    with pytest.raises(laconic.Error):
        small.fold(frames, x[:4000].copy(), out)
    with pytest.raises(laconic.Error):
        small.add(frames, bytes(out[:usual.encode(x, out)]), np.empty(100000, np.uint8))


def test_damaged_frames_never_crash():
    random = np.random.default_rng(SEED)
    x = field(3000, np.float32)
    frames = laconic.compress(x, "abs:0.05")
    for _ in range(500):
        damaged = bytearray(frames)
        for at in random.integers(0, len(frames), 3):
            damaged[at] ^= 1 << random.integers(0, 8)
        try:
            laconic.decompress(damaged[:random.integers(0, len(frames) + 1)])
        except (laconic.Error, ValueError, MemoryError):
            pass


def test_several_threads_may_share_a_coder():
    x = field(300000, np.float32)
    coder = laconic.Coder("f32", "abs:0.01")
    expected = laconic.compress(x, "abs:0.01")
    wrong = []

    def work():
        out = np.empty(coder.capacity(x.size), np.uint8)
        for _ in range(20):
            if bytes(out[:coder.encode(x, out)]) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
        assert not t.is_alive()
    assert not wrong
