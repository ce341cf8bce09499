#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the #includes of src/ against the table of rooms, and a few house rules that a compiler does not check."""
import pathlib, re, sys

# Which rooms a room may include, besides itself. CMakeLists.txt links them by the same table.
ROOMS = {
    "base": set(),
    "wire": {"base"},
    "schedule": {"base"},
    "device": {"base"},
    "transport": {"base"},
    "codec": {"base", "wire", "device"},
    "engine": {"base", "wire", "device", "codec", "transport", "schedule"},
    "tune": {"base", "schedule", "codec", "engine"},
    "comm": {"base", "wire", "device", "codec", "transport", "schedule", "engine", "tune"},
}
MPI_MAY = ("transport/mpi/", "comm/")  # mpi.h, and our public header, which includes it
CUDA_MAY = "device/cuda/runtime.hpp"  # which chooses between CUDA's own headers and the emulator's
CUDA_WORDS = ("device/cuda/language.hpp", "device/cuda/runtime.hpp", "device/cuda/emulator/")  # for folders named cuda
LINES_WARN, LINES_FAIL = 400, 600

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
NEVER = re.compile(r"(?<![\w.>])(?:std::)?(printf|fprintf|puts|exit|_exit|quick_exit|abort|terminate)\s*\(|std::(cout|cerr|clog)\b")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def check_file(name, text):
    """Problems of one file; name is relative to src/, with forward slashes."""
    room, found = name.split("/")[0], []
    if room not in ROOMS:
        return [f"src/{name}: {room} is not a room"]
    for match in INCLUDE.finditer(text):
        mark, header = match.groups()
        where = f"src/{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
        target = header.split("/")[0]
        if header in ("mpi.h", "laconic/laconic.h", "laconic/laconic.hpp"):
            if not name.startswith(MPI_MAY):
                found.append(f"{where}: {header} is for {' and '.join(MPI_MAY)} only")
        elif header.startswith("cuda"):
            if name != CUDA_MAY:
                found.append(f"{where}: {header} is for {CUDA_MAY} only")
        elif header.startswith(CUDA_WORDS) and "/cuda/" not in name:
            found.append(f"{where}: {header} is for folders named cuda only")
        elif target in ROOMS and "/" in header:
            if target != room and target not in ROOMS[room]:
                found.append(f"{where}: {room} may not include {target} ({header})")
        elif mark == '"':
            found.append(f"{where}: \"{header}\" does not name a room: includes are relative to src/")
    code = NOT_CODE.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in NEVER.finditer(code):
        found.append(f"src/{name}:{code.count(chr(10), 0, match.start()) + 1}: no {match.group().strip('( ')} in src/")
    return found


def check(src):
    """(problems, warnings) of a source tree."""
    problems, warnings = [], []
    for path in sorted(pathlib.Path(src).rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".def"):
            continue
        name, text = path.relative_to(src).as_posix(), path.read_text()
        problems += check_file(name, text)
        lines = text.count("\n")
        if lines > LINES_FAIL:
            problems.append(f"src/{name}: {lines} lines, more than {LINES_FAIL}")
        elif lines > LINES_WARN:
            warnings.append(f"src/{name}: {lines} lines, more than {LINES_WARN}")
    return problems, warnings


if __name__ == "__main__":
    problems, warnings = check(pathlib.Path(__file__).resolve().parents[2] / "src")
    print("\n".join(problems + ["warning: " + warning for warning in warnings]) or "clean")
    sys.exit(1 if problems else 0)
