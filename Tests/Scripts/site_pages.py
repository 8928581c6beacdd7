"""Opens pages of the documentation site in a browser, narrow and dark, then wide and light, and prints the faults.

    site_pages.py SITE SCREENSHOTS

Serves the site in a folder of a server, as a host of project pages does. Needs the packages playwright and
axe-playwright-python, and a Chromium. Exits 1 if anything is wrong.
"""

import contextlib
import functools
import http.server
import pathlib
import sys
import tempfile
import threading

from accessibility import violations
from served import check, expect, see, watch

PAGES = ["index", "Docs/Promises", "Docs/Recipes/README", "Benchmarks/RESULTS", "LICENSE", "manual/index",
         "manual/loadlog-run.1"]  # fmt: skip
# Pages of the Swift reference, with their headings.
REFERENCE = {"": "LoadLog", "loadlogcore/": "LoadLogCore", "loadlogcore/whataverdictmeans/": "What a verdict means",
             "loadlogtracing/loadtracer/": "LoadTracer"}  # fmt: skip


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def look(page, name, screenshots):
    size = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    expect(size[0] <= size[1], f"{name}: {size[0]} wide in {size[1]}")
    page.screenshot(path=screenshots / f"site-{name.replace('/', '-')}.png", full_page=True)


def open_pages(context, address, kind, screenshots):
    page = context.new_page()
    watch(page, address)
    page.on("response", lambda answer: expect(answer.ok or answer.status == 304, f"{answer.status}: {answer.url}"))
    for name in PAGES:
        page.goto(f"{address}/{name}.html")
        for violation in violations(page):
            expect(False, f"{name}, {kind}: {violation}")
        look(page, f"{name}-{kind}", screenshots)
    for name, heading in REFERENCE.items():
        page.goto(f"{address}/reference/documentation/{name}")
        see(page.get_by_role("heading", level=1)).to_have_text(heading)
        look(page, f"reference-{name}{kind}", screenshots)
    page.get_by_role("main").get_by_role("link", name="LoadLogTracing").first.click()
    see(page.get_by_role("heading", level=1)).to_have_text("LoadLogTracing")
    page.get_by_role("link", name="guides and manual").click()
    see(page).to_have_url(f"{address}/index.html")


def main():
    site, screenshots = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    screenshots.mkdir(parents=True, exist_ok=True)

    def steps(browser):
        with tempfile.TemporaryDirectory(prefix="loadlog-") as folder:
            (pathlib.Path(folder) / "loadlog").symlink_to(site)
            with serving(folder) as server:
                for scheme, width in (("dark", 390), ("light", 1280)):
                    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                    open_pages(context, f"{server}/loadlog", f"{scheme}-{width}", screenshots)
                    context.close()

    return check("the documentation site", steps)


if __name__ == "__main__":
    sys.exit(main())
