# SPDX-License-Identifier: BSD-3-Clause
"""Hosts on one machine: private namespaces, cables, shaping, a share of the cpu.  Knows nothing of MPI.

Each host has its own net, mount, pid, ipc and uts namespaces, so ranks of different hosts cannot meet in shared
memory, whatever their MPI tries.  All hosts live inside one outer set of namespaces whose first process dies with
the process that asked for it; the kernel then removes everything else, so no clean-up code can be forgotten.
"""
import contextlib, ctypes, os, re, signal, socket, subprocess, sys, time

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
PRIVATE = NEWNS | NEWUTS | NEWIPC | NEWPID | NEWNET
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
SUBNET, HEAD = "10.77.0.", "10.77.0.254"
SHARED = "/dev/shm/lab"  # what head and hosts both see: the rsh stand-in
TIMED_OUT, NO_LAB = 124, 125
_libc = ctypes.CDLL(None, use_errno=True)


class LabError(Exception):
    pass


def _check(result, what):
    if result != 0:
        raise LabError("%s: %s" % (what, os.strerror(ctypes.get_errno())))


def _mount(source, target, kind, flags=0, data=None):
    words = [w and w.encode() for w in (source, target, kind, data)]
    _check(_libc.mount(*words[:3], ctypes.c_ulong(flags), words[3]), "mount %s" % target)


def _write(path, text):
    with open(path, "w") as f:
        f.write(text)


def _die_with_parent(parent):
    _libc.prctl(1, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() not in (0, parent):  # 0: the parent is outside of this pid namespace
        os._exit(1)


def command(*argv, text=None):
    try:
        done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise LabError("%s not found (Debian packages iproute2, util-linux)" % argv[0])
    if done.returncode:
        raise LabError("%s: %s" % (" ".join(argv), done.stderr.strip()))
    return done.stdout


def inside(work, timeout, group=None):
    """Calls work() as the first process of fresh namespaces and returns its exit status.  TIMED_OUT after `timeout`
    seconds, NO_LAB when it could not be set up."""
    me, guard = os.getpid(), os.fork()
    if guard == 0:
        _guard(work, me, group)

    def stop(number, _):
        raise TimeoutError if number == signal.SIGALRM else KeyboardInterrupt
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(guard, 0)[1]) & 255
    except TimeoutError:
        print("lab: stopped after %g s (--timeout)" % timeout, file=sys.stderr, flush=True)
        return TIMED_OUT
    except KeyboardInterrupt:
        return 130
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(guard, signal.SIGKILL)
            os.waitpid(guard, 0)


def _guard(work, parent, group):
    """Owns the outer namespaces: a process cannot enter the pid namespace it makes, only its children do."""
    status = NO_LAB
    try:
        _die_with_parent(parent)
        if group:
            _write(group + "/cgroup.procs", "0")
        uid, gid = os.getuid(), os.getgid()
        if os.geteuid() or _libc.unshare(PRIVATE):
            _check(_libc.unshare(PRIVATE | NEWUSER), "namespaces are not permitted here")
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/uid_map", "0 %d 1" % uid)
            _write("/proc/self/gid_map", "0 %d 1" % gid)
        me, first = os.getpid(), os.fork()
        if first:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 255)
        _die_with_parent(me)
        status = work()
    except (LabError, OSError, subprocess.SubprocessError) as e:
        print("lab: %s" % e, file=sys.stderr)
    except BaseException:
        import traceback
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 255)


@contextlib.contextmanager
def cpu_group():
    """A cpu control group with the largest share for the whole job, or None with a word on stderr.  `nice` cannot do
    this: launchers call setsid(), and nice does not reach across sessions when the scheduler groups by session."""
    v1, v2 = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"
    root, share = (v1, ("cpu.shares", "262144")) if os.path.isdir(v1) else (v2, ("cpu.weight", "10000"))
    group = "%s/laconic-lab-%d" % (root, os.getpid())
    for old in os.listdir(root) if os.path.isdir(root) else []:
        pid = re.fullmatch(r"laconic-lab-(\d+)", old)
        if pid and not os.path.exists("/proc/" + pid[1]):  # left by a lab that was killed
            with contextlib.suppress(OSError):
                os.rmdir(os.path.join(root, old))
    made = False
    try:
        os.mkdir(group)
        made = True
        if not os.path.exists("%s/%s" % (group, share[0])):
            raise OSError("no cpu controller in %s" % root)
        _write("%s/%s" % (group, share[0]), share[1])
        usable = group
    except OSError as e:
        usable = None
        print("lab: no cpu group of its own (%s): other load on this machine will slow the ranks" % e, file=sys.stderr)
    try:
        yield usable
    finally:
        for _ in range(100 if made else 0):  # the kernel needs a moment to reap the job
            with contextlib.suppress(OSError):
                os.rmdir(group)
                break
            time.sleep(0.02)


def parse_rate(text):
    """Bits per second; 0 means unshaped."""
    if text == "none":
        return 0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg])bit", text)
    if not found or float(found[1]) <= 0:
        raise ValueError("rate %r: write 100mbit, 1gbit, 2.5gbit, ..., or none" % text)
    return int(float(found[1]) * {"k": 1e3, "m": 1e6, "g": 1e9}[found[2]])


