# SPDX-License-Identifier: BSD-3-Clause
"""./dev fuzz: the fuzzers of tests/fuzz, each for some time, from seeds made of the golden frames."""
import hashlib, os, re

from . import needs, trees
from .steps import ROOT, Failed, run, say, tail

HARNESSES = ("header", "frame", "round_trip", "types")
GOLDEN = ROOT / "tests" / "golden"
KEPT = ROOT / "build" / "fuzz"  # what fuzzers have found, and what they found interesting
LONGEST_INPUT = 8192


def seeds(harness):
    """Inputs to begin with; tests/fuzz/*.cpp say how each harness reads its own."""
    frames = [path.read_bytes() for path in sorted(GOLDEN.glob("**/*.frame"))]
    if harness == "header":
        return frames
    if harness == "frame":
        # Operation and corrections, terms, exponent of the allowance, codec.
        prefixes = [bytes(p) for p in ((0, 1, 127, 0), (1, 0, 127, 0), (20, 3, 0, 0), (16, 1, 126, 0), (56, 0, 0, 0))]
        return [prefix + frame for prefix in prefixes for frame in frames]
    if harness == "types":
        # Type, operation, count above a block and period of the numbers; count; numbers.
        numbers = [path for path in sorted(GOLDEN.iterdir()) if path.suffix != ".frame" and path.is_file()]
        return [bytes([k + turn, k, turn]) + count.to_bytes(2, "little") + path.read_bytes()[:512]
                for k, path in enumerate(numbers) for turn, count in ((0, 100), (1, 1500), (16, 60), (65, 2000))]
    # Type, operation, style; codec; terms; exponent and fraction of the allowance; count; numbers.
    numbers = [path for suffix in ("f32", "f64") for path in sorted(GOLDEN.glob(f"*.{suffix}"))]
    heads = [(how, terms, exponent, count) for how in (0, 2, 8, 16, 32, 64, 224) for terms, exponent, count in
             ((514, -8, 1025), (256, -20, 130), (2, 100, 17), (2, -140, 100), (4, -1030, 40), (514, 900, 5200))]
    return [bytes([how | (path.suffix == ".f64"), k]) + terms.to_bytes(2, "little") + exponent.to_bytes(2, "little", signed=True) +
            b"\x11\0" + count.to_bytes(2, "little") + path.read_bytes()[:256]
            for k, path in enumerate(numbers) for how, terms, exponent, count in heads[k % 3 :: 3]]


def fuzz_one(tree, harness, seconds, codec=None):
    """Runs one harness, with one codec or all; the number of inputs tried. Raises Failed with the place of what it found."""
    title = f"{harness} with {codec}" if codec else harness
    start, corpus, found = (KEPT / folder / "-".join(filter(None, (harness, codec))) for folder in ("seeds", "corpus", "found"))
    for folder in (start, corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds(harness):
        (start / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    program = tree / "tests" / "fuzz" / f"fuzz_{harness}"
    before = set(found.iterdir())
    command = [program, f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}", "-timeout=30", "-rss_limit_mb=2048",
               "-print_final_stats=1", f"-artifact_prefix={found}/", corpus, start] + ([f"--codec={codec}"] if codec else [])
    try:
        log = run(f"fuzz: {title} for {seconds} s", command, seconds + 300, {**os.environ, "LACONIC_ISA": ""})
    except Failed as error:
        new = sorted(set(found.iterdir()) - before)
        if not new:
            raise
        option = f" --codec={codec}" if codec else ""
        again = "\n".join(f"   {program.relative_to(ROOT)} {path.relative_to(ROOT)}{option}" for path in new)
        raise Failed(f"{error}\n\nfuzz {title}: FOUND, and kept. To see it again:\n{again}") from None
    return int(re.search(r"stat::number_of_executed_units:\s*(\d+)", tail(log, 60)).group(1))


def fuzz(seconds, only, jobs, codec=None):
    """Builds and runs them all. Returns pairs of harness and what failed, or None."""
    tree = trees.build("fuzz", jobs)
    results = []
    for harness in only or HARNESSES:
        try:
            tried = fuzz_one(tree, harness, seconds, codec)
            say(f"   {harness}: {tried} inputs, nothing found")
            results.append((harness, None))
        except Failed as error:
            results.append((harness, error))
    return results


def command(seconds, only, jobs, codec=None):
    if not needs.clang():
        raise Failed("fuzzing needs clang++ and its libraries (apt-get install clang libclang-rt-dev)")
    bad = [error for _, error in fuzz(seconds, only, jobs, codec) if error]
    for error in bad:
        say(f"\n{error}")
    return 1 if bad else 0
