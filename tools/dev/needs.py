# SPDX-License-Identifier: BSD-3-Clause
"""What has to be on the machine, what for, and how it gets there: Debian packages where we may install them, else wheels."""
import dataclasses, glob, os, re, shutil, subprocess, sys, sysconfig, urllib.request, venv

from .steps import STATE, Failed, run, say

VENV = STATE / "venv"
PYTHON = VENV / "bin" / "python"
CMAKE_AT_LEAST = (3, 25)

# Always in the virtual environment, whatever the system has. clang-format is pinned because versions differ in taste.
WHEELS = ["mpich>=5,<6", "mpi4py>=4.1,<5", "numpy", "matplotlib", "clang-format==14.0.6"]
# Commands that have wheels of their own in place of those: what they need, no other command waits for.
WHEELS_OF = {"docs": ["mkdocs-material>=9.6,<10"]}


@dataclasses.dataclass
class Need:
    name: str
    find: object  # a function: the place where it was found, or None
    what_for: str
    apt: str = ""
    wheel: str = ""
    commands: tuple = ()  # the ./dev commands that want it; "build PRESET", "test SUITE": that one alone
    required: bool = True  # without it demo or test cannot run at all
    how: str = ""  # to get it, where neither a package nor a wheel will do


def program(*names):
    """Ours before the system's, so that a wheel can stand in for a package that is too old."""
    for name in names:
        for path in (VENV / "bin" / name, shutil.which(name)):
            if path and os.path.exists(path):
                return str(path)
    return None


def version_of(path):
    said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30).stdout
    found = re.search(r"(\d+)\.(\d+)[.\d]*", said)
    return found.group(0) if found else "?"


def cmake():
    for path in (str(VENV / "bin" / "cmake"), shutil.which("cmake")):
        if path and os.path.exists(path):
            if tuple(int(n) for n in version_of(path).split(".")[:2]) >= CMAKE_AT_LEAST:
                return path
    return None


def file(*patterns):
    return lambda: next((hit for pattern in patterns for hit in glob.glob(pattern)), None)


def clang():
    """clang++, where it has the libraries for sanitizers and fuzzing, which are packages of their own."""
    path = program("clang++")
    if not path:
        return None
    said = subprocess.run([path, "-print-resource-dir"], capture_output=True, text=True, timeout=30).stdout.strip()
    return path if glob.glob(f"{said}/lib/*/libclang_rt.fuzzer*.a") else None


LAMMPS_DATA = "/usr/share/lammps"  # of Debian's packages


def lammps():
    """The program, where its examples and potentials are there, too."""
    whole = all(os.path.isdir(f"{LAMMPS_DATA}/{name}") for name in ("examples", "potentials"))
    return program("lmp") if whole else None


ALL = ("build", "test", "demo", "bench", "lint", "fuzz", "figures", "sweep", "applications", "train", "scale", "paper")
NEEDS = [
    Need("C++ compiler", lambda: program("g++", "c++"), "g++ 11 or newer", "g++", "", ALL),
    Need("git", lambda: program("git"), "the list of files to lint, or to make pages of", "git", "", ("test", "lint", "fmt", "docs")),
    Need("CMake", cmake, "configuring (%d.%d or newer)" % CMAKE_AT_LEAST, "cmake", "cmake", ALL),
    Need("Ninja", lambda: program("ninja"), "building", "ninja-build", "ninja", ALL),
    Need("ccache", lambda: program("ccache"), "compiling once what several trees share", "ccache", "", ("build", "test", "lint"), False),
    Need("GoogleTest", file("/usr/include/gtest/gtest.h", "/usr/local/include/gtest/gtest.h"), "tests without MPI",
         "libgtest-dev libgmock-dev", "", ("build", "test")),
    Need("libzfp", file("/usr/include/zfp.h", "/usr/local/include/zfp.h"), "the codec zfp (the library builds without)",
         "libzfp-dev", "", ALL, False),
    Need("CLI11", file("/usr/include/CLI/CLI.hpp", "/usr/local/include/CLI/CLI.hpp"), "the command laconic",
         "libcli11-dev", "", ("build", "test", "demo", "bench", "figures", "scale", "paper"), False),
    Need("fmt", file("/usr/include/fmt/format.h", "/usr/local/include/fmt/format.h"), "the command laconic",
         "libfmt-dev", "", ("build", "test", "demo", "bench", "figures", "paper"), False),
    Need("help2man", lambda: program("help2man"), "man pages of the command", "help2man", "", ("build", "test"), False),
    Need("pkg-config", lambda: program("pkg-config"), "half of the install test", "pkg-config", "", ("test",), False),
    Need("Open MPI", lambda: program("mpicc.openmpi"), "the suite openmpi", "libopenmpi-dev openmpi-bin", "",
         ("test", "applications", "build openmpi", "build packages"), False),
    Need("Python headers", file(os.path.join(sysconfig.get_path("include"), "Python.h")), "the suites package and torch",
         "python3-dev", "", ("test", "train")),
    Need("LAMMPS", lammps, "half of ./dev applications",
         "lammps lammps-data lammps-examples", "", ("applications",), False),
    Need("Debian's MPICH", lambda: program("mpicc.mpich"), "the suite mpich-debian", "libmpich-dev mpich", "",
         ("test mpich-debian", "attack", "build mpich-debian"), False),
    Need("SimGrid", lambda: program("smpirun"), "./dev scale, the suite simulation", "libsimgrid-dev", "",
         ("test", "scale", "paper", "build simulation"), False),
    Need("debootstrap", lambda: program("debootstrap"), "the suite packages", "debootstrap", "", ("test packages",), False),
    Need("dpkg-dev", lambda: program("dpkg-shlibdeps"), "Debian packages, the suite packages", "dpkg-dev", "", ("test packages", "build packages"), False),
    Need("gfortran", lambda: program("gfortran"), "tests of the drop-in in Fortran", "gfortran", "", ("test",), False),
    Need("clang", clang, "./dev fuzz, the suite fuzz", "clang libclang-rt-dev", "",
         ("test fuzz", "fuzz", "build fuzz"), False),
    Need("clang-tidy", lambda: program("clang-tidy"), "./dev lint", "clang-tidy", "", ("lint",), False),
    Need("nvcc", lambda: program("nvcc"), "device code for NVIDIA GPUs, the suite cuda", required=False,
         how="CUDA 12 or newer, from NVIDIA"),
    Need("zstd", lambda: program("zstd"), "./dev sweep --data with fields packed by it", "zstd", "", ("sweep",), False),
    Need("ip, tc", lambda: program("tc") or file("/usr/sbin/tc", "/sbin/tc")(), "the shaped network of demo and bench",
         "iproute2", "", ("demo", "bench", "train", "paper"), False),
]


