# SPDX-License-Identifier: BSD-3-Clause
"""Runs LAMMPS without the drop-in and with it, compares the final energies, and says what was compressed.

    run_lammps.py --lammps PROGRAM --data FOLDER --dropin LIBRARY --mpiexec PATH [--preload LIBRARY]... [--only CASE]...

FOLDER is where LAMMPS' examples and potentials are (Debian: /usr/share/lammps). Exit code 0: all energies agree, and in
every run with a bound something was compressed; 77: this LAMMPS has another MPI than the drop-in.
"""
import argparse, json, os, pathlib, re, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "dropin"))
from run import mpi_of  # noqa: E402

AGREE = 1e-6  # relative, of each energy
JOB_LIMIT = 300  # seconds
# Most of what LAMMPS reduces is a handful of numbers. To have it touched at all, the limit of 64 KiB is lowered.
SMALL = {"LACONIC_BOUND": "rel:1e-9", "LACONIC_MIN_BYTES": "1"}
MOVES = {**SMALL, "LACONIC_INCLUDE": "movement"}
# Messages: positions, forces and grids, and whole numbers in the bits of doubles.
MESSAGES = {"LACONIC_BOUND": "rel:1e-9", "LACONIC_MIN_BYTES": "4096", "LACONIC_P2P": "1"}
VECTORS = {"LACONIC_MIN_BYTES": "16384"}
CASES = {
    "lj": [SMALL, MESSAGES],
    "melt": [SMALL],
    # Broadcasts tables whose first entries are large: a bound relative to their range would be too coarse for the rest.
    "eam": [SMALL, {**MOVES, "LACONIC_BOUND": "lossless"}],
    # Water is held rigid to 1e-4 and moves chaotically: in 300 steps positions that are rounded show in the energies.
    "peptide": [SMALL, MOVES, {**MESSAGES, "LACONIC_BOUND": "lossless"}],
    "ewald": [{"LACONIC_BOUND": bound, **VECTORS} for bound in ("lossless", "rel:1e-8", "rel:1e-7")],
}


def run(args, case, settings, folder):
    """Returns the energies, the seconds of the loop over the steps, and the report's operations."""
    command = [sys.executable, str(HERE.parent / "mpirun"), "--mpiexec", args.mpiexec, "--timeout", str(JOB_LIMIT)]
    for library in ([args.dropin] if settings is not None else []) + args.preload:
        command += ["--preload", library]
    variables = {"here": HERE / "lammps", "examples": f"{args.data}/examples", "potentials": f"{args.data}/potentials"}
    log, report = folder / "log", folder / "report.json"
    command += ["-n", str(args.n), "--", args.lammps, "-in", str(HERE / "lammps" / f"{case}.in"), "-log", str(log),
                "-screen", "none"]
    command += [word for name, value in variables.items() for word in ("-var", name, str(value))]
    env = {key: value for key, value in os.environ.items() if not key.startswith("LACONIC_")}
    if settings:
        env.update(settings, LACONIC_REPORT=f"json:{report}")
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=JOB_LIMIT + 30)
    said = log.read_text() if log.exists() else ""
    energies = re.findall(r"^final: pe (\S+) ke (\S+) etotal (\S+)$", said, re.M)
    if done.returncode != 0 or not energies:
        raise RuntimeError(f"{case}: exit code {done.returncode}\n{(done.stdout + done.stderr + said)[-3000:]}")
    loop = float(re.search(r"^Loop time of (\S+)", said, re.M).group(1))
    operations = json.loads(report.read_text())["operations"] if report.exists() else []
    return [float(x) for x in energies[-1]], loop, operations


def difference(energies, plain):
    return max(abs(one - other) / abs(other) for one, other in zip(energies, plain))


def text_of(settings):
    if not settings:
        return "plain" if settings is None else "no bound"
    return " ".join(value if name == "LACONIC_BOUND" else f"{name[len('LACONIC_'):].lower()}={value}"
                    for name, value in settings.items())


def show(case, settings, energies, plain, loop, operations):
    print(f"{case:8} {text_of(settings):40} {energies[2]:19.12g} {difference(energies, plain):10.1e} {loop:6.1f}",
          flush=True)
    for entry in operations:
        why = ", ".join(f"{n} {reason}" for reason, n in sorted(entry["plain"].items()))
        line = f"         {entry['operation']:12} {entry['calls']:6} calls {entry['compressed']:6} compressed"
        if entry["compressed"]:
            line += f", {entry['bytes']} bytes, ratio {entry['ratio']:.2f}"
        print(line + (f"; plain: {why}" if why else ""), flush=True)


def run_case(args, case):
    good = True
    plain = None
    for settings in [None, {}] + CASES[case]:
        with tempfile.TemporaryDirectory() as folder:
            energies, loop, operations = run(args, case, settings, pathlib.Path(folder))
        plain = plain or energies
        show(case, settings, energies, plain, loop, operations)
        if difference(energies, plain) > (AGREE if settings else 0.0):
            print(f"    energies {energies}, without the drop-in {plain}")
            good = False
        if settings and not any(entry["compressed"] for entry in operations):
            print("    nothing was compressed")
            good = False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lammps", required=True)
    parser.add_argument("--data", default="/usr/share/lammps")
    parser.add_argument("--dropin", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--preload", action="append", default=[])
    parser.add_argument("-n", type=int, default=4)
    parser.add_argument("--only", action="append", default=[], choices=list(CASES))
    args = parser.parse_args()
    if mpi_of(args.lammps) != mpi_of(args.dropin):
        print(f"skipped: {args.lammps} has the MPI {mpi_of(args.lammps)}, the drop-in {mpi_of(args.dropin)}")
        return 77
    print(f"LAMMPS, {args.n} ranks\n{'input':8} {'settings':40} {'total energy':>19} difference  loop s", flush=True)
    good = [run_case(args, case) for case in args.only or CASES]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
