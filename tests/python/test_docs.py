# SPDX-License-Identifier: BSD-3-Clause
"""The documentation site, as far as it can be checked without MkDocs: ./dev docs checks the rest."""
import pathlib, re, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from dev import docs  # noqa: E402


class Configuration(unittest.TestCase):
    def test_the_navigation_names_files(self):
        navigation = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n", 1)[1]
        pages = re.findall(r"^ *- (?:.*: )?(\S+\.md)$", navigation, re.M)
        self.assertEqual(len(pages), navigation.count(".md"))
        self.assertIn("README.md", pages)
        for page in pages:
            # The page of a header has its name and .md behind it.
            self.assertTrue((ROOT / page).is_file() or (ROOT / page[:-3]).is_file(), page)
        self.assertEqual(len(pages), len(set(pages)))


class Lists(unittest.TestCase):
    # GitHub and the site's Markdown differ there: the site makes a list within the item before, without the code.
    JOINED = re.compile(r"^ {7,}\S.*\n(?:\d+\.|[-*]) ", re.M)

    def test_an_empty_line_is_between_code_and_the_next_item(self):
        self.assertTrue(self.JOINED.search("1. a:\n\n        code\n2. b\n"))
        for page in ROOT.glob("docs/**/*.md"):
            self.assertIsNone(self.JOINED.search(page.read_text()), page.relative_to(ROOT))


class Elsewhere(unittest.TestCase):
    def found(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / name).write_text(text)
            return docs.elsewhere(pathlib.Path(folder))

    def test_what_a_page_fetches_is_found(self):
        address = "//example.org/x"
        for text in (f'<script async src="https:{address}"></script>', f"<script src={address}></script>",
                     f'<link rel="stylesheet"\n href="https:{address}">', f'<img alt="a" src="http:{address}">',
                     f'<IFRAME SRC="https:{address}">', f'<p style="background: url({address})">', f'<object data="https:{address}">'):
            self.assertEqual(len(self.found("a.html", text)), 1, text)
            self.assertIn(address, self.found("a.html", text)[0])
        self.assertEqual(len(self.found("a.css", f"@import 'https:{address}'; @font-face {{ src: url(\"https:{address}\") }}")), 2)

    def test_links_and_own_files_may_be(self):
        for text in ('<a href="https://example.org">x</a>', '<script src="../a.js"></script>', '<link href="a.css">', '<img src="data:image/png,x">',
                     '<svg xmlns="http://www.w3.org/2000/svg">'):
            self.assertEqual(self.found("a.html", text), [], text)


if __name__ == "__main__":
    unittest.main()
