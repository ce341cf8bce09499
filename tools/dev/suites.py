# SPDX-License-Identifier: BSD-3-Clause
"""./dev test: every suite, one after the other, and one line at the end that sums them up."""
import dataclasses, os, re, shutil, subprocess, time, xml.etree.ElementTree as xml

from . import applications, checks, docs, fuzz, kernels, needs, package, packages, releases, trees
from .counts import Count, failure
from .steps import ROOT, STATE, Failed, run, say

CTEST_LIMIT = 1800  # seconds; beside a build, mpich takes more than 1200
FUZZ_FOR = 5  # seconds, each
PART = re.compile(r"\.cases\.[0-9]+$")  # a test of ctest's that runs many cases of GoogleTest (tests/cases)


@dataclasses.dataclass
class Suite:
    name: str
    what: str
    needs: str = ""  # a program without which the suite is skipped
    tree: bool = True
    targets: tuple = ()
    select: tuple = ()  # arguments for ctest
    cases: bool = True  # has binaries of GoogleTest
    preset: str = ""  # where it is not the name
    seldom: bool = False  # left out unless it is asked for


SUITES = [
    Suite("lint", "includes, device code, format, words and licences (./dev lint takes longer)", tree=False),
    Suite("python", "the tools' own tests", tree=False),
    Suite("docs", "the documentation site, built without a warning", tree=False),
    Suite("mpich", "everything, with the MPICH wheel"),
    Suite("asan", "everything without MPI, kernels in the emulator, under ASan and UBSan"),
    Suite("cuda", "device code with nvcc: what kernels take, and tests where there is a GPU", "nvcc",
          targets=("laconic", "test_device", "no_context"), select=("-L", "device")),
    Suite("ptx", "kernels as nvcc compiles them, on a machine for its PTX: bytes, races, planted faults, instructions", "nvcc",
          targets=("test_ptx",), select=("-L", "ptx"), preset="cuda"),
    Suite("tsan", "loopback ranks under TSan", targets=("test_loopback",), select=("-L", "loopback")),
    Suite("fuzz", "every fuzzer for a few seconds (./dev fuzz takes longer)", "clang++", tree=False, seldom=True),
    Suite("openmpi", "ranks under Debian's Open MPI", "mpicc.openmpi", targets=("rank_tests",), select=("-L", "ranks"),
          cases=False),
    Suite("mpich-debian", "ranks under Debian's MPICH, 1, 2 and 4 of them", "mpicc.mpich", targets=("rank_tests",),
          select=("-R", r"^(ranks\..*|dropin\.(fortran_.*|callbacks|collectives|freed|handles|limits|messages|movement|neighborhoods"
                  r"|persistent|read_only|requests|sessions)\.n[12])$"), cases=False, seldom=True),
    Suite("simulation", "collectives of 16 ranks that SimGrid simulates", "smpirun", targets=("laconic_simulate", "fields"),
          cases=False),
    Suite("package", "the Python package, installed by pip with MPICH, with Open MPI and without MPI", tree=False),
    Suite("torch", "training with PyTorch", tree=False),
    Suite("packages", "Debian packages, an installed tree and a wheel in a clean Debian", tree=False, seldom=True),
    Suite("releases", "this tree beside the last release: programs, files, and ranks of both in one job", tree=False, seldom=True),
    Suite("applications", "mpi4py's own tests under the drop-in (./dev applications runs more)", tree=False),
]


def read_cases(folder, case):
    """What tests/cases has written of the part of a GoogleTest binary that this test of ctest's is, or None."""
    path = folder / f"{case.get('name')}.xml"
    if not PART.search(case.get("name")) or not path.exists():
        return None
    cases = list(xml.parse(path).getroot().iter("testcase"))
    # A part that failed, and names no case, counts itself.
    return cases if case.get("status") == "run" or any(one.get("status") == "fail" for one in cases) else cases + [case]


def read_junit(path, name, folder):
    """Counts what ctest reports, of GoogleTest binaries every case, and prints what the failing ones said."""
    count, cases = Count(), []
    for case in xml.parse(path).getroot().iter("testcase"):
        inside = read_cases(folder, case)
        cases += [case] if inside is None else inside
    for case in cases:
        status, reason = case.get("status"), ""
        if case.find("skipped") is not None:
            reason = case.find("skipped").get("message", "")
        if status == "run":
            count.passed += 1
        # A test whose program is missing counts as failed, not as skipped on purpose.
        elif status == "disabled" or (status == "notrun" and "SKIP" in reason):
            count.skipped += 1
        else:
            # ctest does not write down that a test ran out of time, and such a test often says nothing: the time shows it.
            count += failure(f"{name}: {case.get('name')}", (case.findtext("system-out") or reason).strip(), float(case.get("time", 0)))
    return count


