# SPDX-License-Identifier: BSD-3-Clause
"""What ./dev gpu makes of what its steps leave, and the curves that the model of devices is given."""
import json, pathlib, re, subprocess, sys, tempfile, time, types, unittest, zipfile
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import device_curves  # noqa: E402
from dev import gpu, gpu_kit, gpu_report  # noqa: E402
from dev.steps import Failed  # noqa: E402


def kernel(name="encode", count=1 << 20, median=1e-5, **more):
    return {"what": "kernel", "codec": "quant", "dtype": "f32", "mode": "rel:1e-3", "data": "walk", "kernel": name, "bytes": count,
            "frame_bytes": count / 4, "ratio": 4, "moved_bytes": 1.25 * count, "repetitions": 20, "slots": 3, "median_s": median,
            "least_s": median, "greatest_s": 2 * median, "input_gbs": 1, "moved_gbs": 1, "copy_share": 0.5, "compared": True, "equal": True, **more}


class Curves(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def results(self, name, rows):
        (self.folder / name).mkdir()
        (self.folder / name / "codec.json").write_text(json.dumps(rows))
        (self.folder / name / "machine.json").write_text('{"date": "2030-01-02"}')

    def table(self):
        return device_curves.table(self.folder, ["h200", "gpu"], ROOT)

    def test_a_curve_is_made_of_what_was_right(self):
        self.results("h200-nvl", [kernel(count=n, median=n * 1e-12 + 5e-6) for n in (65536, 1 << 20, 1 << 26)] +
                     [kernel(count=1 << 30, median=1, equal=False), kernel(count=2048, median=1, data="sparse"),
                      kernel(count=4096, median=1, mode="rel:1e-2"), kernel("decode"), {"what": "pieces"}])
        text = self.table()
        self.assertEqual(text.count("LACONIC_MEASURED("), 2)  # one of them in the comment
        self.assertIn('LACONIC_MEASURED(h200, quant, f32, encode, "codec.json, 2030-01-02, ratio 4",', text)
        self.assertIn("{65536, 5.066e-06}, {1048576, 6.049e-06}, {67108864, 7.211e-05})", text)

    def test_no_results_and_unknown_devices_give_an_empty_table(self):
        self.assertIn("Nothing has been measured", self.table())
        self.results("b200", [kernel(count=n) for n in (1, 2, 3)])
        self.assertIn("Nothing has been measured", self.table())

    def test_the_emulator_measures_nothing(self):
        self.results("h200", [{"what": "machine", "emulated": True}, kernel(), kernel(count=5)])
        self.assertRaises(ValueError, self.table)

    def test_the_table_is_that_of_the_results(self):
        names = device_curves.devices((ROOT / "src/tune/devices.def").read_text())
        self.assertIn("h200", names)
        made = device_curves.table(ROOT / "bench/results", names, ROOT)
        self.assertEqual((ROOT / "src/tune/measured.def").read_text(), made, "run tools/device_curves.py")

    # What is written is what the C++ of src/tune reads.
    def test_the_table_compiles(self):
        self.results("h200", [kernel(k, n, 1e-5) for k in device_curves.KERNELS for n in (1, 2, 3, 4, 5)])
        (self.folder / "tune").mkdir()
        (self.folder / "tune" / "measured.def").write_text(self.table())
        done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", f"-I{self.folder}", f"-I{ROOT / 'src'}",
                               str(ROOT / "src/tune/device_model.cpp")], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)


