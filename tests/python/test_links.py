# SPDX-License-Identifier: BSD-3-Clause
"""Links of the Markdown files: those of this repository hold, and the check finds others."""
import pathlib, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from dev import checks  # noqa: E402
from lint import links  # noqa: E402


class Repository(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        names = checks.tracked()
        self.assertIn("README.md", names)
        found = sum(len(links.targets((ROOT / name).read_text())) for name in names if name.endswith(".md"))
        self.assertGreater(found, 100)  # it has read them
        self.assertEqual(links.check(ROOT, names), [])


class Check(unittest.TestCase):
    def problems(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            names = {"a": "a.md", "b": "docs/b.md", "c": "src/room/c.cpp"}
            for name in names.values():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("")
            for key, text in pages.items():
                (root / names[key]).write_text(text)
            (root / "not_tracked.md").write_text("# One\n")
            return links.check(root, names.values())

    def test_files(self):
        self.assertEqual(self.problems(a="[b](docs/b.md) [c](src/room/c.cpp), [folder](src/room/), [root](.)", b="[a](../a.md)"), [])
        self.assertEqual(self.problems(a="one\n[b](b.md)"), ["a.md:2: b.md: there is no such file"])
        self.assertEqual(len(self.problems(a="[x](not_tracked.md)")), 1)
        self.assertEqual(len(self.problems(a="[x](docs/B.md)")), 1)
        self.assertEqual(len(self.problems(a="[x](/docs/b.md)")), 1)
        self.assertEqual(len(self.problems(a="![picture](docs/b.png)")), 1)
        self.assertEqual(len(self.problems(a="[![picture](docs/b.png)](docs/c.md)")), 2)
        self.assertEqual(len(self.problems(a="[x][y]\n\n[y]: docs/c.md\n")), 1)
        self.assertEqual(len(self.problems(a="[a link\nof two lines](docs/c.md)")), 1)
        self.assertEqual(len(self.problems(a="- item\n\n    [x](docs/c.md)\n")), 1)

    def test_anchors(self):
        b = "# One `two_three`: (a – b)!\n\n## Twice\n\n## Twice\n\n<a id=\"own\"></a>\n\n    # no heading\n"
        good = "one-two_three-a--b", "twice", "twice-1", "own"
        self.assertEqual(self.problems(a=" ".join(f"[x](docs/b.md#{name})" for name in good), b=b), [])
        for name in ("One", "twice-2", "no-heading"):
            self.assertEqual(self.problems(a=f"[x](docs/b.md#{name})", b=b), [f"a.md:1: docs/b.md#{name}: there is no such heading"])
        self.assertEqual(self.problems(a="# Here\n[x](#here)"), [])
        self.assertEqual(len(self.problems(a="# Here\n[x](#there)")), 1)
        self.assertEqual(len(self.problems(a="[x](src/room/c.cpp#L1)")), 1)

    def test_code_and_other_sites_have_no_links(self):
        for text in ("`[x](y)`", "```cpp\n[x](y)\n```\n", "text\n\n    [&](y) {}\n", "<https://example.org>", "[x](https://example.org/y#z)",
                     "[x](mailto:a@example.org)"):
            self.assertEqual(self.problems(a=text), [], text)


if __name__ == "__main__":
    unittest.main()
