# SPDX-License-Identifier: BSD-3-Clause
"""Runs all cases of one number of ranks in one start of the processes, because importing torch takes seconds."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
import typing

HERE = pathlib.Path(__file__).resolve().parent


def environment(rank: int, size: int, seconds: float) -> typing.Dict[str, str]:
    env = dict(os.environ, GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1", TEST_RANK_SECONDS=str(seconds),
               PYTHONPATH=os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]))
    if rank == size - 1:
        env["LACONIC_ISA"] = "baseline"  # frames and numbers must not depend on the instruction set
    return env


def run(folder: pathlib.Path, size: int, seed: int, names: typing.Sequence[str],
        seconds: float) -> typing.Dict[str, str]:
    """Case -> "" or what went wrong.  Ends all ranks after `seconds`."""
    print(f"{size} ranks, seed {seed}")
    ranks = []
    for rank in range(size):
        log = open(folder / f"rank{rank}.log", "w")
        command = [sys.executable, str(HERE / "torch_rank.py"), str(folder), str(rank), str(size), str(seed), *names]
        ranks.append(subprocess.Popen(command, env=environment(rank, size, seconds), stdout=log, stderr=log))
        log.close()
    end = time.monotonic() + seconds
    try:
        for process in ranks:
            process.wait(max(0.1, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass
    finally:
        for process in ranks:
            if process.poll() is None:
                process.kill()
            process.wait()
    return results(folder, size, names)


def results(folder: pathlib.Path, size: int, names: typing.Sequence[str]) -> typing.Dict[str, str]:
    found: typing.Dict[str, str] = dict.fromkeys(names, "")
    for rank in range(size):
        path = folder / f"rank{rank}.txt"
        lines = path.read_text().splitlines() if path.exists() else []
        said = dict(line.split("\t", 1) for line in lines)
        for name in names:
            result = said.get(name, "did not begin")
            if result == "ok":
                continue
            text = json.loads(result) if result.startswith('"') else result
            log = (folder / f"rank{rank}.log").read_text()[-4000:]
            found[name] += f"--- rank {rank}: {text}\n" + (log if result == "started" or not said else "")
    return found
