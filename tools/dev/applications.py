# SPDX-License-Identifier: BSD-3-Clause
"""./dev applications: programs that others have written, under the drop-in (tests/applications/README.md)."""
import os, shutil, subprocess, tarfile, time

from . import needs, trees
from .steps import ROOT, STATE, Failed, run, say

FOLDER = ROOT / "tests" / "applications"
LIMIT = 3600  # seconds, for the jobs of one MPI; each has a limit of its own, too
MPIS = {"mpich": trees.MPIEXEC, "openmpi": "mpiexec.openmpi"}  # presets, and their launchers


def mpi4py_version():
    said = subprocess.run([needs.PYTHON, "-c", "import mpi4py; print(mpi4py.__version__)"], capture_output=True, text=True,
                          timeout=60)
    if said.returncode != 0:
        raise Failed(f"no mpi4py in .dev/venv: {said.stderr.strip()}")
    return said.stdout.strip()


def mpi4py_suite():
    """The folder of mpi4py's own tests, which its wheels do not hold: from the sources of the version that is used."""
    name = f"mpi4py-{mpi4py_version()}"
    suite = STATE / name / "test"
    if (suite / "main.py").exists():
        return suite
    place = STATE / "sdist"
    # pip looks at what it downloads, for which it fetches build tools: these as wheels.
    run(f"set-up: pip download {name}", [needs.PYTHON, "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
                                         "--no-binary", "mpi4py", "-d", place, name.replace("mpi4py-", "mpi4py==")], 600)
    scratch = STATE / f"{name}.part"
    shutil.rmtree(scratch, ignore_errors=True)
    with tarfile.open(place / f"{name}.tar.gz") as packed:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        packed.extractall(scratch, **safely)
    shutil.rmtree(STATE / name, ignore_errors=True)
    os.replace(scratch / name, STATE / name)
    shutil.rmtree(scratch)
    return suite


def build(preset, jobs):
    """What the scripts want to know of the tree."""
    tree = trees.build(preset, jobs, ("laconic_mpi_dropin", "idle"))
    return ["--dropin", tree / "dropin" / "liblaconic-mpi.so", "--mpiexec", shutil.which(str(MPIS[preset])) or MPIS[preset],
            "--preload", tree / "bench" / "lab" / "libidle.so"]


def table(title, command):
    """Runs a script that prints a table; true when it found nothing wrong."""
    try:
        run(title, command, LIMIT, show=True)
    except Failed as error:
        say(str(error).split("\n", 1)[0])
        return False
    return True


def mpi4py(preset, jobs, ranks=(), whole=(), settings=()):
    command = [needs.PYTHON, FOLDER / "run_mpi4py.py", "--suite", mpi4py_suite(), *build(preset, jobs)]
    for option, values in (("-n", ranks), ("--whole", whole), ("--settings", settings)):
        command += [word for value in values for word in (option, value)]
    return table(f"applications: mpi4py with {preset}", command)


def lammps(jobs):
    program = needs.lammps()
    if not program:
        say("   SKIPPED: there is no LAMMPS (apt-get install lammps lammps-data lammps-examples)")
        return True
    if "libmpi.so.40" not in subprocess.run(["ldd", program], capture_output=True, text=True, timeout=60).stdout:
        say(f"   SKIPPED: {program} is not built with Open MPI 4, whose drop-in runs it here")
        return True
    command = [needs.PYTHON, FOLDER / "run_lammps.py", "--lammps", program, "--data", needs.LAMMPS_DATA,
               *build("openmpi", jobs)]
    return table("applications: LAMMPS", command)


def present(preset):
    return preset == "mpich" or needs.program("mpicc.openmpi") is not None


def short(jobs):
    return mpi4py("mpich", jobs, ranks=(2,), settings=("lossless", "rel:1e-6"))


def command(args):
    if args.short:
        return 0 if short(args.jobs) else 1
    begin, good = time.monotonic(), []
    if args.only in (None, "mpi4py"):
        for preset in MPIS:
            if present(preset):
                good.append(mpi4py(preset, args.jobs, ranks=args.ranks or (1, 3), whole=(2,)))
            else:
                say(f"   SKIPPED: mpi4py with {preset}, which is not here")
    if args.only in (None, "lammps"):
        good.append(lammps(args.jobs))
    say(f"{sum(good)} of {len(good)} found nothing wrong, in {time.monotonic() - begin:.0f} s")
    return 0 if good and all(good) else 1
