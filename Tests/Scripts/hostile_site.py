#!/usr/bin/env python3
"""Attacks `loadlog-net serve` in a browser: from pages of another site, and by texts that act. Prints the faults.

    hostile_site.py LOADLOG LOADLOG-NET TEXTS

Both are built programs; TEXTS is the file of texts that LoadLogReportFixture writes. The other site is evil.test, a name that
leads the browser to this machine. Needs the packages playwright and axe-playwright-python, and a Chromium.
"""

import http.server
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from hostile_page import TOUCH
from served import check, expect, serving, watch

SECRET = "secret-feed"
DOORS = ["/", f"/feeds/{SECRET}", "/events", "/api/v1/status", "/api/v1/history", "/api/v1/unbalanced", "/api/v1/openapi.json",
         f"/api/v1/feeds/{SECRET}/last-updated", "/metrics", "/healthz", "/demo", "/demo/events", "/report.js", "/report.css"]
LINE = '{"event":"push","at":"2026-11-20T09:00:06Z","feed":"from-elsewhere"}'
# What a page can send, by the door that takes it.
WRITES = {"/api/v1/import": LINE, "/v1/traces": '{"resourceSpans":[]}', "/session": "token=x", "/demo/gestures": '{"push":{}}'}
# Asks a door and reads the beginning of the answer.
READ = """async ([address, options]) => {
  try {
    const answer = await fetch(address, options);
    const part = answer.body && await answer.body.getReader().read();
    return [answer.status, new TextDecoder().decode(part ? part.value : undefined)];
  } catch (error) {
    return [0, String(error)];
  }
}"""
# Embeds a door as some element. Returns: whether that worked.
EMBED = """([kind, address]) => new Promise((resolve) => {
  const one = document.createElement(kind);
  one.onload = () => resolve(true);
  one.onerror = () => resolve(false);
  one.rel = 'stylesheet';
  one[kind === 'link' ? 'href' : 'src'] = address;
  document.body.append(one);
})"""
LISTEN = """(address) => new Promise((resolve) => {
  const events = new EventSource(address);
  events.onopen = () => resolve(true);
  events.onerror = () => { events.close(); resolve(false); };
})"""
FORM = """<!doctype html><form method="post" enctype="{kind}" action="{action}"><input name='{name}' value='{value}'></form>
<script>addEventListener('load', () => document.forms[0].submit())</script>"""


