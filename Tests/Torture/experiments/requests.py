"""Sends mutated requests to the server while loads are recorded; each answer must be in order, and nothing may be lost.

Lines, fields, lengths, escapes and questions of valid requests are changed at random, or replaced with what parsers take
wrong. No answer may be a 5xx but 503, contain the key of pings, or be JSON that cannot be read; the server must go on.
Then schemathesis derives requests from the description that the server has of itself, and compares the answers with it.
"""

import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse
import uuid

from outcome import Outcome
from server import Server, statuses

CLIENTS = 4
DOORS = {
    "/api/v1/status": ["since", "until", "sort", "max-age", "max-running", "busy", "check", "failed", "late", "feed"],
    "/api/v1/history": ["since", "until", "state", "tag", "trace", "grep", "min-duration", "limit", "at", "flips", "feed"],
    "/api/v1/unbalanced": ["since", "until", "feed"],
    "/api/v1/loads/ID": ["feed"],
    "/api/v1/feeds/seed/last-updated": ["since"],
}
OTHERS = [
    "/", "/metrics", "/healthz", "/events/x", "/report.css", "/feeds/seed", "/badge/seed.svg?key=x", "/demo", "/demo/gestures", "/session",
    "/api/v1/openapi.json", "/api/v1/import", "/v1/traces",
]  # fmt: skip
VALUES = [
    "", "0", "-1", "1", "9" * 40, "1e999", "NaN", "7d", "-7d", "yesterday", "2026-02-30", "9999-12-31T23:59:60Z", "*", "?[a-", "[",
    "**/**", "a" * 5000, "%00", "%0d%0aX: y", "%ff%fe", "%e2%82", "%zz", "%", "%u0041", "' OR 1=1 --", '"', "--db=/etc/passwd",
    "-h", "--help", "--", "../../etc/passwd", "%2e%2e%2f", "\\", ";", "&&", "=", "+", "%F0%9F%92%A3" * 50, "e" + "%CC%81" * 500,
    "(" * 1000, "succeeded", "failed", "name", "all", "true", "1" * 19, "%E2%80%AE", "0x7f", "1_000",
]  # fmt: skip
PATHS = [
    "//", "/./", "/../", "/%2e%2e/", "/%2e%2e%2f", "/%00", "/%0d%0a", "/%", "/%zz", "/..;/", "/\\", "/~", "/%c0%ae%c0%ae/", "?", "#",
    "/events/", "/healthz%00", "/metrics//", "*", "http://127.0.0.1/", "//evil.test/", "/" + "a" * 9000, "/" * 4000, "/%25%32%65",
]  # fmt: skip
FIELDS = [
    "Content-Length: 5", "Content-Length: -1", "Content-Length: +5", "Content-Length: 5, 6", "Content-Length: 99999999999999999999",
    "Content-Length: 0x5", "Content-Length:", "Content-Length: 1073741824", "Transfer-Encoding: chunked", "Transfer-Encoding: x, chunked",
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding : chunked", "Transfer-Encoding:\tchunked", "Transfer-Encoding: \x0bchunked",
    "Host: evil.test", "Host:", "host: 127.0.0.1", ": x", "X", "X:" + "y" * 15000, "X: a\x00b", "X: a\rb", " folded: 1", "X: \x7f\x1b[2J",
    "Connection: close, keep-alive", "Connection: Upgrade", "Upgrade: h2c", "Expect: 100-continue", "Expect: x", "TE: trailers",
    "Range: bytes=0-,1-,2-", "Cookie: " + "a=b;" * 500, "If-None-Match: *", "Accept-Encoding: gzip;q=nan", "Origin: null",
    "Content-Type: application/json", "Content-Type: application/x-ndjson", "Content-Encoding: gzip", "Content-Type: multipart/form-data; boundary=", "X-Forwarded-For: 1.1.1.1, " * 100, "User-Agent: \xff\xfe",
]  # fmt: skip
BODIES = [
    b'{"event":"start","at":"2026-11-20T09:00:00Z","feed":"sent"}\n', b'{"resourceSpans":[]}', b"[" * 3000, b"{", b"\x1f\x8b\x08\x00", b"token=x",
]  # fmt: skip
CHUNKS = [b"5\r\nhello\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", b"-1\r\n", b"5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n", b"zz\r\n", b"5\nhello\n0\n\n"]


