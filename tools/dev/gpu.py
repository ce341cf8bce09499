# SPDX-License-Identifier: BSD-3-Clause
"""./dev gpu: all that needs a GPU, on a machine that has one and no network: build, device tests, sanitizers, benchmark.
Every step has a time limit and none stops the others; at the end there is a folder of results, and an exit status."""
import concurrent.futures, dataclasses, json, os, pathlib, re, shutil, subprocess, sys, time, xml.etree.ElementTree as xml

from . import gpu_kit, gpu_report, needs
from .steps import ROOT, STATE, Failed, run, say

WHOLE_LIMIT = 480  # seconds
BUILD_LIMIT, TEST_LIMIT, SANITIZER_LIMIT, NCCL_LIMIT, PEER_LIMIT, BENCH_LIMIT = 240, 90, 60, 25, 40, 150
PEER_BUILD_LIMIT = 45
LEAST = 5  # seconds, without which a step is not begun
BENCH_LEAST = 90  # seconds, which other steps leave to the benchmark
MOST_FILES, MOST_BYTES = 8, 16 << 20
LOG_BYTES = 1 << 20  # of each log, what is kept: both ends
TARGETS = ("test_device", "test_conformance", "test_loopback", "bench_gpu")
NCCL_RUNS = ((64, 8), (1, 8))  # MiB of each rank, bits per number
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")

# Tests by what they need: the program, the filter, and in how many processes. Sanitizers make everything many times slower.
TESTS = (("device", "*", 2), ("conformance", "*_device*:*Golden*", 4), ("loopback", "*OnDevices*", 4))
SHORT_TESTS = (("device", "QuantDevice.NoNumbers:QuantDevice.FramesBfloat16", 1), ("conformance", "*GoldenFrame*quant_f32*", 1))
SANITIZED = ("QuantDevice.NoNumbers:QuantDevice.FramesFloat:QuantDevice.FramesBfloat16:QuantDevice.DecodesIntoNumbersFloat:"
             "QuantDevice.EncodesManyArraysInOneLaunch:QuantDevice.LaunchesFollowEachOther:ZfpOnDevice.WritesAndReadsNoNumbers:"
             "ZfpOnDevice.WritesManyArraysAtOnce:ZfpOnDevice.MovesPiecesBehindRawOnesOfFloats:ZfpOnDevice.SharesTheWorkspaceWithQuant")


@dataclasses.dataclass
class Session:
    out: pathlib.Path
    tree: pathlib.Path
    rehearsal: bool
    short: bool
    jobs: int
    end: float
    machine: dict
    outcomes: list = dataclasses.field(default_factory=list)
    failed: bool = False
    mpicc: object = None
    nccl: object = None
    peers: dict = dataclasses.field(default_factory=dict)  # options of CMake and their folders
    rows: list = dataclasses.field(default_factory=list)  # beside those of bench_gpu

    def left(self, limit, kept=0):
        """A limit for a step that leaves the whole within its own, and `kept` seconds of it."""
        left = min(limit, self.end - time.monotonic() - kept)
        if left < LEAST:
            raise Failed("there was no time left for it")
        return int(left)

    def step(self, name, function):
        begin = time.monotonic()
        try:
            said = function(self)
        except Exception as error:  # whatever it is, the other steps go on
            say(f"\n==== FAILED {name}: {error}\n====")
            said, self.failed = "**failed**: " + str(error).splitlines()[0], True
        self.outcomes.append((name, time.monotonic() - begin, said))


def tool(name):
    """A program of the CUDA toolkit: in PATH, where nvcc is, or where toolkits usually are."""
    beside = [os.path.join(os.path.dirname(path), name) for path in (shutil.which("nvcc"),) if path for path in (path, os.path.realpath(path))]
    hits = [shutil.which(name), *beside, f"/usr/local/cuda/bin/{name}"]
    return next((path for path in hits if path and os.path.exists(path)), None)


def nvcc():
    return tool("nvcc")


def ask_gpu():
    """What nvidia-smi says of the first GPU."""
    keys = ("name", "driver_version", "compute_cap", "memory.total", "clocks.max.sm", "clocks.max.memory", "power.limit", "persistence_mode")
    if not shutil.which("nvidia-smi"):
        raise Failed("no GPU: there is no nvidia-smi (./dev gpu --rehearse goes through the motions in the emulator)")
    done = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(keys)}", "--format=csv,noheader"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0 or not done.stdout.strip():
        raise Failed(f"no GPU: {(done.stdout + done.stderr).strip()}")
    return dict(zip(keys, (word.strip() for word in done.stdout.splitlines()[0].split(","))))