def wheels_present(wheels=WHEELS):
    stamp = VENV / "wheels.txt"
    return stamp.exists() and set(wheels) <= set(stamp.read_text().split("\n"))


def as_root():
    """The words that make a command run as root, or None if we may not."""
    if not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def apt_install(packages):
    root = as_root()
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = root + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300", "-q"]
    run("set-up: apt-get update", apt + ["update"], 300, env)
    # Releases of Debian and Ubuntu cut some packages differently; one that is unknown must not stop the others.
    packages = [name for name in packages if subprocess.run(["apt-cache", "show", name], capture_output=True).returncode == 0]
    run("set-up: apt-get install " + " ".join(packages),
        apt + ["install", "-y", "--no-install-recommends"] + packages, 900, env)


def pip(*requirements):
    run("set-up: pip install " + " ".join(requirements),
        [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", *requirements], 600)
    with open(VENV / "wheels.txt", "a") as stamp:
        stamp.write("\n".join(requirements) + "\n")


def make_venv():
    if PYTHON.exists() and subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    say("-- set-up: Python environment in .dev/venv")
    # Debian keeps ensurepip, which venv needs to put pip into the environment, in a package of its own.
    try:
        import ensurepip
        with_pip = bool(ensurepip.version())
    except ImportError:
        with_pip = False
    if not with_pip and as_root() is not None:
        apt_install(["python3-venv"])
        with_pip = subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode == 0
    if with_pip:
        run("set-up: python -m venv", [sys.executable, "-m", "venv", VENV], 120)
        return
    venv.create(VENV, with_pip=False)
    url = "https://bootstrap.pypa.io/get-pip.py"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            (STATE / "get-pip.py").write_bytes(answer.read())
    except OSError as error:
        shutil.rmtree(VENV, ignore_errors=True)
        raise Failed(f"this Python has no ensurepip, and {url} cannot be had ({error}).\n"
                     "Install it: apt-get install python3-venv") from None
    run("set-up: get-pip", [PYTHON, STATE / "get-pip.py"], 300)


def provide(command):
    """Installs what `command` wants and is missing. Raises Failed if something required cannot be had."""
    STATE.mkdir(exist_ok=True)
    wanted = [need for need in NEEDS if command in need.commands]
    missing = [need for need in wanted if not need.find()]
    if missing and as_root() is not None:
        try:
            apt_install(sorted({package for need in missing for package in need.apt.split()}))
        except Failed as error:
            say(str(error))
        missing = [need for need in missing if not need.find()]
    make_venv()
    always = WHEELS_OF.get(command, WHEELS)
    if not wheels_present(always):
        pip(*always)
    wheels = [need.wheel for need in missing if need.wheel]
    if wheels:
        pip(*wheels)
        missing = [need for need in missing if not need.find()]
    for need in missing:
        say(f"   missing: {need.name} ({need.what_for}): apt-get install {need.apt}")
    if any(need.required for need in missing):
        raise Failed("some of what is missing is required: see above")


def doctor():
    rows = [("what", "found", "what for", "how to get it")]
    for need in NEEDS:
        place = need.find() or "missing"
        if place != "missing" and os.access(place, os.X_OK) and need.name not in ("ip, tc", "Open MPI", "Debian's MPICH", "LAMMPS"):
            place += " " + version_of(place)
        how = need.how or "apt-get install " + need.apt + (f", or pip install {need.wheel}" if need.wheel else "")
        rows.append((need.name, place, need.what_for, how))
    for wheel in WHEELS:
        rows.append((wheel, ".dev/venv" if wheels_present() else "missing", "wheel", "./dev build"))
    for command, wheels in WHEELS_OF.items():
        rows += [(wheel, ".dev/venv" if wheels_present([wheel]) else "missing", "./dev " + command, "./dev " + command) for wheel in wheels]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[3])
    can_install = as_root() is not None
    lacking = [need for need in NEEDS if need.required and not need.find()]
    if lacking and (can_install or all(need.wheel for need in lacking)):
        say("\nWhat is missing is installed by the command that needs it.")
        return 0
    if lacking:
        say("\nCannot run yet: " + ", ".join(need.name for need in lacking))
        return 1
    say("\nEverything that demo and test need is here" + ("." if wheels_present() else ", but for the wheels: they are fetched."))
    return 0
