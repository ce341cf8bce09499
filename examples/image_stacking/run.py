#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seismic image stacking: migrate shots over Marmousi2, stack the ranks' images with MPI and with Laconic, compare.

  run.py --build build/release --mpiexec PATH [--ranks 4] [--rate 1gbit] [--shots 32] [--repeat 5] [--out DIR]

Stacking runs in the network lab (bench/lab) at the given rate where namespaces are permitted, otherwise over
loopback, which is said.  Results: image_stacking.png, stack.json and table.txt in --out (default BUILD/demo).
"""
import argparse, gzip, hashlib, json, os, re, shutil, signal, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench", "lab"))
sys.path.insert(0, HERE)
import hosts, lab, launch  # noqa: E402

MODEL = os.path.join(HERE, "marmousi2", "vp_851x176_20m.u16.gz")
NX, NZ, SPACING = 851, 176, 20
GATHER_KM = 13.4         # where the offset gather is shown: a plain anticline
BOUNDS = "1e-2,1e-3,1e-4"  # shares of the largest stacked value, as in the C-Coll paper
MIGRATE_TIMEOUT, STACK_TIMEOUT = 1800, 600  # seconds


class Failure(Exception):
    pass


def stream(argv, timeout, env, on_line):
    """Runs a command in a process group of its own, hands on every line at once, and ends the group in time."""
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)
    timer = threading.Timer(timeout, end)
    timer.start()
    try:
        for line in process.stdout:
            on_line(line.rstrip())
        status = process.wait(timeout=30)
    finally:
        timer.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(timeout=30)
    if late.is_set():
        raise Failure("%s did not end within %d s" % (os.path.basename(argv[0]), timeout))
    return status


def say(text):
    print(text, flush=True)


def kind_of(mpiexec):
    try:
        text = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failure("cannot run %s: %s" % (mpiexec, e))
    return "mpich" if re.search("hydra|mpich", text, re.I) else "openmpi"


def digest(*parts):
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()[:16]


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def programs(build):
    found = {name: os.path.join(build, "examples", "image_stacking", name) for name in ("migrate", "stack")}
    for path in found.values():
        if not os.access(path, os.X_OK):
            raise Failure("%s is missing: build the targets migrate and stack first" % path)
    return found


def partial_images(a, work, program, kind):
    """The folder with the ranks' images: computed, or kept from an earlier run with the same program and input."""
    settings = ["--nx", NX, "--nz", NZ, "--spacing", SPACING, "--shots", a.shots, "--offsets", a.offsets,
                "--record", a.record]
    settings = list(map(str, settings))
    velocities = gzip.decompress(contents(MODEL))
    cache = os.path.join(work, "cache")
    folder = os.path.join(cache, digest(contents(program), velocities, " ".join(settings).encode(), b"%d" % a.ranks))
    if os.path.isdir(folder):
        say("migrate: %d shots on %d ranks, kept from an earlier run" % (a.shots, a.ranks))
        return folder
    shutil.rmtree(cache, ignore_errors=True)  # one set of images is enough: they are large
    unfinished = folder + ".unfinished"
    os.makedirs(unfinished)
    model = os.path.join(unfinished, "vp.u16")
    with open(model, "wb") as f:
        f.write(velocities)

    begin = time.monotonic()
    done = 0

    def progress(line):
        nonlocal done
        if re.match(r"shot \d+ of \d+ ", line):
            done += 1
            say("migrate: %2d of %d shots after %3.0f s  (%s)" % (done, a.shots, time.monotonic() - begin, line))
        elif line:
            say(line)
    say("migrate: %d shots on %d ranks; this is done once" % (a.shots, a.ranks))
    argv = launch.job(kind, a.mpiexec, a.ranks, None, [program, "--model", model, "--out", unfinished] + settings, False)
    status = stream(argv, MIGRATE_TIMEOUT, launch.environment(kind, [], False), progress)
    if status != 0 or done != a.shots:
        raise Failure("migrate failed with status %d after %d of %d shots" % (status, done, a.shots))
    os.rename(unfinished, folder)
    return folder


def network(a):
    """(name for the lab's --network, bits per second or 0, what to call it)"""
    shaped = hosts.parse_rate(a.rate)
    permitted, why = (False, "asked for") if a.network == "loopback" else lab.available()
    if permitted:
        links = "%g Gbit/s links" % (shaped / 1e9) if shaped else "links as fast as they go"
        return "lab", shaped, "%d hosts with %s" % (a.ranks, links)
    say("\n*** NO NETWORK LAB: %s\n*** Stacking over loopback, without a network: the times below say nothing about one."
        "\n*** Bytes and errors are as they would be.\n" % why)
    return "loopback", 0, "%d ranks over loopback, NOT a network" % a.ranks


def stack(a, program, kind, partials, where, rate):
    argv = [sys.executable, os.path.abspath(lab.__file__), "run", "-n", str(a.ranks), "--rate", a.rate, "--mpi", kind,
            "--mpiexec", a.mpiexec, "--network", where, "--build", a.build, "--timeout", str(STACK_TIMEOUT), "--",
            program, "--partials", partials, "--nx", NX, "--nz", NZ, "--planes", 2 * a.offsets + 1, "--gather",
            round(GATHER_KM * 1000 / SPACING), "--out", a.out, "--bounds", a.bounds, "--repeat", a.repeat, "--link", rate]
    result = os.path.join(a.out, "stack.json")
    if os.path.exists(result):
        os.remove(result)  # so that a failed run cannot pass for this one
    status = stream(list(map(str, argv)), STACK_TIMEOUT + 60, None, say)
    if not os.path.exists(result):
        raise Failure("stack failed with status %d" % status)
    with open(result) as f:
        return status, json.load(f)


