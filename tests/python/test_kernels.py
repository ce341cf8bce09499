# SPDX-License-Identifier: BSD-3-Clause
"""The check of what kernels take reads ptxas right, and finds what it is there to find."""
import json, os, pathlib, subprocess, sys, tempfile, unittest
from unittest import mock

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from dev import kernels  # noqa: E402

REPORT = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN7laconic4scanILNS_5PlantE0EEEvPKjPj' for 'sm_90'
ptxas info    : Function properties for _ZN7laconic4scanILNS_5PlantE0EEEvPKjPj
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 21 registers, used 1 barriers, 16 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 22.246 ms
ptxas info    : Compiling entry function '_ZN7laconic5plainEv' for 'sm_90'
ptxas info    : Function properties for _ZN7laconic5plainEv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
"""
OTHER_GPU = """ptxas info    : Compiling entry function '_ZN7laconic5plainEv' for 'sm_80'
ptxas info    : Function properties for _ZN7laconic5plainEv
    128 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Function properties for _ZN7laconic6helperEv
    32 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 40 bytes cumulative stack size
"""


class Parser(unittest.TestCase):
    def test_numbers_of_every_kernel(self):
        found, functions = kernels.parse(REPORT)
        self.assertEqual([(k.registers, k.shared, k.stack, k.spills) for k in found], [(21, 16, 0, 0), (8, 0, 0, 0)])
        self.assertEqual(functions, [])

    def test_the_worst_gpu_counts(self):
        found, functions = kernels.parse(REPORT + OTHER_GPU)
        self.assertEqual([(k.registers, k.stack, k.spills) for k in found], [(21, 0, 0), (12, 128, 12)])
        self.assertEqual([f.stack for f in functions], [32])

    def test_names(self):
        for demangled, name in [
            ("void laconic::scan<(laconic::Plant)0>(unsigned int const*, unsigned int*)", "scan<(Plant)0>"),
            ("laconic::(anonymous namespace)::plain()", "plain"),
            ("void laconic::quant::encode<float, laconic::quant::Sum<2>, true>(laconic::quant::Work<float>)",
             "quant::encode<float, quant::Sum<2>, true>"),
            ("void laconic::quant::cuda::read<64u, laconic::A<laconic::SmallFloat<8, 7> > >(int)", "quant::read<64, A<bfloat16>>"),
            ("_Z_what_c++filt_does_not_know", "_Z_what_c++filt_does_not_know"),
        ]:
            self.assertEqual(kernels.readable(demangled), name)

    def test_names_are_demangled(self):
        mangled = "_ZN7laconic4scanILNS_5PlantE0EEEvPKjPj"
        self.assertEqual(kernels.readable(kernels.demangle([mangled])[mangled]), "scan<(Plant)0>")


class Budget(unittest.TestCase):
    def setUp(self):
        self.kernel = kernels.Kernel("scan<(Plant)0>", "src/a.cu", 21, 16, 0)
        self.page = "words\n" + kernels.BEGIN + kernels.table([self.kernel]) + kernels.END + "more words\n"
        self.budget = kernels.parse_table(self.page)

    def problems(self, **changes):
        for name, value in changes.items():
            setattr(self.kernel, name, value)
        return kernels.compare([self.kernel], self.budget)

    def test_the_same_or_less_is_fine(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems(registers=20, shared=0), [])

    def test_more_is_found(self):
        self.assertIn("registers 22", self.problems(registers=22)[0])
        self.assertIn("shared 32", self.problems(registers=21, shared=32)[0])

    def test_any_stack_is_found_even_if_granted(self):
        self.budget[("scan<(Plant)0>", "src/a.cu")].stack = 8
        self.assertIn("8 bytes of stack", self.problems(stack=8)[0])
        self.assertIn("4 bytes spilled", self.problems(stack=0, spills=4)[0])

    def test_kernels_with_far_and_masked_blocks_have_the_stack_that_is_granted(self):
        for name in ("quant::make_frames<quant::BlockMaker, float, (quant::Input)0, 1>", "quant::read_frame<double, false>",
                     "quant::fetch_far", "quant::fold_any<float>"):
            budget = {(name, "src/a.cu"): kernels.Kernel(name, "src/a.cu", 80, 0, 256, 8)}
            self.assertEqual(kernels.compare([kernels.Kernel(name, "src/a.cu", 80, 0, 256, 8)], budget), [])
            self.assertIn("stack 264", kernels.compare([kernels.Kernel(name, "src/a.cu", 80, 0, 264, 8)], budget)[0])
            self.assertIn("spills 12", kernels.compare([kernels.Kernel(name, "src/a.cu", 80, 0, 256, 12)], budget)[0])
        for name in ("quant::read_frame<double, true>", "quant::make_frames<quant::ScaledMaker, float, (quant::Input)0, 1>"):
            budget = {(name, "src/a.cu"): kernels.Kernel(name, "src/a.cu", 80, 0, 256, 8)}
            self.assertIn("there must be none", kernels.compare([kernels.Kernel(name, "src/a.cu", 80, 0, 256, 8)], budget)[0])

    def test_kernels_that_come_and_go_are_found(self):
        self.assertIn("not in docs/kernels.md", kernels.compare([kernels.Kernel("new", "src/a.cu", 1)], self.budget)[0])
        self.assertIn("not in the code", kernels.compare([], self.budget)[0])


class Tree(unittest.TestCase):
    """A build tree whose compiler is a script that says what ptxas would."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("src/codec/cuda", "docs", "tree"):
            (self.root / name).mkdir(parents=True)
        source = self.root / "src/codec/cuda/scan.cu"
        source.write_text("")
        (self.root / "docs/kernels.md").write_text("before\n" + kernels.BEGIN + kernels.END + "after\n")
        unit = {"directory": str(self.root / "tree"), "file": str(source), "output": "scan.cu.o", "command": "nvcc -o scan.cu.o"}
        (self.root / "tree/compile_commands.json").write_text(json.dumps([unit]))

    def compile(self, report, code=0):
        script = f"import sys; sys.stderr.write({report!r} + 'a warning\\n'); open('scan.cu.o', 'w'); sys.exit({code})"
        return subprocess.run([sys.executable, str(TOOLS / "dev/kernels.py"), "keep", sys.executable, "-c", script, "-o", "scan.cu.o"],
                              cwd=self.root / "tree", capture_output=True, text=True, timeout=60)

    def check(self, accept=False):
        with mock.patch.dict(os.environ, {"LACONIC_DOCS_ACCEPT": "1"} if accept else {}):
            if not accept:
                os.environ.pop("LACONIC_DOCS_ACCEPT", None)
            return kernels.check(self.root / "tree", self.root)

    def test_the_launcher_keeps_reports_and_passes_on_the_rest(self):
        done = self.compile(REPORT)
        self.assertEqual((done.returncode, done.stderr), (0, "a warning\n"))
        self.assertEqual((self.root / "tree/scan.cu.o.ptxas").read_text(), REPORT)
        self.assertEqual(self.compile("", code=3).returncode, 3)

    def test_accepting_writes_the_table_and_then_it_holds(self):
        self.compile(REPORT)
        count, problems = self.check()
        self.assertEqual(count, 2)
        self.assertIn("not in docs/kernels.md", problems[0])
        self.assertEqual(self.check(accept=True), (2, []))
        self.assertEqual(self.check(), (2, []))
        text = (self.root / "docs/kernels.md").read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.compile(REPORT.replace("Used 21", "Used 40"))
        self.assertIn("registers 40", self.check()[1][0])

    def test_accepting_does_not_excuse_a_stack(self):
        self.compile(REPORT + OTHER_GPU)
        problems = self.check(accept=True)[1]
        self.assertEqual(len(problems), 2)
        self.assertIn("helper (src/codec/cuda/scan.cu): 32 bytes of stack", problems[0])
        self.assertIn("128 bytes of stack", problems[1])

    def test_ptx_has_no_report(self):
        self.compile(REPORT)
        path = self.root / "tree/compile_commands.json"
        units = json.loads(path.read_text())
        units.append({**units[0], "output": "scan.ptx", "command": "nvcc -O2 -ptx scan.cu -o scan.ptx"})
        path.write_text(json.dumps(units))
        self.assertEqual(self.check(accept=True), (2, []))

    def test_a_missing_report_is_found(self):
        (self.root / "tree/scan.cu.o").write_text("")
        self.assertIn("no report of ptxas", self.check()[1][0])


if __name__ == "__main__":
    unittest.main()
