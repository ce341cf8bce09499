# SPDX-License-Identifier: BSD-3-Clause
"""The command laconic as users and scripts meet it: command_test.py LACONIC [unittest arguments]."""
import array, json, math, os, pathlib, re, subprocess, sys, tempfile, unittest

LACONIC = os.path.abspath(sys.argv.pop(1))
KEYS = {"codec", "bound", "count", "bytes", "ratio", "encode_gbs", "decode_gbs", "memcpy_gbs", "max_error", "violations",
        "psnr", "nrmse"}


class Command(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)
        self.field = self.folder / "wave.f32"
        self.numbers = array.array("f", (math.sin(0.01 * i) for i in range(70000)))
        self.field.write_bytes(self.numbers.tobytes())

    def laconic(self, *arguments, code=0, env=None):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LACONIC_")}
        done = subprocess.run([LACONIC, *map(str, arguments)], capture_output=True, text=True, timeout=100,
                              env={**clean, **(env or {})}, cwd=self.folder)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def codec(self, *arguments, **more):
        return self.laconic("codec", *arguments, "--repeat", 1, **more)

    def rejected(self, *arguments, says=(), env=None):
        done = self.laconic(*arguments, code=2, env=env)
        self.assertEqual(done.stdout, "")
        for word in says:
            self.assertIn(word, done.stderr)

    def test_json(self):
        rows = json.loads(self.codec(self.field, "--bound", "abs:1e-3", "--bound", "rel:1e-4", "--json").stdout)
        self.assertEqual([row["bound"] for row in rows if row["codec"] == "quant"], ["abs:1e-3", "rel:1e-4"])
        self.assertIn("raw", {row["codec"] for row in rows})
        for row in rows:
            self.assertLessEqual(KEYS, row.keys())
            self.assertEqual(row["count"], 70000)
            self.assertEqual(row["violations"], 0, row)
            self.assertAlmostEqual(row["ratio"], 280000 / row["bytes"])
            self.assertGreater(min(row["encode_gbs"], row["decode_gbs"], row["memcpy_gbs"], row["fold_gbs"]), 0)
            if row["codec"] in ("raw", "lossless"):
                self.assertIsNone(row["psnr"])
                self.assertEqual(row["nrmse"], 0)
            elif row["bound"] == "abs:1e-3":
                self.assertLessEqual(row["max_error"], 1e-3)
                self.assertAlmostEqual(row["psnr"], -20 * math.log10(row["nrmse"]), 5)

    def test_made_numbers(self):
        kinds = "smooth gradients far nan fill mixed spread runs decimals".split()
        for dtype in ("f32", "f64"):
            names = ",".join(f"kind:{kind}" for kind in kinds)
            rows = json.loads(self.codec("--field", names, "--dtype", dtype, "--count", 5000, "--bound", "rel:1e-4,lossless",
                                         "--codec", "quant,dense", "--json").stdout)
            self.assertEqual([row["file"] for row in rows[::4]], [f"kind:{kind}" for kind in kinds])
            for row in rows:
                self.assertEqual((row["count"], row["violations"]), (5000, 0), row)
        self.rejected("codec", "kind:rough", says=["kind:rough", "kind:smooth, kind:gradients"])
        self.rejected("codec", "kind:nan", "--dtype", "i32", says=["i32", "kind:nan"])

    def test_json_to_a_file(self):
        odd = self.folder / 'odd "name"\\.f32'
        odd.write_bytes(self.field.read_bytes())
        done = self.codec(odd, "--codec", "quant", "--bound", "rel:1e-3", "--json", "out.json")
        self.assertIn("quant", done.stdout)
        rows = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(rows[0]["file"], str(odd))
        self.codec(odd, "--json", "out.json", "--codec", "raw")  # again: a list in JSON may be replaced

    def test_json_does_not_replace_a_field(self):
        for arguments in (["--json", self.field], [self.field, "--json", self.field]):
            self.laconic("codec", *arguments, code=2)
            self.assertEqual(self.field.read_bytes(), self.numbers.tobytes())

    # Devices and pipes are written to; whatever cannot be written is named, with the reason.
    def test_output_that_cannot_be_written(self):
        commands = (["codec", self.field, "--repeat", 0], ["explain", "allreduce"], 
                    ["doctor", "--no-job", "--mpiexec", self.launcher("exit 0\n")])
        for command in commands:
            for place, why in (("/dev/full", "No space left on device"), (self.folder, "Is a directory"),
                               ("nowhere/out.json", "No such file or directory")):
                said = self.laconic(*command, "--json", place, code=1).stderr
                self.assertIn(f"{place}: {why}", said)
                self.assertTrue(said.startswith("laconic: "), said)
            self.laconic(*command, "--json", "/dev/null")
            with open("/dev/full", "w") as full:
                done = subprocess.run([LACONIC, *map(str, command)], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (1, "laconic: standard output: No space left on device\n"))
        self.assertIn("/dev/full: No space left on device",
                      self.laconic("codec", self.field, "--bound", "abs:1e-3", "--write", "/dev/full", code=1).stderr)

    # One mechanism: every numeric option of every command names itself, what it was given, and what is valid.
    def test_numbers_that_are_none(self):
        for command in (["codec", self.field], ["explain", "allreduce"], ["bench", "allreduce"]):
            help = self.laconic(command[0], "--help").stdout
            options = re.findall(r"^  (--[a-z-]+) [NX]\b", help, re.M)
            self.assertGreater(len(options), 3, help)
            for option in options:
                for value in ("9" * 20, "x", "1.5x", "-1", ""):
                    if value == "9" * 20 and re.search(rf"^  {option} X", help, re.M):
                        continue
                    with self.subTest(command=command[0], option=option, value=value):
                        done = self.laconic(*command, option, value, code=2)
                        self.assertEqual(done.stdout, "")
                        self.assertRegex(done.stderr, rf"^laconic: {option} '{re.escape(value)}' is not valid; valid are ")
        self.rejected("explain", "allreduce", "--ranks", "9" * 20, says=["whole numbers from 2 to 1048576"])
        self.rejected("explain", "allreduce", "--what", says=["laconic: ", "--what"])
        self.rejected("explain", "allreduce", "--ranks", says=["laconic: ", "--ranks"])

    def test_lists(self):
        for bounds in (["--bound", "abs:1e-3,rel:1e-4"], ["--bound", "abs:1e-3", "--bound", "rel:1e-4"]):
            rows = json.loads(self.codec(self.field, *bounds, "--codec", "quant,raw", "--json").stdout)
            self.assertEqual([(row["codec"], row["bound"]) for row in rows],
                             [(codec, bound) for codec in ("quant", "raw") for bound in ("abs:1e-3", "rel:1e-4")])
        self.rejected("codec", self.field, "--bound", "abs:1e-3,tight", says=["tight", "abs:E"])

    def test_table(self):
        said = self.codec(self.field).stdout
        for word in ("ratio", "encode", "decode", "fold", "add", "memcpy", "violations", "PSNR", "NRMSE", "quant", "raw",
                     "rel:1e-2", "rel:1e-3", "rel:1e-4", "70000 f32"):
            self.assertIn(word, said)

    def test_files_and_folders(self):
        (self.folder / "second.f64").write_bytes(array.array("d", range(500)).tobytes())
        (self.folder / "other.txt").write_text("no field")
        run = lambda *a: json.loads(self.codec(*a, "--json", "--codec", "quant", "--bound", "rel:1e-2", "--count", 400).stdout)
        self.assertEqual([(row["dtype"], row["count"]) for row in run(self.folder)], [("f64", 400), ("f32", 400)])
        self.assertEqual([row["dtype"] for row in run(self.field, self.folder / "second.f64")], ["f32", "f64"])
        self.assertEqual(len(run(self.folder, "--dtype", "f64")), 1)
        self.assertEqual([row["dtype"] for row in run(self.field, "--dtype", "f64")], ["f64"])

    def test_types(self):
        ramp = array.array("i", range(-3000, 9000, 3))
        for name, numbers in (("ramp.i32", ramp), ("ramp.bf16", array.array("H", (0x4000 + k // 40 for k in range(2000)))),
                              ("noise.u8", array.array("B", (k * k % 251 for k in range(2500))))):
            file = self.folder / name
            file.write_bytes(numbers.tobytes())
            rows = json.loads(self.codec(file, "--json", "--bound", "lossless", "--bound", "abs:1").stdout)
            self.assertLessEqual({"lossless", "raw"}, {row["codec"] for row in rows})
            for row in rows:
                self.assertEqual((row["dtype"], row["count"]), (name.split(".")[1], len(numbers)))
                if row["codec"] in ("lossless", "raw"):
                    self.assertEqual((row["violations"], row["max_error"], row["nrmse"]), (0, 0, 0))
            self.laconic("codec", file, "--codec", "lossless", "--bound", "lossless", "--write", "out.lac")
            self.laconic("codec", "--read", "out.lac", "back")
            self.assertEqual((self.folder / "back").read_bytes(), numbers.tobytes())
        rows = json.loads(self.codec(self.folder / "ramp.i32", "--json", "--codec", "lossless", "--bound", "lossless").stdout)
        self.assertEqual((rows[0]["least"], rows[0]["greatest"]), (-3000, 8997))
        self.assertGreater(rows[0]["ratio"], 5)
        self.rejected("codec", self.folder / "ramp.i32", "--codec", "szx", "--bound", "abs:1", "--write", "no.lac",
                      says=["szx", "i32", "f32, f64"])

    def explain(self, *arguments):
        return json.loads(self.laconic("explain", *arguments, "--json").stdout)

    def test_explain(self):
        said = self.laconic("explain", "allreduce", "--ranks", 4, "--bound", "abs:1e-3", "--algorithm", "all").stdout
        for word in ("auto takes", "ring", "recursive-doubling", "direct", "predicted", "terms", "fold", "memory", "0.00025",
                     "in the worst case a result has an error of 0.001"):
            self.assertIn(word, said)

    def test_explain_as_json(self):
        (ring,) = self.explain("allreduce", "--ranks", 8, "--rank", 3, "--algorithm", "ring", "--bytes", "8M", "--ratio", 8)
        self.assertEqual((ring["terms_intermediate"], ring["terms_final"], ring["blocks"], ring["rank"]), (8, 0, 8, 3))
        verbs = [verb for verb, block, peer in ring["steps"]]
        self.assertEqual([verbs.count(v) for v in ("send", "reduce", "receive")], [14, 7, 7])
        self.assertEqual({peer for verb, block, peer in ring["steps"] if verb == "send"}, {4})
        self.assertEqual(ring["frames_sent"], 14 * ring["rows"])
        self.assertEqual(ring["bytes_uncompressed"], 14 * (8 << 20) / 8)
        self.assertAlmostEqual(ring["bytes_sent"], ring["bytes_uncompressed"] / 8 + 32 * ring["frames_sent"])
        self.assertAlmostEqual(ring["worst_case"], 1e-3)
        self.assertLessEqual(8 * ring["allowance"], 1e-3)
        self.assertEqual(ring["messages_sent"], ring["frames_sent"])
        self.assertEqual(ring["candidates"][0]["algorithm"], "ring")

    def test_explain_chooses_the_effort(self):
        def codecs(*arguments):
            (row,) = self.explain("allreduce", "--ranks", 4, "--bytes", "64M", *arguments)
            walked = [c for c in row["candidates"] if c["predicted_s"] is not None]
            return min(walked, key=lambda c: c["predicted_s"])["codec"], {c["codec"] for c in walked}
        self.assertEqual(codecs("--bandwidth", "1e8"), ("dense", {"quant", "dense"}))
        self.assertEqual(codecs("--bandwidth", "1e10"), ("quant", {"quant", "dense"}))
        for arguments, codec in ((["--effort", "dense"], "dense"), (["--effort", "light"], "quant"), (["--codec", "szx"], "szx"),
                                 (["--codec", "dense"], "dense"), (["--codec", "dense", "--effort", "dense"], "dense"),
                                 (["--bound", "lossless", "--effort", "light"], "lossless")):
            self.assertEqual(codecs(*arguments), (codec, {codec}))
        self.assertEqual(codecs("--bound", "lossless", "--bandwidth", "1e8"), ("dense", {"lossless", "dense"}))
        said = self.laconic("explain", "allreduce", "--bandwidth", "1e8").stdout
        for word in ("effort auto tries dense before light", "the fastest with quant is", "wire", "frames of dense have ratio"):
            self.assertIn(word, said)
        self.rejected("explain", "allreduce", "--effort", "heavy", says=["heavy", "auto, light, dense"])
        self.rejected("explain", "allreduce", "--effort", "dense", "--codec", "szx", says=["--effort dense", "szx", "--codec dense"])

    def test_explain_counts_messages(self):
        halving = lambda *a: self.explain("allreduce", "--ranks", 64, "--algorithm", "recursive-halving", "--bound", "lossless", *a)[0]
        few = halving("--bytes", "64K")
        self.assertEqual((few["rows"], few["frames_sent"], few["messages_sent"]), (1, 126, 12))
        self.assertAlmostEqual(few["bytes_sent"], few["bytes_uncompressed"] / few["ratio"] + 32 * 126 + 4 * (126 - 2))
        # Large blocks travel alone.
        many = halving("--bytes", "64M")
        self.assertEqual(many["messages_sent"], many["frames_sent"])
        said = self.laconic("explain", "allreduce", "--ranks", 64, "--algorithm", "recursive-halving", "--bytes", "64K").stdout
        self.assertIn("126 sends in 12 messages", said)

    def test_explain_budgets(self):
        terms = lambda *a: [(r["terms_intermediate"], r["terms_final"]) for r in self.explain("allreduce", "--ranks", 8, *a)]
        self.assertEqual(terms("--algorithm", "ring", "--codec", "szx"), [(7, 1)])
        self.assertEqual(terms("--algorithm", "ring", "--codec", "szx", "--variant", "cpr-p2p"), [(14, 0)])
        (row,) = self.explain("allreduce", "--ranks", 8, "--codec", "lossless", "--bound", "lossless")
        self.assertIsNone(row["allowance"])
        (row,) = self.explain("allreduce", "--ranks", 8, "--bound", "abs:1", "--target", "input")
        self.assertEqual((row["allowance"], row["worst_case"]), (1, 8))

    # Every collective, and many ranks: fast, and without lists unless they are asked for.
    def test_explain_for_many_ranks(self):
        for collective in ("allreduce", "reduce", "reduce_scatter", "allgather", "bcast", "scatter", "gather", "alltoall"):
            for row in self.explain(collective, "--effort", "light", "--ranks", 4096, "--algorithm", "all"):
                self.assertLess(len(row.get("steps", [])), 100)
                self.assertEqual(row["collective"], collective)
            chosen = self.explain(collective, "--effort", "light", "--ranks", 16)[0]
            # The path and the ratio are those that auto assumes.  It walks as many rows of so few ranks as explain does.
            walked = [c for c in chosen["candidates"] if c["predicted_s"] is not None]
            (auto,) = [c for c in walked if c["algorithm"] == chosen["auto"]]
            self.assertAlmostEqual(auto["predicted_s"], min(c["predicted_s"] for c in walked), delta=1e-12)  # rounding
            self.assertEqual(min(c["uncompressed_s"] for c in walked), chosen["plain_s"])
            for c in walked:
                self.assertGreaterEqual(c["predicted_s"], 0.999 * (c["codec_s"] + c["wire_s"] + c["latency_s"]))
        self.assertGreater(len(self.explain("allreduce", "--ranks", 4096, "--algorithm", "ring", "--rank", 7)[0]["steps"]), 8000)

    def test_explain_on_a_device(self):
        said = self.laconic("explain", "allreduce", "--ranks", 64, "--bytes", "600M", "--ratio", 40, "--device", "h200").stdout
        for word in ("on devices: h200", "auto takes", "rows", "codec", "wire", "latency", "kernel", "GB/s"):
            self.assertIn(word, said)
        self.assertTrue("modelled" in said)
        self.assertNotIn("on devices", self.laconic("explain", "allreduce").stdout)

    def test_explain_on_a_device_as_json(self):
        for name in ("h200", "gpu"):
            (row,) = self.explain("allreduce", "--ranks", 16, "--bytes", "256M", "--device", name, "--bandwidth", 25e9)
            device = row["device"]
            self.assertEqual((device["name"], device["bandwidth_bytes_s"], device["latency_s"]), (name, 25e9, 5e-6))
            self.assertEqual({a["algorithm"] for a in device["algorithms"]},
                             {"ring", "recursive-doubling", "recursive-halving", "direct"})
            for algorithm in device["algorithms"]:
                for how in (algorithm["compressed"], algorithm["uncompressed"]):
                    self.assertAlmostEqual(how["seconds"], how["codec_s"] + how["wire_s"] + how["latency_s"])
                    self.assertEqual((how["wire_is"], how["latency_is"]), ("modelled", "modelled"))
                    self.assertIn(how["codec_is"], ("measured", "partly measured", "modelled"))
                # Nobody sends fewer than all bytes but its own, twice.
                self.assertGreaterEqual(algorithm["uncompressed"]["seconds"], 2 * 15 / 16 * (256 << 20) / 25e9)
            fastest = min(device["algorithms"], key=lambda a: a["compressed"]["seconds"])
            self.assertEqual((fastest["algorithm"], fastest["compressed"]["rows"]), (device["auto"], device["auto_rows"]))
            self.assertEqual([k["kernel"] for k in device["kernels"]], ["encode", "decode", "merge", "fold", "add"])
            for kernel in device["kernels"]:
                self.assertIn(kernel["is"], ("measured", "modelled"))
                self.assertTrue(kernel["source"])
        self.assertNotIn("device", self.explain("allreduce")[0])
        (row,) = self.explain("alltoall", "--ranks", 4096, "--algorithm", "pairwise", "--device", "gpu")
        self.assertIsNone(row["device"]["algorithms"][0]["compressed"])  # too large to be walked

    def test_explain_knows_nodes(self):
        (row,) = self.explain("allreduce", "--ranks", 128, "--nodes", 8, "--algorithm", "hierarchical")
        self.assertEqual((row["algorithm"], row["nodes"], row["ranks"]), ("hierarchical", 8, 128))
        (other,) = self.explain("allreduce", "--ranks", 128)
        self.assertIsNone(other["nodes"])
        names = [candidate["algorithm"] for candidate in row["candidates"]]
        self.assertEqual(sorted(names), sorted([c["algorithm"] for c in other["candidates"]] + 2 * ["hierarchical"]))
        for candidate in row["candidates"]:
            self.assertGreater(candidate["predicted_s"], 0)
        # All ranks of a node send everything over its cable.
        seconds = {r: {c["algorithm"]: c["predicted_s"] for c in r_row["candidates"]} for r, r_row in (("nodes", row), ("ranks", other))}
        self.assertGreater(seconds["nodes"]["recursive-doubling"], seconds["ranks"]["recursive-doubling"])
        self.assertIn("on 128 ranks on 8 nodes", self.laconic("explain", "allreduce", "--ranks", 128, "--nodes", 8).stdout)
        for arguments, word in ((("--ranks", 128, "--nodes", 7), "--nodes"),
                                (("--ranks", 128, "--algorithm", "hierarchical"), "valid are auto, all, ring"),
                                (("--ranks", 8, "--nodes", 8, "--algorithm", "hierarchical"), "valid are auto, all, ring")):
            self.assertIn(word, self.laconic("explain", "allreduce", *arguments, code=2).stderr)

    def test_explain_knows_the_names_of_the_api(self):
        for name, schedules in (("allgatherv", "allgather"), ("reduce_scatter_block", "reduce_scatter"), ("scatterv", "scatter"),
                                ("gatherv", "gather"), ("alltoallv", "alltoall"), ("iallreduce", "allreduce"),
                                ("bcast_init", "bcast"), ("ialltoallv", "alltoall")):
            (row,), (same,) = self.explain(name), self.explain(schedules)
            self.assertEqual((row["collective"], row["schedules_of"]), (name, schedules))
            self.assertEqual({**row, "collective": schedules}, same)
            self.assertIn(f"{name} has the schedules of {schedules}", self.laconic("explain", name).stdout)
        self.assertNotIn("has the schedules", self.laconic("explain", "allreduce").stdout)

    # Every variant that the library has, but plain, which is MPI's own.
    def test_variants(self):
        info = self.laconic("info", env={"LACONIC_VARIANT": "magic"}, code=None)
        if info.returncode == 0:
            self.skipTest("a build without MPI reads no settings")
        names = info.stderr.strip().split("valid are ")[1].split(", ")
        self.assertIn("host-centric", names)
        for name in set(names) - {"plain"}:
            (row,) = self.explain("allreduce", "--ranks", 8, "--codec", "szx", "--variant", name)
            self.assertEqual(row["variant"], name)
            self.assertEqual(row["travel"], "per hop" if name in ("cpr-p2p", "host-centric") else "reencoding")
        self.rejected("explain", "allreduce", "--variant", "host-centric", "--device", "gpu", says=["host-centric", "--device"])

    # Where all ranks do the same, one plan stands for all.  On devices so many ranks are not walked.
    def test_explain_for_many_thousand_ranks(self):
        arguments = ("explain", "allreduce", "--algorithm", "ring", "--device", "gpu", "--ranks", 40000)
        said = self.laconic(*arguments).stdout
        self.assertIn("(32768 ranks)", said)
        on_devices = said[said.index("on devices"):]
        self.assertRegex(on_devices, r"auto takes \S+ in 1 row, as for numbers on hosts: no prediction was possible\n")
        (row,) = self.explain(*arguments[1:])
        found = {c["algorithm"]: c for c in row["candidates"]}
        for name, ranks in (("ring", 40000), ("direct", 40000), ("recursive-doubling", 32768)):
            self.assertGreater(found[name]["predicted_s"], 0)
            self.assertEqual(found[name]["predicted_ranks"], ranks)
        self.assertIsNone(found["recursive-halving"]["predicted_s"])
        self.assertFalse(row["device"]["auto_predicted"])
        self.assertEqual(row["device"]["auto"], row["auto"])
        (row,) = self.explain("allreduce", "--device", "gpu", "--ranks", 16)
        self.assertTrue(row["device"]["auto_predicted"])

    def test_explain_what_is_not_valid(self):
        self.rejected("explain", "allreduce", "--device", "h199", says=["h199", "h200, gpu"])
        self.rejected("explain", "allreduce", "--device", "", says=["--device", "h200, gpu"])
        self.rejected("explain", "allreduce", "--device", "gpu", "--message", -1, says=["--message", "-1"])
        self.rejected("explain", says=["COLLECTIVE", "allreduce", "alltoall"])
        self.rejected("explain", "allreduces", says=["allreduces", "allreduce, reduce"])
        self.rejected("explain", "gather", "--algorithm", "ring", says=["ring", "auto, all, binomial, direct"])
        self.rejected("explain", "allgather", "--ranks", 6, "--algorithm", "recursive-doubling", says=["6 ranks", "bruck"])
        self.rejected("explain", "bcast", "--root", 4, says=["--root", "0 to 3"])
        self.rejected("explain", "bcast", "--rank", 4, says=["--rank", "0 to 3"])
        self.rejected("explain", "bcast", "--ranks", 1, says=["--ranks", "2 to"])
        self.rejected("explain", "bcast", "--codec", "sz9", says=["sz9", "quant", "szx"])
        self.rejected("explain", "bcast", "--variant", "plain", says=["plain", "overlap, nd, cpr-p2p, host-centric"])
        self.rejected("explain", "reduce", "--op", "prod", says=["prod", "sum, max, min, avg"])
        self.rejected("explain", "bcast", "--latency", "0", says=["--latency", "above 0"])
        self.rejected("explain", "bcast", "--bytes", "1T", says=["1T", "NK"])

    def test_bench_without_mpi(self):
        if "none" not in next(line for line in self.laconic("info").stdout.splitlines() if line.startswith("mpi")):
            self.skipTest("this build has an MPI: bench_test.py tests it")
        self.rejected("bench", "allreduce", says=["not in this build", "LACONIC_MPI"])

    def test_what_is_not_valid(self):
        self.rejected()
        self.rejected("compress", says=["compress", "bench", "codec", "explain", "info"])
        self.rejected("codec", says=["FILE"])
        self.rejected("codec", self.field, "--codec", "sz9", says=["sz9", "all, quant", "raw"])
        self.rejected("codec", self.field, "--bound", "1e-3", says=["1e-3", "abs:E", "rel:E", "lossless"])
        self.rejected("codec", self.field, "--bound", "abs:-1", says=["abs:E"])
        self.rejected("codec", self.field, "--dtype", "f8", says=["f8", "f32, f64, f16, bf16, i8"])
        self.rejected("codec", self.field, "--repeat", "-1")
        self.rejected("codec", self.field, "--threads", "0")
        self.rejected("codec", self.field, "--chunk", "-5", says=["--chunk", "-5", "whole numbers"])
        self.rejected("codec", self.field, "--count", "0", says=["--count", "from 1 on"])
        self.rejected("codec", self.field, "--count", "1e3", says=["--count", "1e3", "whole numbers"])
        self.rejected("codec", self.field, "--tile", "64X", says=["--tile", "64X", "NK, NM or NG"])
        self.rejected("codec", self.field, "--what")
        self.rejected("codec", self.field, says=["sse9", "baseline"], env={"LACONIC_ISA": "sse9"})
        self.rejected("codec", self.field, "--write", "out.lac", says=["--bound"])

    def test_files_that_are_none(self):
        self.assertIn("nowhere.f32", self.laconic("codec", "nowhere.f32", code=1).stderr)
        (self.folder / "odd.f32").write_bytes(b"123")
        self.assertIn("3 bytes", self.laconic("codec", "odd.f32", code=1).stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("*.f32", self.laconic("codec", "empty", code=1).stderr)

    def test_no_numbers(self):
        (self.folder / "none.f32").write_bytes(b"")
        self.codec("none.f32")
        self.laconic("codec", "none.f32", "--write", "none.lac", "--bound", "abs:1")
        self.laconic("codec", "--read", "none.lac", "none.out")
        self.assertEqual((self.folder / "none.out").read_bytes(), b"")

    def test_round_trip_through_files(self):
        for chunk in (0, 1000, 65536):
            said = self.laconic("codec", self.field, "--write", "out.lac", "--bound", "abs:1e-3", "--chunk", chunk)
            self.assertIn("ratio", said.stdout)
            self.assertLess((self.folder / "out.lac").stat().st_size, 280000 / 3)
            self.laconic("codec", "--read", "out.lac", "back.f32")
            back = array.array("f", (self.folder / "back.f32").read_bytes())
            self.assertEqual(len(back), 70000)
            self.assertLessEqual(max(abs(a - b) for a, b in zip(self.numbers, back)), 1e-3)
        self.laconic("codec", self.field, "--write", "out.lac", "--bound", "lossless", "--codec", "raw")
        self.laconic("codec", "--read", "out.lac", "back.f32")
        self.assertEqual((self.folder / "back.f32").read_bytes(), self.field.read_bytes())

    def test_damaged_files(self):
        self.laconic("codec", self.field, "--write", "out.lac", "--bound", "abs:1e-3", "--chunk", 10000)
        whole = (self.folder / "out.lac").read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 1
        for bad in (b"", whole[:-1], whole[:-16], whole[: len(whole) // 2], whole[:20], bytes(flipped), b"noise" * 100):
            (self.folder / "bad.lac").write_bytes(bad)
            before = set(os.listdir(self.folder))
            said = self.laconic("codec", "--read", "bad.lac", "back.f32", code=1)
            self.assertIn("bad.lac", said.stderr)
            self.assertEqual(set(os.listdir(self.folder)), before)

    def test_info(self):
        said = self.laconic("info").stdout
        for word in ("version", "codecs", "quant", "raw", "ring", "recursive-doubling", "baseline", "kernels"):
            self.assertIn(word, said)
        self.assertIn("baseline (LACONIC_ISA)", self.laconic("info", env={"LACONIC_ISA": "baseline"}).stdout)

    def test_info_settings(self):
        if "mpi               none" in self.laconic("info").stdout:
            self.skipTest("a build without MPI reads no settings")
        said = self.laconic("info", env={"LACONIC_BOUND": "rel:1e-4", "LACONIC_THREADS": "3"}).stdout
        self.assertRegex(said, r"bound +rel:1e-4 +\(LACONIC_BOUND\)")
        self.assertRegex(said, r"threads +3 +\(LACONIC_THREADS\)")
        self.rejected("info", env={"LACONIC_BOUND": "tight"}, says=["LACONIC_BOUND", "tight", "abs:E"])
        self.rejected("info", env={"LACONIC_BUOND": "abs:1"}, says=["LACONIC_BUOND", "LACONIC_BOUND"])

    def launcher(self, text):
        file = self.folder / "mpiexec"
        file.write_text("#!/bin/sh\n" + text)
        file.chmod(0o755)
        return file

    # Findings by check; a launcher that says nothing of itself belongs to any MPI.
    def doctor(self, *arguments, code=0, env=None, launcher="exit 0\n"):
        done = self.laconic("doctor", "--json", "--mpiexec", self.launcher(launcher), *arguments, code=code, env=env)
        findings = json.loads(done.stdout)
        for finding in findings:
            self.assertEqual(set(finding), {"check", "state", "found", "advice"})
            self.assertIn(finding["state"], ("ok", "note", "warning", "broken"))
            self.assertTrue(finding["found"])
            if finding["state"] == "broken":
                self.assertTrue(finding["advice"])
        self.assertEqual(code, int(any(finding["state"] == "broken" for finding in findings)))
        return {name: [f for f in findings if f["check"] == name] for name in {f["check"] for f in findings}}

    def test_doctor(self):
        found = self.doctor("--no-job")
        self.assertLessEqual({"laconic", "kernels", "libzfp", "cuda", "environment", "cores", "mpi", "drop-in"}, set(found))
        said = self.laconic("doctor", "--no-job", "--mpiexec", self.launcher("exit 0\n")).stdout
        for name, findings in found.items():
            for finding in findings:
                self.assertIn(finding["found"], said)
        self.assertIn("LACONIC_ISA", self.doctor("--no-job", env={"LACONIC_ISA": "baseline"})["kernels"][0]["found"])

    def without_mpi(self):
        if "none" in next(line for line in self.laconic("info").stdout.splitlines() if line.startswith("mpi")):
            self.skipTest("this build has no MPI")

    def test_doctor_names_every_bad_variable(self):
        self.without_mpi()
        bad = {"LACONIC_BUOND": "abs:1", "LACONIC_REPORT": "sumary", "LACONIC_ISA": "sse9", "LACONIC_DEPTH": "x"}
        found = self.doctor("--no-job", env={**bad, "LACONIC_CODEC": "szx"}, code=1)["environment"]
        self.assertEqual([f["state"] for f in found], ["broken"] * 4)
        for variable, value in bad.items():
            self.assertEqual(len([f for f in found if variable in f["advice"]]), 1, found)
            self.assertTrue(any(value in f["found"] or variable in f["found"] for f in found))
        # Each is valid alone.
        together = {"LACONIC_BOUND": "rms:1", "LACONIC_CODEC": "szx"}
        (found,) = self.doctor("--no-job", env=together, code=1)["environment"]
        self.assertIn("needs the codec quant", found["found"])
        (found,) = self.doctor("--no-job", env={"LACONIC_BOUND": "abs:1"})["environment"]
        self.assertEqual((found["state"], found["found"]), ("ok", "LACONIC_BOUND=abs:1"))

    def test_doctor_tries_the_launcher(self):
        self.without_mpi()
        ours = "Open MPI" if "Open MPI" in self.laconic("info").stdout else "HYDRA build details:"
        other = "HYDRA build details:" if ours == "Open MPI" else "mpirun (Open MPI) 4.1"
        found = self.doctor("--no-job", launcher=f"echo '{other}'\n", code=1)
        self.assertIn("but Laconic was built for", found["launcher"][0]["found"])
        self.assertEqual(self.doctor("--no-job", launcher=f"echo '{ours}'\n")["launcher"][0]["state"], "ok")
        found = self.doctor(launcher="[ \"$1\" = --version ] || { echo 'no slots left'; exit 3; }\n", code=1)
        self.assertIn("ended with code 3: no slots left", found["job"][0]["found"])
        found = self.doctor("--library", "/no/such", "--no-job", code=1)
        self.assertIn("/no/such", found["drop-in"][0]["found"])
        found = self.doctor(env={"PMI_RANK": "0"})
        self.assertIn("itself a rank", found["job"][0]["found"])

    def test_help(self):
        self.assertIn("codec", self.laconic("--help").stdout)
        self.assertIn("--bound", self.laconic("codec", "--help").stdout)
        self.assertRegex(self.laconic("--version").stdout, r"^laconic \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
