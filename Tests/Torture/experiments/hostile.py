"""Attacks the server as a page of another site, and with texts that act in browsers; nothing may act, and no key may show.

Requests by other names, from other origins and with two hosts must be refused. Hostile texts reach the record by the command
line and as pings: bodies, names of clients, names of feeds. A browser opens the page that shows them, and watches a change.
The key of pings must be in nothing that the server or its process shows.
"""

import json
import os
import pathlib
import subprocess
import sys

import bench as torture
from experiments.hostile_text import TEXTS, Stage
from outcome import Outcome
from server import Server, statuses

PAGE = torture.ROOT / "Tests" / "Scripts" / "hostile_page.py"
# Texts that act in a page if it shows them as they are.
ACTING = ["<script>window.acted = 1</script>", '<img src="x" onerror="window.acted = 1">', "<iframe src=javascript:alert(1)></iframe>"]
# One that comes while the page is open.
NEW = '<img src="new" onerror="window.acted = 1">'


def run(bench):
    outcome = Outcome()
    stage = Stage(bench, outcome, "hostile", TEXTS + ACTING)
    stage.record()
    with Server(bench, stage.store) as server:
        attack = Attack(bench, server, outcome)
        attack.by_other_sites()
        attack.by_names()
        attack.by_texts()
        attack.in_a_browser()
        attack.for_the_key()
        if server.end() != 0:
            outcome.fail("the server did not end in order")
    raw = bench.folder / "raw.html"
    raw.write_text("<!doctype html><meta charset=utf-8>" + "".join(f"<p>{text}</p>" for text in ACTING + TEXTS))
    found = opened(raw.as_uri())
    outcome.is_void = not found["acted"] or not found["dialogs"]
    outcome.control = f"unescaped, {len(found['dialogs'])} dialogs open" + (", and scripts act" if found["acted"] else "")
    return outcome


