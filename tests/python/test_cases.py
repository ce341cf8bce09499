# SPDX-License-Identifier: BSD-3-Clause
"""tests/cases follows a binary of GoogleTest through crashes, hangs and what is wrong after the end."""
import json, os, pathlib, subprocess, sys, tempfile, unittest
from unittest import mock
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from dev import counts, suites  # noqa: E402

# Speaks as GoogleTest does; what its cases do is in the table.
BINARY = '''#!{python}
import json, os, signal, sys, time
cases = json.load(open({table!r}))
if "--gtest_list_tests" in sys.argv:
    print("Running main() from somewhere")
    print("Plain.\\n" + "".join("  %s\\n" % name for name in cases) + "Typed/0.  # TypeParam = float\\n  Last  # GetParam() = 3")
    sys.exit(0)
flags = open(sys.argv[-1].split("=")[1]).read().splitlines()
wanted = flags[1].split("=")[1].split(":")
open({table!r} + ".starts", "a").write("x")
if cases.get("at_start"):
    sys.exit(3)
failed = 0
for name in ["Plain." + name for name in cases] + ["Typed/0.Last"]:
    if name not in wanted:
        continue
    sys.stdout.write("[ RUN      ] %s\\n" % name)
    sys.stdout.flush()
    what = cases.get(name.split(".")[1], "passes")
    if what == "crashes":
        print("about to", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "exits":
        print("ERROR: AddressSanitizer", flush=True)
        os._exit(1)
    while what == "hangs":
        print("still at it", flush=True)
        time.sleep(0.01)
    if what == "mutters":
        sys.stdout.write("no end of line")
    word = {{"fails": "  FAILED  ", "skips": "  SKIPPED "}}.get(what, "       OK ")
    if what == "fails":
        print("expected \\x01 seven")
        failed = 1
    sys.stdout.write("[%s] %s%s (0 ms)\\n" % (word, name, ", where GetParam() = 3" if what == "fails" else ""))
    sys.stdout.flush()
if "leaks" in cases.values():
    print("LeakSanitizer: in Plain.leaky")
    sys.exit(23)
sys.exit(failed)
'''


class Cases(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def run_cases(self, *options, pattern="", **cases):
        """Status of every case, what the failed ones said, and the exit status."""
        table, binary = self.folder / "table", self.folder / "binary"
        table.write_text(json.dumps(cases))
        binary.write_text(BINARY.format(python=sys.executable, table=str(table)))
        binary.chmod(0o700)
        done = subprocess.run([sys.executable, str(ROOT / "tests" / "cases"), "--name", "n", "--report", str(self.folder / "n.cases.1.xml"),
                               *options, str(binary)], capture_output=True, text=True, timeout=60, env={**os.environ, "TEST_CASES": pattern})
        entries = xml.parse(self.folder / "n.cases.1.xml").getroot().iter("testcase")
        found = {entry.get("name"): (entry.get("status"), entry.findtext("system-out") or "") for entry in entries}
        return {name: status for name, (status, said) in found.items()}, {name: said for name, (status, said) in found.items()}, done.returncode

    def starts(self):
        return len((self.folder / "table.starts").read_text())

    def test_one_process_for_all(self):
        found, _, code = self.run_cases(a="passes", b="mutters", c="skips", DISABLED_d="passes")
        self.assertEqual(found, {"n.Plain.a": "run", "n.Plain.b": "run", "n.Plain.c": "notrun", "n.Plain.DISABLED_d": "disabled",
                                 "n.Typed/0.Last": "run"})
        self.assertEqual((code, self.starts()), (0, 1))

    def test_parts_share_them_out(self):
        words = {name: "passes" for name in "abcde"}
        parts = [set(self.run_cases("--part", f"{k}/3", **words)[0]) for k in (1, 2, 3)]
        self.assertEqual(sum(map(len, parts)), 6)
        self.assertEqual(len(set.union(*parts)), 6)

    def test_pattern(self):
        self.assertEqual(set(self.run_cases(pattern=r"^n\.Plain\.[ab]$", a="passes", b="passes", c="fails")[0]), {"n.Plain.a", "n.Plain.b"})
        self.assertEqual(self.run_cases(pattern="nothing", a="fails")[::2], ({}, 0))

    def test_a_failed_case(self):
        found, said, code = self.run_cases(a="fails", b="passes")
        self.assertEqual((found["n.Plain.a"], found["n.Plain.b"], code, self.starts()), ("fail", "run", 1, 1))
        self.assertIn("expected ? seven", said["n.Plain.a"])

    def test_others_go_on_after_a_crash(self):
        found, said, code = self.run_cases(a="passes", b="crashes", c="exits", d="passes")
        self.assertEqual(found, {"n.Plain.a": "run", "n.Plain.b": "fail", "n.Plain.c": "fail", "n.Plain.d": "run", "n.Typed/0.Last": "run"})
        self.assertIn("about to\nthe process was ended by SIGSEGV", said["n.Plain.b"])
        self.assertIn("AddressSanitizer\nthe process ended with exit code 1", said["n.Plain.c"])
        self.assertEqual((code, self.starts()), (1, 3))

    def test_a_case_that_hangs_is_killed(self):
        found, said, code = self.run_cases("--limit", "1", a="hangs", b="passes")
        self.assertEqual((found["n.Plain.a"], found["n.Plain.b"], code), ("fail", "run", 1))
        self.assertIn("still running after 1 s", said["n.Plain.a"])

    def test_crashes_without_end_are_given_up(self):
        found, said, code = self.run_cases(**{name: "crashes" for name in "abcdefgh"})
        self.assertEqual(sum(status == "fail" for status in found.values()), 6)
        self.assertIn("4 cases were not run, the first of them Plain.f", said["n.(the rest)"])
        self.assertEqual((code, self.starts()), (1, 5))

    def test_what_is_wrong_outside_of_the_cases(self):
        found, said, code = self.run_cases(a="passes", leaky="leaks")
        self.assertEqual((found["n.Plain.leaky"], found["n.(outside of the cases)"], code), ("run", "fail", 1))
        self.assertIn("in Plain.leaky\nthe process ended with exit code 23", said["n.(outside of the cases)"])
        found, said, code = self.run_cases(at_start="dies")
        self.assertEqual((found, code), ({"n.(outside of the cases)": "fail", "n.(the rest)": "fail"}, 1))

    def test_dev_counts_cases(self):
        self.run_cases(a="fails", b="passes", c="skips")
        (self.folder / "n.cases.2.xml").write_text('<testsuite><testcase name="n.Plain.z" status="run"/></testsuite>')
        report = self.folder / "report.xml"
        report.write_text('<testsuite><testcase name="n.cases.1" status="fail"/><testcase name="ranks.x.n2" status="run"/>'
                          '<testcase name="n.cases.2" status="fail"><system-out>Timeout</system-out></testcase>'
                          '<testcase name="n.cases.3" status="fail"/></testsuite>')
        with mock.patch.object(counts, "say"):
            count = suites.read_junit(report, "x", self.folder)
        # Failed: a; part 2, which names no case; part 3, of which there is no report.
        self.assertEqual(count, counts.Count(passed=4, failed=3, skipped=1))
        for words in ("x: n.Plain.a\nexpected ? seven", "x: n.cases.2\nTimeout", "x: n.cases.3"):
            self.assertIn(words, "\n".join(count.said))


if __name__ == "__main__":
    unittest.main()
