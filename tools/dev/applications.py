# SPDX-License-Identifier: BSD-3-Clause
"""./dev applications: programs that others have written, under the drop-in (tests/applications/README.md)."""
import os, shutil, subprocess, sys, tarfile, time

from . import needs, trees
from .steps import ROOT, STATE, Failed, run, say

FOLDER = ROOT / "tests" / "applications"
COVERAGE = ROOT / "bench" / "applications"
LIMIT = 3600  # seconds, for the jobs of one MPI; each has a limit of its own, too
SHORT_LIMIT = 300  # seconds, for a job that takes half a minute
COVERAGE_LIMIT = 4 * 3600  # seconds
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
    """Runs a script that prints a table and what it found wrong; returns the latter, or None."""
    try:
        say(run(title, command, LIMIT).read_text().rstrip())
    except Failed as error:
        return str(error)
    return None


def mpi4py(preset, jobs, ranks=(), whole=(), settings=(), limit=900):
    command = [needs.PYTHON, FOLDER / "run_mpi4py.py", "--suite", mpi4py_suite(), *build(preset, jobs), "--limit", limit]
    for option, values in (("-n", ranks), ("--whole", whole), ("--settings", settings)):
        command += [word for value in values for word in (option, value)]
    return table(f"applications: mpi4py with {preset}", command)


def lammps(jobs):
    program = needs.lammps()
    if not program:
        say("   SKIPPED: there is no LAMMPS (apt-get install lammps lammps-data lammps-examples)")
        return None
    if "libmpi.so.40" not in subprocess.run(["ldd", program], capture_output=True, text=True, timeout=60).stdout:
        say(f"   SKIPPED: {program} is not built with Open MPI 4, whose drop-in runs it here")
        return None
    command = [needs.PYTHON, FOLDER / "run_lammps.py", "--lammps", program, "--data", needs.LAMMPS_DATA,
               *build("openmpi", jobs)]
    return table("applications: LAMMPS", command)


def present(preset):
    return preset == "mpich" or needs.program("mpicc.openmpi") is not None


def short(jobs):
    return mpi4py("mpich", jobs, ranks=(2,), settings=("lossless", "rel:1e-6"), limit=SHORT_LIMIT)


def every(args):
    found = []
    if args.only in (None, "mpi4py"):
        for preset in MPIS:
            if present(preset):
                found.append(mpi4py(preset, args.jobs, ranks=args.ranks or (1, 3), whole=(2,)))
            else:
                say(f"   SKIPPED: mpi4py with {preset}, which is not here")
    if args.only in (None, "lammps"):
        found.append(lammps(args.jobs))
    return found


def installed(package):
    said = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True, timeout=60)
    return said.stdout == "install ok installed"


def provide_programs(programs):
    """Installs what they need, as far as it can be had; says what cannot."""
    lacking = lambda: sorted({package for one in programs for package in one.packages if not installed(package)})
    if not shutil.which("dpkg-query"):
        say("   there are no packages of Debian's here: programs that are not installed will not run")
    elif lacking():
        try:
            if needs.as_root() is None:
                raise Failed("packages can only be installed as root, or with sudo that asks for no password")
            needs.apt_install(lacking())
        except Failed as error:
            say(str(error))
        for package in lacking():
            say(f"   CANNOT BE HAD: {package}, for " + ", ".join(one.name for one in programs if package in one.packages))
    for one in programs:
        if one.wheels and not needs.wheels_present(one.wheels):
            try:
                needs.pip(*one.wheels)
            except Failed as error:
                say(f"{error}\n   CANNOT BE HAD: {', '.join(one.wheels)}, for {one.name}")


def coverage(args):
    """Which bytes of real programs the drop-in reaches, and what becomes of their results (bench/applications/README.md)."""
    sys.path.insert(0, str(COVERAGE))
    import catalogue
    names = [one.name for one in catalogue.PROGRAMS]
    unknown = [name for name in args.program if name not in names]
    if unknown:
        raise Failed(f"no program {', '.join(unknown)}; there are {', '.join(names)}")
    if not present("openmpi"):
        raise Failed("there is no Open MPI of Debian's, with which the programs are built (apt-get install libopenmpi-dev openmpi-bin)")
    provide_programs([one for one in catalogue.PROGRAMS if not args.program or one.name in args.program])
    tree = trees.build("openmpi", args.jobs, ("laconic_mpi_dropin", "laconic_command", "idle"))
    command = [needs.PYTHON, COVERAGE / "run_programs.py", "--build", tree, "--mpiexec", MPIS["openmpi"], "--out", args.out]
    command += [word for name in args.program for word in ("--only", name)]
    command += ["--lab", args.lab, "--rounds", args.rounds] if args.lab else []
    run("applications: coverage", command, COVERAGE_LIMIT, show=True)
    return 0


def command(args):
    if args.coverage:
        return coverage(args)
    begin = time.monotonic()
    found = [short(args.jobs)] if args.short else every(args)
    problems = [problem for problem in found if problem]
    say("\n".join([*problems, f"{len(found) - len(problems)} of {len(found)} found nothing wrong, in {time.monotonic() - begin:.0f} s"]))
    return 0 if found and not problems else 1
