# SPDX-License-Identifier: BSD-3-Clause
"""What ./dev applications --coverage reads of reports and outputs, and what it calls a problem."""
import json, pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "applications"))
import catalogue, coverage_table, in_lab, jobs, run_programs  # noqa: E402

OPERATION = {"operation": "send", "uncompressed_bytes": 800, "wire_bytes": 200, "audits": 3, "exceeded": 0, "looked_at": 2}
REPORT = {"operations": [OPERATION, {**OPERATION, "uncompressed_bytes": 0, "wire_bytes": 0, "audits": 0}],
          "coverage": {"bytes": 1000, "compressed": 800, "plain": [{"what": "too small", "settings": "", "bytes": 200}]}}
SENDS = {"operation": "send", "type": "double"}
PROFILE = {"bytes": 1000, "calls": [{**SENDS, "least_size": 65536, "bytes": 600}, {**SENDS, "least_size": 4096, "bytes": 300},
                                    {**SENDS, "least_size": 8, "bytes": 5},
                                    {"operation": "bcast", "type": "byte", "least_size": 8, "bytes": 95}]}


class Parsing(unittest.TestCase):
    def test_the_last_number_of_each_pattern(self):
        said = "energy 1.5\nenergy -2.5e-3\niterations 12\n"
        self.assertEqual(catalogue.named(said, catalogue.lines_of("energy", "iterations")), {"energy": -2.5e-3, "iterations": 12})

    def test_output_without_a_result_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "no residual"):
            catalogue.named("energy 1\n", catalogue.lines_of("energy", "residual"))

    def test_a_result_may_be_missing(self):
        patterns = catalogue.lines_of("energy", "iterations")
        found = catalogue.named("energy 1\n", patterns, all_of_them=False)
        self.assertEqual(found, {"energy": 1, "iterations": None})
        self.assertIn("no iterations", coverage_table.changes(found, {"energy": 1, "iterations": 9}))
        with self.assertRaisesRegex(ValueError, "none of energy, iterations"):
            catalogue.named("", patterns, all_of_them=False)

    def test_every_program_has_results_and_a_package(self):
        for program in catalogue.PROGRAMS:
            self.assertTrue(program.numbers and program.packages and program.field, program.name)

    def test_outputs_of_others(self):
        said = {"qe": "!    total energy              =     -62.64154633 Ry\n     convergence has been achieved in  11 iterations\n"
                      "     Total force =     0.012345     Total SCF correction = 0.1\n",
                "cp2k": " ENERGY| Total FORCE_EVAL ( QS ) energy [a.u.]:             -137.619585457011169\n"
                        "  *** SCF run converged in    12 steps ***\n"
                        " SUM OF ATOMIC FORCES           0.00535636     0.00920906    -0.00762600     0.01310165\n",
                "openfoam": "Courant Number mean: 0.01 max: 0.25\nDICPCG:  Solving for p, Initial residual = 0.5, "
                            "Final residual = 9.1e-09, No Iterations 77\n"}
        expected = {"qe": {"energy": -62.64154633, "iterations": 11, "force": 0.012345},
                    "cp2k": {"energy": -137.619585457011169, "iterations": 12, "force": 0.01310165},
                    "openfoam": {"residual": 9.1e-9, "iterations": 77, "courant": 0.25}}
        for program in catalogue.PROGRAMS:
            if program.name in said:
                self.assertEqual(catalogue.named(said[program.name], program.numbers), expected[program.name])

    def test_vectors_of_openfoam(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "U"
            path.write_text("internalField nonuniform List<vector>\n2\n(\n(1 2e-3 -3)\n(4 5 6)\n)\n;\nboundaryField\n{ 7 }\n")
            self.assertEqual(list(catalogue.foam_vectors(path)), [1, 2e-3, -3, 4, 5, 6])


class Commands(unittest.TestCase):
    LINE = "/x/laconic run --bound bcast=lossless,rel:1e-6 --p2p 1 --report summary -- mpiexec -n 4 ./app --report 'a b'"

    def test_only_the_report_is_replaced(self):
        self.assertEqual(jobs.changed(self.LINE, "json:r"), ["/x/laconic", "run", "--bound", "bcast=lossless,rel:1e-6", "--p2p", "1",
                         "--report", "json:r", "--", "mpiexec", "-n", "4", "./app", "--report", "a b"])

    def test_another_bound_keeps_the_rules(self):
        self.assertIn("bcast=lossless,rel:1e-9", jobs.changed(self.LINE, "json:r", bound="rel:1e-9"))

    def test_the_audit_is_an_option_of_laconic(self):
        words = jobs.changed(self.LINE, "json:r", audit=True)
        self.assertLess(words.index("1:plain"), words.index("--"))


class Numbers(unittest.TestCase):
    def test_counts_of_a_report(self):
        counted = coverage_table.counted(json.loads(json.dumps(REPORT)))
        self.assertEqual((counted["bytes"], counted["compressed"], counted["uncompressed"], counted["wire"], counted["audits"]),
                         (1000, 800, 800, 200, 3))

    def test_bytes_that_are_sent(self):
        # The contribution of a rank to itself is not sent: 800 bytes were contributed, of which 600 were to be sent.
        run = {"bytes": 1000, "compressed": 800, "uncompressed": 600, "wire": 100}
        self.assertEqual(coverage_table.sent(run), (300, 800))

    def test_times_of_the_lab(self):
        self.assertEqual(in_lab.seconds_of("energy 1\nlaconic-seconds 3.25\nlaconic-seconds 4.5\n"), 4.5)
        with self.assertRaises(jobs.Wrong):
            in_lab.seconds_of("energy 1\n")
        self.assertEqual(in_lab.seconds_in_mpi({"calls": [{"seconds": 1}, {"seconds": 2}], "waiting_seconds": 0.5}), 3.5)

    def test_where_the_bytes_are(self):
        self.assertEqual(coverage_table.where(PROFILE), [("send", "double", 0.905, 4096, 65536), ("bcast", "byte", 0.095, 8, 8)])

    def test_differences(self):
        said = coverage_table.changes({"iterations": 13, "energy": 1.5, "norm": 2.0}, {"iterations": 12, "energy": 1.0, "norm": 2.0})
        self.assertEqual(said, "iterations 12 → 13, energy 5.0e-01, norm the same")
        self.assertIsNone(coverage_table.difference(None, None))

    def test_sizes_and_shares(self):
        self.assertEqual([coverage_table.size(n) for n in (8, 4096, 1 << 20)], ["8 B", "4 KiB", "1 MiB"])
        self.assertEqual([coverage_table.percent(*n) for n in ((0, 5), (1, 3), (9999, 10000), (0, 0))], ["0", "33.3", "100", "0"])


class Problems(unittest.TestCase):
    def result(self, **changed):
        run_of = {**coverage_table.counted(REPORT), "compressed": 900, "bound": "rel:1e-6", "numbers": {"energy": 1.0}, "same_bits": False,
                  "difference": None}
        whole = {"name": "x", "title": "X", "deterministic": True, "profile_bytes": 1000, "where": coverage_table.where(PROFILE),
                 "numbers": {"energy": 1.0}, "stays_plain": [], "suggestion": "--bound rel:1e-6",
                 "runs": {"default": run_of, "suggested": run_of, "audit": {**run_of, "same_bits": True}}}
        for name, value in changed.items():
            whole["runs"][name] = {**run_of, **value}
        return whole

    def test_none(self):
        self.assertEqual(run_programs.problems(self.result()), [])

    def test_a_suggestion_that_reaches_little(self):
        self.assertIn("80.0 %", run_programs.problems(self.result(suggested={"compressed": 800}))[0])

    def test_an_audit_that_changes_bits(self):
        self.assertIn("another one", run_programs.problems(self.result(audit={"same_bits": False}))[0])

    def test_tables_name_what_differs(self):
        text = coverage_table.bytes_table([self.result(audit={"same_bits": False})])
        self.assertIn("**differ**", text)
        self.assertIn("send double 90 % (4 KiB to 64 KiB)", text)


if __name__ == "__main__":
    unittest.main()
