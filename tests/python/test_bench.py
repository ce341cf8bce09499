# SPDX-License-Identifier: BSD-3-Clause
"""./dev bench hands on what laconic bench takes; ./dev demo says where the command is and installs what it needs."""
import importlib.util, json, pathlib, subprocess, sys, tempfile, unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from dev import needs  # noqa: E402


def script(path):
    spec = importlib.util.spec_from_file_location(path.replace("/", "_")[:-3], ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMAND = """#!/usr/bin/env python3
import json, sys
out = sys.argv[sys.argv.index("--json") + 1]
row = {"variant": "plain", "mpi": "none", "rate_bit_s": 0, "iterations": 1, "warmup": 1, "field": "x", "words": sys.argv[1:]}
json.dump([row], open(out, "w"))
"""


class Bench(unittest.TestCase):
    def words(self, *arguments):
        """Of laconic bench, as run.py starts it."""
        bench = script("bench/collectives/run.py")
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            for name in ("data/field.f32", "cli/laconic"):
                (build / name).parent.mkdir()
                (build / name).write_text(COMMAND)
            run = lambda program, *rest: subprocess.run([sys.executable, *map(str, program)], capture_output=True, text=True)
            out = build / "out.json"
            argv = ["run.py", "--build", folder, "--network", "loopback", "--out", str(out), *arguments]
            with mock.patch.object(sys, "argv", argv), mock.patch.object(bench.lab, "run", run), \
                 mock.patch("builtins.print"):
                self.assertEqual(bench.main(), 0)
            return json.loads(out.read_text())["runs"][0]["results"][0]["words"]

    def test_everything_is_handed_on(self):
        words = self.words("--operation", "stencil", "--grid", "2x2x2", "--window", "1,2", "--chunks", "auto,4", "--op", "max",
                           "--against", "nd,overlap", "--set", "min_bytes=1", "--bound=abs:1")
        self.assertEqual(words[:2], ["bench", "stencil"])
        at = words.index("--grid")
        self.assertEqual(words[at:at + 11], ["--grid", "2x2x2", "--window", "1,2", "--chunks", "auto,4", "--op", "max",
                                             "--against", "nd,overlap", "--set"])
        self.assertIn("--bound=abs:1", words)
        self.assertEqual(words.count("--bound"), 0)
        self.assertEqual(words[words.index("--bytes") + 1], "64M")

    def test_defaults(self):
        words = self.words()
        self.assertEqual(words[1], "allreduce")
        self.assertEqual(words[words.index("--bound") + 1], "rel:1e-4")
        self.assertNotIn("--bytes", self.words("--sizes", "1M"))

    def test_json_has_its_own_place(self):
        with mock.patch("sys.stderr"), self.assertRaises(SystemExit) as ended:
            self.words("--json", "elsewhere.json")
        self.assertEqual(ended.exception.code, 2)


class Demo(unittest.TestCase):
    def test_the_command_is_named(self):
        demo = script("examples/image_stacking/run.py")
        with tempfile.TemporaryDirectory() as folder:
            a = mock.Mock(build=folder, mpiexec="/somewhere/bin/mpiexec")
            self.assertIn("libcli11-dev", demo.how_to_go_on(a))
            command = pathlib.Path(folder, "cli", "laconic")
            command.parent.mkdir()
            command.write_text("")
            command.chmod(0o755)
            self.assertIn(f"export PATH={folder}/cli:/somewhere/bin:$PATH", demo.how_to_go_on(a))

    def test_it_is_installed_for_all_that_build_it(self):
        for need in needs.NEEDS:
            if need.what_for == "the command laconic":
                self.assertLessEqual({"demo", "bench", "build", "test"}, set(need.commands))


if __name__ == "__main__":
    unittest.main()
