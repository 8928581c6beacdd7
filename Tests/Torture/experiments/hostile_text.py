"""Puts hostile text into every field: escapes, controls, directions, markup, formulas, halves of characters.

The text enters by the command line, by standard error of a recorded command, and in files. It leaves on a pipe, on a
terminal, as JSON, ndjson, traces and CSV, and in a report page. No control character may reach a pipe or a terminal
unescaped, a page may have only elements and attributes that a page of harmless texts has, and JSON and ndjson must
contain exactly the given text.
"""

import collections
import concurrent.futures
import csv
import html.parser
import io
import json
import os
import pty
import re
import select
import subprocess

from outcome import Outcome

ESC = "\x1b"
# Texts that a terminal, a shell, a parser or a reader may take for something other than text.
TEXTS = [
    f"{ESC}[31mred{ESC}[0m", f"{ESC}[2J{ESC}[H", f"{ESC}[?25l", f"{ESC}[?1049h", f"{ESC}[6n", f"{ESC}[201~rm -rf",
    f"{ESC}]0;title\a", f"{ESC}]0;title{ESC}\\", f"{ESC}]8;;https://evil.example\acl{ESC}]8;;\a",
    f"{ESC}]52;c;ZXZpbA==\a", f"{ESC}]1337;File=:AAAA\a", f"{ESC}P+q544e{ESC}\\", f"{ESC}_Gf=24;AAAA{ESC}\\",
    f"{ESC}^private{ESC}\\", f"{ESC}c", f"{ESC}(0lqqk", f"{ESC}", f"{ESC}[", "\x9b31mred", "\x9d0;title\x9c", "\x90q\x9c",
    "\x84\x85\x88\x8d", "one\rtwo", "first\r\nsecond", "line\nbreak", "tab\tstop", "bell\a", "back\b\b\bspace", "\x7f\x7f",
    "\v\f", "\x0e\x0f", "\x01\x02\x03\x04", "\x1a\x1c\x1d\x1e\x1f", "\u202etxt.exe", "\u2066x\u2069", "\u202a\u202b\u202c\u202d",
    "a\u200e\u200fb", "\u061carabic", "one\u2028two\u2029three", "\ufeffmark", "\ufff9a\ufffab\ufffb", "\U000e0001\U000e0061",
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", '"quoted","cells"', "a,b;c\td", "'apostrophe",
    "<script>window.acted = 1</script>", "</script><svg onload=alert(1)>", '"><img src=x onerror="alert(2)">',
    "'><img src=x onerror='alert(3)'>", "</title></style><iframe src=javascript:alert(4)>", "<!-- -->", "]]>", "<![CDATA[x",
    "&lt;b&gt;&amp;&#60;b&#62;&nbsp", "{{store}} {{{script}}} {{#feeds}}", "\u0600<b>\u0600\"", "\"\u0301 onmouseover=\"alert(5)",
    "javascript:alert(6)", "${IFS}$(id)`id`", "'; DROP TABLE session; --", "%s%n%d%x", "\\u001b[31m\\n\\x1b", '{"a":"\\ud800"}',
    "--json", "-", "--", "\\", "\\\"", "*?[a-z]", "~/..//./", "💣" * 200, "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍💻", "e" + "\u0301" * 199, "שלום / مرحبا",
    "漢字かな", "\u200b\u200c\u200d\u2060", "W" * 200, "\ufffd\ufffe\uffff", "\U0010ffff\U0001fffe", "a\u00a0b\u3000c",
]  # fmt: skip
# Texts that only a file can contain, as JSON escapes: a NUL, and halves of characters.
ONLY_IN_FILES = ['"nul\\u0000nul"', '"\\ud800"', '"\\udc00\\ud800"', '"high \\ud83d and on"', '"\\u0000"']
# Bytes that are no text.
BYTES = [b"\xed\xa0\x80", b"\xff\xfe", b"\xc0\xaf", b"\xf8\x88\x80\x80\x80", b"\xe2\x82", b"\x80\x1b[31m", b"\xf4\x90\x80\x80"]
HARMLESS = "harmless"
TAG = 200
HOSTILE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0001]"
)