def describe(rehearsal):
    machine = {"date": time.strftime("%Y-%m-%d"), "commit": "?"}
    if shutil.which("git"):
        done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, timeout=60)
        machine["commit"] = done.stdout.strip() or "?"
    if rehearsal:
        return {"gpu": "emulator", "emulated": True, **machine}
    said = ask_gpu()
    toolkit = subprocess.run([nvcc() or "nvcc", "--version"], capture_output=True, text=True, timeout=60).stdout if nvcc() else ""
    release = re.search(r"release ([\d.]+)", toolkit)
    return {"gpu": said.pop("name"), "emulated": False, "toolkit": release.group(1) if release else "missing", **machine, **said}


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("nvidia", "")).strip("-") or "gpu"


def build(s):
    command = [needs.cmake() or "cmake", "-S", ROOT, "-B", s.tree, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=ON", "-DLACONIC_CLI=OFF",
               f"-DPython3_EXECUTABLE={sys.executable}", f"-DLACONIC_CUDA={'EMULATED' if s.rehearsal else 'ON'}", *gpu_kit.cmake_words()]
    if needs.program("ninja"):
        command += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={needs.program('ninja')}"]
    if not s.rehearsal:
        if not nvcc():
            raise Failed("there is no nvcc")
        command += [f"-DCMAKE_CUDA_COMPILER={nvcc()}", f"-DCMAKE_CUDA_ARCHITECTURES={s.machine['compute_cap'].replace('.', '')}"]
    s.mpicc = gpu_kit.unpack_mpi(s.tree / "mpi")
    command.append(f"-DMPI_C_COMPILER={s.mpicc}" if s.mpicc else "-DLACONIC_MPI=OFF")
    command += [f"-D{option}={folder}" for option, folder in s.peers.items()]
    if s.nccl:
        command.append(f"-DLACONIC_NCCL={s.nccl}")
    # A rehearsal builds for itself, and takes what it takes.
    limit = BUILD_LIMIT if not s.rehearsal else 1800
    run("gpu: configure", command, s.left(limit))
    broken = without_broken_peers(s, command)
    targets = [*TARGETS] + (["bench_nccl"] if s.nccl or s.rehearsal else [])
    if s.mpicc:
        targets += ["idle", "idle_ucx", *(f"ranks_device_{path.stem}" for path in (ROOT / "tests" / "ranks" / "device").glob("*.cpp"))]
    run("gpu: build", [needs.cmake() or "cmake", "--build", s.tree, "-j", s.jobs, "--target", *targets], s.left(limit),
        {**os.environ, "NINJA_STATUS": "[%f/%t] "})
    said = "done" + "".join(f", **without {option}**: its sources do not build" for option in broken)
    return said + ("" if s.mpicc else ", **without MPI**: no mpich wheel in .dev/gpu-kit/wheels or .dev/wheels")


def without_broken_peers(s, command):
    """Configures again without the codecs of others that this toolkit cannot build, and returns their options."""
    broken = []
    for option in s.peers:
        try:
            run(f"gpu: build {option}", [needs.cmake() or "cmake", "--build", s.tree, "-j", s.jobs, "--target", f"bench_{option[8:].lower()}"],
                s.left(PEER_BUILD_LIMIT, BENCH_LEAST))
        except Failed as error:
            say(str(error))
            broken.append(option)
    if broken:
        s.peers = {option: folder for option, folder in s.peers.items() if option not in broken}
        run("gpu: configure again", command + [f"-D{option}=" for option in broken], s.left(BUILD_LIMIT))
    return broken


def read_gtest(path):
    """Passed, failed and skipped tests of a report of GoogleTest."""
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            counts["failed"] += 1
        elif case.get("result") == "skipped" or case.find("skipped") is not None:
            counts["skipped"] += 1
        elif case.get("status") == "run":
            counts["passed"] += 1
    return counts


