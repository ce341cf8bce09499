# SPDX-License-Identifier: BSD-3-Clause
"""What needs one process only: settings, the tuner, chunks, residuals and messages."""
from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import laconic
import laconic.torch as lt
from laconic.torch import tune
from laconic.torch.job import ALIGNMENT, parts_of, slices_of
from laconic.torch.message import Pool, RemoteError, read, write_error, write_frames
from laconic.torch.residuals import Residuals
from laconic.torch.stats import Record


def test_presets_and_defaults():
    assert lt.State().bound == "rms:0.1"
    assert lt.State(preset="safe").bound == "rms:0.1"
    assert lt.State(preset="fast").bound == "rms:0.3"
    assert lt.State("abs:1e-6").bound == "abs:1e-6"
    assert lt.State().transport == "auto"


@pytest.mark.parametrize("arguments,error,text", [
    ({"bound": "rms"}, laconic.Error, "."),
    ({"bound": 0.1}, TypeError, "text"),
    ({"preset": "quick"}, ValueError, "safe, fast"),
    ({"bound": "rms:0.2", "preset": "fast"}, ValueError, "one of them"),
    ({"transport": "tcp"}, ValueError, "auto, torch, mpi"),
    ({"codec": "gzip"}, ValueError, "quant"),
    ({"codec": "szx"}, laconic.Error, "."),
    ({"min_bytes": -1}, ValueError, "min_bytes"),
    ({"chunk_bytes": 0}, ValueError, "chunk_bytes"),
    ({"threads": 0}, ValueError, "threads"),
    ({"bound": "rms:1", "error_feedback": True}, ValueError, "diverge"),
    ({"bound": "rms:3", "error_feedback": True}, ValueError, "diverge"),
    ({"bound": "rel:1", "error_feedback": True}, ValueError, "diverge"),
    ({"bound": "rate:8", "codec": "zfp", "error_feedback": True}, (ValueError, laconic.Error), "."),
    ({"error_feedback": True, "transport": "mpi"}, ValueError, "transport='torch'"),
])
def test_arguments_are_checked(arguments, error, text):
    with pytest.raises(error, match=text):
        lt.State(**arguments)


def test_parts_and_chunks_hold_every_number_once():
    for count in (0, 1, 1023, 1024, 1025, 65536, 100003):
        for size in (1, 2, 3, 5, 64):
            parts = parts_of(count, size)
            assert len(parts) == size and parts[0][0] == 0 and parts[-1][1] == count
            assert all(a[1] == b[0] for a, b in zip(parts, parts[1:]))
            assert all(begin % ALIGNMENT == 0 or begin == count for begin, _ in parts)
            for most in (1, 5000, 1 << 20):
                chunks = slices_of(parts, most)
                for k, (begin, end) in enumerate(parts):
                    held = [chunk[k] for chunk in chunks if chunk[k][1] > chunk[k][0]]
                    assert [n for a, b in held for n in (a, b)][:1] == ([begin] if end > begin else [])
                    assert sum(b - a for a, b in held) == end - begin
                    assert all(a[1] == b[0] for a, b in zip(held, held[1:]))
                assert len(chunks) == 1 or max(sum(b - a for a, b in chunk) for chunk in chunks) <= max(
                    most + ALIGNMENT * size, ALIGNMENT * size)


def steps(tuner, plain, compressed, count):
    kinds = []
    for _ in range(count):
        kinds.append(tuner.begin())
        tuner.end(compressed if kinds[-1] else plain)
    return kinds


def test_tuner_keeps_what_is_faster_and_looks_again():
    tuner = tune.Tuner(True, lambda mine: mine, 0)
    first = tune.WARM_UP + 2 * tune.FIRST_PAIRS
    kinds = steps(tuner, 1.0, 2.0, first + tune.FIRST_PAUSE)
    assert kinds[:tune.WARM_UP] == [True] * tune.WARM_UP
    assert kinds[tune.WARM_UP:first].count(True) == tune.FIRST_PAIRS
    assert not any(kinds[first:])
    again = steps(tuner, 2.0, 1.0, 2 * tune.LATER_PAIRS + 10)
    assert again[:2 * tune.LATER_PAIRS].count(True) == tune.LATER_PAIRS and all(again[2 * tune.LATER_PAIRS:])
    # The pause becomes longer, up to a limit.
    kinds = steps(tuner, 2.0, 1.0, 40 * tune.LONGEST_PAUSE)
    assert 30 < kinds.count(False) / tune.LATER_PAIRS < 60


def test_tuner_decides_by_the_slowest_rank_and_can_be_off():
    tuner = tune.Tuner(True, lambda mine: [max(a, b) for a, b in zip(mine, (1.0, 5.0))], 1)
    assert steps(tuner, 1.0, 0.5, 100)[-1] is False
    asked = []
    tuner = tune.Tuner(False, asked.append, 0)
    assert all(steps(tuner, 1.0, 2.0, 3000)) and not asked


def test_residuals_follow_parameters_through_new_buckets():
    kept = Residuals()
    a, b, c = (torch.nn.Parameter(torch.zeros(n)) for n in (3, 4, 5))
    kept.of(0, [a, b], torch.zeros(7))[:] = torch.arange(7.0)
    kept.of(1, [c], torch.zeros(5))[:] = 9
    first = kept.of(0, [c], torch.zeros(5))
    assert torch.equal(first, torch.full((5,), 9.0))
    second = kept.of(1, [b, a], torch.zeros(7))
    assert torch.equal(second, torch.tensor([3.0, 4, 5, 6, 0, 1, 2]))
    assert kept.of(0, [c], torch.zeros(5)) is first and kept.of(1, [b, a], torch.zeros(7)) is second
    saved = kept.state()
    other = Residuals()
    other.load(saved)
    assert {name: part.tolist() for name, part in other.state().items()} == {
        "#0": [0, 1, 2], "#1": [3, 4, 5, 6], "#2": [9] * 5}
    d, e, f = (torch.nn.Parameter(torch.zeros(n)) for n in (3, 4, 5))
    assert torch.equal(other.of(0, [d, e], torch.zeros(7)), torch.arange(7.0))
    other.scale(2.0)
    assert other.state()["#2"].tolist() == [18] * 5
    assert torch.equal(other.of(1, [f], torch.zeros(5)), torch.full((5,), 18.0))


def test_messages_carry_frames_or_errors():
    pool = Pool()
    buffer = pool.take(10000)
    size = write_frames(buffer, 1234, 77, 5)
    assert read(buffer, 77, 5, 3) == size == 1234
    with pytest.raises(RuntimeError, match="equal arguments"):
        read(buffer, 78, 5, 3)
    with pytest.raises(RuntimeError, match="equal arguments"):
        read(buffer, 77, 6, 3)
    pool.give(buffer)
    assert pool.take(10000) is buffer
    small = pool.take(0)
    write_error(small, ValueError("x" * 5000))
    with pytest.raises(RemoteError, match="rank 3: ValueError: xxx"):
        read(small, 77, 5, 3)


def test_sample_ignores_what_is_not_finite():
    record = Record(0)
    numbers = torch.tensor([3.0, float("inf"), 4.0, float("nan")])
    record.sample(numbers, torch.tensor([3.0, float("inf"), 4.5, float("nan")]))
    assert record.rms_error() == pytest.approx(0.1)
