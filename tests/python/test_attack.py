# SPDX-License-Identifier: BSD-3-Clause
"""./dev attack starts the jobs that its faults name, and tries everything in turns."""
import argparse, pathlib, sys, unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from dev import attack  # noqa: E402
from dev.steps import Failed  # noqa: E402

RUNNER = attack.handles_runner()


def job(parts=("handles",), modes=None, mpis=("mpich",)):
    with mock.patch.object(attack.trees, "build", lambda mpi, jobs, targets: pathlib.Path("/tree") / mpi):
        return attack.Attack(1, list(mpis), 2, [], list(parts), modes)


def arguments(**given):
    return argparse.Namespace(**{**dict(seconds=1, ranks=None, only=None, mode=None, case=None, seed=None, mpi=["mpich"], jobs=2,
                                        extra=None, isa=None, steps=None), **given})


class Modes(unittest.TestCase):
    def test_settings_of_the_user_do_not_reach_a_job(self):
        env = RUNNER.environment("bound", {"HOME": "/", "LACONIC_BOUND": "rel:1", "LACONIC_REPORT": "each"})
        self.assertEqual(env["HOME"], "/")
        self.assertEqual(env["LACONIC_BOUND"], "abs:1e-4")
        self.assertNotIn("LACONIC_REPORT", env)

    def test_only_plain_is_without_the_dropin(self):
        for mode in RUNNER.MODES:
            words = RUNNER.command(mode, "mpiexec", ["idle.so"], "dropin.so", 3, 60, ["program"])
            self.assertEqual("dropin.so" in words, mode != RUNNER.PLAIN, mode)
            self.assertIn("idle.so", words)

    def test_numbers_are_exact_where_the_settings_have_no_bound(self):
        for mode, (settings, bound) in RUNNER.MODES.items():
            self.assertEqual(bound == "0", not settings.get("LACONIC_BOUND", "").startswith("abs:"), mode)


class Jobs(unittest.TestCase):
    def test_a_job_says_how_to_repeat_it(self):
        words, env = job().handles_job("mpich", 3, 100, ["--seed", 7], "audit")
        self.assertEqual(words[words.index("--label") + 1], "--only handles --mode audit --mpi mpich")
        self.assertEqual(env["LACONIC_AUDIT"], "3")
        self.assertIn("/tree/mpich/dropin/liblaconic-mpi.so", words)

    def test_a_campaign_tries_each_mode_under_each_mpi(self):
        mpis = ["mpich", "openmpi", "mpich-debian"]
        campaign, tried = job(parts=attack.TARGETS, mpis=mpis), set()
        now = iter(range(1000))

        def one(mpi, ranks, seed, words, limit, mode=None):
            tried.add((mpi, mode))
            return True

        with mock.patch.object(campaign, "job", one), mock.patch.object(attack.time, "monotonic", lambda: next(now)), \
                mock.patch.object(attack, "say", lambda text: None):
            campaign.campaign(200, attack.RANKS, mpis)
        modes = [None] + [mode for mode in RUNNER.MODES if mode != RUNNER.PLAIN]
        self.assertEqual(tried, {(mpi, mode) for mpi in mpis for mode in modes})


class Arguments(unittest.TestCase):
    def test_a_case_of_handles_needs_its_mode(self):
        with self.assertRaises(Failed):
            attack.command(arguments(only=["handles"], case=3, seed=1, ranks=[3]))

    def test_a_mode_is_of_handles_alone(self):
        with self.assertRaises(Failed):
            attack.command(arguments(mode=["audit"]))


if __name__ == "__main__":
    unittest.main()
