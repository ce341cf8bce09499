# SPDX-License-Identifier: BSD-3-Clause
"""laconic run, laconic profile and laconic advise: run_command_test.py LACONIC LIBRARY MPIEXEC PROGRAM PROFILED MPIRUN [unittest arguments]."""
import importlib.machinery, importlib.util, json, os, pathlib, re, shlex, subprocess, sys, tempfile, unittest

LACONIC, LIBRARY, MPIEXEC, PROGRAM, PROFILED, MPIRUN = (sys.argv.pop(1) for _ in range(6))


# What makes ranks bearable on a machine with few cores; Open MPI starts none as root without it.
loader = importlib.machinery.SourceFileLoader("mpirun", MPIRUN)
mpirun = importlib.util.module_from_spec(importlib.util.spec_from_loader("mpirun", loader))
sys.dont_write_bytecode = True
loader.exec_module(mpirun)
SETTINGS = mpirun.SETTINGS[mpirun.kind_of(MPIEXEC)]


class Doctor(unittest.TestCase):
    def test_a_job_of_two_ranks(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("LACONIC_", "PMI", "OMPI_COMM"))}
        done = subprocess.run([LACONIC, "doctor", "--mpiexec", MPIEXEC, "--json"], capture_output=True, text=True, timeout=100,
                              env={**SETTINGS, **clean, "LACONIC_BOUND": "abs:1e-9"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {finding["check"]: finding for finding in json.loads(done.stdout)}
        self.assertIn("an allreduce of 2 ranks under abs:0.001 has an error of", found["job"]["found"])
        self.assertIn("MPI_THREAD_", found["threads"]["found"])
        self.assertEqual((found["launcher"]["state"], found["mpi"]["state"]), ("ok", "ok"))
        self.assertEqual(os.path.realpath(found["drop-in"]["found"]), os.path.realpath(LIBRARY))
        self.assertIn("libmp", found["mpi"]["found"])


class RunCommand(unittest.TestCase):
    def run_it(self, *arguments, code=0, env=None):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("LACONIC_") and name != "LD_PRELOAD"}
        done = subprocess.run([LACONIC, "run", *arguments], capture_output=True, text=True, timeout=100,
                              env={**clean, **(env or {})})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_the_program_is_compressed(self):
        # The launcher that lets many ranks share few cores takes the settings from its environment.
        done = self.run_it("--bound", "abs:1e-3", "--min-bytes", "1000", "--report", "summary", "--", sys.executable,
                           MPIRUN, "--mpiexec", MPIEXEC, "-n", "2", "--", PROGRAM, "within", "1e-3")
        self.assertIn("results are right", done.stdout)
        self.assertIn("1 compressed", done.stderr)

    def test_how_launchers_are_told(self):
        done = self.run_it("--print", "--bound", "abs:1", "--", MPIEXEC, "-n", "2", PROGRAM)
        words = done.stdout.split()
        self.assertEqual(words[0], MPIEXEC)
        self.assertEqual(words[-3:], ["-n", "2", PROGRAM])
        told = words[1] in ("-genv", "-x")
        self.assertTrue(told, done.stdout)
        self.assertTrue(any(LIBRARY in word for word in words), done.stdout)
        self.assertEqual(done.stderr, "")

    def test_settings_from_outside_are_handed_on(self):
        done = self.run_it("--print", "--", MPIEXEC, "-n", "2", PROGRAM, env={"LACONIC_BOUND": "rel:1e-7"})
        self.assertIn("rel:1e-7", done.stdout)

    def test_an_option_wins_over_the_environment(self):
        done = self.run_it("--print", "--bound", "abs:2", "--", MPIEXEC, PROGRAM, env={"LACONIC_BOUND": "rel:1e-7"})
        self.assertIn("abs:2", done.stdout)
        self.assertNotIn("rel:1e-7", done.stdout)

    def test_effort(self):
        done = self.run_it("--print", "--bound", "abs:2", "--effort", "dense", "--", MPIEXEC, PROGRAM)
        self.assertIn("LACONIC_EFFORT", done.stdout)
        done = self.run_it("--print", "--bound", "abs:2", "--effort", "heavy", "--", MPIEXEC, PROGRAM, code=2)
        self.assertIn("auto, light, dense", done.stderr)
        done = self.run_it("--print", "--bound", "abs:2", "--effort", "dense", "--codec", "szx", "--", MPIEXEC, PROGRAM, code=2)
        self.assertIn("effort 'dense' with codec 'szx'", done.stderr)

    def test_other_preloads_stay(self):
        done = self.run_it("--print", "--bound", "abs:2", "--", "./app", env={"LD_PRELOAD": "/lib/x86_64-linux-gnu/libm.so.6"})
        self.assertIn(LIBRARY + ":/lib/", done.stdout)

    def test_srun(self):
        with tempfile.TemporaryDirectory() as folder:
            fake = pathlib.Path(folder) / "srun"
            fake.write_text("#!/bin/sh\necho \"$LACONIC_BOUND $LACONIC_EXCLUDE $@\"\n")
            fake.chmod(0o755)
            done = self.run_it("--bound", "abs:2", "--exclude", "bcast,comm:io", "--", str(fake), "-n", "2", "./app")
            self.assertEqual(done.stdout.strip(), "abs:2 bcast,comm:io -n 2 ./app")
            done = self.run_it("--print", "--bound", "abs:2", "--", str(fake), "--export=HOME", "./app")
            self.assertIn("--export=HOME does not pass the settings to the ranks", done.stderr)

    def test_programs_of_another_mpi(self):
        source = "int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }\n"
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "mpi.c").write_text("int MPI_Init(int* a, char*** b) { (void)a; (void)b; return 0; }\n")
            (at / "main.c").write_text(source)
            compiler = os.environ.get("CC", "cc")
            subprocess.run([compiler, "-shared", "-fPIC", "-Wl,-soname,libmpi.so.99", "-o", at / "libmpi.so.99", at / "mpi.c"],
                           check=True)
            subprocess.run([compiler, "-o", at / "app", at / "main.c", at / "libmpi.so.99"], check=True)
            done = self.run_it("--print", "--bound", "abs:2", "--", str(at / "app"))
            self.assertIn("libmpi.so.99", done.stderr)
            self.assertIn("was built for", done.stderr)

    def test_programs_with_mpi_inside(self):
        source = 'const char* const names[] = {"PMPI_Init", "MPIR_Init"}; int main(int n, char** v) { return !names[n - 1] || !v; }\n'
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "main.c").write_text(source)
            subprocess.run([os.environ.get("CC", "cc"), "-o", at / "app", at / "main.c"], check=True)
            done = self.run_it("--print", "--bound", "abs:2", "--", str(at / "app"))
            self.assertIn("is statically linked to MPI", done.stderr)

    # All that the drop-in would refuse in MPI_Init is refused before anything is started, in the same words.
    def test_settings_are_checked_before_the_start(self):
        for option, value, words in (
            ("--report", "sumary", "LACONIC_REPORT: 'sumary' is not valid; valid are summary, each, json:FILE, html:FILE"),
            ("--audit", "often", "LACONIC_AUDIT: 'often' is not valid; valid are whole numbers from 1"),
            ("--include", "alreduce", "LACONIC_INCLUDE: 'alreduce' is not valid; valid are operations"),
            ("--exclude", "size<many", "LACONIC_EXCLUDE: 'size<many' is not valid"),
            ("--p2p", "yes", "LACONIC_P2P: 'yes' is not valid; valid are 0 and 1"),
            ("--codec", "sz9", "LACONIC_CODEC: codec 'sz9' is not valid; valid are quant"),
            ("--variant", "nda", "LACONIC_VARIANT: variant 'nda' is not valid"),
            ("--depth", "0", "LACONIC_DEPTH: depth '0' is not valid"),
            ("--bound", "tight", "LACONIC_BOUND: "),
            ("--bound", "send=abs:0,abs:1", "LACONIC_BOUND: item 'send=abs:0': bound 'abs:0' is not valid; valid are abs:E"),
            ("--bound", "sned=abs:1", "LACONIC_BOUND: 'sned' is not valid; valid are operations"),
        ):
            with self.subTest(option), tempfile.TemporaryDirectory() as folder:
                started = pathlib.Path(folder) / "started"
                arguments = [option, value] if option == "--bound" else ["--bound", "abs:1", option, value]
                done = self.run_it(*arguments, "--", "touch", str(started), code=2)
                self.assertIn(words, done.stderr)
                self.assertTrue(done.stderr.startswith("laconic: "), done.stderr)
                self.assertFalse(started.exists())
                self.assertNotEqual(self.run_it(*arguments, "--print", "--", "true", code=2).stderr, "")
        for variable, value in (("LACONIC_REPROT", "summary"), ("LACONIC_REPORT", "sumary"), ("LACONIC_ISA", "sse9")):
            self.assertIn(variable[:11], self.run_it("--bound", "abs:1", "--", "true", code=2, env={variable: value}).stderr)

    def test_mistakes(self):
        self.assertIn("abs:E", self.run_it("--bound", "1e-3", "--", "ls", code=2).stderr)
        self.assertIn("-- mpiexec", self.run_it("--bound", "abs:1", code=2).stderr)
        self.assertIn("--help", self.run_it("--buond", "abs:1", "--", "ls", code=2).stderr)
        self.assertIn("cannot be read", self.run_it("--library", "/no/such", "--", "ls", code=2).stderr)
        self.assertIn("cannot be run", self.run_it("--bound", "abs:1", "--", "/no/such/program", code=1).stderr)