def run(bench):
    outcome = Outcome()
    stage = Stage(bench, outcome, "hostile", TEXTS)
    plain = Stage(bench, outcome, "plain", [HARMLESS] * 3)
    for each in (stage, plain):
        each.record()
    stage.come_back()
    stage.ask_on_pipes()
    stage.ask_on_terminals()
    stage.export()
    stage.import_again()
    stage.refuse_bytes()
    compare_pages(outcome, stage, plain)
    # The control: the same checks must find something in a text that is printed unescaped.
    found = sum(bool(HOSTILE.search(text.replace("\n", ""))) for text in TEXTS)
    outcome.is_void = found * 3 < len(TEXTS)
    outcome.control = f"{found} of {len(TEXTS)} texts would act if sent raw"
    bench.say(f"{len(TEXTS)} texts, {len(ONLY_IN_FILES)} that only files can say, {len(BYTES)} that are none; sinks:")
    for sink, count in sorted(outcome_sinks(outcome).items()):
        bench.say(f"{sink}: {count:,}")
    return outcome


def outcome_sinks(outcome):
    return outcome.__dict__.setdefault("sinks", collections.Counter())


def visible(text):
    """The text as it must be displayed."""

    def escape(match):
        sign = match[0]
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(sign, f"\\u{{{ord(sign):X}}}")

    return HOSTILE.sub(escape, text)