class Report(unittest.TestCase):
    def test_what_is_asked_is_answered(self):
        rows = [kernel(count=1 << 30, copy_share=0.5), kernel("merge", 1 << 30, copy_share=0.6), kernel(median=8e-6),
                {"what": "pieces", "codec": "quant", "pieces": 64, "piece_bytes": 1 << 20, "median_s": 1, "one_median_s": 1, "times_one": 1.4, "equal": True}]
        for algorithm, seconds in (("direct", 1), ("direct", 3), ("recursive-doubling", 2.5)):
            rows.append({"what": "allreduce", "codec": "quant", "algorithm": algorithm, "mode": "rel:1e-3", "ranks": 8, "bytes": 256 << 20, "median_s": seconds,
                         "least_s": 1, "greatest_s": 3, "rows": 1, "encode_s": 1, "decode_s": 1, "reduce_s": 1, "wire_bytes": 10,
                         "uncompressed_bytes": 20, "greatest_error": 0.01, "equal": True})
        text = gpu_report.asked(rows)
        met = [line.split("|")[-2].strip() for line in text.splitlines()[2:]]
        self.assertEqual(met, ["yes", "not measured", "**no**", "yes", "**no**", "yes"])
        whole = gpu_report.summary({"gpu": "some GPU"}, [("build", 3, "done")], rows + [{"what": "left_out", "topic": "kernels", "cases": 2}])
        for words in ("# some GPU", "| build | 3 | done |", "quant, f32", "| direct | quant | rel:1e-3 | 8 | 256 MiB |", "2 cases of kernels were left out"):
            self.assertIn(words, whole)
        self.assertIn("rehearsal", gpu_report.summary({"gpu": "emulator", "emulated": True}, [], []))

    def test_codecs_of_others_stand_beside_ours(self):
        rows = [kernel(ratio=4, input_gbs=300), kernel("decode", ratio=4, input_gbs=400, greatest_error=0.001)]
        for codec, mode, bound, error in (("cuszp-plain", "rel:1e-3", 0.002, 0.0021), ("cuzfp", "rate:8", 0, None)):
            rows.append({"what": "peer", "codec": codec, "dtype": "f32", "mode": mode, "data": "walk", "bytes": 1 << 20, "ratio": 3,
                         "encode_gbs": 100, "decode_gbs": 200, "bound": bound, "greatest_error": error})
        lines = gpu_report.peers(rows).splitlines()[2:]
        self.assertEqual(lines, ["| walk | rate:8 | 1 MiB | cuzfp | 3.00 | 100 | 200 | not finite | - |",
                                 "| walk | rel:1e-3 | 1 MiB | quant | 4.00 | 300 | 400 | 0.001 | 0.002 |",
                                 "| walk | rel:1e-3 | 1 MiB | cuszp-plain | 3.00 | 100 | 200 | 0.0021 | 0.002 |"])
        self.assertIn("Beside the codecs of others", gpu_report.summary({}, [], rows))

    def test_what_is_wrong_is_seen(self):
        self.assertIn("**no**", gpu_report.kernels([kernel(equal=False)]))


