"""Builds the documentation site: the documents, the manual, and the reference of all libraries, in one folder.

    build.py SITE REFERENCE MANUAL VERSION

SITE is the folder to write. REFERENCE is a combined DocC archive, MANUAL a folder of the pages that ArgumentParser has
generated, VERSION that of the program. A page has the path that its source has in the project; README is the first page.
All links are relative, so the site can be in any folder of a web server.
"""

import html
import pathlib
import re
import shutil
import string
import subprocess
import sys
import tempfile

from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path += [str(ROOT / "Tests/Scripts"), str(ROOT / "Packaging")]

from document_links import slug  # noqa: E402
from manual import mend_pages  # noqa: E402

TEMPLATE = string.Template((HERE / "page.html").read_text())
REFERENCE_HEADER = string.Template((HERE / "reference-header.html").read_text())
PICTURES = (".png", ".svg")
ARTICLE = re.compile(r"Sources/(\w+)/\w+\.docc/(\w+)\.md")


class Site:
    """A folder of pages. Its paths are relative to it, those of sources to the project."""

    def __init__(self, folder):
        self.folder = folder
        self.markdown = MarkdownIt("commonmark").enable("table").use(anchors_plugin, max_level=6, slug_func=slug)

    def write(self, path, title, content):
        """Writes a page in the template."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * path.count("/")
        # What is wider than the page scrolls, also by keyboard.
        content = content.replace("<pre>", '<pre tabindex="0">')
        content = re.sub(r"(?s)<table>.*?</table>", r'<div class="wide" tabindex="0">\g<0></div>', content)
        file.write_text(TEMPLATE.substitute(title=html.escape(title), root=root, content=content))

    def add_documents(self, sources):
        """Writes Markdown files as pages, and everything in the project that they link to."""
        waiting, added = list(sources), set()
        while waiting:
            source = waiting.pop()
            if source in added:
                continue
            added.add(source)
            if source.suffix in PICTURES:
                copy = self.folder / source.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
            else:
                waiting += self._add_document(source)

    def _add_document(self, source):
        """Writes a page. Returns: the sources that it links to."""
        tokens, linked = self.markdown.parse(markdown_of(source)), []
        title = next(inner.content for token, inner in zip(tokens, tokens[1:]) if token.tag == "h1")
        for link in (child for token in tokens for child in token.children or []):
            for attribute in ("href", "src"):
                target = link.attrGet(attribute) or "#"
                path, mark, anchor = target.partition("#")
                if path and not re.match(r"[a-z]+:", target):
                    file = document_at(source.parent / path)
                    if not ARTICLE.match(place_of(file)):
                        linked.append(file)
                    root = "../" * page_of(source).count("/")
                    link.attrSet(attribute, root + page_of(file) + mark + anchor)
        content = self.markdown.renderer.render(tokens, self.markdown.options, {})
        self.write(page_of(source), title if title == "LoadLog" else f"{title} – LoadLog", content)
        return linked

    def add_manual(self, generated, version):
        """Writes the pages of the manual, and their list."""
        entries = ""
        with tempfile.TemporaryDirectory() as folder:
            mend_pages(generated, pathlib.Path(folder), version)
            for page in sorted(pathlib.Path(folder).glob("*.1")):
                command = ["mandoc", "-T", "html", "-O", "fragment,man=%N.%S.html", page]
                content = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                content = re.sub(r'<(/?)h1\b', r"<\1h2", content)
                self.write(f"manual/{page.name}.html", f"{page.stem} – LoadLog", f"<h1>{page.stem}</h1>\n{content}")
                summary = re.search(r"(?m)^\.Nd (.*)$", page.read_text())[1].strip('"')
                entries += f'<tr><td><a href="{page.name}.html">{page.stem}</a></td><td>{html.escape(summary)}</td></tr>\n'
        self.write("manual/index.html", "Manual – LoadLog", f"<h1>Manual</h1>\n<table>\n{entries}</table>")

    def add_reference(self, archive):
        """Copies a DocC archive. Its pages expect to be at the root of a server; the copies find their files by relative links, and
        have a way back to the other pages."""
        reference = self.folder / "reference"
        shutil.copytree(archive, reference)
        for page in reference.rglob("index.html"):
            root = "../" * (len(page.relative_to(reference).parts) - 1) or "./"
            # A page changes its address without being loaded again, and would then look for a relative icon elsewhere.
            text = re.sub('(?<=icon" href=")[^"]*', "data:,", page.read_text()).replace('="/', f'="{root}')
            text = text.replace('var baseUrl = "/"', f'var baseUrl = new URL("{root}", location).pathname')
            page.write_text(re.sub("<body.*?>", rf"\g<0>{REFERENCE_HEADER.substitute(root=root)}", text))
        (reference / "theme-settings.json").write_text("{}")


def document_at(path):
    """The file or folder at a path; README of a folder that has one."""
    path = path.resolve()
    return path / "README.md" if (path / "README.md").exists() else path


def markdown_of(source):
    """A source as Markdown: the list of a folder, a document as it is, and a block of code for any other text."""
    if source.is_dir():
        files = sorted(file.name for file in source.iterdir())
        return f"# {source.name}\n\n" + "".join(f"- [{file}]({source.name}/{file})\n" for file in files)
    if source.suffix == ".md":
        return source.read_text()
    return f"# {source.name}\n\n~~~~~~~~\n{source.read_text()}\n~~~~~~~~\n"


def place_of(source):
    """The path in the project."""
    return source.relative_to(ROOT).as_posix()


def page_of(source):
    """The path of the page of a source, or of a copied picture."""
    place = place_of(source)
    if article := ARTICLE.match(place):
        module, title = (part.lower() for part in article.groups())
        return f"reference/documentation/{module}/" + ("" if title == module else f"{title}/")
    if place == "README.md":
        return "index.html"
    return place if source.suffix in PICTURES else place.removesuffix(".md") + ".html"


def main(folder, archive, manual, version):
    shutil.rmtree(folder, ignore_errors=True)
    site = Site(folder)
    site.add_documents([ROOT / "README.md", *ROOT.glob("Docs/*.md")])
    site.add_manual(manual, version)
    site.add_reference(archive)
    shutil.copy(HERE / "site.css", folder)


if __name__ == "__main__":
    main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:4]), sys.argv[4])
