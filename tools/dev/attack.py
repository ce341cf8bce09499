# SPDX-License-Identifier: BSD-3-Clause
"""./dev attack: the random attack of tests/attack on the public API, under every MPI that is here, for as long as asked."""
import collections, itertools, re, shutil, subprocess, time

from . import needs, trees
from .steps import ROOT, Failed, say

MPIS = {"mpich": str(trees.MPIEXEC), "openmpi": "mpiexec.openmpi", "mpich-debian": "mpiexec.mpich"}  # presets, launchers
RANKS = (2, 3, 4, 2, 5, 3, 8, 4, 7, 2, 3, 1, 4, 6)  # one job after the other; few ranks try more in the same time
JOB = 10  # seconds
WATCHDOG = 60  # seconds, each case
WAIT = 60  # seconds more until a job is given up
MOST_FAULTS = 10  # jobs with faults after which it ends
SHOWN = ("operation", "codec", "type", "misuse")  # counts that are printed as a table


def present(mpi):
    return mpi == "mpich" or needs.program(f"mpicc.{mpi.removesuffix('-debian')}")


class Attack:
    def __init__(self, seed, mpis, jobs, extra):
        self.seed, self.trees, self.extra = seed, {}, extra
        for mpi in mpis:
            self.trees[mpi] = trees.build(mpi, jobs, ("ranks_attack", "idle", "idle_ucx"))
        self.counts = collections.defaultdict(collections.Counter)
        self.faults = []

    def job(self, mpi, ranks, seed, words, limit):
        """Runs the program once; true where it found nothing."""
        tree = self.trees[mpi]
        command = [str(needs.PYTHON), str(ROOT / "tests" / "mpirun"), "--mpiexec", shutil.which(MPIS[mpi]) or MPIS[mpi]]
        for library in (tree / "libidle_ucx.so", tree / "bench" / "lab" / "libidle.so"):
            command += ["--preload", str(library)] if library.exists() else []
        command += ["--timeout", str(limit), "-n", str(ranks), "--", str(tree / "tests" / "ranks_attack"),
                    "--seed", str(seed), "--watchdog", str(WATCHDOG), "--label", f"--mpi {mpi}", *map(str, words)]
        for name in self.extra:
            command += ["--with", name]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit + 60)
        for line in done.stdout.splitlines():
            counted = re.fullmatch(r"count\t(.*)\t(.*)\t(\d+)", line)
            if counted:
                self.counts[counted[1]][counted[2]] += int(counted[3])
        if done.returncode == 0:
            return True
        said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("count\t")]
        say(f"\n==== {mpi}, {ranks} ranks, seed {seed}: exit code {done.returncode}\n" + "\n".join(said[:60]))
        again = sorted(set(re.findall(r"(\./dev attack .*?--ranks \d+)", "\n".join(said))))
        self.faults += again or [f"./dev attack --mpi {mpi} --seed {seed} --ranks {ranks}"]
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
            words = ["--seconds", max(1, round(min(JOB, left)))] + (["--isa", "mixed"] if number % 3 == 2 else [])
            bad += not self.job(mpi, n, self.seed + number, words, JOB + WATCHDOG + WAIT)
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
    if args.case is not None and (len(args.ranks or ()) != 1 or args.seed is None):
        raise Failed("--case needs --seed and one number of --ranks: a case is drawn for these")
    mpis = args.mpi or [mpi for mpi in MPIS if present(mpi)]
    missing = [mpi for mpi in mpis if not present(mpi)]
    if missing:
        raise Failed(f"there is no {', '.join(missing)} (./dev doctor says how to get it)")
    seed = args.seed if args.seed is not None else int(time.time()) % 1_000_000_000
    if args.case is not None:
        mpis = mpis[:1]
    attack = Attack(seed, mpis, args.jobs, args.extra or [])
    say(f"   seed {seed}, {', '.join(mpis)}")
    if args.case is not None:
        words = ["--first", args.case, "--cases", 1] + (["--isa", args.isa] if args.isa else [])
        attack.job(mpis[0], args.ranks[0], seed, words, WATCHDOG + WAIT)
    else:
        attack.campaign(args.seconds, args.ranks or RANKS, mpis)
    attack.report()
    return 1 if attack.faults else 0
