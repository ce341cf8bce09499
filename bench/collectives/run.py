#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plain against compressed Allreduce, or another operation, on real fields in the network lab (../lab), one run per field.

Each run is one of `laconic bench`, which interleaves plain MPI with all that is asked for.  Options that are not listed
here go to it as they are (--against, --window, --grid, ...: laconic bench --help).  Prints the
tables and a summary, and writes all numbers to --out.  Exit status 1: a result was out of its bound, or its bits
differed between ranks.  Speed never fails this script; it says when a comparison is void.
"""
import argparse, glob, json, os, platform, sys, tempfile

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(BENCH, "lab"))
import lab, launch  # noqa: E402

VOID_ABOVE = 1.15  # plain MPI over its bandwidth bound: beyond, something else than the cable was measured
NOISY_ABOVE = 1.5  # slowest over fastest iteration: other load came and went
DEFAULTS = [(("--bytes", "--sizes"), "64M"), (("--bound",), "rel:1e-4")]  # others are those of `laconic bench`
GOAL = 0.6  # of the compression ratio, as speed-up


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operation", default="allreduce", help="of `laconic bench`")
    parser.add_argument("--build", required=True, metavar="DIR", help="build folder with bench/ and data/")
    parser.add_argument("--mpiexec", metavar="PATH", help="launcher of the MPI that the build uses")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rate", default="1gbit", help="each cable, each direction")
    parser.add_argument("--network", choices=["lab", "auto", "loopback"], default="auto")
    parser.add_argument("--env", action="append", default=[], metavar="K=V")
    parser.add_argument("--field", action="append", default=[], metavar="NAME", help="default: all of the build's data/")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for each field")
    parser.add_argument("--out", metavar="FILE", help="default: bench/results/local/<operation>-N<ranks>-<rate>.json")
    a, a.handed_on = parser.parse_known_args()
    given = {word.split("=")[0] for word in a.handed_on}
    if "--json" in given:
        parser.error("argument --json: all numbers go to --out")
    for names, default in DEFAULTS:
        if not given & set(names):
            a.handed_on += [names[0], default]
    known = {os.path.basename(f)[:-4]: f for f in sorted(glob.glob(os.path.join(a.build, "data", "*.f32")))}
    if not known:
        parser.error("no fields in %s/data: build the target `fields`" % a.build)
    for name in a.field:
        if name not in known:
            parser.error("argument --field: invalid choice: %r (choose from %s)" % (name, ", ".join(known)))
    a.fields = {name: os.path.abspath(path) for name, path in known.items() if not a.field or name in a.field}
    a.program = os.path.abspath(os.path.join(a.build, "cli", "laconic"))
    if not os.path.exists(a.program):
        parser.error("%s is missing: it needs CLI11 and fmt (apt-get install libcli11-dev libfmt-dev)" % a.program)
    a.out = a.out or os.path.join(BENCH, "results", "local", "%s-N%d-%s.json" % (a.operation, a.ranks, a.rate))
    return a


def measure(a, network, name, path):
    rate = a.rate if network == "lab" else "none"
    with tempfile.TemporaryDirectory() as folder:
        answer = os.path.join(folder, "answer.json")
        program = [a.program, "bench", a.operation, "--field", path, "--rate", rate, "--json", answer, *a.handed_on]
        done = lab.run(program, a.ranks, a.rate, None, a.mpiexec, a.build, a.env, a.timeout, network)
        sys.stderr.write(done.stderr)
        print(done.stdout, flush=True)
        if not os.path.exists(answer):
            sys.exit("%s: no result, exit status %d" % (name, done.returncode))
        with open(answer) as f:
            rows = json.load(f)
    # What all rows share is said once.
    shared = {key: rows[0][key] for key in ("mpi", "rate_bit_s", "iterations", "warmup")}
    results = [{key: row[key] for key in row if key not in shared and key != "field"} for row in rows]
    return dict(shared, field=name, network=network, results=results), done.returncode


def label(row):
    words = ["%s:%s" % (row["variant"], row["codec"]), row["algorithm"], row["bound"]]
    return " ".join(word for word in words if word != "none")


def summary(runs):
    print("%-26s %10s %-44s %11s %8s %7s %11s  %s" % ("field", "bytes", "variant", "plain/bound", "speed-up", "ratio",
                                                      "%g x ratio" % GOAL, "speed-up >= %g x ratio" % GOAL))
    for run in runs:
        for r in run["results"]:
            if r["variant"] == "plain":
                plain = r
                continue
            over = r["plain_over_bound"]
            verdict = "yes" if r["speedup_over_plain"] >= GOAL * r["ratio"] else "no"
            if not (r["bound_kept"] and (r["bits_equal"] or r["variant"] == "cpr-p2p")):
                verdict = "WRONG RESULT"
            elif over is None:
                verdict = "says nothing: no network lab"
            elif over > VOID_ABOVE and r["collective"] not in ("bcast", "reduce"):  # whose usual algorithms send more
                verdict = "void: plain is above %g x its bound" % VOID_ABOVE
            spread = max(x["max_s"] / x["min_s"] for x in (r, plain))
            if spread > NOISY_ABOVE:
                verdict += "; noisy: times spread %.1f x" % spread
            print("%-26s %10d %-44s %11s %8.2f %7.2f %11.2f  %s" % (
                run["field"], r["bytes"], label(r), "-" if over is None else "%.3f" % over, r["speedup_over_plain"],
                r["ratio"], GOAL * r["ratio"], verdict))


def main():
    a = arguments()
    network = a.network
    if network == "auto":
        permitted, why = lab.available()
        network = "lab" if permitted else "loopback"
        if not permitted:
            print("*** NO NETWORK LAB: %s\n*** Ranks talk over loopback, unshaped: the ratios and errors below are real, "
                  "the times say nothing about a network." % why, file=sys.stderr, flush=True)
    runs, worst = [], 0
    for name, path in a.fields.items():
        run, status = measure(a, network, name, path)
        runs.append(run)
        worst = max(worst, status)
    summary(runs)
    os.makedirs(os.path.dirname(os.path.abspath(a.out)), exist_ok=True)
    with open(a.out, "w") as f:
        json.dump({"network": network, "rate": a.rate if network == "lab" else "none", "ranks": a.ranks,
                   "cores": os.cpu_count(), "machine": platform.machine(), "kernel": platform.release().split("-")[0],
                   "launcher": launch.kind_of(launch.launcher(a.mpiexec)), "runs": runs}, f, indent=1)
        f.write("\n")
    print("numbers: %s" % os.path.relpath(a.out))
    return worst


if __name__ == "__main__":
    sys.exit(main())