class ProfileCommand(unittest.TestCase):
    def run_it(self, command, code=0, **env):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("LACONIC_") and name != "LD_PRELOAD"}
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, text=True, timeout=100,
                              env={**SETTINGS, **clean, **env})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    # By the launcher itself, which passes the command on to the ranks, and with a word that a shell would take apart.
    def test_what_is_suggested_can_be_run_as_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "it's a program"
            program.symlink_to(PROFILED)
            report = pathlib.Path(folder) / "profile.json"
            done = self.run_it([LACONIC, "profile", "--json", str(report), "--", MPIEXEC, "-n", "2", str(program), "within", "3e-6"],
                               LACONIC_TUNE="off")
            self.assertIn("dropin profile: ok", done.stdout)
            lines = done.stderr.splitlines()
            at = next(k for k, line in enumerate(lines) if "the command line to use, which would include" in line)
            said = re.search(r"include ([0-9.]+) % of the bytes and save ([0-9.]+) MB", lines[at])
            command = lines[at + 1]
            profile = json.loads(report.read_text())
            self.assertEqual(command.strip(), profile["suggestion"]["command"])
            self.assertEqual({calls["called_by"] for calls in profile["calls"]}, {program.name})
            done = self.run_it(command, LACONIC_TUNE="off")
            self.assertIn("dropin profile: ok", done.stdout)
            self.assertIn(f", {said[1]} % of them compressed", done.stderr)

    def test_rules_and_library_are_suggested_again(self):
        done = self.run_it([LACONIC, "profile", "--exclude", "comm:a b", "--library", LIBRARY, "--", sys.executable, MPIRUN,
                            "--mpiexec", MPIEXEC, "-n", "2", "--", PROFILED, "exact"])
        self.assertRegex(done.stderr, rf"\n  \S*laconic run --library {re.escape(LIBRARY)} --bound \S+,rel:1e-6 .*--exclude 'comm:a b' ")

    # The program fails where an error is larger than it is told to expect.
    def test_advice_keeps_what_it_promises(self):
        run = [MPIEXEC, "-n", "2", PROFILED, "within"]
        for goal, value in (("--error", "2e-4"), ("--psnr", "80"), ("--saved", "80"), ("--error", "1e-12"), (None, None)):
            with self.subTest(goal), tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder) / "advice.json"
                done = self.run_it([LACONIC, "advise", *([goal, value] if goal else []), "--json", str(report), "--", *run, "1"],
                                   LACONIC_TUNE="off")
                advice = json.loads(report.read_text())["suggestion"]
                bound, bounds = advice["bound"], advice["bounds"]
                names = list(bounds)
                self.assertEqual((names[0], names[-1], len(names)), ("rel:1e-2", "lossless", 9))
                permitted = {name: float(name.partition(":")[2] or 0) for name in names}
                for name in names:  # as each bound promises, and as the tighter ones of a list should
                    self.assertLessEqual(bounds[name]["largest_error"], permitted[name] * (1 + 1e-6) + 1e-15, name)
                self.assertGreater(bounds["rel:1e-2"]["saved"], bounds["rel:1e-9"]["saved"])
                self.assertTrue(advice["reached"])
                looser = names[:names.index(bound)]
                if goal == "--error":
                    self.assertEqual(bound, "rel:1e-4" if value == "2e-4" else "lossless")
                elif goal == "--psnr":
                    self.assertGreaterEqual(bounds[bound]["psnr"], 80)
                    self.assertTrue(all(bounds[name]["psnr"] < 80 for name in looser))
                elif goal == "--saved":
                    share = lambda name: bounds[name]["saved"] / advice["bytes"]
                    self.assertGreaterEqual(share(bound), 0.8)
                    self.assertTrue(all(share(name) < 0.8 for name in names[names.index(bound) + 1:]))
                else:
                    self.assertEqual(bound, "rel:1e-6")
                # A bound that nobody has chosen is not taken for one that keeps the results right.
                self.assertEqual("no results were compared: choose with --error" in done.stderr, goal is None)
                self.assertEqual(advice["note"] is None, goal is not None)
                self.assertRegex(done.stderr, rf"laconic: \* {bound} ")
                self.assertEqual(done.stderr.splitlines()[-1].strip(), advice["command"])
                within = str(3 * permitted[bound] or 1e-15)
                done = self.run_it([LACONIC, "run", *shlex.split(advice["options"]), "--", *run, within], LACONIC_TUNE="off")
                self.assertIn("dropin profile: ok", done.stdout)

    def test_advice_that_no_bound_reaches(self):
        done = self.run_it([LACONIC, "advise", "--saved", "99.9", "--", MPIEXEC, "-n", "2", PROFILED, "exact"])
        self.assertIn("no bound reaches LACONIC_ADVICE", done.stderr)
        self.assertIn(" --bound lossless ", done.stderr)

    def test_mistakes(self):
        said = lambda *words, **env: self.run_it([LACONIC, "advise", *words], code=2, **env).stderr
        self.assertIn("laconic advise -- mpiexec", said())
        self.assertIn("LACONIC_ADVICE: 'error:2' is not valid; valid are error:R", said("--error", "2", "--", "ls"))
        self.assertIn("only one of them", said("--error", "0.1", "--psnr", "3", "--", "ls"))
        self.assertIn("psnr", said("--psnr", "loud", "--", "ls"))
        said = lambda *words, **env: self.run_it([LACONIC, "profile", *words], code=2, **env).stderr
        self.assertIn("LACONIC_ADVICE: not valid without", said("--", "ls", LACONIC_ADVICE="error:0.1"))
        self.assertIn("-- mpiexec", said())
        self.assertIn("LACONIC_P2P: not valid with LACONIC_REPORT=profile", said("--", "ls", LACONIC_P2P="1"))
        self.assertIn("LACONIC_EXCLUDE: 'bcats' is not valid", said("--exclude", "bcats", "--", "ls"))


if __name__ == "__main__":
    unittest.main()
