# SPDX-License-Identifier: BSD-3-Clause
"""What ./dev applications calls a difference: outcomes of mpi4py's tests, and numbers that are let pass."""
import json, pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "applications"))
import mpi4py_suite, run_lammps, run_mpi4py  # noqa: E402

LISTED, OTHER = "test_cco_buf.TestCCOBufWorld.testAllreduce", "test_status.TestStatus.testCopy"
ALL = [{"operation": name, "compressed": 1} for name in run_mpi4py.REDUCTIONS | run_mpi4py.MOVEMENT]


class Jobs(unittest.TestCase):
    def job(self, outcomes, ended=True, operations=ALL):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            lines = [{"begin": test} for test in outcomes][:1]
            lines += [{"test": test, "outcome": outcome, "off": 0.0, "said": ""} for test, outcome in outcomes.items()]
            lines += [{"ran": len(outcomes)}] if ended else [{"begin": OTHER}]
            (folder / "rank-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            (folder / "rank-1.jsonl").write_text((folder / "rank-0.jsonl").read_text())
            (folder / "report.json").write_text(json.dumps({"operations": operations}))
            (folder / "said").write_text("")
            return run_mpi4py.Job(folder, 2, 0 if ended else 124, 1.0)

    def problems(self, plain, job):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "said").write_text("")
            return run_mpi4py.problems_of(job, plain, "rel:1e-6", 2, pathlib.Path(folder))

    def test_the_same_is_no_problem(self):
        plain = self.job({LISTED: "passed", OTHER: "failed"})
        self.assertEqual(self.problems(plain, self.job({LISTED: "rounded", OTHER: "failed"})), [])

    def test_what_fails_under_the_dropin_alone(self):
        found = self.problems(self.job({OTHER: "passed"}), self.job({OTHER: "failed"}))
        self.assertIn(OTHER, "".join(found))

    def test_what_is_rounded_and_not_listed(self):
        found = self.problems(self.job({OTHER: "passed"}), self.job({OTHER: "rounded"}))
        self.assertEqual(found, [f"rounded, and not listed: {OTHER}"])

    def test_what_was_not_run(self):
        found = self.problems(self.job({OTHER: "passed", LISTED: "passed"}), self.job({LISTED: "passed"}))
        self.assertEqual(found, [f"not run: {OTHER}"])

    def test_a_job_that_hangs_names_the_test(self):
        found = self.problems(self.job({OTHER: "passed"}), self.job({}, ended=False))
        self.assertIn(f"rank 1 ended in {OTHER}", found)

    def test_an_operation_that_was_never_compressed(self):
        found = self.problems(self.job({OTHER: "passed"}), self.job({OTHER: "passed"}, operations=ALL[1:]))
        self.assertEqual(found, ["not compressed: " + ALL[0]["operation"]])


class Numbers(unittest.TestCase):
    def test_only_floats_within_the_bound_pass(self):
        tolerance = mpi4py_suite.Tolerance(1e-5)
        self.assertTrue(tolerance.excuses(1.000001, 1))
        self.assertTrue(tolerance.excuses(1 + 1e-6j, 1))
        for one, other in ((1.0001, 1), (2, 1), (float("nan"), 1.0), ("1", 1.0), ([1.0], [1.0])):
            self.assertFalse(tolerance.excuses(one, other), (one, other))
        self.assertAlmostEqual(tolerance.take(), 1e-6)
        self.assertEqual(tolerance.take(), 0.0)

    def test_energies_are_compared_one_by_one(self):
        self.assertAlmostEqual(run_lammps.difference([-1.0, 2.0, 1.0], [-1.0, 2.00002, 1.0]), 1e-5)


if __name__ == "__main__":
    unittest.main()
