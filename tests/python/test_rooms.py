# SPDX-License-Identifier: BSD-3-Clause
"""The check of the rooms finds what it is there to find, and nothing else."""
import pathlib, sys, tempfile, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

from lint import rooms  # noqa: E402


class Rooms(unittest.TestCase):
    def bad(self, name, text, words):
        problems = rooms.check_file(name, text)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def good(self, name, text):
        self.assertEqual(rooms.check_file(name, text), [])

    def test_includes_of_the_table_are_allowed(self):
        for room, uses in rooms.ROOMS.items():
            for used in uses | {room}:
                self.good(f"{room}/a.cpp", f'#include "{used}/x.hpp"\n#include <vector>\n')

    def test_every_other_include_is_found(self):
        for room, uses in rooms.ROOMS.items():
            for used in set(rooms.ROOMS) - uses - {room}:
                self.bad(f"{room}/a.cpp", f'\n#include "{used}/x.hpp"\n', f"src/{room}/a.cpp:2: {room} may not include {used}")
                self.bad(f"{room}/a.cpp", f"# include <{used}/x.hpp>\n", f"may not include {used}")

    def test_mpi_stays_in_its_rooms(self):
        self.good("transport/mpi/a.cpp", "#include <mpi.h>\n")
        self.good("comm/api/c_api.cpp", '#include "laconic/laconic.h"\n')
        self.bad("engine/a.cpp", "#include <mpi.h>\n", "mpi.h is for")
        self.bad("transport/loopback/a.cpp", "#include <mpi.h>\n", "mpi.h is for")
        self.bad("base/a.cpp", '#include "laconic/laconic.h"\n', "laconic.h is for")

    def test_the_library_does_not_use_its_header_for_cpp(self):
        self.bad("comm/api/c_api.cpp", '#include "laconic/laconic.hpp"\n', "for users of the library only")
        self.bad("comm/api/c_api.cpp", "#include <laconic/buffers.hpp>\n", "for users of the library only")

    def test_clients_include_what_they_may(self):
        self.assertEqual(rooms.check_client("dropin/a.cpp", '#include "call/x.hpp"\n#include <laconic/laconic.h>\n'), [])
        self.assertEqual(rooms.check_client("tests/a.cpp", '#include "engine/x.hpp"\n'), [])
        for client, header in (("dropin", "comm/x.hpp"), ("examples", "call/x.hpp"), ("bench", "cli/x.hpp")):
            problems = rooms.check_client(f"{client}/a.inl", f'\n#include "{header}"\n')
            self.assertEqual(len(problems), 1, problems)
            self.assertIn(f"{client}/a.inl:2: {client} may not include", problems[0])

    def test_cuda_stays_in_its_folders(self):
        self.good("device/cuda/runtime.hpp", "#include <cuda_runtime.h>\n")
        self.bad("device/cuda/a.cpp", "#include <cuda_runtime.h>\n", "cuda_runtime.h is for")
        self.bad("codec/quant/cuda/a.cu", "#include <cuda_runtime.h>\n", "cuda_runtime.h is for")
        self.good("codec/quant/cuda/a.cu", '#include "device/cuda/language.hpp"\n')
        self.bad("codec/quant/a.cpp", '#include "device/cuda/runtime.hpp"\n', "for folders named cuda only")

    def test_the_emulator_is_chosen_in_two_places_only(self):
        self.good("device/cuda/language.hpp", '#include "emulator/language.hpp"\n')
        self.good("device/cuda/runtime.hpp", '#include "emulator/runtime.hpp"\n')
        self.bad("codec/quant/cuda/a.cu", '#include "emulator/language.hpp"\n', "emulator/language.hpp is for")
        self.bad("device/devices.cpp", '#include "emulator/control.hpp"\n', "emulator/control.hpp is for")

    def test_output_and_exits_are_found_in_code_only(self):
        for call in ('printf("x");', "std::abort();", "exit(1);", "std::cout << 1;", "std::terminate();"):
            self.bad("base/a.cpp", f"void f() {{ {call} }}\n", "src/base/a.cpp:1: no ")
        self.good("base/a.cpp", "// never exit(1)\n/* abort() */ void on_exit_(); const char* s = \"printf(x)\";\n")
        self.good("base/a.cpp", "int snprintf_(); void f() { std::snprintf(b, 1, s); job.abort(); }\n")

    def test_relative_includes_and_unknown_rooms(self):
        self.bad("base/a.cpp", '#include "status.hpp"\n', "does not name a room")
        self.bad("attic/a.cpp", "", "attic is not a room")

    def test_long_files(self):
        with tempfile.TemporaryDirectory() as folder:
            base = pathlib.Path(folder) / "base"
            base.mkdir()
            (base / "long.cpp").write_text("\n" * (rooms.LINES_WARN + 1))
            (base / "endless.cpp").write_text("\n" * (rooms.LINES_FAIL + 1))
            problems, warnings = rooms.check(folder)
            self.assertEqual((len(problems), len(warnings)), (1, 1))
            self.assertIn("endless", problems[0])


if __name__ == "__main__":
    unittest.main()