def tests(s):
    parts = []
    for name, filter, shards in SHORT_TESTS if s.short else TESTS:
        parts += [(name, filter, k, shards) for k in range(shards)]

    def one(part):
        name, filter, k, shards = part
        report = s.tree / f"gtest-{name}-{k}.xml"
        report.unlink(missing_ok=True)
        error = None
        try:
            run(f"gpu: test {name} {k}", [s.tree / "tests" / f"test_{name}", f"--gtest_filter={filter}", f"--gtest_output=xml:{report}"],
                s.left(TEST_LIMIT if not s.rehearsal else 1200, BENCH_LEAST),
                {**os.environ, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(k)})
        except Failed as problem:
            error = str(problem)
        return name, report, error

    with concurrent.futures.ThreadPoolExecutor(2 if s.rehearsal else 9) as pool:
        done = list(pool.map(one, parts))
    merged, total, problems = xml.Element("testsuites"), {}, []
    for name, report, error in done:
        if report.exists():
            for key, count in read_gtest(report).items():
                total[key] = total.get(key, 0) + count
            merged.extend(xml.parse(report).getroot().findall("testsuite"))
        if error:
            problems.append(f"{name}: {error.splitlines()[0]}")
    xml.ElementTree(merged).write(s.out / "tests.xml", encoding="utf-8", xml_declaration=True)
    said = ", ".join(f"{count} {key}" for key, count in total.items())
    if problems or total.get("failed"):
        raise Failed(f"{said}; " + "; ".join(problems))
    if not total.get("passed"):
        raise Failed(f"not one test was run ({said})")
    return said


def ranks(s):
    if not s.mpicc:
        return "**skipped**: there is no MPI (./dev gpu --pack brings one)"
    ctest = (needs.cmake() or "cmake")[: -len("cmake")] + "ctest"
    log = run("gpu: test ranks", [ctest, "--test-dir", s.tree, "-R", r"^ranks\.device_.*\.n[24]$", "--no-tests=error", "--output-on-failure"],
              s.left(TEST_LIMIT if not s.rehearsal else 600, BENCH_LEAST))
    said = re.findall(r"^\d+% tests passed.*$", log.read_text(errors="replace"), re.M)
    return said[-1] if said else "done"


def sanitizers(s):
    if s.rehearsal:
        return "**skipped**: the emulator is not what compute-sanitizer watches"
    program = tool("compute-sanitizer")
    if not program:
        raise Failed("there is no compute-sanitizer")

    def one(kind):
        try:
            log = run(f"gpu: {kind}", [program, "--tool", kind, "--error-exitcode", "9", "--print-limit", "20",
                                       s.tree / "tests" / "test_device", f"--gtest_filter={SANITIZED}"], s.left(SANITIZER_LIMIT, BENCH_LEAST))
        except Failed as error:
            return f"{kind}: {str(error).splitlines()[0]}"
        passed = re.search(r"\[  PASSED  \] (\d+) test", log.read_text(errors="replace"))
        return None if passed and int(passed.group(1)) > 0 else f"{kind}: not one test was run"

    with concurrent.futures.ThreadPoolExecutor(len(SANITIZERS)) as pool:
        problems = [problem for problem in pool.map(one, SANITIZERS) if problem]
    if problems:
        raise Failed("; ".join(problems))
    return "clean: " + ", ".join(SANITIZERS)


def run_for_rows(s, title, command, out, limit):
    """Adds the rows that a program leaves in the file `out`, if it fails, too: wrong results are rows."""
    out.unlink(missing_ok=True)
    try:
        run(title, command, limit)
    finally:
        rows = [row for row in rows_in(out) if row["what"] != "machine"]
        s.rows += rows
    return rows


def nccl(s):
    """The ring over NCCL on all GPUs; the emulator has a stand-in for NCCL."""
    program = s.tree / "bench" / "nccl" / "bench_nccl"
    if not (s.rehearsal or s.nccl):
        return f"left out: no NCCL (--nccl FOLDER, or {gpu_kit.NCCL.relative_to(ROOT)})"
    if not program.exists():
        return "left out: this tree has no bench_nccl"
    for mib, bits in ((0.1, 8),) if s.rehearsal else NCCL_RUNS:
        out = s.tree / "nccl.json"
        rows = run_for_rows(s, f"gpu: nccl {mib} {bits}", [program, mib, bits, 1 if s.rehearsal else 20, out], out,
                            s.left(NCCL_LIMIT if not s.rehearsal else 120, BENCH_LEAST))
    return f"{rows[0]['ranks']:g} ranks"


