# SPDX-License-Identifier: BSD-3-Clause
"""The suite releases: this tree beside the last release, in one program, in files, and in one job (tests/releases)."""
import array, math, os, re, shutil, subprocess, sys

from . import needs, trees
from .counts import Count, failure
from .steps import ROOT, STATE, Failed, run, say

FOLDER = STATE / "releases"
HERE = ROOT / "tests" / "releases"
CONFIGURE_LIMIT, BUILD_LIMIT, RUN_LIMIT = 300, 1500, 120  # seconds
RANKS = 4
BOUNDS = ("rel:1e-3", "rms:0.1", "lossless")
CODECS = ("quant", "dense", "lossless", "raw")


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Failed(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def last_release():
    """The commit that last changed the version in CMakeLists.txt: the one that carries the tag, also where tags are not."""
    return git("log", "-1", "--format=%H", "-G", r"^project\(laconic VERSION", "--", "CMakeLists.txt").strip()


def build_of(commit, jobs):
    """The tree of a commit, which is built once."""
    folder = FOLDER / commit[:12]
    if (folder / "built").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    archive = folder / "source.tar"
    run("releases: sources", ["git", "archive", "-o", archive, commit], 60)
    run("releases: unpack", ["tar", "-xf", archive, "-C", folder / "source"], 60)
    command = [needs.cmake(), "-S", folder / "source", "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DLACONIC_CUDA=OFF", "-DLACONIC_DEV=OFF", "-DBUILD_TESTING=OFF", f"-DMPI_C_COMPILER={needs.VENV / 'bin' / 'mpicc'}",
               *trees.tools()]
    run("releases: configure", command, CONFIGURE_LIMIT)
    run("releases: build", [needs.cmake(), "--build", folder / "build", "-j", jobs], BUILD_LIMIT,
        {**os.environ, "NINJA_STATUS": "[%f/%t] "})
    (folder / "built").touch()
    return folder


class Side:
    """A release, or this tree."""

    def __init__(self, name, source, build):
        self.name, self.source, self.build = name, source, build
        self.command = build / "cli" / "laconic"
        cmake, header = (source / "CMakeLists.txt").read_text(), (source / "src" / "wire" / "frame.hpp").read_text()
        self.abi = int(re.search(r"set\(LACONIC_ABI (\d+)\)", cmake)[1])
        self.wire = tuple(int(re.search(rf"format_{part} = (\d+)", header)[1]) for part in ("major", "minor"))

    def compile(self):
        program = FOLDER / f"meet-{self.name}"
        command = [needs.VENV / "bin" / "mpicc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", f"-I{self.source / 'include'}",
                   HERE / "meet.c", "-o", program, self.build / "liblaconic.so", f"-Wl,-rpath,{self.build}", "-lm"]
        run(f"releases: compile for {self.name}", command, 60)
        return program


def said_by(ranks, command, environment=None):
    """The output of a job, which has to succeed."""
    words = [sys.executable, ROOT / "tests" / "mpirun", "--mpiexec", trees.MPIEXEC, "--timeout", RUN_LIMIT - 20, "-n", ranks, "--", *command]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=RUN_LIMIT,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def expect(said, wanted):
    if not said.startswith(wanted):
        raise Failed(f"the ranks said '{said}', not '{wanted}'")


class Meeting:
    def __init__(self, old, new):
        self.old, self.new = old, new
        self.programs = {side.name: side.compile() for side in (old, new)}

    def tests(self):
        return [("a program of the release runs with this library", self.program), ("files", self.files), ("ranks of both in one job", self.ranks)]

    def program(self):
        if self.old.abi != self.new.abi:
            return f"ABI {self.old.abi} and {self.new.abi}: programs have to be compiled anew"
        expect(said_by(2, [self.programs["release"]], {"LD_LIBRARY_PATH": str(self.new.build)}), "right")
        return None

    def ranks(self):
        """Even ranks have the release. (PMI_RANK is what MPICH tells a process before MPI_Init.)"""
        script = f'if [ $((PMI_RANK % 2)) = 0 ]; then exec {self.programs["release"]}; else exec {self.programs["tree"]}; fi'
        said = said_by(RANKS, ["sh", "-c", script])
        versions = [side_versions(side) for side in (self.old, self.new)]
        expect(said, "right" if versions[0] == versions[1] else "refused")
        if versions[0] != versions[1] and any(version not in said for version in versions):
            raise Failed(f"'{said}' does not name both of {versions}")
        return said if said != "right" else None

    def files(self):
        if self.old.wire[0] != self.new.wire[0]:
            return f"wire formats {self.old.wire} and {self.new.wire}: files need not be read"
        pairs = [(self.old, self.new)] + [(self.new, self.old)] * (self.old.wire == self.new.wire)
        compared = 0
        for dtype, contents in (("f32", temperatures()), ("f64", waves())):
            numbers = FOLDER / f"numbers.{dtype}"
            numbers.write_bytes(contents)
            for writer, reader in pairs:
                for codec, bound in ((c, b) for c in CODECS for b in BOUNDS if c in ("quant", "dense") or b == "lossless"):
                    frames = FOLDER / "frames.lac"
                    call(writer, numbers, "--codec", codec, "--bound", bound, "--repeat", 0, "--write", frames)
                    read = []
                    for side in (writer, reader):
                        out = FOLDER / f"read-by-{side.name}"
                        call(side, "--read", frames, out)
                        read.append(out.read_bytes())
                    if read[0] != read[1] or len(read[0]) != numbers.stat().st_size or (bound == "lossless" and read[0] != numbers.read_bytes()):
                        raise Failed(f"{codec}, {bound}, {dtype}: {reader.name} reads other numbers than {writer.name} from its file")
                    compared += 1
        return f"{compared} files"


def side_versions(side):
    """2.3.1: versions of frames, envelopes and agreements, from the sources."""
    places = (("src/wire/frame.hpp", r"std::uint8_t version = (\d+)"), ("src/wire/envelope.hpp", r"envelope_version = (\d+)"),
              ("src/comm/collectives/agreement.cpp", r"version_of_agreement = (\d+)"))
    return ".".join(re.search(pattern, (side.source / path).read_text())[1] for path, pattern in places)


def temperatures():
    return (ROOT / "build" / "release" / "data" / "pcm_TREFHT_110x64x128.f32").read_bytes()[:1 << 20]


def waves():
    """No field of data/ is float64."""
    return array.array("d", (math.sin(1e-3 * k) * (1 + k % 7) for k in range(1 << 16))).tobytes()


def call(side, *words):
    done = subprocess.run([str(word) for word in (side.command, "codec", *words)], capture_output=True, text=True, timeout=RUN_LIMIT)
    if done.returncode != 0:
        raise Failed(f"laconic codec of {side.name}: {done.stderr}{done.stdout}")


def releases(jobs):
    if not (ROOT / ".git").exists():
        say("   SKIPPED, all of it: these sources are not a clone")
        return Count(skipped=1)
    commit = last_release()
    folder = build_of(commit, jobs)
    tree = trees.build("release", jobs)
    meeting = Meeting(Side("release", folder / "source", folder / "build"), Side("tree", ROOT, tree))
    say(f"   the last release is {git('log', '-1', '--format=%h, %s', commit).strip()}")
    total = Count()
    for name, test in meeting.tests():
        try:
            note = test()
        except (Failed, OSError, subprocess.SubprocessError) as error:
            total += failure(f"releases: {name}", f"{type(error).__name__}: {error}")
        else:
            say(f"   {name}: {note or 'right'}")
            total += Count(1)
    return total
