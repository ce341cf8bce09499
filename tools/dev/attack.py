# SPDX-License-Identifier: BSD-3-Clause
"""./dev attack: the random attacks of tests/attack, on the public API and by handles, under every MPI that is here, for as long
as asked."""
import collections, importlib.util, itertools, os, re, shutil, subprocess, time

from . import needs, trees
from .steps import ROOT, Failed, say

MPIS = {"mpich": str(trees.MPIEXEC), "openmpi": "mpiexec.openmpi", "mpich-debian": "mpiexec.mpich"}  # presets, launchers
RANKS = (2, 3, 4, 2, 5, 3, 8, 4, 7, 2, 3, 1, 4, 6)  # one job after the other; few ranks try more in the same time
JOB = 10  # seconds
WATCHDOG = 60  # seconds, each case
WAIT = 60  # seconds more until a job is given up
MOST_FAULTS = 10  # jobs with faults after which it ends
TARGETS = {"api": ("ranks_attack",), "handles": ("attack_handles", "laconic_mpi_dropin")}  # and the parts of the attack
SHOWN = ("operation", "codec", "type", "misuse")  # counts that are printed as a table


def handles_runner():
    """tests/attack/handles/run.py, which has the modes."""
    spec = importlib.util.spec_from_file_location("handles_run", ROOT / "tests" / "attack" / "handles" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def present(mpi):
    return mpi == "mpich" or needs.program(f"mpicc.{mpi.removesuffix('-debian')}")


class Attack:
    def __init__(self, seed, mpis, jobs, extra, parts, modes):
        self.seed, self.trees, self.extra, self.parts = seed, {}, extra, parts
        self.runner = handles_runner()
        # The program itself was checked without the drop-in when it was written: that mode is run where it is asked for.
        self.modes = modes or [mode for mode in self.runner.MODES if mode != self.runner.PLAIN]
        for mpi in mpis:
            targets = [target for part in parts for target in TARGETS[part]]
            self.trees[mpi] = trees.build(mpi, jobs, (*targets, "idle", "idle_ucx"))
        self.counts = collections.defaultdict(collections.Counter)
        self.faults = []

    def api_job(self, mpi, ranks, limit, words):
        command = [str(needs.PYTHON), str(ROOT / "tests" / "mpirun"), "--mpiexec", self.mpiexec(mpi)]
        for library in self.preload(mpi):
            command += ["--preload", str(library)]
        command += ["--timeout", str(limit), "-n", str(ranks), "--", str(self.trees[mpi] / "tests" / "ranks_attack"),
                    "--label", f"--mpi {mpi}", *map(str, words)]
        for name in self.extra:
            command += ["--with", name]
        return command, None

    def handles_job(self, mpi, ranks, limit, words, mode):
        tree = self.trees[mpi]
        program = [tree / "tests" / "attack_handles", "--label", f"--only handles --mode {mode} --mpi {mpi}", *words]
        command = self.runner.command(mode, self.mpiexec(mpi), self.preload(mpi), tree / "dropin" / "liblaconic-mpi.so", ranks,
                                      limit, program)
        return command, self.runner.environment(mode, os.environ)

    def mpiexec(self, mpi):
        return shutil.which(MPIS[mpi]) or MPIS[mpi]

    def preload(self, mpi):
        tree = self.trees[mpi]
        return [library for library in (tree / "libidle_ucx.so", tree / "bench" / "lab" / "libidle.so") if library.exists()]

    def job(self, mpi, ranks, seed, words, limit, mode=None):
        """Runs a program once, that of handles in a mode; true where it found nothing."""
        words = ["--seed", seed, "--watchdog", WATCHDOG, *words]
        command, env = self.handles_job(mpi, ranks, limit, words, mode) if mode else self.api_job(mpi, ranks, limit, words)
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit + 60, env=env)
        for line in done.stdout.splitlines():
            counted = re.fullmatch(r"count\t(.*)\t(.*)\t(\d+)", line)
            if counted:
                self.counts[counted[1]][counted[2]] += int(counted[3])
        if done.returncode == 0:
            return True
        said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("count\t")]
        say(f"\n==== {mpi}, {ranks} ranks, seed {seed}{', ' + mode if mode else ''}: exit code {done.returncode}\n" + "\n".join(said[:60]))
        again = sorted(set(re.findall(r"(\./dev attack .*?--ranks \d+)", "\n".join(said))))
        part = f"--only handles --mode {mode}" if mode else "--only api"
        self.faults += again or [f"./dev attack {part} --mpi {mpi} --seed {seed} --ranks {ranks}"]
        return False

    def campaign(self, seconds, ranks, mpis):
        begin, bad = time.monotonic(), 0
        for number in itertools.count():
            left = seconds - (time.monotonic() - begin)
            if left <= 0 or bad == MOST_FAULTS:
                return
            n = ranks[number % len(ranks)]
            # So that every number of ranks meets every MPI, whatever divisors how many there are of each have in common.
            mpi = mpis[(number + number // len(ranks)) % len(mpis)]
            words = ["--seconds", max(1, round(min(JOB, left)))]
            # The parts in turns, and the modes of one in turns; sizes and MPIs have other periods.
            handles = self.parts[number % len(self.parts)] == "handles"
            mode = self.modes[number // len(self.parts) % len(self.modes)] if handles else None
            words += ["--isa", "mixed"] if not handles and number % 3 == 2 else []
            bad += not self.job(mpi, n, self.seed + number, words, JOB + WATCHDOG + WAIT, mode)
            if number % 10 == 9:
                say(f"   {time.monotonic() - begin:.0f} s, {self.counts['total']['cases']} cases, {bad} jobs with faults")

    def report(self):
        for group in SHOWN:
            rows = sorted(self.counts[group].items())
            if rows:
                say(f"\n{group}:\n" + "\n".join(f"   {name:44} {n:>12,}" for name, n in rows))
        total, values = self.counts["total"], sum(self.counts["values"].values())
        say(f"\n{total['cases']:,} cases, {values:,} numbers checked, {sum(self.counts['misuse'].values()):,} cases of misuse, "
            f"{sum(self.counts['redone'].values()):,} done again another way, {len(self.faults)} faults (from seed {self.seed})")
        if self.faults:
            say("\nTo see them again, each alone:\n" + "\n".join(f"   {line}" for line in self.faults))


def command(args):
    if args.seconds < 1 or any(not 1 <= n <= 16 for n in args.ranks or ()):
        raise Failed("--seconds takes a number from 1, --ranks numbers from 1 to 16")
    parts = args.only or list(TARGETS)
    if args.mode and parts != ["handles"]:
        raise Failed("--mode needs --only handles")
    if args.case is not None and parts == ["handles"] and len(args.mode or ()) != 1:
        raise Failed("--case of --only handles needs one --mode")
    if args.case is not None and (len(args.ranks or ()) != 1 or args.seed is None):
        raise Failed("--case needs --seed and one number of --ranks: a case is drawn for these")
    mpis = args.mpi or [mpi for mpi in MPIS if present(mpi)]
    missing = [mpi for mpi in mpis if not present(mpi)]
    if missing:
        raise Failed(f"there is no {', '.join(missing)} (./dev doctor says how to get it)")
    seed = args.seed if args.seed is not None else int(time.time()) % 1_000_000_000
    if args.case is not None:
        mpis, parts = mpis[:1], parts if parts == ["handles"] else ["api"]
    attack = Attack(seed, mpis, args.jobs, args.extra or [], parts, args.mode)
    say(f"   seed {seed}, {', '.join(mpis)}")
    if args.case is not None:
        words = ["--first", args.case, "--cases", 1] + (["--isa", args.isa] if args.isa else [])
        words += ["--steps", args.steps, "--trace"] if args.steps else []
        attack.job(mpis[0], args.ranks[0], seed, words, WATCHDOG + WAIT, args.mode[0] if args.mode else None)
    else:
        attack.campaign(args.seconds, args.ranks or RANKS, mpis)
    attack.report()
    return 1 if attack.faults else 0
