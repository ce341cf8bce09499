# SPDX-License-Identifier: BSD-3-Clause
"""./dev sweep: the acceptance campaign of the codecs (tests/sweep), over any folder of fields."""
import lzma, os, pathlib, shutil, subprocess

from . import needs, trees
from .steps import ROOT, Failed, run, say

LIMIT = 3 * 3600  # seconds
UNPACK_LIMIT = 300  # seconds, each file
UNPACKED = ROOT / "build" / "sweep"


def unpack(packed, raw):
    """Writes the numbers of one file; a file that was not finished must not pass for one that was."""
    unfinished = raw.with_suffix(".part")
    with open(unfinished, "wb") as out:
        if packed.suffix == ".xz":
            with lzma.open(packed) as numbers:
                shutil.copyfileobj(numbers, out)
        elif packed.suffix == ".zst":
            zstd = needs.program("zstd")
            if not zstd:
                raise Failed(f"{packed.name} needs the command zstd (apt-get install zstd)")
            if subprocess.run([zstd, "-dcq", packed], stdout=out, timeout=UNPACK_LIMIT).returncode != 0:
                raise Failed(f"zstd cannot read {packed}")
        else:
            with open(packed, "rb") as numbers:
                shutil.copyfileobj(numbers, out)
    os.replace(unfinished, raw)


def fields(folder):
    """A folder of NAME.f32 with the fields of `folder`, which may be packed with xz or zstd."""
    found = sorted(path for path in folder.glob("*.f32*") if path.suffix in (".f32", ".xz", ".zst"))
    if not found:
        raise Failed(f"no fields (*.f32, *.f32.xz, *.f32.zst) in {folder}")
    if all(path.suffix == ".f32" for path in found):
        return folder
    shutil.rmtree(UNPACKED, ignore_errors=True)  # never those of another folder
    UNPACKED.mkdir(parents=True)
    for path in found:
        unpack(path, UNPACKED / (path.name.split(".f32")[0] + ".f32"))
    return UNPACKED


def sweep(args):
    tree = trees.build("release", args.jobs, ("laconic_sweep",))
    command = [tree / "tests" / "sweep" / "laconic_sweep", "--data", fields(pathlib.Path(args.data).resolve())]
    for option in ("patterns", "codec", "seed"):
        if getattr(args, option) is not None:
            command += [f"--{option}", getattr(args, option)]
    for option in ("quick", "sums"):
        if getattr(args, option):
            command.append("--" + option)
    table = run("sweep", command, LIMIT)
    say(table.read_text().split("\n", 1)[1].rstrip())
    return 0