def opened(address, *change):
    """What acts on a page in a browser, also after a change: the text that it brings, and the command that makes it."""
    python = os.environ.get("LOADLOG_PYTHON", sys.executable)
    done = subprocess.run([python, PAGE, address, *change], capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


class Attack:
    def __init__(self, bench, server, outcome):
        self.bench, self.server, self.outcome = bench, server, outcome
        self.answers = []

    def check(self, holds, fault):
        self.outcome.tried += 1
        self.outcome.survived += bool(holds)
        if not holds:
            self.outcome.fail(fault)

    def ask(self, *request, **more):
        status, answer = self.server.ask(*request, **more)
        self.answers.append(answer)
        return status, answer

    @property
    def loads(self):
        return len(self.bench.ask(self.server.store, "history", "--limit", "all")["loads"])

    def by_other_sites(self):
        port, before = self.server.port, self.loads
        for host in ("evil.test", f"evil.test:{port}", f"127.0.0.1.evil.test:{port}", f"127.0.0.1@evil.test:{port}", "127.0.0.1",
                     f"127.0.0.1:{port}.evil.test", f"[::ffff:127.0.0.1]:{port}", f"2130706433:{port}", f"127.1:{port}", f"localhost.:{port}"):  # fmt: skip
            for door in ("/", "/events", "/metrics", "/api/v1/history", f"/ping/{self.server.key}/seed"):
                status, _ = self.ask(door, host=host)
                self.check(status == 421, f"Host {host}, {door}: {status}")
        for fields in ((f"Host: 127.0.0.1:{port}",), ("Host: evil.test",), ("host: evil.test",)):
            status, _ = self.ask("/", "GET", *fields)
            self.check(status == 400, f"two hosts: {status}")
        # Of a whole address as the target the server sees the path alone; no browser sends one to a server that is no proxy.
        status, _ = self.ask("http://evil.test/", host="evil.test")
        self.check(status == 421, f"as a proxy for another host: {status}")
        form = ("Content-Type: application/x-www-form-urlencoded", "Origin: http://evil.test", "Sec-Fetch-Site: cross-site")
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            for door in ("/", "/api/v1/status", "/metrics", "/ping/x/seed", "/healthz"):
                status, _ = self.ask(door, method, *form, body=b"feed=seed&create=1")
                self.check(status in (404, 405, 413), f"{method} {door} from another site: {status}")
        for door in ("/", "/api/v1/status", "/metrics", "/events/x"):
            _, answer = self.ask(door, "OPTIONS", "Origin: http://evil.test", "Access-Control-Request-Method: POST")
            _, plain = self.ask(door, "GET", "Origin: http://evil.test")
            self.check(b"access-control" not in (answer + plain).lower(), f"{door} allows other origins")
        self.check(self.loads == before, "another site has recorded loads")

    def by_names(self):
        """Names that try to end a header or a line."""
        for name in ("a%0d%0aX-Evil:%201", "a%0aX", "%c3%a4", "%e2%80%ae", "a%00b", "%1b[2J", "a%20b", "%3cb%3e", "%22", "a%2f..%2fb"):
            for target in (f"/ping/{self.server.key}/{name}?create=1", f"/api/v1/status?feed={name}", f"/api/v1/feeds/{name}/last-updated",
                           f"/api/v1/history?grep={name}&state={name}", f"/{name}", f"/?{name}"):  # fmt: skip
                status, answer = self.ask(target)
                head = answer.partition(b"\r\n\r\n")[0]
                self.check(b"evil" not in head.lower() and b"\x1b" not in answer and b"\0" not in answer and len(statuses(answer)) == 1,
                           f"{target}: {answer[:300]!r}")  # fmt: skip
                self.check(status in (200, 400, 404), f"{target}: {status}")

    def by_texts(self):
        for number, text in enumerate(TEXTS + ACTING):
            place, body = f"pinged{number % 9}/{'fail' if number % 2 else 3}?create=1", text.encode("utf-8", "replace")
            agent = "User-Agent: " + text.replace("\r", " ").replace("\n", " ").replace("\0", " ")
            status, _ = self.server.ping(place, body, agent)
            # A parser may refuse the header; the body alone must be taken.
            self.check(status in (200, 201, 400), f"a ping of {text!r}: {status}")
            status, _ = self.server.ping(place, body)
            self.check(status in (200, 201), f"a ping of {text!r}: {status}")

    def in_a_browser(self):
        more = [self.bench.loadlog, "run", NEW, f"--message={ACTING[0]}", "--db", self.server.store, "--", "false"]
        found = opened(f"http://127.0.0.1:{self.server.port}/", NEW, *(str(word) for word in more))
        for kind in ("dialogs", "errors", "requests", "violations"):
            self.check(not found[kind], f"the page: {kind} {found[kind][:3]}")
        self.check(not found["acted"], "a script from a text has run")
        self.check(all(text in found["text"] for text in (*ACTING[:2], NEW)), "the page does not show the texts")

    def for_the_key(self):
        key, process = self.server.key, pathlib.Path(f"/proc/{self.server.process.pid}")
        for door in ("/", "/metrics", "/healthz", "/api/v1/status", "/api/v1/history?limit=all", "/api/v1/unbalanced", "/nothing", "/report.js"):
            self.ask(door)
        for place in ("seed/300", "Seed", "seed?rid=x", "unknown", "seed/start/x", "seed"):
            self.answers.append(self.server.ping(place)[1])
        # An answer repeats nothing of the address.
        self.ask(f"/ping/{key}x/seed")
        self.ask(f"/pong/{key}/seed")
        self.ask(f"/ping/{key}/seed", "PATCH")
        self.ask(f"/ping/{key}/seed", host="evil.test")
        answers = [answer for answer in self.answers if key.encode() in answer]
        self.check(not answers, f"the key is in an answer: {answers[:1]}")
        shown = {name: (process / name).read_bytes() for name in ("cmdline", "environ", "comm")}
        shown["the log"] = self.server.errors.read_bytes()
        for verb in (["history", "--limit", "all", "--json"], ["report", "-o", "-"], ["doctor"], ["export", "--format", "ndjson"]):
            done = subprocess.run([self.bench.loadlog, *verb, "--db", self.server.store], capture_output=True)
            shown[verb[0]] = done.stdout + done.stderr
        for file in self.server.store.parent.glob(self.server.store.name + "*"):
            if not file.name.endswith("-ping-keys"):
                shown[file.name] = file.read_bytes()
        for name, bytes_ in shown.items():
            self.check(key.encode() not in bytes_, f"the key is in {name}")
