# SPDX-License-Identifier: BSD-3-Clause
"""The commands of ./dev."""
import argparse, os, sys

from . import applications, attack, checks, docs, fuzz, gpu, needs, package, suites, sweep, trees
from .steps import ROOT, Failed, say


def script(name, path, args, extra):
    """Builds the release tree and hands over to a script that knows the rest."""
    needs.provide(name)
    tree = trees.build("release", args.jobs)
    if not (ROOT / path).exists():
        raise Failed(f"{path} does not exist")
    hand_over(path, "--build", tree, "--mpiexec", trees.MPIEXEC, *extra)


def hand_over(path, *words):
    """Replaces this process by a script, which then sets the exit code, prints the output and answers Ctrl-C."""
    command = [str(word) for word in (needs.PYTHON, ROOT / path, *words)]
    os.chdir(ROOT)
    sys.stdout.flush()
    os.execv(command[0], command)


def build(args, extra):
    needs.provide("build")
    needs.provide(f"build {args.preset}")  # what no other tree needs, as SimGrid
    tree = trees.build(args.preset, args.jobs)
    say(f"built: {tree.relative_to(ROOT)}")
    return 0


def test(args, extra):
    needs.provide("test")
    only = [name for word in args.only for name in word.split(",") if name]
    for suite in suites.SUITES:
        if suite.seldom and (args.all or suite.name in only):
            needs.provide(f"test {suite.name}")
    return suites.test(only, args.k, args.jobs, args.all)


def lint(args, extra):
    needs.provide("lint")
    return checks.lint(args.jobs)


def fmt(args, extra):
    needs.provide("fmt")
    return checks.fmt()


def fuzzing(args, extra):
    needs.provide("fuzz")
    unknown = [name for name in args.only if name not in fuzz.HARNESSES]
    if unknown or args.seconds < 1:
        raise Failed(f"--only takes {', '.join(fuzz.HARNESSES)}; --seconds a number from 1")
    return fuzz.command(args.seconds, args.only, args.jobs, args.codec)


def attacking(args, extra):
    needs.provide("test")
    needs.provide("attack")
    return attack.command(args)


def applying(args, extra):
    needs.provide("applications")
    return applications.command(args)


def sweeping(args, extra):
    needs.provide("sweep")
    return sweep.sweep(args)


def training(args, extra):
    needs.provide("train")
    return package.train(args.accuracy, extra)


def scaling(args, extra):
    needs.provide("scale")
    tree = trees.build("simulation", args.jobs, ("laconic_simulate", "fields"))
    hand_over("bench/scale/scale.py", "--program", tree / "bench/scale/simulate", "--field", tree / "data/pcm_TREFHT_110x64x128.f32", *extra)


def paper(args, extra):
    needs.provide("paper")
    if not needs.wheels_present(["tqdm"]):
        needs.pip("tqdm")
    release = trees.build("release", args.jobs)
    simulation = trees.build("simulation", args.jobs, ("laconic_simulate", "fields"))
    hand_over("bench/paper/make.py", "--build", release, "--simulator", simulation / "bench/scale/simulate", "--mpiexec", trees.MPIEXEC, *extra)


def documents(args, extra):
    needs.provide("docs")
    return docs.command()


