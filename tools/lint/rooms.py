#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the #includes against the tables of rooms and their clients, and a few house rules that a compiler does not check."""
import pathlib, re, sys

# Which rooms a room may include, besides itself. CMakeLists.txt links them by the same table.
ROOMS = {
    "base": set(),
    "call": set(),
    "wire": {"base"},
    "schedule": {"base", "call"},
    "device": {"base"},
    "transport": {"base"},
    "codec": {"base", "wire", "device"},
    "coder": {"base", "wire", "device", "codec"},
    "engine": {"base", "call", "wire", "device", "codec", "transport", "schedule"},
    "tune": {"base", "call", "schedule", "codec", "engine"},
    "comm": {"base", "call", "wire", "device", "codec", "coder", "transport", "schedule", "engine", "tune"},
}
# What folders beside src/ may include of its rooms, and of each other; their own headers, and the public one, always.
CLIENTS = {
    "dropin": {"base", "call", "wire"},  # what it shares with the library
    "cli": set(ROOMS) | {"dropin", "bench"},  # cli/bench
    "examples": set(),
    "bench": set(ROOMS) | {"support"},
    "tests": set(ROOMS) | {"dropin", "cli"},
}
SUFFIXES = (".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".def", ".inl")
MPI_MAY = ("transport/mpi/", "comm/")  # mpi.h, and our public header, which includes it
CODEC_MAY = "coder/"  # laconic/codec.h
FOR_USERS = ("laconic/laconic.hpp", "laconic/buffers.hpp")  # which the C API is below
CUDA_MAY = ("device/cuda/runtime.hpp", "device/cuda/driver.hpp")
CUDA_WORDS = ("device/cuda/language.hpp", *CUDA_MAY)  # for folders named cuda
EMULATOR_MAY = CUDA_WORDS  # which choose between CUDA and the emulator of tests/
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
        if header in FOR_USERS:
            found.append(f"{where}: {header} is for users of the library only")
        elif header == "laconic/codec.h":
            if not name.startswith(CODEC_MAY):
                found.append(f"{where}: {header} is for {CODEC_MAY} only")
        elif header in ("mpi.h", "laconic/laconic.h", "laconic/options.h", "laconic/collectives.h"):
            if not name.startswith(MPI_MAY):
                found.append(f"{where}: {header} is for {' and '.join(MPI_MAY)} only")
        elif header.startswith("cuda"):
            if name not in CUDA_MAY:
                found.append(f"{where}: {header} is for {' and '.join(CUDA_MAY)} only")
        elif target == "emulator":
            if name not in EMULATOR_MAY:
                found.append(f"{where}: {header} is for {' and '.join(EMULATOR_MAY)} only")
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


def check_client(name, text):
    """Problems of one file outside of src/; name is relative to the project."""
    client, found = name.split("/")[0], []
    for match in INCLUDE.finditer(text):
        target = match.group(2).split("/")[0]
        if "/" in match.group(2) and target in set(ROOMS) | set(CLIENTS) and target not in CLIENTS[client] | {client}:
            where = f"{name}:{text.count(chr(10), 0, match.start(2)) + 1}"
            found.append(f"{where}: {client} may not include {target} ({match.group(2)})")
    return found


def check(src):
    """(problems, warnings) of a source tree."""
    problems, warnings = [], []
    for path in sorted(pathlib.Path(src).rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        name, text = path.relative_to(src).as_posix(), path.read_text()
        problems += check_file(name, text)
        lines = text.count("\n")
        if lines > LINES_FAIL:
            problems.append(f"src/{name}: {lines} lines, more than {LINES_FAIL}")
        elif lines > LINES_WARN:
            warnings.append(f"src/{name}: {lines} lines, more than {LINES_WARN}")
    for client in CLIENTS:
        for path in sorted((pathlib.Path(src).parent / client).rglob("*")):
            if path.suffix in SUFFIXES:
                problems += check_client(path.relative_to(pathlib.Path(src).parent).as_posix(), path.read_text())
    return problems, warnings


if __name__ == "__main__":
    problems, warnings = check(pathlib.Path(__file__).resolve().parents[2] / "src")
    print("\n".join(problems + ["warning: " + warning for warning in warnings]) or "clean")
    sys.exit(1 if problems else 0)
