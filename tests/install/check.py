# SPDX-License-Identifier: BSD-3-Clause
"""Installs the build tree into a fresh prefix, moves that, and uses it as a stranger would: with find_package and with
pkg-config, and the drop-in through the command laconic."""
import argparse, os, pathlib, shutil, subprocess, sys

SKIPPED = 77  # as tests/CMakeLists.txt has it
HERE = pathlib.Path(__file__).resolve().parent


def run(*command, env=None):
    command = [str(word) for word in command]
    print("+", " ".join(command), flush=True)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, timeout=150)
    print(done.stdout, flush=True)
    if done.returncode != 0:
        sys.exit(f"failed with {done.returncode}")
    return done.stdout


def start(mpiexec, program):
    out = run(sys.executable, HERE.parent / "mpirun", "--mpiexec", mpiexec, "--timeout", 60, "-n", 1, "--", program)
    if "right" not in out:
        sys.exit("the program said nothing")


def check_codec(program):
    if "right" not in run(program):
        sys.exit("the program said nothing")
    if "libmpi" in run("ldd", program):
        sys.exit("a program without MPI loads one")


def check_dropin(mpiexec, command, program):
    """The command finds the drop-in in its prefix, and the drop-in the library."""
    out = run(command, "run", "--bound", "abs:1e-3", "--tune", "off", "--", mpiexec, "-n", 2, program)
    if "within the bound" not in out:
        sys.exit("the drop-in did not compress")


def check_pages(prefix):
    """Every page has a name that whatis finds, and the options of its command."""
    pages = sorted((prefix / "share" / "man" / "man1").glob("*.1"))
    if not pages and not shutil.which("help2man"):
        return
    wanted = {"laconic": "Subcommands", "laconic-run": "min\\-bytes", "laconic-bench": "iterations", "laconic-codec": "dtype"}
    missing = set(wanted) - {page.stem for page in pages}
    if missing:
        sys.exit(f"no man page of {', '.join(sorted(missing))}")
    for page in pages:
        text = page.read_text()
        for word in (f".TH {page.stem.upper()} ", f"\n{page.stem} \\- ", ".SH \"SEE ALSO\"", wanted.get(page.stem, "")):
            if word not in text:
                sys.exit(f"{page.name} does not say {word}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "build", "mpicc", "mpiexec", "libdir", "version"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()

    scratch = pathlib.Path(args.build) / "install-check"
    shutil.rmtree(scratch, ignore_errors=True)
    prefix, source = scratch / "prefix", scratch / "source"
    source.mkdir(parents=True)
    for name in ("use.c", "use.cpp", "use_codec.c", "unmodified.c"):
        shutil.copy(HERE / name, source / name)
    shutil.copy(HERE / "CMakeLists.in", source / "CMakeLists.txt")
    run(args.cmake, "--install", args.build, "--prefix", scratch / "first")
    (scratch / "first").rename(prefix)  # nothing in it may know where it was

    run(args.cmake, "-S", source, "-B", scratch / "cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DLACONIC_WANTED={args.version}",
        f"-DMPI_C_COMPILER={args.mpicc}", f"-DMPIEXEC_EXECUTABLE={args.mpiexec}")
    run(args.cmake, "--build", scratch / "cmake")
    for program in ("use", "use_cpp"):
        start(args.mpiexec, scratch / "cmake" / program)
    check_codec(scratch / "cmake" / "use_codec")
    if (prefix / "bin" / "laconic").exists():  # built only where CLI11 and fmt are
        check_pages(prefix)
        run(prefix / "bin" / "laconic", "info")
        check_dropin(args.mpiexec, prefix / "bin" / "laconic", scratch / "cmake" / "unmodified")

    if not shutil.which("pkg-config"):
        print("pkg-config is missing: only find_package was tested")
        sys.exit(SKIPPED)
    env = {**os.environ, "PKG_CONFIG_PATH": str(prefix / args.libdir / "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "laconic", env=env).split()
    program = scratch / "use-pkg-config"
    run(args.mpicc, source / "use.c", "-o", program, *flags, f"-Wl,-rpath,{prefix / args.libdir}")
    start(args.mpiexec, program)
    flags = run("pkg-config", "--cflags", "--libs", "laconic-codec", env=env).split()
    run("cc", source / "use_codec.c", "-o", program, *flags, "-lm", f"-Wl,-rpath,{prefix / args.libdir}")
    check_codec(program)


if __name__ == "__main__":
    main()
