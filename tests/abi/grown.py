#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that was compiled with headers of other versions, against the library of this build.

The headers are made from those of this tree: an older version lacks members at the ends of structs, a newer one has one
more in each.  (layout.py sees to it that real versions differ in nothing else.)
"""
import argparse, os, pathlib, re, shutil, subprocess, sys

from headers import Headers
from layout import breaks

HERE = pathlib.Path(__file__).resolve().parent
STRUCTS = ("coding", "frames_info", "options", "stats", "tuning", "prediction")
# The first member that an older version lacks.
VERSIONS = {
    "same": {},
    "older": {"options": "plain", "stats": "most_chunks", "coding": "frame_elements", "frames_info": "error", "tuning": "measured_seconds",
              "prediction": "likely"},
    "oldest": {"options": "tune", "stats": "achieved_bound", "coding": "codec", "tuning": "plain_seconds", "prediction": "drift"},
    "newer": None,
}
SPLIT = re.compile(r"(typedef struct laconic_(\w+) \{\n)(.*?)(\n\} laconic_\2;)", re.S)


def changed(text, version):
    def change(match):
        head, name, body, end = match.groups()
        if name not in STRUCTS:
            return match.group(0)
        if version is None:
            return f"{head}{body}\n  int64_t added;{end}"
        if name not in version:
            return match.group(0)
        first = re.search(rf"^[^/\n]*\b{version[name]};", body, re.M)
        return f"{head}{body[:first.start()]}{end}"

    return SPLIT.sub(change, text)


def compile_and_run(args, name, version, scratch):
    folder = scratch / name
    (folder / "laconic").mkdir(parents=True)
    for header in (HERE.parents[1] / "include" / "laconic").glob("*.h"):
        (folder / "laconic" / header.name).write_text(changed(header.read_text(), version))
    headers = Headers(args.mpicc, folder)
    own = Headers(args.mpicc, HERE.parents[1] / "include")
    for struct in ("laconic_" + s for s in STRUCTS):
        expected = struct[8:] in version if version is not None else True
        if (headers.structs[struct] != own.structs[struct]) != expected:
            sys.exit(f"{name}: {struct} is not what it should be")
    facts = [headers.facts(folder), own.facts(folder)]
    if broken := breaks(*(facts if version is not None else reversed(facts))):
        sys.exit(f"{name} is no version that can be: {broken}")
    defines = ["NEWER"] if version is None else []
    defines += [f"WITH_{m.upper()}" for m in ("stats", "tune") if m in headers.structs["laconic_options"]]
    program = folder / "program"
    command = [args.mpicc, "-std=c99", "-Wall", "-Wextra", "-Werror", *(f"-D{d}" for d in defines), f"-I{folder}", HERE / "program.c",
               "-o", program, args.laconic, f"-Wl,-rpath,{pathlib.Path(args.laconic).parent}", "-lm"]
    subprocess.run([str(word) for word in command], check=True, timeout=100)
    command = [sys.executable, HERE.parent / "mpirun", "--mpiexec", args.mpiexec, "--timeout", 60, "-n", 2, "--", program]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100,
                          env={**os.environ, "LACONIC_TUNE": "off"})
    if done.returncode != 0 or "right" not in done.stdout:
        sys.exit(f"{name}: failed with {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"{name}: right")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mpicc", "mpiexec", "laconic", "scratch"):
        parser.add_argument("--" + name, required=True)
    args = parser.parse_args()
    scratch = pathlib.Path(args.scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    for name, version in VERSIONS.items():
        compile_and_run(args, name, version, scratch)


if __name__ == "__main__":
    main()