class Network:
    """count hosts h1, h2, ... on a bridge without a way out; every cable carries `rate` in each direction."""

    def __init__(self, count, rate):
        self.count, self.rate, self.notes = count, rate, []
        # Large packets are cheap for the two ends, small ones are the smoother at low rates.
        self.mtu = 9000 if 0 < rate <= 2e9 else 65000
        _mount(None, "/", None, MS_REC | MS_PRIVATE)
        _mount("proc", "/proc", "proc")
        _mount("sysfs", "/sys", "sysfs")
        _mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777")
        socket.sethostname("head")
        os.mkdir(SHARED)
        names = ["%s%d h%d" % (SUBNET, k, k) for k in range(1, count + 1)]
        _write(SHARED + "/hosts", "\n".join(["127.0.0.1 localhost", HEAD + " head"] + names) + "\n")
        _mount(SHARED + "/hosts", "/etc/hosts", None, MS_BIND)
        command("ip", "-batch", "-", text="link set lo up\n"
                "link add br0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n"
                "link set br0 mtu %d address 02:77:00:00:00:fe up\naddr add %s/24 dev br0\n" % (self.mtu, HEAD))
        self._keep_alive, self.pids = [], []
        for k in range(1, count + 1):
            self._start(k)
        for k in range(1, count + 1):
            self._connect(k)

    def enter(self, k):
        return ["nsenter", "-t", str(self.pids[k - 1]), "-n", "-u", "-i", "-p", "-m", "--"]

    def _start(self, k):
        ready, tell = os.pipe()
        end, alive = os.pipe()
        me, outer = os.getpid(), os.fork()
        if outer == 0:
            try:
                _die_with_parent(me)
                _check(_libc.unshare(PRIVATE), "namespaces of host %d" % k)
                parent, first = os.getpid(), os.fork()
                if first:
                    os.close(tell)
                    os.waitpid(first, 0)
                    os._exit(0)
                _die_with_parent(parent)
                os.close(alive)
                pid = int(os.readlink("/proc/self"))  # the old /proc still counts as the head does
                self._become_host(k)
                os.write(tell, b"%d" % pid)
            except BaseException as e:
                os.write(tell, str(e).encode())
                os._exit(1)
            os.close(tell)
            os.read(end, 1)  # returns when the head is gone
            os._exit(0)
        os.close(tell)
        os.close(end)
        with os.fdopen(ready) as f:
            answer = f.read()
        if not answer.isdigit():
            raise LabError("host %d: %s" % (k, answer))
        self.pids.append(int(answer))
        self._keep_alive.append(alive)

    @staticmethod
    def _become_host(k):
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # orphans of the job end here
        _mount(None, "/", None, MS_REC | MS_PRIVATE)
        socket.sethostname("h%d" % k)
        _mount("proc", "/proc", "proc")
        _mount("sysfs", "/sys", "sysfs")  # UCX looks for network devices here
        shared = os.open(SHARED, os.O_PATH)
        _mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777")
        os.mkdir(SHARED)
        _mount("/proc/self/fd/%d" % shared, SHARED, None, MS_BIND)

    def _connect(self, k):
        # Addresses are fixed on both sides: a lost ARP request would cost a second.
        neighbours = "".join("neigh replace %s%d lladdr 02:77:00:00:00:%02x dev eth0 nud permanent\n" % (SUBNET, j, j)
                             for j in range(1, self.count + 1) if j != k)
        in_net = ["nsenter", "-t", str(self.pids[k - 1]), "-n", "--"]
        command("ip", "-batch", "-", text="link add p%d mtu %d type veth peer name eth0 mtu %d "
                "address 02:77:00:00:00:%02x netns %d\nlink set p%d master br0 up\n"
                % (k, self.mtu, self.mtu, k, self.pids[k - 1], k))
        command(*in_net, "ip", "-batch", "-", text="link set lo up\naddr add %s%d/24 dev eth0\nlink set eth0 up\n%s"
                % (SUBNET, k, neighbours))
        # Send buffers beyond 256 KiB let bulk data delay the peer's answers on the same connection (README).
        for name, value in (("tcp_congestion_control", "reno"), ("tcp_no_metrics_save", "1"),
                            ("tcp_slow_start_after_idle", "0"), ("tcp_rmem", "4096 131072 2097152"),
                            ("tcp_wmem", "4096 65536 262144")):
            try:
                command(*self.enter(k), "sh", "-c", "echo '%s' >/proc/sys/net/ipv4/%s" % (value, name))
            except LabError:
                self.notes.append("cannot set %s: times may be less regular" % name)
        if self.rate:
            burst = int(min(max(self.rate / 8 * 250e-6, 2 * self.mtu + 2000), 262144))
            queue = int(max(self.rate / 8 * 0.05, 4 << 20))  # long enough that nothing is dropped
            segment = min(65536, max(burst - 1000, self.mtu))  # tbf drops what exceeds its burst
            for prefix, device in ((in_net, "eth0"), ([], "p%d" % k)):
                command(*prefix, "ip", "link", "set", device, "gso_max_size", str(segment))
                command(*prefix, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", "%dbit" % self.rate,
                        "burst", str(burst), "limit", str(queue))

    def counters(self):
        """Per host: bytes sent and received on its cable, bytes over its loopback, drops, retransmitted segments."""
        rows = []
        for k, pid in enumerate(self.pids, 1):
            with open("/proc/%d/net/dev" % pid) as f:
                devices = {line.split(":")[0].strip(): line.split(":")[1].split() for line in f if ":" in line}
            with open("/proc/%d/net/snmp" % pid) as f:
                names, values = [line.split() for line in f if line.startswith("Tcp:")]
            queues = command("tc", "-s", "qdisc", "show", "dev", "p%d" % k)
            queues += command(*self.enter(k), "tc", "-s", "qdisc", "show", "dev", "eth0")
            rows.append({"sent": int(devices["eth0"][8]), "received": int(devices["eth0"][0]),
                         "loopback": int(devices["lo"][0]), "retransmits": int(values[names.index("RetransSegs")]),
                         "drops": sum(map(int, re.findall(r"dropped (\d+)", queues)))})
        return rows
