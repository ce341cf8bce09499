# SPDX-License-Identifier: BSD-3-Clause
"""tests/install/exports.py finds names that are missing, names that are new, and libraries that export other names."""
import os, pathlib, shutil, subprocess, sys, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "install"))
import exports  # noqa: E402

COMPILER = shutil.which("cc")


@unittest.skipIf(COMPILER is None or shutil.which("nm") is None, "needs a C compiler and nm")
class Exports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.environ.pop("LACONIC_DOCS_ACCEPT", None)

    def library(self, text, script=""):
        (self.folder / "a.c").write_text(text)
        (self.folder / "a.map").write_text(script or "{ global: *; };")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-nostdlib", f"-Wl,--version-script={self.folder / 'a.map'}",
                        self.folder / "a.c", "-o", self.folder / "a.so"], check=True, timeout=60)
        return str(self.folder / "a.so")

    def of(self, library, names):
        wanted = self.folder / "list.txt"
        wanted.write_text(names)
        return exports.main(library, str(wanted))

    def test_names_and_versions(self):
        library = self.library("int laconic_a(void) { return 1; } int other(void) { return 2; }",
                               (ROOT / "cmake" / "exports" / "laconic.map").read_text().replace("@LACONIC_ABI@", "1"))
        self.assertEqual(self.of(library, "laconic_a@@LACONIC_1\n"), [])
        self.assertEqual(self.of(library, "laconic_a@@LACONIC_1\nlaconic_b@@LACONIC_1\n"), ["missing: laconic_b@@LACONIC_1"])
        self.assertEqual(self.of(library, ""), ["not in the list: laconic_a@@LACONIC_1"])

    def test_other_names_beside_those_of_mpi(self):
        text = "int MPI_Send(void) { return 1; } int mpi_send_(void) { return 2; } int helper(void) { return 3; }"
        self.assertEqual(exports.main(self.library(text), "mpi_bcast_"), ["not a name of MPI: helper"])
        script = (ROOT / "cmake" / "exports" / "mpi.map").read_text().replace("@LACONIC_FORTRAN_NAMES@", "mpi_*_")
        self.assertEqual(exports.main(self.library(text, script), "mpi_bcast_"), [])

    def test_other_spellings_of_fortran(self):
        spellings = {"mpi_bcast_": "mpi_send_", "mpi_bcast__": "mpi_send__", "mpi_bcast": "mpi_send", "MPI_BCAST": "MPI_SEND"}
        library = self.library("".join(f"void {name}(void) {{}}" for name in spellings.values()))
        for spelling, name in spellings.items():
            self.assertEqual(exports.main(library, spelling),
                             [f"not a name of MPI: {other}" for other in sorted(spellings.values()) if other != name])

    def test_a_library_without_names(self):
        self.assertEqual(len(self.of(self.library("static int a;"), "")), 1)


if __name__ == "__main__":
    unittest.main()