class Steps(unittest.TestCase):
    def session(self, **more):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        return gpu.Session(folder, folder, True, True, 1, time.monotonic() + 60, {"gpu": "x", "began": 0, **more})

    def test_a_step_that_fails_does_not_stop_the_others(self):
        s = self.session()

        def bad(_):
            raise Failed("it broke\nand how")

        s.step("first", bad)
        s.step("second", lambda _: "done")
        self.assertTrue(s.failed)
        self.assertEqual([(name, said) for name, _, said in s.outcomes], [("first", "**failed**: it broke"), ("second", "done")])

    def test_limits_are_within_that_of_the_whole(self):
        s = self.session()
        self.assertLessEqual(s.left(100), 60)
        self.assertEqual(s.left(10), 10)
        self.assertLessEqual(s.left(100, 20), 40)
        s.end = time.monotonic() + 1
        self.assertRaises(Failed, s.left, 10)

    def test_a_list_that_was_cut_short_is_read(self):
        s = self.session()
        self.assertEqual(gpu.read_rows(s), [])
        for text, count in (("[", 0), ('[\n{"a": 1},\n{"a": 2}', 2), ('[\n{"a": 1},\n{"a"', 1), ('[\n{"a": 1}\n]\n', 1)):
            (s.out / "codec.json").write_text(text)
            self.assertEqual(len(gpu.read_rows(s)), count, text)

    def test_without_nccl_its_step_is_left_out(self):
        s = self.session()
        s.rehearsal = False
        self.assertIn("left out: no NCCL", gpu.nccl(s))
        s.nccl = s.out
        self.assertIn("left out: this tree", gpu.nccl(s))
        self.assertEqual(s.rows, [])

    def test_rows_of_nccl_join_those_of_the_benchmark(self):
        s = self.session()
        row = {"what": "nccl", "ranks": 2, "bytes": 1 << 20, "rate": 8, "sent_bytes": 1 << 18, "plain_s": 2e-3, "compressed_s": 1e-3,
               "greatest_error": 0.01, "equal": True}
        program = s.tree / "bench" / "nccl" / "bench_nccl"
        program.parent.mkdir(parents=True)
        # The exit code of wrong results; their rows are kept.
        program.write_text(f"#!/bin/sh\ncat > $4 <<'end'\n[{json.dumps({**row, 'equal': False})}]\nend\nexit 1\n")
        program.chmod(0o755)
        s.end += 600
        self.assertRaises(Failed, gpu.nccl, s)
        (s.out / "codec.json").write_text('[{"what": "machine", "gpu": "x"}]')
        gpu.gather(s)
        self.assertEqual([r["what"] for r in gpu.read_rows(s)], ["machine", "nccl"])
        self.assertIn("| 2 | 1 MiB | 8 | 256 KiB | 2 ms | 1 ms | 2.00 | 0.01 | **no** |", (s.out / "summary.md").read_text())

    def test_a_folder_without_nccl_is_an_error_if_it_was_given(self):
        s = self.session()
        with self.assertRaisesRegex(Failed, "no include/nccl.h and no lib/libnccl.so.2"):
            gpu_kit.nccl(s.out)
        with mock.patch.object(gpu_kit, "NCCL", s.out):
            self.assertIsNone(gpu_kit.nccl(None))
            for name in ("include/nccl.h", "lib/libnccl.so.2"):
                (s.out / name).parent.mkdir()
                (s.out / name).write_text("")
            self.assertEqual(gpu_kit.nccl(None), s.out)

    def test_folders_of_other_codecs_are_checked(self):
        s = self.session()
        given = types.SimpleNamespace(cuszp=str(s.out), cuzfp=None)
        with mock.patch.object(gpu_kit, "STATE", s.out):
            with self.assertRaisesRegex(Failed, "--cuszp .*: there is no src/cuSZp_entry_1D_f32.cu"):
                gpu_kit.peers(given)
            for name in ("src/cuSZp_entry_1D_f32.cu", "cuzfp/src/cuda_zfp/cuZFP.cu"):
                (s.out / name).parent.mkdir(parents=True, exist_ok=True)
                (s.out / name).write_text("")
            self.assertEqual(gpu_kit.peers(given), {"LACONIC_CUSZP": s.out, "LACONIC_CUZFP": s.out / "cuzfp"})

    def test_a_codec_of_others_that_does_not_build_is_left_out(self):
        s = self.session()
        s.end += 600
        s.peers = {"LACONIC_CUSZP": "/a", "LACONIC_CUZFP": "/b"}
        ran = []

        def run(title, command, limit):
            ran.append(command)
            if "bench_cuszp" in command:
                raise Failed("nvcc: no")

        with mock.patch.object(gpu, "run", run):
            self.assertEqual(gpu.without_broken_peers(s, ["cmake", "-S", "x"]), ["LACONIC_CUSZP"])
        self.assertEqual(ran[-1], ["cmake", "-S", "x", "-DLACONIC_CUSZP="])
        self.assertEqual(list(s.peers), ["LACONIC_CUZFP"])

    def test_without_codecs_of_others_their_step_is_left_out(self):
        s = self.session()
        s.rehearsal = False
        self.assertIn("left out: no sources", gpu.peers(s))

    def test_reports_of_tests_are_counted(self):
        s = self.session()
        (s.out / "r.xml").write_text('<testsuites><testsuite><testcase status="run" result="completed"/><testcase status="run" result="skipped">'
                                     '<skipped/></testcase><testcase status="run"><failure/></testcase><testcase status="notrun"/></testsuite></testsuites>')
        self.assertEqual(gpu.read_gtest(s.out / "r.xml"), {"passed": 1, "failed": 1, "skipped": 1})

    # A filter that matches nothing would make of a sanitizer's step one that does nothing.
    def test_the_tests_that_are_named_are_there(self):
        there = set()
        for path in (ROOT / "tests/device").rglob("*.c*"):
            there |= {".".join(pair) for pair in re.findall(r"^TEST(?:_F)?\((\w+), (\w+)\)", path.read_text(), re.M)}
        names = gpu.SANITIZED.split(":") + [name for program, filter, _ in gpu.SHORT_TESTS if program == "device" for name in filter.split(":")]
        self.assertEqual([name for name in names if name not in there], [])

    def test_folders_are_named_for_gpus(self):
        self.assertEqual(gpu.slug("NVIDIA H200"), "h200")
        self.assertEqual(gpu.slug("NVIDIA A100-SXM4-40GB"), "a100-sxm4-40gb")

    def test_what_is_gathered_fits(self):
        s = self.session()
        (s.out / "codec.json").write_text(json.dumps([{"what": "machine", "gpu": "emulator", "copy_gbs": 7}]))
        gpu.gather(s)
        self.assertEqual(json.loads((s.out / "machine.json").read_text())["copy_gbs"], 7)
        for k in range(9):
            (s.out / f"{k}.log").write_text("")
        s.machine["began"] = 0
        self.assertRaises(Failed, gpu.gather, s)

    def test_without_a_gpu_it_says_so(self):
        path = gpu.shutil.which
        gpu.shutil = types.SimpleNamespace(which=lambda name: None if name == "nvidia-smi" else path(name))
        try:
            with self.assertRaisesRegex(Failed, "no GPU"):
                gpu.describe(False)
        finally:
            import shutil
            gpu.shutil = shutil

    def test_the_wheel_is_unpacked_with_its_libraries(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        kept = gpu_kit.KIT
        gpu_kit.KIT = folder / "kit"
        try:
            (folder / "kit" / "wheels").mkdir(parents=True)
            with zipfile.ZipFile(folder / "kit" / "wheels" / "mpich-5.0.2-py3-none-any.whl", "w") as wheel:
                wheel.writestr("mpich-5.0.2.data/data/bin/mpicc", "#!/bin/sh\necho here\n")
                wheel.writestr("mpich-5.0.2.data/data/lib/libmpi.so.12", "")
            mpicc = gpu_kit.unpack_mpi(folder / "mpi")
            self.assertEqual(subprocess.run([mpicc], capture_output=True, text=True, timeout=20).stdout, "here\n")
            self.assertTrue((mpicc.parent.parent / "lib" / "libmpi.so.12").exists())
        finally:
            gpu_kit.KIT = kept

    def test_packing_says_what_is_missing(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        said = []
        nowhere = pathlib.Path(scratch.name) / "no" / "python"
        for python, make in ((nowhere, mock.DEFAULT), (nowhere, mock.Mock(side_effect=Failed("no environment")))):
            with mock.patch.multiple(gpu_kit, KIT=gpu_kit.STATE / "kit-of-a-test", HEADERS=("/nowhere.h",), LIBRARIES=(), say=said.append), \
                 mock.patch.multiple(gpu_kit.needs, PYTHON=python, make_venv=make):
                self.assertEqual(gpu_kit.pack(), 1)
            self.assertIn("missing: /nowhere.h, mpich", said[-1])


if __name__ == "__main__":
    unittest.main()
