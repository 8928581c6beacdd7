"""Checks that links between documents lead somewhere, and that the places that CONTRIBUTING names exist.

    document_links.py

Reads the Markdown files at the top and below Docs and Benchmarks. Checks relative links with their anchors, and in CONTRIBUTING
each path in backticks that begins with a folder of the project. Prints a line for each that leads nowhere, and exits 1 if
there are any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = re.compile(r"`((?:Sources|Migrations|Tests|Benchmarks|Docs)/[^`\s]*)`")


def main():
    pages = [*ROOT.glob("*.md"), *(page for folder in ("Docs", "Benchmarks") for page in (ROOT / folder).rglob("*.md"))]
    # What the benchmarks use is built there.
    pages = [page for page in pages if ".build" not in page.relative_to(ROOT).parts]
    found = [fault for page in sorted(pages) for fault in faults(page)]
    for page, line, target in found:
        print(f"{page.relative_to(ROOT)}:{line}: {target} does not exist")
    print(f"links: {len(found)} lead nowhere" if found else "links: each leads somewhere")
    return 1 if found else 0


def faults(page):
    for number, text in lines(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"[a-z]+:", target) and not leads_somewhere(page, target):
                yield page, number, target
        if page.name == "CONTRIBUTING.md":
            for place in PLACE.findall(text):
                # FORMAT and NAME stand for a name of the reader's choice.
                if not re.search(r"[A-Z]{4,}$|0002_", place) and not (ROOT / place).exists():
                    yield page, number, place


def leads_somewhere(page, target):
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return False
    return not anchor or anchor in {slug(text) for _, text in lines(file) if text.startswith("#")}


def lines(page):
    """The numbered lines that are not in a block of code."""
    in_code = False
    for number, text in enumerate(page.read_text().split("\n"), 1):
        if text.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code:
            yield number, text


def slug(heading):
    """The anchor that GitHub gives a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.lstrip("#").strip().lower())
    return text.replace(" ", "-")


if __name__ == "__main__":
    sys.exit(main())
