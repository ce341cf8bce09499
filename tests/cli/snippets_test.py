# SPDX-License-Identifier: BSD-3-Clause
"""Commands in the documents: subcommands and options of `laconic` and ./dev exist, and variables of the environment are known.

    snippets_test.py LACONIC
"""
import functools, os, pathlib, re, shlex, subprocess, sys, unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEV = [sys.executable, str(ROOT / "dev")]
FENCED = re.compile(r"^( *)```[^\n]*\n(.*?)^\1```", re.M | re.S)
INDENTED = re.compile(r"(?:^|\n)\n((?: {4}[^\n]*\n|\n(?= {4}))+)")
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
FORWARDING = ("demo", "bench", "figures", "train", "scale")  # their further arguments go to a script
ASSIGNED = re.compile(r"(?<![-\w])(LACONIC_[A-Z0-9_]+)=('[^']*'|\"[^\"]*\"|[^\s`;)\]]+)")
ELSEWHERE = re.compile(r"LACONIC_(TEST|EMULATOR|DOCS|PTX)_")  # variables of tests, which the library does not read
PLACEHOLDER = re.compile(r"\b[A-Z]+\b|\.\.\.|[<|]")
END = re.compile(r"\s(?:--|\||&&|;|#|>|2>)(?:\s|$)")


def documents():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    names = listed.stdout.split() or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*.md") if "build" not in p.parts]
    # The changelog and design notes also name options that were removed or rejected.
    return [ROOT / name for name in names if not name.startswith(("docs/design/", "CHANGELOG"))]


def snippets(text):
    """Code in a document, without the ends of lines that a backslash continues."""
    text = text.replace("\\\n", " ")
    yield from (found[1] for found in FENCED.findall(text))
    text = FENCED.sub("", text)
    yield from INDENTED.findall(text)
    yield from (" ".join(found.split()) for found in INLINE.findall(text))


def commands(snippet, program):
    """The arguments of every call of the program in a snippet, as far as they are its own."""
    for found in re.finditer(rf"(?:^|[\s$(=])(?:\S*/)?{program} ([^\n]*)", snippet):
        line = END.split(found[1] + " ")[0]
        try:
            yield shlex.split(line, comments=True)
        except ValueError:  # an apostrophe of a sentence
            yield line.split()


@functools.lru_cache(maxsize=None)
def said(*command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    return done.stdout if done.returncode == 0 else None


def options(arguments):
    return {word.split("=")[0] for word in arguments if re.match(r"--?[a-zA-Z]", word)}


def known(text):
    return set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))


class Snippets(unittest.TestCase):
    def check(self, program, command, elsewhere=()):
        seen = 0
        for path in documents():
            for snippet in snippets(path.read_text()):
                for arguments in commands(snippet, program):
                    if not arguments or not re.fullmatch(r"[a-z]+", arguments[0]):
                        continue
                    with self.subTest(document=str(path.relative_to(ROOT)), arguments=arguments):
                        text = said(*command, arguments[0])
                        self.assertIsNotNone(text, "there is no such command")
                        seen += 1
                        if arguments[0] not in elsewhere:
                            self.assertLessEqual(options(arguments[1:]), known(text))
        self.assertGreater(seen, 20)

    def test_laconic(self):
        self.check("laconic", [LACONIC])

    def test_dev(self):
        self.check(r"\./dev", DEV, FORWARDING)

    def test_variables(self):
        tried = set()
        for path in documents():
            for snippet in snippets(path.read_text()):
                for name, value in ASSIGNED.findall(snippet):
                    value = value.strip("'\"")
                    if ELSEWHERE.match(name) or PLACEHOLDER.search(value) or (name, value) in tried:
                        continue
                    tried.add((name, value))
                    with self.subTest(document=str(path.relative_to(ROOT)), variable=f"{name}={value}"):
                        done = subprocess.run([LACONIC, "info"], capture_output=True, text=True, timeout=60, env={**os.environ, name: value})
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(len(tried), 20)

    def test_finds_what_is_wrong(self):
        text = "Call `laconic run --no-such x -- app` or\n\n    mpiexec -n 2 \\\n      laconic bench --bytes 1M | tee x --y\n\n"
        found = [a for snippet in snippets(text) for a in commands(snippet, "laconic")]
        self.assertEqual(found, [["bench", "--bytes", "1M"], ["run", "--no-such", "x"]])
        self.assertFalse(options(found[1]) <= known("  -h,--help\n  --bound TEXT"))
        self.assertIsNone(said(LACONIC, "nosuch"))


if __name__ == "__main__":
    LACONIC = sys.argv.pop(1)
    unittest.main()