def table(report, title):
    head = ("variant", "bound", "median s [min - max]", "speed-up", "ratio", "max error", "error/bound", "PSNR dB",
            "NRMSE", "equal bits")
    rows = []
    for v in report["variants"]:
        plain = v["name"] == "plain"
        # Without an error there is no finite PSNR.
        shown = {key: "-" if v[key] is None else form % v[key]
                 for key, form in (("error_over_bound", "%.3f"), ("psnr", "%.1f"), ("nrmse", "%.1e"))}
        rows.append(("MPI_Allreduce" if plain else "Laconic " + v["name"],
                     "-" if v["bound_share"] == 0 else "abs:%.2e" % v["bound"],
                     "%.3f [%.3f - %.3f]" % (v["median"], min(v["seconds"]), max(v["seconds"])),
                     "%.2f" % v["speedup"], "%.2f" % v["ratio"], "%.2e" % v["max_error"], shown["error_over_bound"],
                     shown["psnr"], shown["nrmse"], "yes" if v["equal_bits"] else "NO"))
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    lines = ["Image stacking, %s: %.1f MB per rank (largest value %.3g)" %
             (title, report["bytes_per_rank"] / 1e6, report["largest_value"])]
    lines += ["  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
              for row in [head] + rows]
    wire = report["plain_wire_seconds"]
    if wire:
        lines.append("MPI_Allreduce takes %.2f times what its bytes need on the link, 2(N-1)/N D/B = %.3f s." %
                     (report["variants"][0]["median"] / wire, wire))
    lines += ["Laconic %s ran as plain MPI: %s" % (v["name"], v["ran_as_plain"])
              for v in report["variants"] if "ran_as_plain" in v]
    lines += ["Laconic %s BREAKS ITS BOUND" % v["name"] for v in report["variants"] if not v["within_bound"]]
    return "\n".join(lines)


def how_to_go_on(a):
    """Where the command is, and the launcher of its MPI."""
    command, launcher = os.path.join(a.build, "cli", "laconic"), shutil.which(a.mpiexec) or a.mpiexec
    if not os.access(command, os.X_OK):
        return "The command laconic was not built: it needs CLI11 and fmt (libcli11-dev, libfmt-dev)."
    return ("The command laconic is built, too. To use it in this shell, with the MPI that it was built for:\n"
            "    export PATH=%s:%s:$PATH" % (os.path.dirname(command), os.path.dirname(os.path.abspath(launcher))))


def arguments():
    def count(low, high):
        def parse(text):
            if not text.isdigit() or not low <= int(text) <= high:
                raise argparse.ArgumentTypeError("%r: %d to %d" % (text, low, high))
            return int(text)
        return parse
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, metavar="DIR", help="build folder of Laconic")
    parser.add_argument("--mpiexec", default="mpiexec", metavar="PATH", help="launcher of the MPI it was built with")
    parser.add_argument("--ranks", type=count(2, 32), default=4)
    parser.add_argument("--rate", default="1gbit", help="of every link: 100mbit, 1gbit, none (default 1gbit)")
    parser.add_argument("--network", choices=["auto", "loopback"], default="auto")
    parser.add_argument("--shots", type=count(1, 800), default=32)
    parser.add_argument("--offsets", type=count(0, 200), default=30, help="subsurface half offsets to each side")
    parser.add_argument("--record", type=float, default=4.0, metavar="SECONDS", help="length of the records")
    parser.add_argument("--repeat", type=count(1, 1000), default=5)
    parser.add_argument("--bounds", default=BOUNDS, metavar="BOUND,...", help="shares of the largest stacked value; CODEC:SHARE "
                        "and CODEC:rate:BITS for other codecs (default %(default)s)")
    parser.add_argument("--out", metavar="DIR", help="default BUILD/demo")
    parser.add_argument("--no-picture", action="store_true", help="no PNG (which needs numpy and matplotlib)")
    a = parser.parse_args()
    a.build = os.path.abspath(a.build)
    a.out = os.path.abspath(a.out or os.path.join(a.build, "demo"))
    try:
        hosts.parse_rate(a.rate)
    except ValueError as e:
        parser.error(str(e))
    return a


def main():
    a = arguments()
    program = programs(a.build)
    kind = kind_of(a.mpiexec)
    os.makedirs(a.out, exist_ok=True)
    partials = partial_images(a, os.path.join(a.out, "image_stacking"), program["migrate"], kind)
    where, rate, title = network(a)
    say("stack: %s" % title)
    status, report = stack(a, program["stack"], kind, partials, where, rate)
    text = table(report, title)
    with open(os.path.join(a.out, "table.txt"), "w") as f:
        f.write(text + "\n")
    say("\n" + text + "\n")
    if not a.no_picture:
        import picture
        path = os.path.join(a.out, "image_stacking.png")
        picture.draw(path, picture.Grid(NX, NZ, SPACING, 2 * a.offsets + 1), a.shots, GATHER_KM, partials, a.out, report,
                     title)
        say("picture: %s" % path)
    say("\n" + how_to_go_on(a))
    return status


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that stream() ends what it started
    try:
        sys.exit(main())
    except Failure as e:
        sys.exit("image stacking: %s" % e)
    except KeyboardInterrupt:
        sys.exit(130)
