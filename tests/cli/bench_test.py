# SPDX-License-Identifier: BSD-3-Clause
"""laconic bench under mpiexec, every operation: bench_test.py LACONIC RANKS -- mpirun and its arguments."""
import json, os, pathlib, subprocess, sys, tempfile, unittest

LACONIC, RANKS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
MPIRUN = sys.argv[sys.argv.index("--") + 1:]
COLLECTIVES = ["allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "allgather", "allgatherv", "bcast", "scatter",
               "scatterv", "gather", "gatherv", "alltoall", "alltoallv"]
MESSAGES = ["latency", "bandwidth", "bidirectional", "stencil"]
KEYS = {"collective", "variant", "algorithm", "codec", "bound", "ranks", "bytes", "median_s", "min_s", "max_s",
        "speedup_over_plain", "ratio", "wire_bytes", "max_error", "bound_result", "bits_equal", "phases_s", "most_chunks",
        "memory_bytes", "wait_reducing_s"}
PHASES = {"comdecom", "allgather", "memcpy", "wait", "reduction", "others", "total"}


class Bench(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def laconic(self, *arguments, code=0, command="bench"):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
        done = subprocess.run([*MPIRUN, "-n", str(RANKS), "--", LACONIC, command, *map(str, arguments)], env=clean,
                              capture_output=True, text=True, timeout=100, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def bench(self, *arguments):
        out = self.folder / "out.json"
        done = self.laconic(*arguments, "--set", "min_bytes=1", "--iterations", 2, "--warmup", 1, "--json", out)
        return json.loads(out.read_text()), done.stdout

    def hold(self, rows, operation):
        for row in rows:
            self.assertLessEqual(KEYS, row.keys())
            self.assertLessEqual(PHASES, row["phases_s"].keys())
            self.assertEqual((row["collective"], row["ranks"]), (operation, RANKS))
            self.assertTrue(row["bound_kept"], row)
            self.assertTrue(0 < row["min_s"] <= row["median_s"] <= row["max_s"], row)
            if row["variant"] == "plain":
                self.assertEqual((row["speedup_over_plain"], row["ratio"], row["wire_bytes"]), (1, 1, None))
                continue
            self.assertFalse(row["ran_plain"], row)
            self.assertGreater(row["ratio"], 1.5)
            self.assertGreater(row["wire_bytes"], 0)
            self.assertTrue(row["bits_equal"] or row["variant"] == "cpr-p2p", row)
            self.assertGreater(row["bound_result"], 0)

    def test_collectives(self):
        for operation in COLLECTIVES:
            with self.subTest(operation):
                rows, said = self.bench(operation, "--bytes", "12K,40000", "--against", "overlap,nd,cpr-p2p:szx", "--root", 1)
                self.hold(rows, operation)
                self.assertEqual([row["variant"] for row in rows], ["plain", "overlap", "nd", "cpr-p2p"] * 2)
                self.assertEqual([row["codec"] for row in rows], ["none", "quant", "quant", "szx"] * 2)
                self.assertEqual({row["bytes"] for row in rows}, {12288, 40000})
                for word in (operation, "cpr-p2p:szx", "speed-up", "ComDecom", "Allgather", "Reduction"):
                    self.assertIn(word, said)

    def test_messages(self):
        for operation in MESSAGES:
            with self.subTest(operation):
                rows, said = self.bench(operation, "--bytes", "40K", "--against", "overlap,overlap:szx", "--window", "2",
                                        "--chunks", "auto,2")
                self.hold(rows, operation)
                self.assertEqual([row["chunks"] for row in rows], [None, None, 2, None, 2])
                self.assertGreater(min(row["bandwidth"] for row in rows), 0)
                self.assertIn("MB/s", said)

    # Variants without overlap are not cut into chunks: they have one row, whatever --chunks lists.
    def test_chunks_of_variants_that_do_not_cut(self):
        rows, _ = self.bench("latency", "--bytes", "40K", "--against", "nd,overlap", "--chunks", "1,2,4")
        self.hold(rows, "latency")
        self.assertEqual([(row["variant"], row["chunks"]) for row in rows],
                         [("plain", None), ("nd", 1), ("overlap", 1), ("overlap", 2), ("overlap", 4)])

    # The library decides call by call; some iterations are plain, and the last one may be either.
    def test_tuned(self):
        out = self.folder / "out.json"
        for operation in ("allreduce", "bcast", "latency"):
            for iterations in (3, 30):
                with self.subTest(operation, iterations=iterations):
                    self.laconic(operation, "--bytes", "1M", "--against", "tuned,overlap",
                                 "--warmup", 0, "--iterations", iterations, "--json", out)
                    rows = json.loads(out.read_text())
                    self.assertEqual([row["variant"] for row in rows], ["plain", "tuned", "overlap"])
                    for row in rows:
                        self.assertEqual(len(row["seconds"]), iterations)
                        self.assertTrue(row["bound_kept"] and row["bits_equal"], row)

    def test_efforts(self):
        out = self.folder / "out.json"
        said = self.laconic("allreduce", "--bytes", "256K", "--against", "tuned,overlap:light,overlap:dense",
                            "--effort", "auto,light,dense", "--iterations", 3, "--json", out).stdout
        rows = json.loads(out.read_text())
        self.assertEqual([(row["variant"], row["codec"]) for row in rows],
                         [("plain", "none"), *(("tuned", e) for e in ("auto", "light", "dense")), ("overlap", "light"),
                          ("overlap", "dense")])
        self.assertEqual([row["ran_codec"] for row in rows[4:]], ["quant", "dense"])
        self.assertTrue(all(row["bound_kept"] and row["bits_equal"] for row in rows), said)
        for arguments, words in ((["--effort", "heavy"], ["heavy", "auto, light, dense"]),
                                 (["--effort", "auto"], ["--against tuned"]),
                                 (["--set", "effort=dense"], ["--effort"])):
            done = self.laconic("allreduce", *arguments, code=2)
            for word in words:
                self.assertIn(word, done.stderr)

    def test_tune_of_one_effort(self):
        file = self.folder / "a.profile"
        said = self.laconic(file, "--collective", "bcast", "--bytes", "64K", "--iterations", 2, "--effort", "dense",
                            command="tune").stdout
        self.assertIn("dense: one core encodes", said)
        lines = file.read_text().splitlines()
        self.assertEqual([line.split()[1] for line in lines if line.startswith("coding")], ["dense"])
        self.assertEqual([line.split()[4] for line in lines if line.startswith("class")], ["dense"])
        for arguments in (["--effort", "heavy"], ["--effort", "dense", "--codec", "szx"]):
            self.assertIn("--effort", self.laconic(file, *arguments, command="tune", code=2).stderr)

    # The profile says what every later run does, and explain shows it.
    def test_tune(self):
        file = self.folder / "a.profile"
        for run in range(2):  # the second run replaces the file
            said = self.laconic(file, "--collective", "allreduce,bcast", "--bytes", "16K,256K", "--iterations", 3,
                                command="tune").stdout
        for word in ("allreduce", "bcast", "256 KiB", "GB/s", "predicted and measured", "from the other classes", "LACONIC_TUNE="):
            self.assertIn(word, said)
        classes = [line.split()[1:] for line in file.read_text().splitlines() if line.startswith("class ")]
        self.assertEqual([(c[0], int(c[1])) for c in classes],
                         [(name, size << 10) for name in ("allreduce", "bcast") for size in (16, 256)])
        # Decisions that do not depend on this machine.
        lines = [line for line in file.read_text().splitlines() if not line.startswith(("class ", "end"))]
        self.assertEqual([line.split()[1] for line in lines if line.startswith("coding")], ["light", "dense"])
        lines += ["class allreduce 16384 1e-5 light ring 1 1", "class allreduce 262144 1 dense direct 1 1e-3",
                  "class bcast 262144 1e-9 light chain 1 1", "end"]
        file.write_text("\n".join(lines) + "\n")
        for name, size, expected in (("allreduce", "16K", "plain"), ("allreduce", "256K", "direct"), ("bcast", "256K", "plain")):
            for run in range(2):
                with self.subTest(name, size=size, run=run):
                    out = self.folder / "out.json"
                    self.laconic(name, "--bytes", size, "--against", "tuned", "--effort", "auto", "--set", f"tune={file}",
                                 "--set", "min_bytes=1", "--iterations", 2, "--json", out)
                    row = json.loads(out.read_text())[1]
                    self.assertEqual("plain" if row["ran_plain"] else row["algorithm"], expected)
                    self.assertEqual(row["ran_codec"], "none" if row["ran_plain"] else "dense")
            done = subprocess.run([LACONIC, "explain", name, "--bytes", size, "--ranks", str(RANKS), "--profile", file, "--json"],
                                  capture_output=True, text=True, timeout=60)
            verdict = json.loads(done.stdout)[0]["profile"]
            self.assertEqual((verdict["algorithm"], verdict["codec"]),
                             (expected, "none" if expected == "plain" else "dense"), done.stderr)
        # Sizes and collectives that were not measured are predicted.
        (row,) = json.loads(subprocess.run([LACONIC, "explain", "gather", "--bytes", "3M", "--ranks", "9", "--profile", file,
                                            "--json"], capture_output=True, text=True, timeout=60).stdout)
        self.assertFalse(row["profile"]["measured"])
        self.assertGreater(row["profile"]["plain_s"], 0)

    def test_tune_is_refused(self):
        for arguments, words in ((["x", "--collective", "allgatherv"], ["allgatherv", "allgather"]),
                                 (["x", "--bytes", "100K"], ["102400", "powers of two"]),
                                 ([], ["PROFILE"]), (["no/such/folder/x"], ["no/such/folder"])):
            done = self.laconic(*arguments, command="tune", code=1 if "no/such" in "".join(arguments) else 2)
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        (self.folder / "field").write_bytes(b"1234\n1234")
        self.assertIn("not a profile", self.laconic("field", command="tune", code=2).stderr)
        self.assertEqual((self.folder / "field").read_bytes(), b"1234\n1234")
        (self.folder / "cut").write_text("laconic profile 3\nranks 2")
        done = self.laconic("allreduce", "--set", "tune=cut", code=2)
        self.assertIn("line 2", done.stderr)

    def test_host_centric(self):
        rows, said = self.bench("allreduce", "--bytes", "40K", "--against", "host-centric,host-centric:szx")
        self.assertEqual([(row["variant"], row["codec"]) for row in rows],
                         [("plain", "none"), ("host-centric", "quant"), ("host-centric", "szx")])
        self.assertIn("host-centric:szx", said)

    # In builds with the emulator of devices; others say that they have no code for them.
    def test_buffers_on_devices(self):
        probe = subprocess.run([*MPIRUN, "-n", str(RANKS), "--", LACONIC, "bench", "allreduce", "--memory", "device", "--bytes", "4K",
                                "--iterations", "1", "--warmup", "0"], capture_output=True, text=True, timeout=100, cwd=self.folder)
        if "--memory device: " in probe.stderr:
            self.assertIn("valid is host", probe.stderr)
            self.assertEqual(probe.returncode, 2, probe.stderr)
            return
        for operation in ("allreduce", "bcast", "alltoallv", "gather", "stencil", "latency"):
            with self.subTest(operation):
                rows, said = self.bench(operation, "--bytes", "40K", "--against", "overlap", "--memory", "device")
                self.hold(rows, operation)
                self.assertEqual({row["memory"] for row in rows}, {"device"})
                self.assertIn("on devices", said)
        self.assertIn("valid are sum, max, min", self.laconic("allreduce", "--memory", "device", "--op", "avg", code=2).stderr)

    def test_memory_that_does_not_exist(self):
        self.assertIn("valid are host, device", self.laconic("allreduce", "--memory", "gpu", code=2).stderr)

    def test_operations_algorithms_and_bounds(self):
        for op in ("max", "avg"):
            rows, _ = self.bench("allreduce", "--op", op, "--bytes", "20K", "--bound", "rel:1e-2,abs:1e-3", "--algorithm", "all")
            self.hold(rows, "allreduce")
            self.assertEqual({row["bound"] for row in rows}, {"none", "rel:1e-2", "abs:1e-3"})
            self.assertLessEqual({"plain", "ring", "direct"}, {row["algorithm"] for row in rows})
        rows, _ = self.bench("allreduce", "--bytes", "20K", "--codec", "raw,lossless", "--field", "noise")
        self.assertEqual([row["codec"] for row in rows], ["none", "raw", "lossless"])
        self.assertTrue(all(row["bound_kept"] and row["bits_equal"] for row in rows[1:]))

    # explain knows the room that is leased for the worst case; the statistics count what was used of it.
    def test_memory_is_within_what_explain_says(self):
        for algorithm in ("ring", "recursive-doubling"):
            rows, _ = self.bench("allreduce", "--bytes", "1M", "--algorithm", algorithm)
            said = subprocess.run([LACONIC, "explain", "allreduce", "--ranks", str(RANKS), "--bytes", "1M", "--algorithm",
                                   algorithm, "--json"], capture_output=True, text=True, timeout=60, check=True)
            self.assertGreater(rows[1]["memory_bytes"], 0)
            self.assertLessEqual(rows[1]["memory_bytes"], json.loads(said.stdout)[0]["memory_bytes"])

    def test_what_is_small_is_said_to_be_plain(self):
        done = self.laconic("allreduce", "--bytes", "4K", "--iterations", 1)
        self.assertIn("ran as plain MPI", done.stdout)

    # Once, from all ranks together, with what would be valid.
    def test_what_is_not_valid(self):
        for arguments, words in (
            ([], ["OPERATION", "allreduce", "stencil"]),
            (["barrier"], ["barrier", "allreduce, reduce"]),
            (["bcast", "--against", "magic"], ["magic", "overlap, nd, cpr-p2p, host-centric"]),
            (["bcast", "--set", "variant=host-centric"], ["variant=host-centric", "--against"]),
            (["bcast", "--set", "bound=abs:1"], ["bound=abs:1", "--bound"]),
            (["bcast", "--iterations", "x"], ["--iterations 'x'", "whole numbers from 1"]),
            (["bcast", "--against", "nd:sz9"], ["sz9", "quant", "szx"]),
            (["bcast", "--algorithm", "bruck"], ["bruck", "binomial, chain, ring"]),
            (["bcast", "--root", RANKS], ["--root", f"0 to {RANKS - 1}"]),
            (["bcast", "--bytes", "1T"], ["1T", "NK"]),
            (["bcast", "--bound", "tight"], ["tight", "abs:E"]),
            (["bcast", "--set", "speed=9"], ["speed", "min_bytes"]),
            (["bcast", "--codec", "szx", "--bound", "rms:1", "--bytes", "1M"], ["rms:1", "quant"]),
            (["allreduce", "--op", "prod"], ["prod", "sum, max, min, avg"]),
            (["stencil", "--grid", "1x1x1"], ["1x1x1", str(RANKS)]),
            (["bcast", "--speed"], ["--speed"]),
        ):
            with self.subTest(arguments):
                done = self.laconic(*arguments, code=2)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr.count(words[0]), 1, done.stderr)
                for word in words[1:]:
                    self.assertIn(word, done.stderr)
        done = self.laconic("bcast", "--field", "nowhere.f32", code=1)
        self.assertEqual(done.stderr.count("nowhere.f32"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["-v"] * ("-v" in sys.argv))
