#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a shared library exports with the list of names in a file, one in each line.

    exports.py LIBRARY LIST       # every name of the list, with its version, and no other
    exports.py LIBRARY mpi_bcast_ # names of MPI only, in Fortran with this spelling of MPI_Bcast

A name that is missing breaks programs that were linked before; one more is a promise that nobody may have meant to make.
With LACONIC_DOCS_ACCEPT=1 the list is written anew.
"""
import os, pathlib, re, subprocess, sys

NAMES_IN_C = r"P?MPI_(T_|[A-Z][a-z])\w*"


def exports(library):
    """The exported names, each with its version if it has one.  The names of versions are not among them."""
    said = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", library], capture_output=True, text=True,
                          check=True, timeout=60).stdout
    entries = [line.split()[-2:] for line in said.splitlines()]
    return sorted(name for kind, name in entries if kind != "A")


def problems(names, wanted):
    missing = sorted(set(wanted) - set(names))
    more = sorted(set(names) - set(wanted))
    return [f"missing: {name}" for name in missing] + [f"not in the list: {name}" for name in more]


def main(library, wanted):
    names = exports(library)
    if not names:
        return ["the library exports nothing"]
    if wanted.lower().startswith("mpi_bcast"):
        spelled = wanted.replace("bcast", r"[a-z0-9_]*[a-z0-9]").replace("BCAST", "[A-Z0-9_]+")
        return [f"not a name of MPI: {name}" for name in names if not re.fullmatch(f"{NAMES_IN_C}|{spelled}", name)]
    path = pathlib.Path(wanted)
    if os.environ.get("LACONIC_DOCS_ACCEPT"):
        path.write_text("".join(name + "\n" for name in names))
    return problems(names, path.read_text().split())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = main(*sys.argv[1:])
    print("\n".join(found) or "as expected")
    if found:
        sys.exit(f"{sys.argv[1]} does not export what {sys.argv[2]} says; LACONIC_DOCS_ACCEPT=1 writes the list anew")