def peers(s):
    """Codecs of others, in a process of their own: after a fault in one of them a process can do no more on its GPU."""
    if not (s.rehearsal or s.peers):
        return "left out: no sources of codecs of others (--cuszp FOLDER, --cuzfp FOLDER)"
    limit, out = s.left(PEER_LIMIT if not s.rehearsal else 300, BENCH_LEAST), s.tree / "peers.json"
    command = [s.tree / "bench" / "gpu" / "bench_gpu", "--out", out, "--topic", "peers", "--seconds", max(limit - 15, LEAST)]
    return f"{len(run_for_rows(s, 'gpu: peers', command + (['--tiny'] if s.rehearsal else []), out, limit))} rows"


def bench(s):
    limit = s.left(BENCH_LIMIT if not s.rehearsal else 600)
    command = [s.tree / "bench" / "gpu" / "bench_gpu", "--out", s.out / "codec.json", "--seconds", max(limit - 30, LEAST)]
    run("gpu: benchmark", command + (["--tiny"] if s.rehearsal else []), limit)
    return f"{len(read_rows(s))} rows"


def rows_in(path):
    """Of a benchmark; a list that was cut short is whole but for its end."""
    if not path.exists():
        return []
    text = path.read_text()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(text[: text.rindex("}") + 1] + "]") if "}" in text else []


def read_rows(s):
    return rows_in(s.out / "codec.json")


def trimmed(path):
    data = path.read_bytes()
    if len(data) <= LOG_BYTES:
        return data
    return data[: LOG_BYTES // 2] + b"\n[...]\n" + data[-LOG_BYTES // 2 :]


def gather(s):
    """Summary, machine, and the logs of all steps, in one file for each kind."""
    kinds = {"build.log": ("configure", "build"), "tests.log": ("test",), "sanitizers.log": SANITIZERS, "bench.log": ("benchmark", "nccl", "peers")}
    for name, words in kinds.items():
        logs = [path for word in words for path in sorted((STATE / "logs").glob(f"gpu-{word}*.log")) if path.stat().st_mtime >= s.machine["began"]]
        if logs:
            (s.out / name).write_bytes(b"\n".join(b"==== " + path.stem.encode() + b"\n" + trimmed(path) for path in logs))
    rows = read_rows(s)
    if s.rows:
        rows += s.rows
        (s.out / "codec.json").write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
    for row in gpu_report.pick(rows, what="machine"):
        s.machine.update({key: value for key, value in row.items() if key not in ("what", "gpu")})
    s.machine.pop("began")
    (s.out / "machine.json").write_text(json.dumps(s.machine, indent=1) + "\n")
    (s.out / "summary.md").write_text(gpu_report.summary(s.machine, s.outcomes, rows))
    files = [path for path in s.out.iterdir() if path.is_file()]
    large = [path.name for path in files if path.stat().st_size > MOST_BYTES]
    if len(files) > MOST_FILES or large:
        raise Failed(f"{s.out}: {len(files)} files, too large: {large}")


def command(args):
    if args.pack:
        return gpu_kit.pack()
    folder, others = gpu_kit.nccl(args.nccl), gpu_kit.peers(args)
    began = time.time() - 1
    machine = describe(args.rehearse)
    tree = pathlib.Path(args.tree).resolve() if args.tree else ROOT / "build" / ("gpu-rehearsal" if args.rehearse else "gpu")
    default = tree / "results" if args.rehearse else ROOT / "bench" / "results" / slug(machine["gpu"])
    out = pathlib.Path(args.out).resolve() if args.out else default
    out.mkdir(parents=True, exist_ok=True)
    for name in ("summary.md", "codec.json", "machine.json", "tests.xml", "build.log", "tests.log", "sanitizers.log", "bench.log"):
        (out / name).unlink(missing_ok=True)  # of an earlier session
    limit = 3600 if args.rehearse else args.limit
    s = Session(out, tree, args.rehearse, args.short, args.jobs, time.monotonic() + limit, {**machine, "began": began}, nccl=folder,
                peers={} if args.rehearse else others)
    say(f"== {machine['gpu']}: results go to {out}")
    if args.tree:
        say("   build: skipped, the tree is given")
    else:
        s.step("build", build)
    s.step("tests", tests)
    s.step("tests of ranks", ranks)
    s.step("sanitizers", sanitizers)
    s.step("NCCL", nccl)
    s.step("other codecs", peers)
    s.step("benchmark", bench)
    gather(s)
    say("")
    for name, took, said in s.outcomes:
        say(f"   {name:15} {took:4.0f} s  {said}")
    return 1 if s.failed else 0
