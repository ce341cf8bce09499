# SPDX-License-Identifier: BSD-3-Clause
"""What kernels take of a GPU, as ptxas reports it, against the table of docs/kernels.md.

As a compiler launcher, `kernels.py keep COMMAND...`, it runs nvcc and keeps what ptxas says next to the object: builds that
compile only what has changed say nothing of the rest.
"""
import dataclasses, json, os, pathlib, re, subprocess, sys

KEPT = ".ptxas"  # behind the name of an object
BEGIN, END = "<!-- kernels: begin -->\n", "<!-- kernels: end -->\n"
HEAD = "| kernel | source | registers | shared memory | stack | spilled |\n|---|---|---:|---:|---:|---:|\n"
# Points and exceptions of far and masked blocks of quant are in local memory (docs/design/0029, 0033): these kernels, and
# the functions that they call for such blocks, have as much stack as the table grants.  All others have none.
WITH_STACK = re.compile(r"quant::(make_(frames|from_unread)<quant::BlockMaker, |read_(frame|unread)<\w+, false>|fetch_\w+|put_\w+|\w+_any|spread|gather|read_compound)")

ENTRY = re.compile(r"Compiling entry function '(\S+)' for '(\S+)'")
FUNCTION = re.compile(r"Function properties for (\S+)")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers(?:.*?(\d+) bytes smem)?")


@dataclasses.dataclass
class Kernel:
    name: str
    source: str = ""
    registers: int = 0
    shared: int = 0
    stack: int = 0
    spills: int = 0

    def row(self):
        return f"| `{self.name}` | {self.source} | {self.registers} | {self.shared} | {self.stack} | {self.spills} |\n"


def parse(report):
    """(kernels, functions that were not inlined) of a report, by mangled names. Of several GPUs the worst counts."""
    kernels, functions, entry, function = {}, {}, None, None
    for line in report.splitlines():
        if found := ENTRY.search(line):
            entry = kernels.setdefault(found.group(1), Kernel(found.group(1)))
        elif found := FUNCTION.search(line):
            name = found.group(1)
            function = kernels[name] if name in kernels else functions.setdefault(name, Kernel(name))
        elif (found := FRAME.search(line)) and function:
            stack, stores, loads = map(int, found.groups())
            function.stack, function.spills = max(function.stack, stack), max(function.spills, stores + loads)
        elif (found := USED.search(line)) and entry:
            entry.registers = max(entry.registers, int(found.group(1)))
            entry.shared = max(entry.shared, int(found.group(2) or 0))
    return list(kernels.values()), list(functions.values())


def readable(demangled):
    """`void laconic::(anonymous namespace)::scan<(laconic::Plant)0>(int*)` is scan<(Plant)0>."""
    name = demangled.replace("(anonymous namespace)::", "").replace("laconic::", "")
    name = re.sub(r"^(void|bool|int|unsigned int|unsigned short|quant::cuda::AnyEntry) ", "", name).replace("cuda::", "")
    name = name.replace("SmallFloat<8, 7>", "bfloat16").replace("SmallFloat<5, 10>", "float16")
    name = re.sub(r"\b(\d+)u\b", r"\1", name).replace(" >", ">")
    depth, end = 0, len(name)
    for k, letter in enumerate(name):
        depth += letter == "<"
        depth -= letter == ">" and name[k - 1] != "-"
        if letter == "(" and depth == 0:
            end = k
            break
    return name[:end].replace("|", "\\|")


def demangle(names):
    said = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True, timeout=60).stdout
    return dict(zip(names, said.splitlines()))


def read(tree, root):
    """(kernels, problems) of the sources of src/ that a build tree has compiled."""
    found, problems = [], []
    for unit in json.loads((tree / "compile_commands.json").read_text()):
        source = pathlib.Path(unit["file"])
        if source.suffix != ".cu" or (root / "src") not in source.parents:
            continue
        name = source.relative_to(root).as_posix()
        if "-ptx" in (unit.get("command") or "").split():  # for tests/ptx; ptxas never sees it
            continue
        output = pathlib.Path(unit["directory"]) / (unit.get("output") or re.search(r" -o (\S+)", unit["command"]).group(1))
        report = output.with_name(output.name + KEPT)
        if not report.exists() or report.stat().st_mtime < output.stat().st_mtime - 60:
            problems.append(f"{name}: no report of ptxas; delete {output} and build again")
            continue
        kernels, functions = parse(report.read_text())
        names = demangle([kernel.name for kernel in kernels + functions])
        for kernel in kernels + functions:
            kernel.name, kernel.source = readable(names[kernel.name]), name
        found += kernels + [f for f in functions if f.stack or f.spills]
    return sorted(found, key=lambda kernel: (kernel.source, kernel.name)), problems


def table(kernels):
    return HEAD + "".join(kernel.row() for kernel in kernels)


def parse_table(text):
    """The rows of the table in docs/kernels.md, by kernel and source."""
    inside = text.split(BEGIN, 1)[1].split(END, 1)[0]
    rows = re.findall(r"^\| `(.+)` \| (\S+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", inside, re.M)
    return {(name, source): Kernel(name, source, *map(int, numbers)) for name, source, *numbers in rows}


def compare(kernels, budget):
    """Problems: what takes more than the table grants, is not in it, or is not there any more."""
    problems = []
    for kernel in kernels:
        label = f"{kernel.name} ({kernel.source})"
        if (kernel.stack or kernel.spills) and not WITH_STACK.match(kernel.name):
            problems.append(f"{label}: {kernel.stack} bytes of stack, {kernel.spills} bytes spilled; there must be none")
        granted = budget.get((kernel.name, kernel.source))
        if granted is None:
            problems.append(f"{label}: not in docs/kernels.md")
            continue
        for what in ("registers", "shared", "stack", "spills"):
            if getattr(kernel, what) > getattr(granted, what):
                problems.append(f"{label}: {what} {getattr(kernel, what)}, docs/kernels.md grants {getattr(granted, what)}")
    there = {(kernel.name, kernel.source) for kernel in kernels}
    problems += [f"{name} ({source}): in docs/kernels.md, but not in the code" for name, source in budget if (name, source) not in there]
    return problems


def check(tree, root):
    """(number of kernels, problems). With LACONIC_DOCS_ACCEPT the table is written anew instead of compared."""
    kernels, problems = read(tree, root)
    page = root / "docs" / "kernels.md"
    text = page.read_text()
    if os.environ.get("LACONIC_DOCS_ACCEPT"):
        page.write_text(text.split(BEGIN, 1)[0] + BEGIN + table(kernels) + END + text.split(END, 1)[1])
        text = page.read_text()
    problems += compare(kernels, parse_table(text))
    if problems and not os.environ.get("LACONIC_DOCS_ACCEPT"):
        problems.append("LACONIC_DOCS_ACCEPT=1 ./dev test --only cuda writes the table of docs/kernels.md anew")
    return len(kernels), problems


def keep(command):
    """Runs nvcc; what ptxas says goes into a file, the rest where it went before."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    said = done.stderr.splitlines(keepends=True)
    ours = [line for line in said if "ptxas info" in line or FRAME.search(line)]
    sys.stderr.write("".join(line for line in said if line not in ours))
    if done.returncode == 0 and "-o" in command:
        pathlib.Path(command[command.index("-o") + 1] + KEPT).write_text("".join(ours))
    return done.returncode


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] != "keep":
        sys.exit("usage: kernels.py keep COMMAND...")
    sys.exit(keep(sys.argv[2:]))
