# SPDX-License-Identifier: BSD-3-Clause
"""Links between the files of the repository: every relative link of a Markdown file names a file that is there, and its
anchor a heading of that file, spelled as GitHub spells it."""
import posixpath, re, urllib.parse

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
ITEM = re.compile(r"\s*([-*+]|\d+[.)])\s")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"\[(?:[^\[\]]|!?\[[^\[\]]*\](?:\([^()]*\))?)*\]\(\s*<?([^()<>\s]*(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
IMAGE = re.compile(r"!\[[^\[\]]*\]\(\s*([^()\s]+)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+(\S+)", re.M)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$", re.M)
ANCHOR = re.compile(r"<\w+\b[^>]*\b(?:id|name)=[\"']([^\"']+)[\"']")


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def prose(text):
    """The text with its blocks of code emptied; lines keep their numbers."""
    lines, fence, code, listed, empty = [], None, False, False, True
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            lines.append("")
            if mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
                fence = None
            continue
        if mark:
            lines.append("")
            fence, empty = mark.group(1), True
            continue
        if line.strip():
            # In a list, four spaces make a paragraph of an item.
            code = line.startswith("    ") and (code or empty) and not listed
            if not line.startswith(" "):
                listed = bool(ITEM.match(line))
        empty = not line.strip()
        lines.append("" if code else line)
    return "\n".join(lines)


def targets(text):
    """Pairs of line and target, of links and pictures."""
    text = CODE.sub(lambda match: blank(match.group()), prose(text))
    found = {(match.start(1), match.group(1)) for form in (LINK, IMAGE, DEFINITION) for match in form.finditer(text)}
    return [(text.count("\n", 0, place) + 1, target) for place, target in sorted(found) if target]


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text):
    text, found, counts = prose(text), set(), {}
    for heading in HEADING.findall(text):
        name = slug(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        count = counts[name] = counts.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found | set(ANCHOR.findall(text))


def local(target):
    """(path, anchor) of a link within the repository, None for one that leads elsewhere."""
    parts = urllib.parse.urlsplit(target)
    return None if parts.scheme or parts.netloc else (urllib.parse.unquote(parts.path), urllib.parse.unquote(parts.fragment))


def resolve(page, path):
    """A path as a page has it, relative to the repository; both with forward slashes."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page


def check(root, names):
    """Problems of the Markdown files among names, all files of the repository, relative to root."""
    names, known, problems = set(names), {}, []
    places = names | {"."}
    for name in names:
        while name := posixpath.dirname(name):
            places.add(name)

    def anchors_of(page):
        if page not in known:
            known[page] = anchors((root / page).read_text())
        return known[page]

    for page in sorted(name for name in names if name.endswith(".md")):
        for line, target in targets((root / page).read_text()):
            where = local(target)
            if not where:
                continue
            path, anchor = where
            goal = resolve(page, path)
            if path.startswith("/") or goal not in places:
                problems.append(f"{page}:{line}: {target}: there is no such file")
            elif anchor and not goal.endswith(".md"):
                problems.append(f"{page}:{line}: {target}: only Markdown files have anchors")
            elif anchor and anchor not in anchors_of(goal):
                problems.append(f"{page}:{line}: {target}: there is no such heading")
    return problems