class Attack:
    def __init__(self, loadlog, browser, folder):
        self.loadlog, self.browser = loadlog, browser
        self.store = str(pathlib.Path(folder) / "loads.db")
        self.run(SECRET, "true")

    def run(self, feed, *command, options=()):
        self.call("run", feed, "--db", self.store, "-q", *options, "--", *command)

    def call(self, *words):
        """Runs loadlog, which may fail: not all texts are names."""
        return subprocess.run([self.loadlog, *words], check=False, capture_output=True, text=True).stdout

    @property
    def record(self):
        return self.call("export", "--db", self.store)

    def by_another_name(self, address):
        """A page whose name comes to mean this machine after the browser has loaded it: its requests have one origin."""
        before = self.record
        evil = address.replace("127.0.0.1", "evil.test")
        page = self.browser.new_page()
        page.route(f"{evil}/bait", lambda route: route.fulfill(body="<!doctype html>bait", content_type="text/html"))
        page.goto(f"{evil}/bait")
        for door in DOORS:
            status, text = page.evaluate(READ, [evil + door, {}])
            expect(status == 421 and SECRET not in text, f"another name reads {door}: {status} {text[:80]}")
        for door, body in WRITES.items():
            for kind in ("application/json", "application/x-ndjson", "application/x-www-form-urlencoded"):
                options = {"method": "POST", "body": body, "headers": {"Content-Type": kind}}
                status, text = page.evaluate(READ, [evil + door, options])
                expect(status == 421, f"another name writes to {door}: {status} {text[:80]}")
        answer = page.goto(f"{evil}/")
        expect(answer.status == 421 and SECRET not in page.content(), f"another name shows the page: {answer.status}")
        expect(self.record == before, "another name has changed the record")
        page.context.close()

    def by_another_site(self, address, site):
        """A page of another origin."""
        before = self.record
        page = self.browser.new_page()
        page.goto(f"{site}/")
        expect(page.evaluate(READ, [f"{site}/", {}])[0] == 200, "a page of the other site can read its own site")
        for door in DOORS:
            for options in ({}, {"credentials": "include"}, {"mode": "no-cors"}):
                status, text = page.evaluate(READ, [address + door, options])
                expect(status == 0 and not text.count(SECRET), f"another site reads {door} {options}: {status} {text[:80]}")
            for kind in ("img", "script", "link"):
                expect(not page.evaluate(EMBED, [kind, address + door]), f"another site embeds {door} as {kind}")
        for door in ("/events", "/demo/events"):
            expect(not page.evaluate(LISTEN, address + door), f"another site listens to {door}")
        for door in ("/", f"/feeds/{SECRET}", "/demo", "/metrics"):
            page.evaluate(EMBED, ["iframe", address + door])
        for frame in page.frames[1:]:
            frame.wait_for_url(re.compile("^chrome-error:"), wait_until="commit")
        expect(len(page.frames) == 5, f"another site has {len(page.frames) - 1} frames")

        for door, body in WRITES.items():
            for options in ({"mode": "no-cors"}, {"mode": "no-cors", "credentials": "include"},
                            {"headers": {"Content-Type": "application/json"}}):
                status, text = page.evaluate(READ, [address + door, {"method": "POST", "body": body, **options}])
                expect(status == 0, f"another site writes to {door}: {status} {text[:80]}")
            for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
                # As plain text, a form can write JSON: the value ends what the name begins.
                page.route(f"{site}/form", lambda route, kind=kind, door=door, body=body: route.fulfill(
                    content_type="text/html",
                    body=FORM.format(kind=kind, action=address + door, name=body[:-1] + ',"x":"', value='"}')))
                with page.expect_response(lambda answer: answer.request.method == "POST") as answer:
                    page.goto(f"{site}/form")
                expect(answer.value.status == 403, f"a form of another site, {kind}, {door}: {answer.value.status}")
                page.unroute(f"{site}/form")
                page.goto(f"{site}/")
        expect(self.record == before, "another site has changed the record")
        # What is refused there is possible here; otherwise nothing is proven.
        page.goto(f"{address}/")
        options = {"method": "POST", "body": LINE, "headers": {"Content-Type": "application/x-ndjson"}}
        expect(page.evaluate(READ, ["/api/v1/import", options])[0] == 200, "a page of the server cannot write either")
        expect(self.record != before, "a page of the server has written nothing")
        page.context.close()

    def by_texts(self, address, key, texts):
        """Texts in all fields, on all pages."""
        for number, text in enumerate(texts):
            options = ["--keep-output", f"--message={text}", f"--tag={text[:200]}", f"--call-site={text}"]
            for feed in (text, "told"):
                self.run(feed, "sh", "-c", 'printf "%s\\n" "$1"; printf "%s\\n" "$1" >&2; exit 3', "sh", text, options=options)
            for verb in (["push", "--detached"], ["pop"]):
                self.call(*verb, f"--call-site={text}", "--db", self.store, "--", text)
            for place in ("start", "start", "fail"):
                ping = urllib.request.Request(f"{address}/ping/{key}/pinged-{number}/{place}?create=1", data=text.encode())
                ping.add_header("User-Agent", text.encode().decode("latin-1"))
                urllib.request.urlopen(ping).close()

        page = self.browser.new_page()
        watch(page, address)
        lines = [json.loads(line) for line in self.record.splitlines()]
        names = [line["feed"] for line in lines if line["event"] == "feed"]
        expect(len(names) > 2 * len(texts) - 5, f"only {len(names)} feeds")
        for text in texts:
            self.open(page, f"{address}/?feed={urllib.parse.quote(text)}")
            expect(page.get_by_role("searchbox").input_value() == text, f"a search does not show {text!r}")
        for name in names:
            self.open(page, f"{address}/feeds/{urllib.parse.quote(name, safe='')}")
            expect(page.locator("h1").text_content() == name, f"the page of {name!r} has another name")
        self.open(page, f"{address}/feeds/told")
        shown = page.locator("main").text_content()
        for text in texts:
            expect(text[:60] in shown, f"missing from the page of a feed: {text!r}")
        self.open(page, f"{address}/demo")
        self.open(page, f"{address}/")
        shown = page.locator("main").text_content()
        for name in names:
            expect(name in shown, f"missing from the page of all feeds: {name!r}")
        # A change brings them again, by the script.
        before = page.locator("main").inner_html()
        self.run(texts[1], "false", options=[f"--message={texts[0]}"])
        page.wait_for_function("before => document.querySelector('main').innerHTML !== before", arg=before)
        self.touch(page)
        page.context.close()

    def open(self, page, address):
        page.goto(address)
        self.touch(page)

    def touch(self, page):
        page.evaluate(TOUCH)
        expect(page.evaluate("window.acted === undefined"), f"a text ran as code at {page.url}")

    def by_tokens(self, address, texts):
        """Texts instead of the token."""
        page = self.browser.new_page()
        watch(page, address, allowed="status of 401")
        for text in texts:
            page.goto(f"{address}/?feed={urllib.parse.quote(text)}")
            page.get_by_label("Token", exact=True).fill(text[:60])
            page.keyboard.press("Enter")
            page.get_by_role("alert").wait_for()
            self.touch(page)
        page.context.close()


class OtherSite(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """A browser that does not wait for an answer is no fault."""


class Bait(http.server.BaseHTTPRequestHandler):
    """A page of the other site."""

    def do_GET(self):
        body = b"<!doctype html><title>bait</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    loadlog, net, texts = sys.argv[1:]
    texts = json.loads(pathlib.Path(texts).read_text(encoding="utf-8"))

    def steps(browser):
        with tempfile.TemporaryDirectory() as folder:
            attack = Attack(loadlog, browser, folder)
            serve = [net, "serve", "--db", attack.store, "--listen", "127.0.0.1:0"]
            site = OtherSite(("127.0.0.1", 0), Bait)
            threading.Thread(target=site.serve_forever).start()
            try:
                with serving(*serve) as address:
                    attack.by_another_name(address)
                    attack.by_another_site(address, f"http://evil.test:{site.server_port}")
                    key = re.search(r"^\w{20,}$", pathlib.Path(f"{attack.store}-ping-keys").read_text(), re.M).group()
                    attack.by_texts(address, key, texts)
                with serving(*serve, "--behind-proxy", "--token-file", str(pathlib.Path(folder) / "token")) as address:
                    attack.by_tokens(address, texts)
            finally:
                site.shutdown()
                site.server_close()

    # Newer Chromiums ask the user before a page of a public site reaches this machine. Other browsers do not.
    return check(
        "the hostile site", steps, "--host-resolver-rules=MAP evil.test 127.0.0.1",
        "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests")


if __name__ == "__main__":
    sys.exit(main())
