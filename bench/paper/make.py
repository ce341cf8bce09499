#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures and draws the papers' figures (./dev paper): one picture or more per claim, and an index of all.

  make.py --build DIR --simulator PROGRAM --mpiexec PATH [--quick] [--only FIGURE]... [--list] [--out FOLDER]

Says beforehand how long it takes. A measurement whose results are in --out, made by the same command with the same build, is
not repeated, so an interrupted run can be continued. Exit status 1: a measurement failed; the others are made all the same.
"""
import argparse, hashlib, json, os, pathlib, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
import figures  # noqa: E402

FEW = ("les_wmag_91x91x91.f32", "pcm_TREFHT_110x64x128.f32")  # fields of the quick tables
LIMIT = 3 * 3600  # seconds of one measurement


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]


def few_fields(data, out):
    folder = out / "fields"
    folder.mkdir(parents=True, exist_ok=True)
    for name in FEW:
        link = folder / name
        link.unlink(missing_ok=True)
        link.symlink_to(data / name)
    return folder


class Runner:
    def __init__(self, args):
        self.out = args.out / ("quick" if args.quick else "full")
        self.measured = self.out / "measured"
        self.measured.mkdir(parents=True, exist_ok=True)
        data = args.build / "data"
        self.words = {"build": args.build, "simulator": args.simulator, "mpiexec": args.mpiexec, "python": sys.executable, "data": data,
                      "few": few_fields(data, self.out)}
        # Results of another build are not those of this one.
        self.programs = [digest(path) for path in (args.build / "cli" / "laconic", args.build / "liblaconic.so", args.simulator)]

    def place(self, measurement):
        folder = any(str(word) == "{out}/" for word in measurement.command)
        return self.measured / (measurement.name if folder else measurement.name + ".json")

    def command(self, measurement):
        return [str(word).format(out=self.place(measurement), **self.words) for word in measurement.command]

    def stamp(self, measurement):
        return self.measured / (measurement.name + ".made")

    def is_made(self, measurement):
        stamp = self.stamp(measurement)
        made = json.loads(stamp.read_text()) if stamp.exists() else None
        return made == [self.command(measurement), self.programs] and self.place(measurement).exists()

    def make(self, measurement):
        """The end of what it said, if it failed."""
        log = self.measured / (measurement.name + ".log")
        self.stamp(measurement).unlink(missing_ok=True)
        if self.place(measurement).suffix != ".json":
            self.place(measurement).mkdir(exist_ok=True)
        with open(log, "w") as said:
            try:
                status = subprocess.run(self.command(measurement), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=said,
                                        stderr=subprocess.STDOUT, timeout=LIMIT).returncode
            except subprocess.TimeoutExpired:
                status = f"more than {LIMIT} s"
        if status != 0 or not self.place(measurement).exists():
            return f"{measurement.name}: {status}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-15:])
        self.stamp(measurement).write_text(json.dumps([self.command(measurement), self.programs]))
        return None


def index(chosen, drawn, failed, out):
    lines = ["# The papers' figures, measured", "",
             "Made by `./dev paper`. [docs/papers.md](../../../../../docs/papers.md) compares them with the papers' own.", ""]
    for figure in chosen:
        lines += [f"## {figure.claim[0].upper()}{figure.claim[1:]}", "", figure.source, ""]
        lines += [f"![{figure.name}]({os.path.relpath(path, out)})\n" for path in drawn.get(figure.name, ())]
        if figure.name in failed:
            lines += ["It failed:", "", "```", failed[figure.name], "```", ""]
    lines += ["## Not here", "", "| | |", "|---|---|", *(f"| {what} | {why} |" for what, why in figures.ELSEWHERE), ""]
    (out / "README.md").write_text("\n".join(lines))


def arguments():
    names = [figure.name for figure in figures.FIGURES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path, metavar="DIR", help="build folder with bench/ and data/")
    parser.add_argument("--simulator", required=True, type=pathlib.Path, metavar="PROGRAM", help="build/simulation/bench/scale/simulate")
    parser.add_argument("--mpiexec", required=True, metavar="PATH", help="launcher of the MPI that the build uses")
    parser.add_argument("--quick", action="store_true", help="few nodes, fields and sizes: every figure in a few minutes")
    parser.add_argument("--only", action="append", default=[], choices=names, metavar="FIGURE", help="only these: " + ", ".join(names))
    parser.add_argument("--list", action="store_true", help="print what would be measured and how long it takes, and stop")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "bench" / "results" / "local" / "paper", metavar="FOLDER")
    args = parser.parse_args()
    args.build, args.out, args.simulator = args.build.resolve(), args.out.resolve(), args.simulator.resolve()
    return args


def minutes(seconds):
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"


def main():
    from tqdm import tqdm
    args = arguments()
    mode = "quick" if args.quick else "full"
    chosen = [figure for figure in figures.FIGURES if not args.only or figure.name in args.only]
    runner = Runner(args)
    plan = [(figure, measurement) for figure in chosen for measurement in figure.measurements(mode)]
    left = [(figure, measurement) for figure, measurement in plan if not runner.is_made(measurement)]
    for figure in chosen:
        mine = figure.measurements(mode)
        print(f"{figure.name:18} {len(mine):2} measurements  {minutes(sum(m.seconds for m in mine)):>7}  {figure.source}")
    print(f"{len(left)} of {len(plan)} measurements are to be made, in about {minutes(sum(m.seconds for _, m in left))}", flush=True)
    if args.list:
        return 0
    failed, drawn = {}, {}
    with tqdm(total=sum(m.seconds for _, m in left), unit="s", bar_format="{l_bar}{bar}| {elapsed} {desc}") as bar:
        for figure, measurement in left:
            bar.set_description_str(f"{figure.name}: {measurement.name}")
            begin = time.monotonic()
            problem = runner.make(measurement)
            if problem:
                failed[figure.name] = problem
                tqdm.write(problem)
            bar.update(measurement.seconds)
            tqdm.write(f"{measurement.name}: {time.monotonic() - begin:.0f} s")
    for figure in chosen:
        results = [runner.place(m) for m in figure.measurements(mode)]
        if figure.name not in failed and results:
            drawn[figure.name] = figure.draw(results, runner.out / figure.name)
    index(chosen, drawn, failed, runner.out)
    print(f"figures: {runner.out / 'README.md'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
