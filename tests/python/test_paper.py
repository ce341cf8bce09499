# SPDX-License-Identifier: BSD-3-Clause
"""bench/paper: the list of figures names what exists, an interrupted run goes on, and committed results can be drawn."""
import argparse, pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "paper"))
import figures  # noqa: E402
import draw  # noqa: E402
import make  # noqa: E402

RESULTS = ROOT / "bench" / "results"


class Figures(unittest.TestCase):
    def test_scripts_exist_and_names_are_unique(self):
        for mode in ("quick", "full"):
            measurements = [m for figure in figures.FIGURES for m in figure.measurements(mode)]
            names = [m.name for m in measurements]
            self.assertEqual(len(names), len(set(names)))
            for m in measurements:
                self.assertEqual(m.command[0], "{python}")
                self.assertTrue((ROOT / m.command[1]).exists(), m.command[1])
                self.assertIn(str(m.command[m.command.index("--out") + 1]), ("{out}", "{out}/"))

    def test_the_quick_run_takes_a_quarter_of_an_hour(self):
        self.assertLess(sum(m.seconds for figure in figures.FIGURES for m in figure.measurements("quick")), 15 * 60)


class Continuation(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        build = self.folder / "build"
        for name in ("cli/laconic", "liblaconic.so", "simulate"):
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).write_text(name)
        (build / "data").mkdir()
        self.args = argparse.Namespace(out=self.folder / "out", quick=True, build=build, simulator=build / "simulate", mpiexec="mpiexec")

    def tearDown(self):
        self.scratch.cleanup()

    def measurement(self, code):
        return figures.Measurement("numbers", ["{python}", "-c", code, "--out", "{out}"], 1)

    def test_results_are_kept_for_the_same_command_and_build(self):
        writes = self.measurement("import sys; open(sys.argv[-1], 'a').write('1')")
        first = make.Runner(self.args)
        self.assertFalse(first.is_made(writes))
        self.assertIsNone(first.make(writes))
        self.assertTrue(make.Runner(self.args).is_made(writes))
        self.assertFalse(make.Runner(self.args).is_made(self.measurement("pass")))
        (self.args.build / "liblaconic.so").write_text("another build")
        self.assertFalse(make.Runner(self.args).is_made(writes))

    def test_a_failure_says_why_and_is_repeated(self):
        fails = self.measurement("import sys; open(sys.argv[-1], 'w').write('half'); sys.exit('no network')")
        runner = make.Runner(self.args)
        self.assertIn("no network", runner.make(fails))
        self.assertFalse(runner.is_made(fails))


class Drawing(unittest.TestCase):
    def test_phases_add_up(self):
        for row in draw.load(RESULTS / "variants-allreduce-1gbit.json")["runs"][0]["results"][1:]:
            self.assertAlmostEqual(sum(draw.milliseconds(row).values()), 1e3 * row["phases_s"]["total"], delta=1e-6)

    def test_committed_results_are_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            pictures = draw.phases([RESULTS / "variants-allreduce-1gbit.json"], pathlib.Path(folder))
            pictures += draw.speedups([RESULTS / "variants-latency-1gbit.json", RESULTS / "scale-scatter-28MiB.json"], pathlib.Path(folder))
            pictures += draw.over_sizes([RESULTS / "scale-allreduce-28MiB.json", RESULTS / "scale-allreduce-178MB.json"], pathlib.Path(folder))
            pictures += draw.pipelining([RESULTS / "scale-stencil-measured.json", RESULTS / "scale-stencil-100GBs.json"], pathlib.Path(folder))
            self.assertGreaterEqual(len(pictures), 6)
            for picture in pictures:
                self.assertGreater(pathlib.Path(picture).stat().st_size, 5000)


if __name__ == "__main__":
    unittest.main()