def run(bench):
    outcome = Outcome()
    with Server(bench, bench.folder / "loads.db") as server:
        writer = Writer(bench, server)
        writer.start()
        seen = attack(bench, server, server.key, bench.times(10_000, 200_000), outcome)
        derived = derive(server, bench.times(150, 3_000), bench.random.getrandbits(32), outcome)
        writer.is_over.set()
        writer.join()
        writer.check(outcome)
        if server.end() != 0:
            outcome.fail("the server did not end in order")
        if server.key.encode() in server.errors.read_bytes():
            outcome.fail("the key is in the log")
    bench.say(f"{outcome.tried:,} requests, {derived:,} of them derived, beside {writer.count} loads; " + counts(seen))
    control = Outcome()
    with Naive() as naive:
        attack(bench, naive, naive.key, 300, control)
    outcome.control = f"{len(control.failures)} faults of a server that trusts its clients"
    outcome.is_void = not control.failures
    return outcome


def attack(bench, server, key, count, outcome):
    """Sends mutated requests from some threads. Returns: how often each status was answered."""
    requests = [mutated(bench.random, server, key) for _ in range(count)]
    lock, seen = threading.Lock(), {}

    def client(own):
        for number, request in enumerate(own):
            answer = server.send(request, seconds=2)
            faults = [*faults_of(answer, key)]
            if number % 100 == 0 and server.ask("/healthz")[0] != 200:
                faults.append("afterwards, the server does not answer")
            with lock:
                for status in statuses(answer) or ["closed"]:
                    seen[status] = seen.get(status, 0) + 1
                outcome.tried += 1
                outcome.survived += not faults
                for fault in faults:
                    outcome.fail(f"{fault}: {request[:300]!r} … {answer[:300]!r}")

    clients = [threading.Thread(target=client, args=(requests[start::CLIENTS],)) for start in range(CLIENTS)]
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    return seen


