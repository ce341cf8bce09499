# SPDX-License-Identifier: BSD-3-Clause
"""The check of what nvcc compiles finds the functions that it makes wrong there, and nothing else."""
import pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from lint import device_code  # noqa: E402


class DeviceCode(unittest.TestCase):
    def check(self, **files):
        """Problems of a tree in which a kernel includes codec/a.hpp, which includes codec/b.hpp; codec/host.hpp is for the host."""
        tree = {"codec/cuda/kernel.cu": '#include "codec/a.hpp"\n', "codec/a.hpp": '#include <bit>\n#include "codec/b.hpp"\n',
                "codec/b.hpp": "", "codec/host.hpp": "", "codec/host.cpp": '#include "codec/host.hpp"\n'}
        for name, text in files.items():
            tree[{"kernel": "codec/cuda/kernel.cu", "a": "codec/a.hpp", "b": "codec/b.hpp", "host": "codec/host.hpp"}[name]] += text
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return device_code.check(pathlib.Path(folder))

    def test_counts_of_zeros_are_found_wherever_nvcc_reads_them(self):
        for function in ("countr_zero", "countl_zero", "countr_one", "countl_one"):
            for name in ("kernel", "a", "b"):
                problems = self.check(**{name: f"\nint n = std::{function}(x);\n"})
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(function, problems[0])
        self.assertIn("src/codec/b.hpp:3: no countr_zero", self.check(b="// a\n\nint n = std::countr_zero(x);\n")[0])
        self.assertEqual(len(self.check(b="using namespace std;\nint n = countl_zero (x) + std::countl_zero(y);\n")), 2)

    def test_the_host_may_count_as_it_likes(self):
        self.assertEqual(self.check(host="int n = std::countr_zero(x);\n"), [])

    def test_other_functions_and_words_are_not_found(self):
        self.assertEqual(self.check(b='// std::countr_zero(x)\nconst char* s = "std::countl_zero(x)";\n'
                                      "int n = std::popcount(x) + std::bit_width(x) + my_countr_zero(x) + mask.countr_zero(x);\n"), [])

    def test_the_sources_of_this_project_are_reached_and_clean(self):
        names = device_code.reached(ROOT / "src")
        for name in ("codec/quant/cuda/float32.cu", "codec/quant/mask.hpp", "codec/zfp/cuda/block.hpp"):
            self.assertIn(name, names)
        self.assertEqual(device_code.check(ROOT / "src"), [])


if __name__ == "__main__":
    unittest.main()
