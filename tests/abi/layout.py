#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what the C headers promise to compiled programs with the list in abi.txt.

    layout.py CC          # CC: the compiler wrapper of an MPI

The list has the size of each struct, the place and the size of each member, the value of each enumerator and the type of
each function.  Additions are written with LACONIC_DOCS_ACCEPT=1.  What would break a program that was compiled before is
refused even then: it needs another SOVERSION, and then abi.txt is deleted first.
"""
import os, pathlib, re, struct, sys, tempfile

from headers import Headers

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "abi.txt"
SKIPPED = 77


def read(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return dict((line.split("\t") + [""])[:2] for line in lines)


def numbers(fact):
    return [int(n) for n in re.findall(r"\d+", fact)]


def breaks(before, now):
    """What programs that were compiled with the headers `before` would find changed."""
    found = []
    for name, fact in before.items():
        if name not in now:
            found.append(f"{name} is gone")
        elif name.startswith("struct "):
            if numbers(now[name]) < numbers(fact):
                found.append(f"{name}: {fact} has become {now[name]}")
        elif now[name] != fact:
            found.append(f"{name}: {fact} has become {now[name]}")
    for name, fact in now.items():
        owner = "struct " + name.split(".")[0]
        if name in before or "." not in name or owner not in before:
            continue
        end = numbers(before[owner])[0]
        if numbers(fact)[0] < end:
            found.append(f"{name} begins at byte {numbers(fact)[0]}, where programs that were compiled before have the end of "
                         f"their {owner}, its padding included; valid are {end} and above")
        if owner == "struct laconic_bound":
            found.append(f"{name} is new, but other structs contain a laconic_bound, which therefore cannot grow")
    return found


def main(cc):
    if struct.calcsize("P") != 8 or not sys.platform.startswith("linux"):
        print("the list is for machines with addresses of 64 bits")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        now = Headers(cc, HERE.parents[1] / "include").facts(pathlib.Path(scratch))
    before = read(LIST) if LIST.exists() else {}
    found = breaks(before, now)
    if found:
        print("\n".join(found))
        print(f"programs that were compiled before would break; where that is meant, change the SOVERSION and delete {LIST}")
        return 1
    if os.environ.get("LACONIC_DOCS_ACCEPT"):
        LIST.write_text("# Written by layout.py.\n" + "".join(f"{name}\t{fact}".rstrip() + "\n" for name, fact in now.items()))
        return 0
    new = [f"not in the list: {name} {fact}" for name, fact in now.items() if before.get(name) != fact]
    if new:
        print("\n".join(new))
        print(f"LACONIC_DOCS_ACCEPT=1 adds this to {LIST}")
    return 1 if new else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
