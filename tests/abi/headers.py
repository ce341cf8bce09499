# SPDX-License-Identifier: BSD-3-Clause
"""What the C headers promise to compiled programs, read from what the preprocessor makes of them."""
import re, subprocess

INCLUDE = "#include <laconic/laconic.h>\n"
TYPE = re.compile(r"typedef (enum|struct) (laconic_\w+)\s*\{(.*?)\}\s*\2\s*;", re.S)
FUNCTION = re.compile(r'__attribute__\s*\(\(visibility\("default"\)\)\)\s*([^;{]*?\b(laconic_\w+)\s*\([^;]*?\))\s*;', re.S)


def preprocessed(cc, folder):
    return subprocess.run([cc, "-E", "-P", f"-I{folder}", "-x", "c", "-"], input=INCLUDE, capture_output=True, text=True,
                          check=True, timeout=60).stdout


def members(body):
    """The names of a struct's members, or an enumeration's constants, in their order."""
    separator = ";" if ";" in body else ","
    parts = [re.sub(r"\[.*", "", part.split("=")[0]) for part in body.split(separator) if part.strip()]
    return [re.findall(r"\w+", part)[-1] for part in parts]


def prototype(words):
    """The declaration of a function, without the names of its parameters."""
    head, parameters = re.sub(r"\s+", " ", words).rstrip(") ").split("(", 1)
    types = [re.sub(r"^(.*[ *])\w+((\[\])?)$", r"\1\2", one.strip()).strip() for one in parameters.split(",")]
    return f"{head.strip()}({', '.join(types)})"


class Headers:
    def __init__(self, cc, folder):
        self.cc, self.folder = cc, folder
        text = preprocessed(cc, folder)
        found = [(kind, name, members(body)) for kind, name, body in TYPE.findall(text)]
        self.structs = {name: inside for kind, name, inside in found if kind == "struct"}
        self.enums = {name: inside for kind, name, inside in found if kind == "enum"}
        self.functions = {name: prototype(words) for words, name in FUNCTION.findall(text)}

    def run(self, scratch, lines):
        """The output of a program that prints what these lines of C do."""
        source, program = scratch / "ask.c", scratch / "ask"
        source.write_text(f"#include <stddef.h>\n#include <stdio.h>\n{INCLUDE}int main(void) {{\n" + "\n".join(lines) + "\n}\n")
        # The program calls no MPI, so it is linked without one, where the linker allows that.
        subprocess.run([self.cc, f"-I{self.folder}", source, "-o", program], check=True, timeout=60)
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout

    def facts(self, scratch):
        """{"struct laconic_x": "size 8", "laconic_x.member": "offset 0 size 8", "LACONIC_Y": "= 3", "int laconic_z(...)": ""}"""
        lines = []
        for name, inside in self.structs.items():
            lines.append(f'printf("struct {name}\\tsize %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{m}\\toffset %zu size %zu\\n", offsetof({name}, {m}), sizeof((({name}*)0)->{m}));'
                      for m in inside]
        for inside in self.enums.values():
            lines += [f'printf("{m}\\t= %d\\n", (int){m});' for m in inside]
        facts = dict(line.split("\t") for line in self.run(scratch, lines).splitlines())
        return {**facts, **{words: "" for words in self.functions.values()}}
