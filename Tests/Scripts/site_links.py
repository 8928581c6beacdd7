"""Checks that each link in the documentation site leads to a page, picture, script or anchor of it.

    site_links.py SITE

Links to other sites are not followed. The pages of the Swift reference fetch their links from files of data. Prints a line
for each link that leads nowhere, and exits 1 if there are any.
"""

import functools
import html.parser
import json
import pathlib
import re
import sys


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id":
                self.anchors.add(value)


@functools.cache
def parsed(page):
    return Page(page.read_text())


def page_faults(site, page):
    for target in parsed(page).links:
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        # An absolute path leads out of the site.
        file = (page.parent / path).resolve() if path else page
        if path.endswith("/"):
            file /= "index.html"
        is_there = not path.startswith("/") and site in file.parents and file.is_file()
        if not is_there or anchor and anchor not in parsed(file).anchors:
            yield page, target


def reference_faults(reference):
    for file in sorted(reference.glob("data/**/*.json")):
        for entry in json.loads(file.read_text()).get("references", {}).values():
            target = entry.get("url", "")
            if target.startswith("/") and not (reference / target[1:].partition("#")[0] / "index.html").is_file():
                yield file, target


def main(site):
    found = [fault for page in sorted(site.rglob("*.html")) for fault in page_faults(site, page)]
    found += reference_faults(site / "reference")
    for page, target in found:
        print(f"{page.relative_to(site)}: {target} leads nowhere")
    print(f"links of the site: {len(found)} lead nowhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
