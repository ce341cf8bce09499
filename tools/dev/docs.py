# SPDX-License-Identifier: BSD-3-Clause
"""./dev docs: the documentation site, which mkdocs.yml describes; and that its pages fetch nothing from elsewhere."""
import os, re

from . import needs
from .steps import ROOT, Failed, run, say

SITE = ROOT / "build" / "docs"
LIMIT = 300  # seconds
# What a browser fetches when it opens a page. Links, which a reader has to follow, may lead anywhere.
FETCHED = [re.compile(pattern, re.I | re.S) for pattern in (
    r"<(?:script|img|iframe|source|video|audio|embed|input|use|image)\b[^>]*?\s(?:src|srcset|href|xlink:href)\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]+)",
    r"<(?:link\b[^>]*?\shref|object\b[^>]*?\sdata)\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]+)",
    r"(?:url\(|@import)\s*[\"']?\s*((?:https?:)?//[^\"'\s)]+)")]


def elsewhere(site):
    """Addresses outside of the site that its pages and style sheets fetch by themselves, with the file."""
    found = []
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css", ".svg"):
            text = path.read_text()
            found += [f"{path.relative_to(site)}: fetches {match.group(1)}" for form in FETCHED for match in form.finditer(text)]
    return found


def command():
    # The theme warns of the next version of MkDocs and of its own end; needs.py keeps to versions that work together.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    run("docs: mkdocs", [needs.PYTHON, "-m", "mkdocs", "build", "--strict", "--clean"], LIMIT, environment)
    problems = elsewhere(SITE)
    if problems:
        raise Failed("the site must not fetch anything from elsewhere:\n" + "\n".join(problems))
    say(f"built: {(SITE / 'index.html').relative_to(ROOT)}")
    return 0