class Stage:
    """A store with texts in all fields, and the checks of every output about it."""

    def __init__(self, bench, outcome, name, texts):
        self.bench, self.outcome, self.texts = bench, outcome, texts
        self.folder = bench.folder / name
        self.folder.mkdir()
        self.store = self.folder / "loads.db"
        self.ids = []

    def call(self, *words, data=None, store=None):
        words = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        place = words.index(b"--") if b"--" in words else len(words)
        # All words behind the dashes belong to a command.
        words[place:place] = [b"--db", str(store or self.store).encode()]
        environment = os.environ | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        return subprocess.run(
            [self.bench.loadlog.encode(), *words], input=data or b"", capture_output=True, timeout=120, env=environment
        )

    def check(self, sink, holds, what):
        self.outcome.tried += 1
        self.outcome.survived += bool(holds)
        outcome_sinks(self.outcome)[sink] += 1
        if not holds:
            self.outcome.fail(f"{sink}: {what}")

    def look(self, sink, output, what, allowed="\n"):
        """Checks that an output contains no character that controls a terminal."""
        try:
            text = output.decode()
        except UnicodeDecodeError as error:
            return self.check(sink, False, f"{what}: no UTF-8: {error}")
        found = [match for match in HOSTILE.findall(text) if match not in allowed]
        self.check(sink, not found, f"{what}: {found[:3]} in {text[:200]!r}")

    # In.

    def record(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.ids = list(pool.map(self.record_one, range(len(self.texts))))
        for text in self.texts[:3] + self.texts[-3:]:
            done = self.call("unbalanced", "--ack", "--all", f"--message={text}")
            self.look("pipe", done.stdout + done.stderr, f"acknowledging with {text!r}")

    def record_one(self, number):
        text = self.texts[number]
        feed = f"f{number}"
        fields = [f"--message={text}", f"--tag={text[:TAG]}", f"--call-site={text}"]
        id = self.call("start", feed, *fields, "--detached").stdout.decode().strip()
        finished = self.call("finish", id, "--failed", f"--reason={text}")
        self.check("command line", finished.returncode == 0 and len(id) == 36, f"{text!r}: {finished.stderr}")
        self.call("start", feed, *fields, "--owner-pid", "999999999")
        self.call("pop", feed, f"--call-site={text}")
        script = ["sh", "-c", "cat >&2; exit 3"]
        done = self.call("run", feed, f"--message={text}", "--keep-stderr", "--", *script, data=text.encode())
        self.check("command line", done.returncode == 3 and done.stderr == text.encode(), f"a command's own {text!r}")
        self.call("run", feed, "--record-command", "--", "false", text)
        # A text is accepted as a feed's name, or is refused in one line.
        named = self.call("push", "--detached", "--", text) if text.startswith("-") else self.call("push", text, "--detached")
        self.look("standard error", named.stderr, f"push {text!r}")
        is_told = named.returncode == 2 and named.stderr.count(b"\n") == 1
        self.check("standard error", named.returncode == 0 or is_told, f"push {text!r}: {named.stderr}")
        return id

    # Out.

    def come_back(self):
        """Checks that JSON contains the given texts."""
        loads = {load["id"]: load for load in self.bench.ask(self.store, "history", "--limit", "100000")["loads"]}
        for id, text in zip(self.ids, self.texts):
            for load in (loads.get(id), self.bench.ask(self.store, "show", id)["load"]):
                given = [text, text[:TAG], text, text]
                found = [load and load[field] for field in ("message", "tag", "call_site", "reason")]
                self.check("JSON", found == given, f"{text!r} came back as {found!r}")

    def pages(self):
        yield from (("status",), ("history", "--limit", "100000"), ("unbalanced",), ("doctor",))
        yield ("status", "--check", "--max-age", "1s")
        for page in ("status", "history", "unbalanced", "doctor"):
            yield (page, "--json")
        yield from (("show", id) for id in self.ids)
        for text in self.texts[:: self.bench.times(3, 1)]:
            # Invalid input in each argument.
            yield from (("show", "--", text), ("finish", "--", text), ("status", "--", text), ("last-updated", "--", text))
            yield from (("history", f"--since={text}"), ("status", f"--color={text}"), ("push", "f", f"--{text}"))

    def ask_on_pipes(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            pages = list(self.pages())
            for page, done in zip(pages, pool.map(lambda page: self.call(*page), pages)):
                self.look("pipe", done.stdout, " ".join(page))
                self.look("standard error", done.stderr, " ".join(page))
                self.check("standard error", done.returncode >= 0, f"{page} ended by signal {-done.returncode}")

    def ask_on_terminals(self):
        pages = [("status",), ("history", "--limit", "100000"), ("unbalanced",), ("doctor",)]
        pages += [("show", id) for id in self.ids[::6]]
        for page in pages:
            self.look("terminal", self.on_terminal(*page, "--db", self.store), " ".join(page), allowed="\r\n")
        # The line drawn while a command runs may move the cursor; no other output may.
        for text in self.texts[:: self.bench.times(2, 1)]:
            sent = self.on_terminal("run", "t", f"--message={text}", "--db", self.store, "--", "true")
            sent = re.sub(rb"\x1b\[(\?25[lh]|\d*[KAG])|\x1b\[\?2026[hl]", b"", sent)
            self.look("terminal", sent, f"run with {text!r}", allowed="\r\n")

    def on_terminal(self, *words):
        """The complete output to a terminal of 100 columns."""
        command = [self.bench.loadlog, *(str(word) for word in words)]
        environment = {"TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "100", "PATH": os.environ["PATH"]}
        child, terminal = pty.fork()
        if child == 0:
            os.execve(command[0], command, environment)
        sent = b""
        while select.select([terminal], [], [], 120)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            sent += piece
        os.close(terminal)
        os.waitpid(child, 0)
        return sent

    def export(self):
        exported = {format: self.call("export", "--format", format).stdout for format in ("csv", "chrome-trace", "otlp", "ndjson")}
        for format, output in exported.items():
            self.look(format, output, "export", allowed="\r\n" if format == "csv" else "\n")
        rows = {row["id"]: row for row in csv.DictReader(io.StringIO(exported["csv"].decode(), newline=""))}
        trace = json.dumps(json.loads(exported["chrome-trace"]), ensure_ascii=False)
        spans = json.dumps(json.loads(exported["otlp"]), ensure_ascii=False)
        starts = {
            line["id"]: line for line in map(json.loads, exported["ndjson"].splitlines()) if line["event"] == "start"
        }
        for id, text in zip(self.ids, self.texts):
            cell = ("'" if text[0] in "=+-@\t\r" else "") + visible(text)
            found = [rows[id][field] for field in ("message", "call_site", "reason")]
            self.check("CSV", found == [cell] * 3, f"{text!r} is {found!r}")
            self.check("ndjson", starts[id]["message"] == text, f"{text!r} is {starts[id]['message']!r}")
            written = json.dumps(text, ensure_ascii=False)
            for format, whole in (("chrome-trace", trace), ("otlp", spans)):
                self.check(format, f"{written}" in whole, f"{text!r} is not there")

    def import_again(self):
        """Checks that exported files are imported unchanged and exported again as the same; files can contain all texts."""
        first = self.call("export", "--format", "ndjson").stdout
        again = self.folder / "again.db"
        self.call("import", "-", data=first, store=again)
        self.check("ndjson", self.call("export", "--format", "ndjson", store=again).stdout == first, "another export")
        strange = self.folder / "strange.db"
        for number, text in enumerate(ONLY_IN_FILES):
            line = f'{{"event":"start","at":"2026-11-20T09:00:{number:02}Z","feed":"f{number}","message":{text}}}\n'
            done = self.call("import", "-", "--format", "ndjson", data=line.encode(), store=strange)
            self.look("standard error", done.stderr, f"importing {text}")
            if done.returncode == 0:
                [load] = self.bench.ask(strange, "history", f"f{number}")["loads"]
                whole = json.loads(text).replace("\0", "\u2400")
                expected = re.sub("[\ud800-\udfff]", "\ufffd", whole)
                self.check("JSON", load["message"] == expected, f"{text} came back as {load['message']!r}")
            else:
                self.check("JSON", done.returncode == 1 and b"line 1" in done.stderr, f"{text}: {done.stderr}")

    def refuse_bytes(self):
        """Checks that bytes that are no text are refused, but are passed on to a command unchanged."""
        for text in BYTES:
            before = self.store.read_bytes()
            done = self.call("start", "f", b"--message=" + text)
            is_told = done.returncode == 2 and done.stderr.count(b"\n") == 1 and not done.stdout
            self.check("standard error", is_told and self.store.read_bytes() == before, f"{text}: {done}")
            self.look("standard error", done.stderr, f"refusing {text}")
            done = self.call("run", "f", "--keep-stderr", "--", "sh", "-c", "cat >&2; printf %s \"$1\"; false", "sh", text, data=text)
            self.check("command line", done.stdout == text and done.stderr == text, f"passing on {text}: {done}")
        self.look("JSON", self.call("history", "--json", "--limit", "100000").stdout, "history after bytes")

    def page(self):
        """The names of all elements and attributes of the report, and its text."""
        path = self.folder / "report.html"
        done = self.call("report", "-o", path)
        self.check("HTML", done.returncode == 0, f"{done.stderr}")
        text = path.read_text()
        controls = [sign for sign in HOSTILE.findall(text) if sign != "\n"]
        self.check("HTML", not controls, f"{controls[:3]} in a page")
        reader = Names()
        reader.feed(text)
        reader.close()
        return reader


class Names(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.names = set()
        self.targets = set()
        self.text = ""
        self.scripts = 0
        # Images are embedded in the page.
        self.pictures = set()
        self.depth = 0

    def handle_endtag(self, tag):
        self.depth -= tag == "svg"

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        self.depth += tag == "svg"
        found = {tag, *(f"{tag} {name}" for name, _ in attributes)}
        self.names |= found
        if self.depth:
            self.pictures |= found
        for name, value in attributes:
            if name in ("href", "src", "action", "srcset", "xlink:href"):
                self.targets.add(value[:1] if value.startswith("#") else value)

    def handle_data(self, data):
        self.text += data


def compare_pages(outcome, stage, plain):
    hostile, harmless = stage.page(), plain.page()
    added = hostile.names - harmless.names
    # The page has more rows than the harmless page, and so some more elements; none of these can act.
    # The targets of links are checked below.
    acting = re.compile(r" on|script|iframe|object|embed|form|base|meta|link|img|style|foreign|animate|\bset\b")
    for sink, names in (("HTML", added), ("SVG", hostile.pictures - harmless.pictures)):
        found = {name for name in names if acting.search(name)}
        stage.check(sink, not found, f"elements or attributes from texts: {found}")
    stage.check("SVG", hostile.pictures, "no pictures on the page")
    stage.check("HTML", "b" in harmless.names or "b" not in hostile.names, "<b> in the page")
    stage.check("HTML", hostile.scripts == harmless.scripts, f"{hostile.scripts} scripts, not {harmless.scripts}")
    stage.check("HTML", hostile.targets <= harmless.targets, f"links: {hostile.targets - harmless.targets}")
    shown = sum(visible(text) in hostile.text for text in TEXTS)
    stage.check("HTML", shown > len(TEXTS) // 4, f"{shown} texts are on the page, so that it proves little")
    if added:
        stage.bench.say(f"only on the page of hostile texts: {', '.join(sorted(added))}")
