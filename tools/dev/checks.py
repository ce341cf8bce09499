# SPDX-License-Identifier: BSD-3-Clause
"""./dev lint and ./dev fmt. What takes seconds is part of ./dev test, too."""
import itertools, re, shutil, subprocess

from lint import device_code, rooms

from . import needs, trees
from .steps import ROOT, Failed, run, say

# Paths that exist on one machine only. Spelled in pieces so that this file is clean itself.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/-])/(?:" + "|".join(["ho" + "me", "ro" + "ot", "Us" + "ers", "wo" + "rk", "m" + "nt"]) + r")/\w")
TEXT = (".md", ".py", ".txt", ".cmake", ".json", ".c", ".h", ".cpp", ".hpp", ".def", ".in", ".sh", ".yml", ".toml", "")


def tracked(*endings):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines()
            if (ROOT / name).is_file() and (not endings or (ROOT / name).suffix in endings)]


def sources():
    return tracked(".c", ".h", ".cpp", ".hpp", ".cu", ".cuh")


def words():
    problems = []
    for name in tracked(*TEXT):
        try:
            lines = (ROOT / name).read_text().splitlines()
        except UnicodeDecodeError:
            continue
        problems += [f"{name}:{k}: a path of one machine" for k, line in enumerate(lines, 1) if MACHINE_PATH.search(line)]
    return problems


def formatting():
    done = subprocess.run([needs.VENV / "bin" / "clang-format", "--dry-run", *sources()], cwd=ROOT, capture_output=True, text=True)
    files = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "clang-format-violations" in line})
    if done.returncode != 0 and not files:
        return [done.stderr.strip()[-500:]]
    return [f"{name}: not formatted (./dev fmt)" for name in files]


def licences():
    """Files of code that do not name their licence where a reader looks for it."""
    endings = (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".def", ".inl", ".inc", ".F90", ".py")
    return [f"{name}: no SPDX line at the top" for name in tracked(*endings)
            if "SPDX-License-Identifier: BSD-3-Clause" not in (ROOT / name).read_text()[:400]]


def quick():
    """What ./dev test checks, too: pairs of check and problems found."""
    problems, warnings = rooms.check(ROOT / "src")
    for warning in warnings:
        say("   warning: " + warning)
    yield "rooms", problems
    yield "device code", device_code.check(ROOT / "src")
    yield "format", formatting()
    yield "words", words()
    yield "licences", licences()


def odr(jobs):
    """Types that two files define differently, and other names; g++ compares them in a link of everything."""
    try:
        trees.build("odr", jobs, ("odr",))
    except Failed as error:
        return [str(error)]
    return []


def tidy(jobs):
    """clang-tidy over what the tree lint compiles, which is dev without precompiled headers: clang cannot read those of g++."""
    if not needs.program("clang-tidy"):
        raise Failed("clang-tidy is missing (apt-get install clang-tidy)")
    runner = shutil.which("run-clang-tidy") or shutil.which("run-clang-tidy-14")
    tree = trees.build("lint", jobs, ("laconic",))
    # The example is there for laconic.hpp, which src/ does not include.
    places = [str(ROOT / folder) + r"/.*\.cpp$" for folder in ("src", "examples/ensemble_mean")]
    command = [runner, "-quiet", "-j", jobs, "-p", tree, *places]
    run("clang-tidy", command, 1500)


def lint(jobs):
    bad = 0
    for name, problems in itertools.chain(quick(), [("odr", odr(jobs))]):
        say(f"{name}: " + (f"{len(problems)} problems" if problems else "clean"))
        for problem in problems:
            say("   " + problem)
        bad += len(problems)
    tidy(jobs)
    return 1 if bad else 0


def fmt():
    run("clang-format", [needs.VENV / "bin" / "clang-format", "-i", *sources()], 120)
    return 0
