#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A network of several hosts on one Linux machine, for honest measurements of MPI programs (see README.md).

  lab.py available                                            may namespaces be made here?  exit status and reason
  lab.py check -n 4 --rate 1gbit                              what do plain sockets get?
  lab.py run -n 4 --rate 1gbit [--mpi mpich|openmpi] [--mpiexec PATH] -- ./program arguments
"""
import argparse, os, re, socket, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
# Unprivileged users' PATH often lacks the folders that hold ip and tc.
os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"
import hosts, launch  # noqa: E402


def available():
    """(True, text) if a lab can be had here, else (False, why)."""
    done = subprocess.run([sys.executable, os.path.abspath(__file__), "available"], capture_output=True, text=True,
                          timeout=120)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def run(program, ranks=4, rate="1gbit", mpi=None, mpiexec=None, build=None, env=(), timeout=600, network="lab",
        stats=False):
    """Runs an MPI program as `lab.py run` does and returns the CompletedProcess with its text output."""
    argv = [sys.executable, os.path.abspath(__file__), "run", "-n", str(ranks), "--rate", rate, "--network", network,
            "--timeout", str(timeout)]
    argv += ["--mpi", mpi] if mpi else []
    argv += ["--mpiexec", mpiexec] if mpiexec else []
    argv += ["--build", build] if build else []
    argv += ["--stats"] if stats else []
    for setting in env:
        argv += ["--env", setting]
    return subprocess.run(argv + ["--"] + list(map(str, program)), capture_output=True, text=True,
                          timeout=timeout + 30)


def idle_library(build):
    path = os.path.join(os.path.abspath(build), "bench", "lab", "libidle.so")
    if os.path.exists(path):
        return path
    print("lab: %s is missing (build the target idle, or name the folder with --build): ranks that poll on few cores "
          "disturb each other and the times below are not to be trusted" % path, file=sys.stderr)
    return None


def start(a, in_lab):
    launcher = launch.launcher(a.mpiexec)
    kind = a.mpi or launch.kind_of(launcher)
    argv = launch.job(kind, launcher, a.hosts, idle_library(a.build), a.program, in_lab)
    try:
        status = subprocess.run(argv, env=launch.environment(kind, a.env, in_lab), stdin=subprocess.DEVNULL,
                                timeout=None if in_lab else a.timeout).returncode
    except subprocess.TimeoutExpired:
        print("lab: stopped after %g s (--timeout)" % a.timeout, file=sys.stderr)
        return hosts.TIMED_OUT
    return status if status >= 0 else 128 - status


def run_on_hosts(a):
    network = hosts.Network(a.hosts, hosts.parse_rate(a.rate))
    for note in sorted(set(network.notes)):
        print("lab: " + note, file=sys.stderr)
    launch.write_rsh(network)
    before = network.counters()
    status = start(a, True)
    if a.stats:
        moved = [{key: y[key] - x[key] for key in y} for x, y in zip(before, network.counters())]
        for key in ("sent", "received", "loopback"):
            print("lab: MB %s per host: %s" % (key, " ".join("%.1f" % (m[key] / 1e6) for m in moved)), file=sys.stderr)
        print("lab: drops %d, retransmits %d" % tuple(sum(m[key] for m in moved) for key in ("drops", "retransmits")),
              file=sys.stderr)
    return status


def check_on_hosts(a):
    network = hosts.Network(a.hosts, hosts.parse_rate(a.rate))
    before = network.counters()

    def transfer(title, *parts):
        argvs = [network.enter(k) + [sys.executable, os.path.join(HERE, "goodput.py"), mode, "%s%d" % (hosts.SUBNET, to),
                                     str(a.seconds)] for k, mode, to in parts]
        started = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for argv in argvs]
        texts = [p.communicate(timeout=60 + a.seconds)[0] for p in started]
        print("%-18s %s" % (title, " ".join(re.findall(r"[\d.]+ \w+(?:/s)?", " ".join(texts)))), flush=True)
    transfer("round trip", (2, "echo", 1), (1, "ping", 2))
    transfer("one way", (2, "receive", 1), (1, "send", 2))
    transfer("both ways", (1, "both", 2), (2, "both", 1))
    transfer("ring", *[(k, "both", k % a.hosts + 1) for k in range(1, a.hosts + 1)])
    after = network.counters()
    print("drops %d, retransmits %d" % tuple(sum(y[key] - x[key] for x, y in zip(before, after))
                                             for key in ("drops", "retransmits")))
    return 0


def probe_on_hosts():
    network = hosts.Network(2, 10**9)
    hosts.command(*network.enter(1), "true")
    return 0


def arguments(argv):
    def rate(text):
        try:
            hosts.parse_rate(text)
        except ValueError as e:
            raise argparse.ArgumentTypeError(str(e))
        return text

    def count(text):
        if not text.isdigit() or not 2 <= int(text) <= 32:
            raise argparse.ArgumentTypeError("%r: 2 to 32 hosts" % text)
        return int(text)

    def setting(text):
        if "=" not in text:
            raise argparse.ArgumentTypeError("%r: write NAME=VALUE" % text)
        return text
    parser = argparse.ArgumentParser(prog="lab.py", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["run", "check", "available"])
    parser.add_argument("-n", "--hosts", type=count, default=4, help="hosts, with one rank each (default 4)")
    parser.add_argument("--rate", type=rate, default="1gbit", help="each cable, each direction: 1gbit, 100mbit, none")
    parser.add_argument("--mpi", choices=launch.KINDS, help="default: what the launcher says it is")
    parser.add_argument("--mpiexec", metavar="PATH", help="launcher (default: mpiexec)")
    parser.add_argument("--network", choices=["lab", "auto", "loopback"], default="lab",
                        help="auto: loopback, unshaped and said so, where namespaces are not permitted")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), metavar="DIR",
                        help="build folder that holds bench/lab/libidle.so")
    parser.add_argument("--env", action="append", default=[], type=setting, metavar="K=V")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    parser.add_argument("--stats", action="store_true", help="bytes per host, drops and retransmits after the job")
    parser.add_argument("--seconds", type=float, default=2, help="check: length of each transfer")
    program = argv[argv.index("--") + 1:] if "--" in argv else []
    a = parser.parse_args(argv[:argv.index("--")] if "--" in argv else argv)
    if (a.mode == "run") != bool(program):
        parser.error("`run` needs a program after --, the other modes take none")
    a.program = program
    return a


def main(argv):
    a = arguments(argv)
    if a.mode == "available":
        status = hosts.inside(probe_on_hosts, 60)
        if status == 0:
            print("lab: available (%s)" % ("root" if os.geteuid() == 0 else "through a user namespace"))
        return status
    if a.mode == "run" and a.network != "lab":
        permitted, why = (False, "asked for") if a.network == "loopback" else available()
        if not permitted:
            print("lab: NO NETWORK LAB (%s): ranks talk over loopback, unshaped; these times say nothing about a "
                  "network" % why, file=sys.stderr, flush=True)
            try:
                return start(a, False)
            except OSError as e:
                print("lab: %s" % e, file=sys.stderr)
                return hosts.NO_LAB
    alone = socket.socket(socket.AF_UNIX)
    try:
        alone.bind("\0laconic-lab")  # an abstract name, which goes with the process
    except OSError:
        print("lab: another lab is running on this machine: both will measure each other", file=sys.stderr)
    with hosts.cpu_group() as group:
        return hosts.inside(lambda: {"run": run_on_hosts, "check": check_on_hosts}[a.mode](a), a.timeout, group)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
