"""Starts `loadlog-net` for the checks in a browser, watches the pages that they open, and collects the faults."""

import contextlib
import os
import re
import subprocess
import sys

from chromium import chromium
from playwright.sync_api import expect as see
from playwright.sync_api import sync_playwright

# In milliseconds: what a page shows must come, but a busy machine takes its time.
see.set_options(timeout=60_000)

faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)
        print(f"FAULT {what}", file=sys.stderr)


@contextlib.contextmanager
def serving(net, *words, **environment):
    """The address of a server, without a slash at its end. It must end in order."""
    server = subprocess.Popen([net, *words], stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    try:
        yield re.search(r"http://[^/\s]+", server.stderr.readline()).group()
    finally:
        server.terminate()
        try:
            code = server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            code = None
        expect(code == 0, "SIGTERM ends the server in order")


def watch(page, address, allowed=None):
    """Has all that a page must not do noted as a fault: errors but the allowed one, dialogs, and requests to elsewhere."""
    page.on("console", lambda message: expect(
        message.type != "error" or allowed and allowed in message.text, f"{page.url}: console: {message.text}"))
    page.on("pageerror", lambda error: expect(False, f"{page.url}: script: {error}"))
    page.on("dialog", lambda dialog: (expect(False, f"{page.url}: dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: expect(
        request.url.startswith((f"{address}/", "data:")), f"{page.url}: a request to {request.url}"))


def become_live(page):
    """Waits until a page follows the changes of the record."""
    see(page.locator("#live")).to_have_text("live")


def check(name, steps, *arguments):
    """Calls `steps` with a browser, which is started with some arguments. Returns: the exit code of the program."""
    with sync_playwright() as playwright:
        # Chromium has no sandbox for root, as in a container. The pages are our own.
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", *arguments])
        try:
            steps(browser)
        except Exception as error:  # the browser's own errors name what was awaited
            expect(False, str(error).splitlines()[0])
        finally:
            browser.close()
    print(f"{name}: {len(faults)} faults")
    return 1 if faults else 0