def ctest(suite, tree, jobs, pattern):
    report = STATE / "logs" / f"junit-{suite.name}.xml"
    report.unlink(missing_ok=True)
    folder = tree / "Testing" / "cases"  # as in cmake/LaconicTest.cmake
    shutil.rmtree(folder, ignore_errors=True)
    command = [needs.cmake()[: -len("cmake")] + "ctest", "--test-dir", tree, "--output-junit", report, "-j", jobs,
               "--timeout", 180, "--no-tests=ignore"]
    env = {name: value for name, value in os.environ.items() if name != "TEST_CASES"}
    if pattern:
        env["TEST_CASES"] = pattern
        command += ["-R", f"({pattern})|{PART.pattern}" if suite.cases else pattern]
    if not pattern or "-L" in suite.select:
        command += suite.select
    # ThreadSanitizer of g++ 12 does not start where the kernel randomises more address bits than it knows of.
    if suite.name == "tsan" and subprocess.run(["setarch", "-R", "true"], capture_output=True).returncode == 0:
        command = ["setarch", "-R"] + command
    problem = None
    try:
        run(f"{suite.name}: test", command, CTEST_LIMIT, env)
    except Failed as error:
        problem = error
    if not report.exists():
        raise problem or Failed(f"{suite.name}: ctest wrote no report")
    count = read_junit(report, suite.name, folder)
    if problem and not count.failed:
        raise problem
    if not pattern and count == Count():
        raise Failed(f"{suite.name}: there was not one test in it")
    return count


def python_tests():
    """Runs tests/python with unittest, which reports its numbers in words only."""
    done = subprocess.run([needs.PYTHON, "-m", "unittest", "discover", "-s", "tests/python", "-t", "tests/python"],
                          cwd=ROOT, capture_output=True, text=True, timeout=300)
    ran = re.search(r"^Ran (\d+) test", done.stderr, re.M)
    named = {word: int(n) for word, n in re.findall(r"(failures|errors|skipped)=(\d+)", done.stderr)}
    failed = named.get("failures", 0) + named.get("errors", 0)
    said = ()
    if done.returncode != 0:
        said = failure("python", done.stdout + done.stderr).said
        failed = max(failed, 1)
    total = int(ran.group(1)) if ran else 0
    return Count(max(total - failed - named.get("skipped", 0), 0), failed, named.get("skipped", 0), said)


def lint():
    count = Count()
    for name, problems in checks.quick():
        say(f"   {name}: " + (f"{len(problems)} problems" if problems else "clean"))
        count += failure(f"lint: {name}", "\n".join(problems)) if problems else Count(1)
    return count


def site():
    needs.provide("docs")
    docs.command()
    return Count(1)


def fuzzers(jobs):
    count = Count()
    for name, error in fuzz.fuzz(FUZZ_FOR, (), jobs):
        count += failure(f"fuzz: {name}", str(error)) if error else Count(1)
    return count


def kernel_budgets(tree):
    number, problems = kernels.check(tree, ROOT)
    say(f"   {number} kernels: " + (f"{len(problems)} problems" if problems else "all within docs/kernels.md, none with a stack"))
    return failure("cuda: kernels", "\n".join(problems)) if problems else Count(1)


def mpi4py(jobs):
    try:
        applications.mpi4py_suite()
    except Failed as error:
        say(f"   SKIPPED, all of it: mpi4py's sources cannot be had\n{error}")
        return Count(skipped=1)
    problem = applications.short(jobs)
    return failure("applications: mpi4py", problem) if problem else Count(1)


def run_suite(suite, jobs, pattern):
    say(f"== {suite.name}: {suite.what}")
    if suite.needs and not (needs.clang() if suite.needs == "clang++" else needs.program(suite.needs)):
        say(f"   SKIPPED, all of it: there is no {suite.needs} (./dev doctor says how to get it)")
        return Count(skipped=1)
    if not suite.tree:
        return {"lint": lint, "python": python_tests, "docs": site, "fuzz": lambda: fuzzers(jobs),
                "applications": lambda: mpi4py(jobs), "package": lambda: package.package(pattern), "packages": lambda: packages.packages(jobs),
                "releases": lambda: releases.releases(jobs),
                "torch": lambda: package.torch(pattern)}[suite.name]()
    tree = trees.build(suite.preset or suite.name, jobs, suite.targets)
    count = ctest(suite, tree, jobs, pattern)
    if suite.name == "cuda" and not pattern:
        count += kernel_budgets(tree)
    return count


def test(only, pattern, jobs, seldom=False):
    """only: names of suites; none: all but the seldom ones, and with `seldom` these, too."""
    names = [suite.name for suite in SUITES]
    unknown = [name for name in only if name not in names]
    if unknown:
        raise Failed(f"no suite {', '.join(unknown)}; there are {', '.join(names)}")
    total, lines = Count(), []
    for suite in SUITES:
        if suite.name not in only if only else (suite.seldom and not seldom) or (pattern and not suite.tree):
            continue
        begin = time.monotonic()
        try:
            count = run_suite(suite, jobs, pattern)
        except Failed as error:
            count = failure(suite.name, str(error))
        lines.append(f"   {suite.name:14} {count}  ({time.monotonic() - begin:.0f} s)")
        total += count
    say("\n" + "\n".join(total.said + tuple(lines)))
    say(str(total))
    return 1 if total.failed or not total.passed else 0
