# SPDX-License-Identifier: BSD-3-Clause
"""The Python package: installed by pip into virtual environments of its own, and its tests."""
import dataclasses, os, venv, xml.etree.ElementTree as xml

from . import needs, trees
from .counts import Count, failure
from .steps import ROOT, STATE, Failed, run, say

FOLDER = STATE / "package"
TESTS = ROOT / "python" / "tests"
PIP_LIMIT, TEST_LIMIT, TRAIN_LIMIT, STEPS_LIMIT = 1200, 900, 7200, 700  # seconds
BUILD = ["scikit-build-core>=0.10", "nanobind>=2.4"]  # as in pyproject.toml
USED = ["numpy", "pytest", "ml_dtypes"]
TORCH = "torch==2.13.0"


@dataclasses.dataclass
class Environment:
    name: str
    what: str
    wheels: tuple = ()
    mpicc: object = None  # a function: the compiler wrapper of the MPI, or None
    variables: dict = dataclasses.field(default_factory=dict)
    settings: tuple = ()  # for pip install

    @property
    def folder(self):
        return FOLDER / self.name

    @property
    def python(self):
        return self.folder / "bin" / "python"

    def environment(self):
        path = os.pathsep.join([str(self.folder / "bin"), os.environ.get("PATH", ""), str(needs.VENV / "bin")])
        return {**os.environ, "PATH": path, "PYTHONNOUSERSITE": "1", **self.variables}


def mpich():
    return str(FOLDER / "mpich" / "bin" / "mpicc")


ENVIRONMENTS = {
    "mpich": Environment("mpich", "with the MPICH wheel", ("mpich>=5,<6", "mpi4py>=4.1,<5", *BUILD), mpich),
    "openmpi": Environment("openmpi", "with Debian's Open MPI", ("mpi4py>=4.1,<5", *BUILD),
                           lambda: needs.program("mpicc.openmpi"),
                           {"MPI4PY_MPIABI": "openmpi", "TEST_MPIEXEC": "mpiexec.openmpi"}),
    "plain": Environment("plain", "without an MPI", variables={"TEST_WITHOUT_MPI": "1"},
                         settings=("cmake.define.LACONIC_MPI=OFF",)),
}


def make(e, wheels):
    """The virtual environment with these wheels."""
    if not e.python.exists():
        venv.create(e.folder, with_pip=True, clear=True)
    stamp = e.folder / "wheels.txt"
    if not stamp.exists() or stamp.read_text() != "\n".join(wheels):
        run(f"{e.name}: pip install {' '.join(wheels)}", [e.python, "-m", "pip", "install", "-q", *wheels], PIP_LIMIT,
            e.environment())
        stamp.write_text("\n".join(wheels))


def pip_build(e, command, source, build):
    """Builds the package from `source` by a pip command, as a user does it; with an MPI in the folder `build`, which is kept."""
    variables = e.environment()
    launcher = ";".join(trees.compiler_launcher())
    for language in ("C", "CXX"):
        variables[f"CMAKE_{language}_COMPILER_LAUNCHER"] = launcher
    settings = [*e.settings, "cmake.define.LACONIC_CUDA=OFF"]
    if e.mpicc:
        variables["MPICC"] = e.mpicc()
        command = [*command, "--no-build-isolation"]
        settings.append(f"build-dir={build}")
    run(f"{e.name}: pip {command[0]} {source.name}", [e.python, "-m", "pip", *command, *(f"-C{setting}" for setting in settings), source],
        PIP_LIMIT, variables)


def install(e):
    pip_build(e, ["install", "-q", "--no-deps", "--force-reinstall"], ROOT, ROOT / "build" / f"python-{e.name}")


def pytest(e, title, tests, pattern):
    """Counts these tests, and prints what the failing ones said."""
    report = STATE / "logs" / f"junit-{title}.xml"
    report.unlink(missing_ok=True)
    command = [e.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", TESTS, f"--junit-xml={report}", *tests]
    if pattern:
        command += ["-k", pattern]
    try:
        # Not in the tree: the package that is tested is the installed one.
        run(f"{title}: pytest", command, TEST_LIMIT, e.environment(), cwd=e.folder)
    except Failed as error:
        if not report.exists():
            return failure(title, str(error))
    count = Count()
    for case in xml.parse(report).getroot().iter("testcase"):
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        if wrong is not None:
            count += failure(f"{title}: {case.get('name')}", wrong.text or wrong.get("message", ""))
        else:
            count += Count(skipped=1) if case.find("skipped") is not None else Count(1)
    return count


def package(pattern):
    """The suite package: every environment whose MPI is there."""
    total = Count()
    for e in ENVIRONMENTS.values():
        if e.mpicc and not e.mpicc():
            say(f"   SKIPPED: no MPI for the package {e.what}")
            total += Count(skipped=1)
            continue
        say(f"   the package {e.what}")
        make(e, [*USED, *e.wheels])
        install(e)
        total += pytest(e, f"package-{e.name}", [TESTS / "test_codec.py", TESTS / "test_mpi.py", TESTS / "test_readme.py"], pattern)
    return total


class NoTorch(Failed):
    """PyTorch cannot be had."""


def with_torch(*more):
    """The environment of MPICH with PyTorch, further wheels and the package.  Raises NoTorch where PyTorch cannot be had."""
    e = ENVIRONMENTS["mpich"]
    make(e, [*USED, *e.wheels])
    try:
        for wheel in (TORCH, *more):
            run(f"torch: pip install {wheel}", [e.python, "-m", "pip", "install", "-q", wheel], PIP_LIMIT, e.environment())
    except Failed as error:
        raise NoTorch(str(error)) from error
    install(e)
    return e


def torch(pattern):
    """The suite torch."""
    try:
        e = with_torch()
    except NoTorch as error:
        say(f"   SKIPPED, all of it: PyTorch cannot be had ({TORCH})\n{error}")
        return Count(skipped=1)
    return pytest(e, "torch", [TESTS / "training", TESTS / "test_readme.py"], pattern)


def train(accuracy, extra):
    """./dev train: accuracy with compressed gradients, then the time of a step over links of 1 Gbit/s and over loopback."""
    e = with_torch("scikit-learn", "matplotlib")
    scripts = ROOT / "bench" / "training"
    run("train: accuracy", [e.python, scripts / "train.py", *extra], TRAIN_LIMIT, e.environment(), show=True)
    if accuracy:
        return 0
    tree = trees.build("release", os.cpu_count() or 1, ("idle",))
    for ranks, rate in ((2, "1gbit"), (4, "1gbit"), (4, "none")):
        out = ROOT / "bench" / "results" / f"training-step-N{ranks}-{'loopback' if rate == 'none' else rate}.json"
        run(f"train: steps of {ranks} ranks, {rate}", [e.python, scripts / "step_time.py", "--ranks", ranks, "--rate", rate, "--steps",
            80 if rate == "none" else 40, "--build", tree, "--mpiexec", e.folder / "bin" / "mpiexec", "--out", out],
            STEPS_LIMIT, e.environment(), show=True)
    return 0
