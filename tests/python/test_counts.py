# SPDX-License-Identifier: BSD-3-Clause
"""./dev test counts what ctest reports as people would."""
import contextlib, io, pathlib, sys, tempfile, unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from dev import counts, suites  # noqa: E402

# As ctest 3.25 writes it.
REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="x" tests="7" failures="2" disabled="1" skipped="4">
  <testcase name="a.good" time="0.1" status="run"><system-out>fine</system-out></testcase>
  <testcase name="a.bad" time="0.1" status="fail"><failure message=""/><system-out>it broke</system-out></testcase>
  <testcase name="a.slow" time="9" status="fail"><failure message=""/><system-out></system-out></testcase>
  <testcase name="a.skip" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out/></testcase>
  <testcase name="b.skip" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out/></testcase>
  <testcase name="a.off" status="disabled"><system-out>Disabled</system-out></testcase>
  <testcase name="c_NOT_BUILT" status="notrun"><skipped message="Unable to find executable"/><system-out/></testcase>
</testsuite>
"""


class Counts(unittest.TestCase):
    def test_junit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.xml"
            path.write_text(REPORT)
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                count = suites.read_junit(path, "x", pathlib.Path(folder))
        self.assertEqual(count, counts.Count(passed=1, failed=3, skipped=3))
        for word in ("it broke", "a.slow", "c_NOT_BUILT", "Unable to find"):
            self.assertIn(word, said.getvalue())
        self.assertNotIn("a.good", said.getvalue())
        self.assertEqual(len(count.said), 3)
        self.assertIn("it broke", count.said[0])

    def test_closing_line(self):
        self.assertEqual(str(counts.Count(3, 0)), "3 passed, 0 failed")
        self.assertEqual(str(counts.Count(3, 1, 2)), "3 passed, 1 failed, 2 skipped")

    def test_both_ends_of_long_output_are_kept(self):
        text = counts.shortened("first" + "x" * 10000 + "last")
        self.assertTrue(text.startswith("first") and text.endswith("last") and len(text) < 5000)


    def test_a_failing_suite_is_repeated_at_the_end(self):
        suite = suites.Suite("broken", "it has no program", tree=False)
        said = io.StringIO()
        with mock.patch.object(suites, "SUITES", [suite]), mock.patch.object(suites, "run_suite", side_effect=suites.Failed("why")), \
                contextlib.redirect_stdout(said):
            self.assertEqual(suites.test((), "", 1), 1)
        self.assertEqual(said.getvalue().count("==== FAILED broken\nwhy"), 2)
        self.assertTrue(said.getvalue().endswith("0 passed, 1 failed\n"))


if __name__ == "__main__":
    unittest.main()
