# SPDX-License-Identifier: BSD-3-Clause
"""Which files of the repository are pages of the documentation site: a hook of MkDocs, which mkdocs.yml names.

MkDocs takes the files of one folder. Here every Markdown file of the repository is a page at its own path, with the
pictures beside it, so that files stay where they are and links between them hold as they are written. A link to a file of
another kind leads to a page that shows the file.
"""
import pathlib, sys

from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from dev.checks import tracked  # noqa: E402
from lint import links  # noqa: E402

PICTURES = (".png", ".svg")
ASSETS = "tools/docs/"  # what the theme is given
LANGUAGES = {".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".inl": "cpp", ".def": "cpp", ".py": "python", ".json": "json", ".cff": "yaml"}


def is_reference(name):
    """Whether a file is read for its own sake: it has a page without being linked, and the search finds it."""
    return name.startswith(("include/laconic/", "docs/educational/"))


def shown(names):
    """Files that have a page which shows them."""
    found = {name for name in names if is_reference(name)}
    for page in names:
        if page.endswith(".md"):
            goals = (links.local(target) for _, target in links.targets((ROOT / page).read_text()))
            found |= {links.resolve(page, goal[0]) for goal in goals if goal}
    return sorted(name for name in found & set(names) if not name.endswith((".md", *PICTURES)))


def show(name):
    """The page of a file."""
    path, text = pathlib.PurePosixPath(name), (ROOT / name).read_text()
    search = "boost: 0.3" if is_reference(name) else "exclude: true"  # after the pages of prose
    return (f"---\nsearch:\n  {search}\n---\n\n# {path.name}\n\n`{name}`\n\n"
            f"``````{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n``````\n")


class Links(Treeprocessor):
    """Turns links to files into links to the pages that show them. A folder without a page is named, and not linked."""

    page = ""  # whose Markdown is converted
    names = frozenset()  # all files of the repository
    pages = frozenset()

    def run(self, root):
        for link in root.iter("a"):
            goal = links.local(link.get("href", ""))
            if not goal or not goal[0]:
                continue
            path, name = goal[0], links.resolve(self.page, goal[0])
            if name in self.pages:
                continue
            if name + ".md" in self.pages:
                link.set("href", path + ".md")
            elif name + "/README.md" in self.pages:
                link.set("href", path.rstrip("/") + "/README.md")
            elif any(other.startswith(name + "/") for other in self.names):
                link.tag = "span"
                link.attrib.clear()


class LinksExtension(Extension):
    def extendMarkdown(self, md):
        md.treeprocessors.register(Links(md), "files", 2)  # before MkDocs checks the links, with priority 0


def on_config(config):
    config.markdown_extensions.append(LinksExtension())
    # Anchors as GitHub spells them: the files are read there, too.
    config.mdx_configs.setdefault("toc", {})["slugify"] = lambda text, separator: links.slug(text)
    return config


def on_files(files, config):
    for file in list(files):
        if file.src_dir == config.docs_dir:
            files.remove(file)
    names = tracked()
    for name in names:
        if name.endswith((".md", *PICTURES)) or name.startswith(ASSETS) and name.endswith((".js", ".css")):
            files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    for name in shown(names):
        files.append(File.generated(config, name + ".md", content=show(name)))
    Links.names = frozenset(names)
    Links.pages = frozenset(file.src_uri for file in files)
    return files


def on_page_markdown(markdown, page, config, files):
    Links.page = page.file.src_uri
    return markdown