def parse(argv):
    parser = argparse.ArgumentParser(prog="./dev", description="Installs the tools that a command needs, then runs the command.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name, function, help):
        command = commands.add_parser(name, help=help, description=help)
        command.set_defaults(function=function)
        command.add_argument("-j", "--jobs", type=int, default=min(os.cpu_count() or 1, 16), help="parallel jobs")
        return command

    add("demo", lambda args, extra: script("demo", "examples/image_stacking/run.py", args, extra),
        "run the image stacking example on real data, plain and compressed; further arguments go to its run.py")
    command = add("test", test, "build and run the tests; the last line counts them")
    command.add_argument("--all", action="store_true", help="the suites " + " and ".join(s.name for s in suites.SUITES if s.seldom) + ", too")
    command.add_argument("--only", action="append", default=[], metavar="SUITE",
                         help="only this suite (repeat, or separate by commas): " + ", ".join(s.name for s in suites.SUITES))
    command.add_argument("-k", metavar="PATTERN", help="only tests whose name matches this regular expression")
    command = add("build", build, "build one tree, build/<preset>")
    command.add_argument("preset", nargs="?", default="dev", choices=sorted(trees.presets()), help="default: dev")
    command = add("bench", lambda args, extra: script("bench", f"bench/collectives/{'matrix' if args.matrix else 'run'}.py", args, extra),
                  "measure operations in the network lab; further arguments go to bench/collectives/run.py, and from there to laconic bench")
    command.add_argument("--matrix", action="store_true",
                         help="all operations on several networks, default settings against plain MPI; further arguments go to matrix.py")
    add("figures", lambda args, extra: script("figures", "tools/figures/run.py", args, extra),
        "measure codecs and errors: tables and plots of docs/; further arguments go to tools/figures/run.py")
    command = add("fuzz", fuzzing, "feed the codecs malformed frames and random numbers; prints the folder of the findings")
    command.add_argument("--seconds", type=int, default=60, help="seconds for each fuzzer; default: 60")
    command.add_argument("--only", action="append", default=[], metavar="NAME",
                         help="only this fuzzer (repeatable): " + ", ".join(fuzz.HARNESSES))
    command.add_argument("--codec", metavar="NAME", help="only this codec, with a corpus of its own; default: all")
    command = add("sweep", sweeping, "check the promises of every codec on fields and random numbers; takes an hour or less")
    command.add_argument("--data", metavar="FOLDER", default=str(ROOT / "data"), help="fields: NAME.f32, .f32.xz, .f32.zst; default: data")
    command.add_argument("--patterns", metavar="N", type=int, help="random bit patterns of each type; default: 100000000")
    command.add_argument("--codec", metavar="NAME[,NAME...]", help="only these codecs")
    command.add_argument("--seed", metavar="N", help="seed of all random numbers")
    command.add_argument("--sums", action="store_true", help="only sums of many ranks")
    command.add_argument("--quick", action="store_true", help="only the part that ./dev test runs, some seconds")
    command = add("attack", attacking, "call the library with hostile arguments on 1 to 8 ranks, and check all results")
    command.add_argument("--seconds", type=int, default=60, help="seconds to run; default: %(default)s")
    command.add_argument("--seed", type=int, help="seed of all random numbers; default: a new one each time, which is printed")
    command.add_argument("--ranks", type=int, action="append", metavar="N", help="only this number of ranks (repeatable)")
    command.add_argument("--mpi", action="append", choices=tuple(attack.MPIS), help="only this MPI (repeatable)")
    command.add_argument("--case", type=int, metavar="K", help="only case K of the seed")
    command.add_argument("--with", dest="extra", action="append", choices=("bundles",),
                         help="also run cases that are not part of the attack yet: bundles are derived datatypes, different on every rank")
    command.add_argument("--isa", choices=("mixed",), help="with --case: different instruction sets on the ranks")
    command.add_argument("--only", action="append", choices=tuple(attack.TARGETS),
                         help="only this part: the library's API, or programs of handles with the drop-in in front of their MPI")
    command.add_argument("--mode", action="append", choices=tuple(attack.handles_runner().MODES),
                         help="with --only handles: only these settings of the drop-in (repeatable); plain: without it")
    command.add_argument("--steps", type=int, metavar="N", help="with --case of --only handles: at most N steps of it, each of them printed")
    command = add("applications", applying, "run mpi4py's own tests and LAMMPS under the drop-in, and compare; takes a quarter of an hour")
    command.add_argument("--only", choices=("mpi4py", "lammps"), help="only this application")
    command.add_argument("--ranks", type=int, action="append", metavar="N", help="ranks of mpi4py, beside all tests on 2; default: 1 and 3")
    command.add_argument("--short", action="store_true", help="only mpi4py's tests that communicate, on 2 ranks")
    command.add_argument("--coverage", action="store_true", help="instead: profile seven programs, run them with the suggested "
                         "settings, and compare bytes and results; takes a few minutes")
    command.add_argument("--program", action="append", default=[], metavar="NAME", help="with --coverage: only this program (repeatable)")
    command.add_argument("--out", metavar="FOLDER", default=str(ROOT / "build" / "coverage"),
                         help="with --coverage: folder of results.json and tables.md; default: build/coverage")
    command.add_argument("--lab", metavar="RATE", help="with --coverage: times in the network lab instead, as with 1gbit")
    command.add_argument("--rounds", type=int, metavar="N", default=5, help="with --lab: runs of each kind, in turns; default: 5")
    command = add("gpu", lambda args, extra: gpu.command(args),
                  "run device tests, sanitizers and benchmark on a machine with a GPU; needs no network, 8 minutes at most")
    command.add_argument("--out", metavar="FOLDER", help="folder of the results; default: bench/results/<name of the GPU>")
    command.add_argument("--limit", metavar="SECONDS", type=int, default=gpu.WHOLE_LIMIT, help="time limit of all steps; default: %(default)s")
    command.add_argument("--pack", action="store_true", help="only pack software that such a machine may lack into .dev/gpu-kit")
    command.add_argument("--rehearse", action="store_true", help="run the same steps in the emulator, with tiny sizes")
    command.add_argument("--short", action="store_true", help="run only a few of the tests")
    command.add_argument("--nccl", metavar="FOLDER", help="folder with NCCL's include/nccl.h and lib/libnccl.so.2, for its row; default: .dev/nccl "
                         "where it is there")
    command.add_argument("--cuszp", metavar="FOLDER", help="folder of the sources of cuSZp 3, for its rows; default: .dev/cuszp where it is there")
    command.add_argument("--cuzfp", metavar="FOLDER", help="folder of the sources of zfp 1.0, for rows of its CUDA code; default: .dev/cuzfp where "
                         "it is there")
    command.add_argument("--tree", metavar="FOLDER", help="use this tree, which is already built")
    command = add("train", training, "train models with compressed gradients: accuracy, bytes and step times; further arguments go to "
                  "bench/training/train.py; takes a quarter of an hour")
    command.add_argument("--accuracy", action="store_true", help="no step times")
    add("scale", scaling, "simulate collectives of 2 to 128 nodes: speed-up over plain MPI; further arguments go to "
        "bench/scale/scale.py")
    add("paper", paper, "measure and draw the papers' figures; goes on after an interruption; --quick takes a few minutes, --only FIGURE makes "
        "one, --list says what would be measured and how long it takes; further arguments go to bench/paper/make.py")
    add("docs", documents, "build the documentation site, build/docs, and check its links; it needs no server and no network")
    add("fmt", fmt, "format all C and C++ files")
    add("lint", lint, "check includes, format, words and licences, and run clang-tidy")
    add("doctor", lambda args, extra: needs.doctor(), "list the tools that are present and missing, and how to get them")
    args, extra = parser.parse_known_args(argv)
    if extra and args.command not in ("demo", "bench", "figures", "train", "scale", "paper"):
        parser.error("unknown: " + " ".join(extra))
    return args, [word for word in extra if word != "--"]


def main():
    args, extra = parse(sys.argv[1:])
    try:
        return args.function(args, extra)
    except Failed as error:
        say(f"\n{error}")
        return 1
    except KeyboardInterrupt:
        return 130
