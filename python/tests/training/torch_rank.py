# SPDX-License-Identifier: BSD-3-Clause
"""One rank of the tests: python torch_rank.py FOLDER RANK SIZE SEED CASE...

Writes "NAME\\tok", or "NAME\\t" and a traceback on one line, for each case to FOLDER/rankK.txt.
"""
from __future__ import annotations

import faulthandler
import json
import os
import pathlib
import sys
import traceback


def main() -> None:
    folder, rank, size, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    # Where a case hangs, its place is in the log before the parent ends the process.
    faulthandler.dump_traceback_later(float(os.environ["TEST_RANK_SECONDS"]) - 5, exit=True)
    import datetime

    import torch
    import torch.distributed as dist

    import torch_registry

    torch_registry.load()
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size,
                            timeout=datetime.timedelta(seconds=60))
    world = torch_registry.World(rank, size, seed)
    with open(folder / f"rank{rank}.txt", "w") as out:
        for name in sys.argv[5:]:
            print(f"{name}\tstarted", file=out, flush=True)
            torch.manual_seed(seed)
            result = "ok"
            try:
                torch_registry.CASES[name][0](world)
            except Exception:
                result = json.dumps(traceback.format_exc())
            print(f"{name}\t{result}", file=out, flush=True)
            dist.barrier()  # a rank that failed early must not meet the others in their case
    os._exit(0)  # other ranks may be gone; nothing is left to do


if __name__ == "__main__":
    main()
