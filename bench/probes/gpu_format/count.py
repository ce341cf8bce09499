#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of kernels.cu: compiles it for sm_90, disassembles it, and walks the longest path from entry to
exit, every loop apart. A warp codes 1024 values, 32 in a lane: warp instructions / 32 are instructions per value."""
import argparse, collections, pathlib, re, subprocess, tempfile

HERE = pathlib.Path(__file__).resolve().parent
LINE = re.compile(r"^\s+/\*([0-9a-f]{4,5})\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?);")
PIPES = [  # first match counts
    ("fma", r"FFMA|FMUL|FADD|IMAD"),
    ("memory", r"LDS|STS|LDG|STG|SHFL|REDUX|BAR|LDC$|LDC\."),
    ("slow", r"FLO|POPC|BREV|MUFU|F2I|I2F|S2R|S2UR|DADD|DMUL|DFMA"),
    ("uniform", r"U[A-Z]|R2UR|VOTEU"),
    ("control", r"BRA|EXIT|BSSY|BSYNC|WARPSYNC|NOP|CALL|RET|YIELD"),
    ("alu", r"."),
]


def pipe_of(opcode):
    return next(name for name, pattern in PIPES if re.match(pattern, opcode))


def functions(sass):
    name, code = None, {}
    for line in sass.splitlines():
        if "Function :" in line:
            name = line.split()[-1]
            code[name] = []
        elif name and (m := LINE.match(line)):
            code[name].append((int(m[1], 16), m[2], m[3], m[4]))
    return code


def target(instruction):
    m = re.search(r"0x([0-9a-f]+)\s*$", instruction[3].strip()) or re.search(r"`\((\.L_x_\d+)\)", instruction[3])
    return int(m[1], 16)


def longest(code):
    """Counter of pipes along the longest path, and the bodies of loops."""
    last_exit = max(i for i, c in enumerate(code) if c[2] == "EXIT")
    at = {c[0]: i for i, c in enumerate(code)}
    best = [None] * (last_exit + 2)  # longest path from here to an exit
    loops = []
    for i in range(last_exit, -1, -1):
        _, predicate, opcode, _ = code[i]
        ways = []
        if opcode.startswith("BRA") and ".DIV" not in opcode:
            to = at.get(target(code[i]), last_exit + 1)
            if to <= i:
                loops.append((to, i))
            elif to <= last_exit:
                ways.append(best[to])
            if predicate:
                ways.append(best[i + 1])
        elif opcode == "EXIT":
            ways.append(collections.Counter())
            if predicate:
                ways.append(best[i + 1])
        else:
            ways.append(best[i + 1])
        ways = [w for w in ways if w is not None]
        if ways:
            best[i] = max(ways, key=lambda w: w.total()) + collections.Counter([pipe_of(opcode)])
    bodies = [collections.Counter(pipe_of(c[2]) for c in code[a:b + 1]) for a, b in sorted(loops)]
    return best[0], bodies


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "kernels.cubin"
        built = subprocess.run([options.nvcc, "-std=c++20", "-arch=sm_90", "-cubin", "--resource-usage", HERE / "kernels.cu", "-o", cubin],
                               capture_output=True, text=True)
        if built.returncode != 0:
            raise SystemExit(built.stderr)
        sass = subprocess.run([options.cuobjdump, "-sass", cubin], check=True, capture_output=True, text=True).stdout
    resources = {}
    for line in built.stderr.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m[1]
        elif m := re.search(r"(\d+) bytes stack", line):
            resources[name] = [m[1]]
        elif m := re.search(r"Used (\d+) registers", line):
            resources[name].append(m[1])
    pipes = [name for name, _ in PIPES]
    print("| kernel | stack | registers | per value | " + " | ".join(pipes) + " | loops: instructions of a pass |")
    print("|---|" + "---:|" * (3 + len(pipes)) + "---|")
    for name, code in functions(sass).items():
        path, loops = longest(code)
        cells = [name, *resources[name], f"{path.total() / 32:.1f}", *(f"{path[p] / 32:.1f}" for p in pipes),
                 ", ".join(str(loop.total()) for loop in loops)]
        print("| " + " | ".join(cells) + " |")


main()
