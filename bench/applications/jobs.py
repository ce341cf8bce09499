# SPDX-License-Identifier: BSD-3-Clause
"""One run of one program: plain, under `laconic profile`, or under `laconic run`."""
import dataclasses, hashlib, importlib.machinery, importlib.util, json, os, pathlib, shlex, signal, subprocess

import catalogue

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 420  # seconds
# The ranks that wait leave the cores to those that work (bench/lab/idle.c). The launcher is not ours to change.
BEHIND = 'LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$0" exec "$@"'


class Wrong(Exception):
    """A run failed; the message has the end of its output."""


def settings_of_mpi(kind):
    """What makes more ranks than cores practical, as tests/mpirun sets it."""
    loader = importlib.machinery.SourceFileLoader("mpirun", str(ROOT / "tests" / "mpirun"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mpirun", loader))
    loader.exec_module(module)
    return module.SETTINGS[kind]


@dataclasses.dataclass
class Site:
    """What all runs share."""
    laconic: pathlib.Path
    mpiexec: str
    idle: pathlib.Path
    ranks: int = 4

    def environment(self, program):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
        # Without the tuner every call that can be compressed is, whatever the speed of this machine.
        return {**kept, **settings_of_mpi("openmpi"), "OMP_NUM_THREADS": "1", "LACONIC_TUNE": "off", **program.environment}

    def launch(self, program):
        words = [str(word) for word in program.command()]
        return [self.mpiexec, "-n", str(self.ranks), "sh", "-c", BEHIND, str(self.idle), *words]


def finish(command, folder, env, limit=LIMIT):
    """Runs a command and gives its output. A process group of its own, so that no rank outlives the limit."""
    with open(folder / "said", "w+", errors="replace") as said:
        process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = f"none after {limit} s"
        finally:
            if process.poll() is None:
                stop(process)
        said.seek(0)
        text = said.read()
    if code != 0:
        raise Wrong(f"{shlex.join(command)}\nexit code {code}\n{text[-3000:]}")
    return text


def stop(process):
    process.terminate()  # launchers end their ranks
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@dataclasses.dataclass
class Outcome:
    """What a run has left: its own results, and what the drop-in has counted."""
    numbers: dict
    digest: str  # of the files of the result, bit by bit
    field: object = None  # their numbers, where they can be compared
    report: dict = None

    def same_bits(self, other):
        return self.numbers == other.numbers and self.digest == other.digest


def outcome(program, folder, said, report=None, plain=True):
    files = program.files(folder)
    if program.field and not files:
        raise Wrong(f"{program.name} has written no {program.field}\n{said[-2000:]}")
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    field = None
    if program.read:
        import numpy
        field = numpy.concatenate([program.read(path) for path in files])
    try:
        numbers = catalogue.named(said, program.numbers, plain)
    except ValueError as error:
        raise Wrong(f"{program.name}: {error}\n{said[-2000:]}") from None
    return Outcome(numbers, digest.hexdigest(), field, json.loads(report.read_text()) if report else None)


def prepared(program, folder):
    folder.mkdir(parents=True)
    if program.prepare:
        program.prepare(folder)
    return folder


def plain(program, site, folder):
    said = finish(site.launch(program), prepared(program, folder), site.environment(program))
    return outcome(program, folder, said)


def profile(program, site, folder):
    report = prepared(program, folder) / "profile.json"
    command = [str(site.laconic), "profile", "--json", str(report), "--", *site.launch(program)]
    return outcome(program, folder, finish(command, folder, site.environment(program)), report)


def default(program, site, folder, bound):
    report = prepared(program, folder) / "report.json"
    command = [str(site.laconic), "run", "--bound", bound, "--report", f"json:{report}", "--", *site.launch(program)]
    return outcome(program, folder, finish(command, folder, site.environment(program)), report, plain=False)


def suggested(program, site, folder, suggestion, bound=None, audit=False):
    """The command line of the profile as it is printed, but for the report, and with another bound or an audit."""
    report = prepared(program, folder) / "report.json"
    command = changed(suggestion["command"], f"json:{report}", bound, audit)
    return outcome(program, folder, finish(command, folder, site.environment(program)), report, plain=audit)


def changed(line, report, bound=None, audit=False):
    words = shlex.split(line)
    end = words.index("--")
    words[words.index("--report", 0, end) + 1] = report
    if bound:
        at = words.index("--bound", 0, end) + 1
        words[at] = ",".join([*words[at].split(",")[:-1], bound])
    if audit:
        words[end:end] = ["--audit", "1:plain"]
    return words
