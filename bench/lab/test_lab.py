# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the lab.  LAB_BUILD: build folder; LAB_MPIEXEC: launcher.  What the machine does not permit is skipped."""
import contextlib, glob, os, re, subprocess, sys, time, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import hosts, lab  # noqa: E402

BUILD, MPIEXEC = os.environ.get("LAB_BUILD", "build"), os.environ.get("LAB_MPIEXEC") or None
PERMITTED, WHY = lab.available()
in_lab = unittest.skipUnless(PERMITTED, WHY)


def call(*arguments):
    return subprocess.run([sys.executable, os.path.join(HERE, "lab.py")] + list(arguments), capture_output=True,
                          text=True, timeout=120)


def run(*program, **settings):
    return lab.run(program, ranks=2, mpiexec=MPIEXEC, build=BUILD, **{"timeout": 60, **settings})


class Arguments(unittest.TestCase):
    def test_bad_ones_are_rejected_with_the_valid_ones(self):
        for arguments, hint in ((["run", "--rate", "1gb", "--", "x"], "1gbit"), (["frob"], "available"), (["run"], "--"),
                                (["run", "--mpi", "lam", "--", "x"], "openmpi"), (["check", "--frob"], "unrecognized"),
                                (["check", "-n", "1"], "2 to 32"), (["run", "--env", "K", "--", "x"], "NAME=VALUE")):
            done = call(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(hint, done.stderr)

    def test_rates(self):
        self.assertEqual(hosts.parse_rate("2.5gbit"), 2500000000)
        self.assertEqual(hosts.parse_rate("none"), 0)


class Permission(unittest.TestCase):
    def test_a_refusal_has_a_reason(self):
        self.assertTrue(WHY)
        if not PERMITTED:
            done = run("true")
            self.assertEqual(done.returncode, hosts.NO_LAB)
            self.assertIn("lab: ", done.stderr)


@in_lab
class Hosts(unittest.TestCase):
    def test_cables_carry_the_rate(self):
        done = call("check", "-n", "3", "--rate", "100mbit", "--seconds", "1")
        rates = [int(r) for r in re.findall(r"(\d+) Mbit/s", done.stdout)]
        self.assertEqual(len(rates), 1 + 2 + 3, done.stdout + done.stderr)
        self.assertLessEqual(max(rates), 101)
        self.assertGreater(min(rates), 50)  # other load may slow it, nothing may speed it up

    def test_each_rank_is_on_its_own_host_and_its_status_comes_back(self):
        done = run("sh", "-c", "hostname; ip -br link | wc -l; exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertEqual(sorted(done.stdout.split()), ["2", "2", "h1", "h2"])  # lo and eth0

    def test_the_time_limit_ends_everything(self):
        begin = time.monotonic()
        done = run("sleep", "71.0625", timeout=4)
        self.assertEqual(done.returncode, hosts.TIMED_OUT, done.stderr)
        self.assertLess(time.monotonic() - begin, 30)
        time.sleep(0.5)
        running = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError), open(path) as f:
                running.append(f.read())
        self.assertFalse([c for c in running if c.startswith("sleep") and "71.0625" in c])


class Idle(unittest.TestCase):
    """The polling library must change when a poll returns, never what it returns."""

    def python(self, text, **settings):
        library = os.path.join(os.path.abspath(BUILD), "bench", "lab", "libidle.so")
        if not os.path.exists(library):
            self.skipTest(library + " is not built")
        done = subprocess.run([sys.executable, "-c", "import os, select, time\nr, w = os.pipe()\n" + text],
                              env={**os.environ, "LD_PRELOAD": library, **settings}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    POLLS = ("p = select.poll(); p.register(r, select.POLLIN)", "p = select.epoll(); p.register(r, select.EPOLLIN)")

    def test_vain_polls_wait_and_data_is_seen(self):
        for poll in self.POLLS:
            self.python(poll + "\nb = time.perf_counter()\nfor _ in range(200): assert p.poll(0) == []\n"
                        "assert time.perf_counter() - b > 0.05\nos.write(w, b'x')\nassert p.poll(0)[0][0] == r",
                        LACONIC_IDLE_US="500")

    def test_work_between_polls_is_left_alone(self):
        for poll in self.POLLS:
            self.python(poll + "\nwaited = 0\nfor _ in range(100):\n  time.sleep(2e-4)\n"
                        "  c = time.perf_counter(); assert p.poll(0) == []; waited += time.perf_counter() - c\n"
                        "assert waited < 25, waited", LACONIC_IDLE_US="500000")

    def test_timeouts_are_kept(self):
        for poll in self.POLLS:
            wait = "0.2" if "epoll" in poll else "200"
            self.python(poll + "\nb = time.perf_counter()\nassert p.poll(%s) == []\n"
                        "assert 0.19 < time.perf_counter() - b < 20" % wait)


if __name__ == "__main__":
    unittest.main()
