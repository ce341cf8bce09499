# SPDX-License-Identifier: BSD-3-Clause
"""How ./dev configures trees: compilers behind ccache, and which trees do without precompiled headers."""
import pathlib, sys, unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from dev import main, needs, suites, trees  # noqa: E402


def configured(preset, ccache):
    """The words that ./dev configures with."""
    commands = []
    with mock.patch.object(trees, "run", lambda title, command, *rest: commands.append([str(word) for word in command])), \
            mock.patch.object(trees.needs, "program", lambda *names: ccache if names == ("ccache",) else "/bin/" + names[0]), \
            mock.patch.object(trees.needs, "cmake", lambda: "cmake"):
        trees.build(preset, 2)
    return commands[0]


class Trees(unittest.TestCase):
    def test_all_trees_share_one_cache(self):
        launchers = {word for preset in ("mpich", "asan") for word in configured(preset, "/bin/ccache") if "CXX_COMPILER_LAUNCHER" in word}
        self.assertEqual(len(launchers), 1)
        launcher = launchers.pop()
        self.assertIn(f"CCACHE_DIR={ROOT / '.dev' / 'ccache'};", launcher)
        self.assertIn("pch_defines", launcher)
        self.assertTrue(launcher.endswith(";/bin/ccache"))

    def test_a_tree_forgets_a_ccache_that_is_gone(self):
        self.assertIn("-DCMAKE_CXX_COMPILER_LAUNCHER=", configured("mpich", None))

    def test_some_suites_show_that_sources_include_what_they_use(self):
        without = [name for name, row in trees.presets().items()
                   if row.get("cacheVariables", {}).get("CMAKE_DISABLE_PRECOMPILE_HEADERS") == "ON"]
        self.assertEqual(sorted(without), ["fuzz", "lint"])

    def test_needs_of_one_tree_or_suite_name_one(self):
        named = {"build": set(), "test": set()}
        for command, name in (word.split() for need in needs.NEEDS for word in need.commands if " " in word):
            named[command].add(name)
        self.assertIn("simulation", named["build"])
        self.assertLessEqual(named["build"], set(trees.presets()))
        seldom = {suite.name for suite in suites.SUITES if suite.seldom}
        self.assertEqual(named["test"], seldom - {"releases"})  # it needs no more than the others

    def test_build_provides_the_needs_of_its_tree(self):
        provided = []
        with mock.patch.object(needs, "provide", provided.append), \
                mock.patch.object(trees, "build", lambda preset, jobs: trees.ROOT / "build" / preset):
            main.build(mock.Mock(preset="simulation", jobs=2), [])
        self.assertEqual(provided, ["build", "build simulation"])


if __name__ == "__main__":
    unittest.main()