def derive(server, examples, seed, outcome):
    """Lets schemathesis try the documented doors. Returns: the number of its requests.

    One of its checks is left out: that whatever fits the description is accepted. A time or the name of a feed is a string
    there, and not every string is one."""
    done = subprocess.run(
        [
            pathlib.Path(os.environ["LOADLOG_PYTHON"]).with_name("schemathesis"), "run",
            f"http://127.0.0.1:{server.port}/api/v1/openapi.json", "--max-examples", str(examples), "--seed", str(seed),
            "--exclude-checks", "positive_data_acceptance", "--continue-on-failure", "--request-timeout", "10",
            "--generation-database", "none", "--no-color",
        ],
        stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
    generated = re.search(r"(\d+) generated", done.stdout)
    count = int(generated.group(1)) if generated else 0
    outcome.tried += count
    outcome.survived += count if done.returncode == 0 else 0
    if done.returncode != 0 or not count:
        outcome.fail(f"schemathesis: {(done.stdout + done.stderr)[-3000:]}")
    return count


def faults_of(answer, key):
    for status in statuses(answer):
        if status >= 500 and status != 503:
            yield f"the status is {status}"
    if key.encode() in answer:
        yield "the key is in the answer"
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    if len(statuses(answer)) == 1 and length and b"application/json" in head and len(body) == int(length.group(1)) > 0:
        try:
            json.loads(body)
        except ValueError:
            yield "the JSON cannot be read"


def counts(seen):
    return ", ".join(f"{count:,} × {status}" for status, count in sorted(seen.items(), key=str))


# Mutations.


def mutated(chance, server, key):
    """A request with some faults."""
    rid = uuid.UUID(int=chance.getrandbits(128))
    if chance.random() < 0.4:
        door = chance.choice(list(DOORS))
        pairs = [(chance.choice([*DOORS[door], "x", ""]), chance.choice(VALUES)) for _ in range(chance.randrange(1, 4))]
        target, method, body = door + "?" + "&".join(f"{name}={value.replace(' ', '+')}" for name, value in pairs), "GET", b""
    else:
        ping = f"/ping/{key}/seed{chance.choice(['', '/start', '/fail', '/log', '/3'])}?rid={rid}"
        target = chance.choice([ping, ping, ping, *OTHERS])
        method = chance.choice(["GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "CONNECT", "get", "G" * 40])
        body = chance.choice([b"", b"hello", b"x" * 3000, *BODIES, *CHUNKS])
    if chance.random() < 0.15:
        at = chance.randrange(len(target))
        target = target[:at] + chance.choice(PATHS) + target[at:]
    fields = [chance.choice(FIELDS) for _ in range(chance.choice([0, 0, 0, 0, 0, 1, 2]))]
    if body and chance.random() < 0.7:
        fields.append(f"Content-Length: {len(body)}")
    fields += ["X: y"] * chance.choice([0] * 20 + [98, 99, 100, 5000])
    request = server.head(target, method, *fields) + body
    for _ in range(chance.choice([0] * 6 + [1, 2])):
        request = damaged(chance, request)
    if chance.random() < 0.1:
        request += request + server.head("/healthz")
    return request


def damaged(chance, request):
    start = chance.randrange(len(request))
    end = min(len(request), start + chance.choice([1, 1, 2, 8, 40]))
    kind = chance.randrange(5)
    if kind == 0:
        return request[:start] + chance.randbytes(end - start) + request[end:]
    if kind == 1:
        return request[:start] + request[end:]
    if kind == 2:
        return request[:end] + request[start:end] * chance.choice([1, 2, 300]) + request[end:]
    if kind == 3:
        return request[:start] + chance.choice([b"\0", b"\r", b"\n", b"\r\n", b" ", b"%", b"\xff", b"\t", b":"]) + request[start:]
    return request.replace(*chance.choice([(b"\r\n", b"\n"), (b"HTTP/1.1", b"HTTP/1.0"), (b"HTTP/1.1", b"HTTP/9.9"), (b" ", b"  ")]))


class Writer(threading.Thread):
    """Records loads by the command line and by pings, and remembers what was acknowledged."""

    def __init__(self, bench, server):
        super().__init__(daemon=True)
        self.bench, self.server = bench, server
        self.is_over = threading.Event()
        self.ids, self.pings = [], 0

    @property
    def count(self):
        return len(self.ids) + self.pings

    def run(self):
        loadlog = [self.bench.loadlog]
        while not self.is_over.is_set():
            started = subprocess.run([*loadlog, "start", "written", "--detached", "--db", self.server.store], capture_output=True, text=True)
            id = started.stdout.strip()
            if subprocess.run([*loadlog, "finish", id, "--db", self.server.store], capture_output=True).returncode == 0:
                self.ids.append(id)
            self.pings += self.server.ping(f"pinged?create=1&rid={uuid.uuid4()}")[0] in (200, 201)

    def check(self, outcome):
        loads = {load["id"]: load for load in self.bench.ask(self.server.store, "history", "--limit", "all")["loads"]}
        outcome.lost += sum(loads.get(id, {}).get("state") != "succeeded" for id in self.ids)
        outcome.lost += max(0, self.pings - sum(load["feed"] == "pinged" for load in loads.values()))
        if not self.ids or not self.pings:
            outcome.fail("nothing was recorded meanwhile")
        health = subprocess.run([self.bench.loadlog, "doctor", "--db", self.server.store], capture_output=True, text=True)
        if health.returncode not in (0, 1) or "damaged" in health.stdout:
            outcome.corrupt += 1


class Naive(Server):
    """The control: a server that believes what it is sent, and repeats it."""

    key = "0123456789abcdef0123456789abcdef"

    def __init__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                try:
                    query = urllib.parse.urlsplit(self.path).query
                    int(dict(urllib.parse.parse_qsl(query)).get("limit", "1"))
                    status = 200
                except ValueError:
                    status = 500
                self.send_response(status)
                self.end_headers()
                self.wfile.write(self.path.encode("utf-8", "replace"))

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.served.handle_error = lambda *_: None
        self.port = self.served.server_address[1]
        self.thread = threading.Thread(target=self.served.serve_forever, daemon=True)
        self.thread.start()

    def __exit__(self, *_):
        self.served.shutdown()
        self.served.server_close()
