# SPDX-License-Identifier: BSD-3-Clause
"""tests/abi/layout.py: which changes of the headers break programs that were compiled before."""
import pathlib, sys, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "abi"))
import headers
import layout

BEFORE = {"struct laconic_stats": "size 24", "laconic_stats.size": "offset 0 size 8", "laconic_stats.calls": "offset 8 size 8",
          "laconic_stats.codec": "offset 16 size 4", "LACONIC_CODEC_RAW": "= 2", "int laconic_wait(laconic_request*)": "",
          "struct laconic_bound": "size 16"}


class Breaks(unittest.TestCase):
    def changes(self, gone=(), **new):
        return {**{name: fact for name, fact in BEFORE.items() if name not in gone}, **new}

    def test_nothing_that_is_added_behind_a_struct_does(self):
        now = self.changes(**{"struct laconic_stats": "size 32", "laconic_stats.more": "offset 24 size 8", "LACONIC_CODEC_NEW": "= 9",
                              "int laconic_new(void)": "", "struct laconic_new": "size 8", "laconic_new.a": "offset 0 size 8"})
        self.assertEqual(layout.breaks(BEFORE, now), [])

    def test_a_member_in_the_padding_does(self):
        found = layout.breaks(BEFORE, self.changes(**{"laconic_stats.more": "offset 20 size 4"}))
        self.assertIn("valid are 24 and above", found[0])

    def test_what_moves_or_goes_does(self):
        for name, fact in (("laconic_stats.calls", "offset 16 size 8"), ("laconic_stats.calls", "offset 8 size 4"),
                           ("LACONIC_CODEC_RAW", "= 3"), ("struct laconic_stats", "size 16")):
            self.assertTrue(layout.breaks(BEFORE, self.changes(**{name: fact})), name)
        for name in BEFORE:
            self.assertEqual(layout.breaks(BEFORE, self.changes(gone=[name])), [f"{name} is gone"])

    def test_a_bound_cannot_grow(self):
        now = self.changes(**{"struct laconic_bound": "size 24", "laconic_bound.more": "offset 16 size 8"})
        self.assertIn("cannot grow", layout.breaks(BEFORE, now)[0])


class Prototype(unittest.TestCase):
    def test_has_no_names_of_parameters(self):
        for words, expected in (("int laconic_x(const void* buf, int\n   counts[], MPI_Comm comm)", "int laconic_x(const void*, int [], MPI_Comm)"),
                                ("void laconic_y(void)", "void laconic_y(void)"), ("char *laconic_z(char *text)", "char *laconic_z(char *)")):
            self.assertEqual(headers.prototype(words), expected)


if __name__ == "__main__":
    unittest.main()
