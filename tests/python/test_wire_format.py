# SPDX-License-Identifier: BSD-3-Clause
"""Frames of a released wire format never change (docs/wire-format.md): tests/golden/1.*.sha256 list them.

golden_numbers_test.cpp reads all of them. Where an encoder now writes other bytes, the golden frame gets a new name, and the
old file stays. New frames are added to the list of the current format:

    cd tests/golden && sha256sum NAME.frame NAME.f32 >> 1.1.sha256
"""
import hashlib, pathlib, re, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
EXPERIMENTAL = ("szx", "zfp")  # promised by no format


def listed():
    for path in sorted(GOLDEN.glob("*.sha256")):
        for line in path.read_text().splitlines():
            digest, name = line.split("  ")
            yield path.name, name, digest


def current():
    header = (ROOT / "src" / "wire" / "frame.hpp").read_text()
    return ".".join(re.search(rf"format_{part} = (\d+)", header)[1] for part in ("major", "minor"))


class WireFormat(unittest.TestCase):
    def test_frames_of_released_formats_are_unchanged(self):
        for format, name, digest in listed():
            with self.subTest(f"{format}: {name}"):
                self.assertEqual(hashlib.sha256((GOLDEN / name).read_bytes()).hexdigest(), digest)

    def test_every_golden_frame_is_in_a_list(self):
        files = {path.name for path in GOLDEN.iterdir() if path.is_file() and path.suffix != ".sha256"}
        promised = {name for name in files if not name.startswith(EXPERIMENTAL)}
        self.assertEqual(promised, {name for _, name, _ in listed()})
        self.assertGreater(len(promised), 100)

    def test_the_current_format_has_a_list_and_is_that_of_the_document(self):
        self.assertTrue((GOLDEN / f"{current()}.sha256").exists())
        self.assertEqual((ROOT / "docs" / "wire-format.md").read_text().splitlines()[0], f"# Wire format {current()}")


class Release(unittest.TestCase):
    def test_all_places_name_one_version(self):
        def first(path, pattern):
            return re.search(pattern, (ROOT / path).read_text(), re.M)[1]

        header = (ROOT / "include" / "laconic" / "codec.h").read_text()
        parts = [re.search(rf"#define LACONIC_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        version = first("CMakeLists.txt", r"^project\(laconic VERSION (\S+)")
        self.assertEqual(".".join(parts), version)
        self.assertEqual(first("CITATION.cff", r"^version: (\S+)"), version)
        self.assertEqual(first("README.md", r"^The current release is (\d+\.\d+\.\d+)"), version)
        self.assertEqual(first("CHANGELOG.md", r"^## (\d\S+)"), version)
        self.assertIn(f'version("{version}", tag="v{version}")', (ROOT / "packaging/spack/packages/laconic/package.py").read_text())


if __name__ == "__main__":
    unittest.main()
