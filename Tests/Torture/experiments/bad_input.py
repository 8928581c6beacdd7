"""Gives invalid input to the command line and the library. Each must be reported in one line, and change nothing.

The table's rows are pairs of a surface and a cause. For each the experiment checks the message, the exit code, and the
bytes of the store and its log. LoadLogBadInputFixture makes and checks the rows of the library in the same way.
"""

import concurrent.futures
import os
import re
import subprocess

from outcome import Outcome

LONG = "x" * 201
VERY_LONG = "x" * 2001
UNKNOWN = "01a1fc32-57d5-72e7-9cd7-dec9fca2a1f4"
ESC = "\x1b"

# The fault, the word, and the text that the message must contain.
NAMES = (
    ("an empty name", "", "it is empty"),
    ("a name that is too long", LONG, "201 characters"),
    ("an escape", f"a{ESC}[31mb", "a\\u{1B}[31mb"),
    ("a line break", "a\nb", "a\\nb"),
    ("a bidirectional control", "a\u202eb", "a\\u{202E}b"),
    ("white space at an end", "a ", "white space at an end"),
    ("bytes that are no UTF-8", b"a\xed\xa0\x80", "not valid UTF-8"),
)
IDS = (
    ("a malformed id", "xyz1", "not a load id"),
    ("an id that is too short", "abc", "at least its last 4"),
    ("an id that is too long", UNKNOWN + "0", "not a load id"),
    ("an escape", f"ab{ESC}c", "ab\\u{1B}c"),
    ("bytes that are no UTF-8", b"ab\xff", "not valid UTF-8"),
)
TIMES = (
    ("a word", "soon", "Examples:"),
    ("a day that is none", "2026-02-30", "names a day that does not exist"),
    ("an hour that is none", "25:00", "names a time of day that does not exist"),
    ("a zone that is none", "2026-11-21T10:00:00+99:00", "zone"),
    ("an empty text", "", 'time ""'),
    ("a number beyond all bounds", "1e300d", "Examples:"),
    ("a time that is too long ago", "99999w", "too long"),
    ("an escape", f"{ESC}[2J", "\\u{1B}[2J"),
)
DURATIONS = (
    ("an empty text", "", "duration"),
    ("a word", "soon", "duration"),
    ("a negative number", "-1h", "duration"),
    ("a number beyond all bounds", "9999999999999999d", "too long"),
    ("no unit", "5", "duration"),
    ("a unit twice", "1h1h", "duration"),
    ("a digit with an accent", "1.5\u0300s", "duration"),
)
NUMBERS = (
    ("zero", "0", "--limit"),
    ("a negative number", "-1", "--limit"),
    ("a number beyond all bounds", "99999999999999999999", "--limit"),
    ("a word", "many", "--limit"),
    ("a fraction", "1.5", "--limit"),
)
# Files that are no store: the script that makes one at $S; exit code and message of a read, and of a write.
PLACES = (
    ("an empty path", None, "", 3, "it is empty"),
    ("a folder", "mkdir $S", None, 3, "it is a folder"),
    ("a device", None, "/dev/null", 3, "not a regular file"),
    ("a pipe", "mkfifo $S", None, 3, "not a regular file"),
    ("a loop of links", "ln -s loads.db $S", None, 3, "symbolic links"),
    ("a hard link", "cp $GOOD $S; ln $S other", None, 3, "2 hard links"),
    ("an empty file", ": > $S", None, 3, "it is empty, not a LoadLog store"),
    ("a text", "seq 9999 > $S", None, 3, "not a SQLite database"),
    ("a file cut in its header", "head -c 50 $GOOD > $S", None, 6, "damaged"),
    ("a file cut in the middle", "head -c 9000 $GOOD > $S", None, 6, "damaged"),
    ("another program's database", "sqlite3 $S 'CREATE TABLE t (a)'", None, 3, "another application"),
    ("a store of a newer program", "cp $GOOD $S; sqlite3 $S 'PRAGMA user_version = 99'", None, 3, "Update LoadLog"),
    ("a name that is too long", None, "n" * 300, 3, "too long"),
)  # fmt: skip
START = '{"event":"start","at":"%s","feed":"a"}\n'
# Files of which nothing can be imported: name, bytes, and message.
FILES = (
    ("an empty file", "x", b"", "it is empty"),
    ("white space", "x.json", b" \n\n", "line 1"),
    ("binary data", "x.bin", bytes(range(256)), "line 1"),
    ("another program's database", "x", b"SQLite format 3\0", "it is a database"),
    ("a compressed file", "x.gz", b"\x1f\x8b\x08\0", "gunzip -c"),
    ("a text", "x.txt", b"hello\n", "--format"),
    ("JSON of another kind", "x.json", b'{"a":1}', "--format"),
    ("a HAR without its log", "x.har", b'{"a":1}', "is not a HAR file"),
    ("a file cut short", "x.har", b'{"log":{"entries":[{"started', "ends"),
    ("brackets without end", "x.har", b"[" * 10_000, "line 1"),
    ("a time before 1970", "x.ndjson", (START % "1969-12-31T23:59:59Z").encode(), "before 1970"),
    ("a time after 2199", "x.ndjson", (START % "2200-01-01T00:00:00Z").encode(), "in 2200 or later"),
    ("a day that is none", "x.ndjson", (START % "2026-02-30T00:00:00Z").encode(), "names a day that does not exist"),
    (
        "an unknown verdict", "x.ndjson",
        b'{"event":"pop","at":"2026-11-20T09:00:00Z","feed":"a","verdict":"\\u001b[2J"}\n', "\\u{1B}[2J"),
    ("a field of another type", "x.ndjson", b'{"event":"push","at":1,"feed":[]}\n', "line 1"),
)


def table():
    """Yields: surface, cause, words, exit code, message."""
    for verb in ("start", "push", "pop", "reset", "last-updated"):
        for cause, word, says in NAMES:
            yield verb, cause, (verb, word), 2, says
        yield verb, "a flag that is not known", (verb, "f", "--nope"), 2, "--nope"
    for cause, word, says in NAMES:
        yield "run", cause, ("run", word, "--require-record", "--", "echo", "ran"), 2, says
    for verb in (("finish",), ("show",), ("unbalanced", "--ack")):
        for cause, word, says in IDS:
            yield " ".join(verb), cause, (*verb, word), 2, says
        yield " ".join(verb), "an empty id", (*verb, ""), 2, "nothing to finish" if verb == ("finish",) else 'id ""'
        yield " ".join(verb), "an unknown id", (*verb, "00000000000"), 1, "with this id"
    for surface in ("status --since", "unbalanced --until", "history --at", "export --since", "import x --epoch"):
        *words, flag = surface.split()
        for cause, text, says in TIMES:
            # Pass an empty text as a separate word: after an equals sign the parser would find no value.
            yield surface, cause, (*words, *([f"{flag}={text}"] if text else [flag, ""])), 2, says
    for surface in ("status --check --max-age", "status --check --max-running", "prune --older-than"):
        *words, flag = surface.split()
        for cause, text, says in DURATIONS:
            yield surface, cause, (*words, f"{flag}={text}"), 2, says
    for cause, text, says in NUMBERS:
        yield "history --limit", cause, ("history", f"--limit={text}"), 2, says
    for verb in ("status", "history", "unbalanced", "export"):
        yield verb, "an unknown feed", (verb, "nope"), 1, '"nope"'
        yield verb, "a pattern of nothing", (verb, "z*"), 1, '"z*"'
        yield verb, "an end before its start", (verb, "--since", "today", "--until", "yesterday"), 2, "--until"
    yield from (
        ("loadlog", "an unknown verb", ("stauts",), 2, 'Did you mean "status"?'),
        ("loadlog", "an escape", (f"a{ESC}[2Jb",), 2, "a\\u{1B}[2Jb"),
        ("show", "a word too many", ("show", "abcd", "efgh"), 2, "efgh"),
        ("start", "a tag that is too long", ("start", "f", "--tag", LONG), 2, 'tag "xxx'),
        ("push", "a call site that is too long", ("push", "f", "--call-site", VERY_LONG), 2, 'call site "xxx'),
        ("start", "flags that exclude each other", ("start", "f", "--owner-pid", "1", "--detached"), 2, "--detached"),
        ("push", "a negative number", ("push", "f", "--owner-pid=-1"), 2, "--owner-pid"),
        ("push", "a number beyond all bounds", ("push", "f", "--owner-pid", "99999999999"), 2, "--owner-pid"),
        ("pop", "flags that exclude each other", ("pop", "f", "--failed", "--succeeded"), 2, "--succeeded"),
        ("finish", "flags that exclude each other", ("finish", UNKNOWN, "--failed", "--exit", "1"), 2, "--exit"),
        ("finish --exit", "a negative number", ("finish", UNKNOWN, "--exit=-1"), 2, "--exit"),
        ("finish --exit", "a number beyond all bounds", ("finish", UNKNOWN, "--exit", "99999999999"), 2, "--exit"),
        ("reset", "flags that exclude each other", ("reset", "f", "--all"), 2, "--all"),
        ("reset", "nothing named", ("reset",), 2, "--all"),
        ("push", "nothing named", ("push",), 2, "<feed>"),
        ("import", "nothing named", ("import",), 2, "<file>"),
        ("run", "nothing named", ("run", "f", "--"), 2, "command"),
        ("run --unchanged-exit", "a word", ("run", "f", "--unchanged-exit", "x", "--", "true"), 2, "--unchanged-exit"),
        ("history", "an unknown word of a list", ("history", "--state", "done"), 2, "'done'"),
        ("status", "an unknown word of a list", ("status", "--color", "blue"), 2, "'blue'"),
        ("last-updated", "an unknown word of a list", ("last-updated", "f", "--as", "iso"), 2, "'iso'"),
        ("import", "an unknown word of a list", ("import", "x", "--format", "xml"), 2, "--format"),
        ("export", "an unknown word of a list", ("export", "--format", "har"), 2, "--format"),
        ("status", "flags that exclude each other", ("status", "--check", "--busy"), 2, "--busy"),
        ("status", "a flag without the one it belongs to", ("status", "--max-age", "1h"), 2, "--check"),
        ("unbalanced", "a flag without the one it belongs to", ("unbalanced", "-m", "x"), 2, "--ack"),
        ("unbalanced --ack", "nothing named", ("unbalanced", "--ack"), 2, "--all"),
        ("status", "flags that exclude each other (-q -v)", ("status", "-q", "-v"), 2, "--verbose"),
        ("import", "a missing file", ("import", "/nowhere/x.har"), 2, "No such file"),
        ("import", "a folder", ("import", "/tmp"), 2, "it is a folder"),
        ("import", "an empty name", ("import", ""), 2, "cannot read"),
        ("import --feed-by", "a word of another format", ("import", "x", "--format", "har", "--feed-by", "cat"), 2, "har"),
        ("export", "a copy of a part", ("export", "known", "--format", "sqlite", "-o", "/tmp/x.db"), 2, "all loads"),
        ("export", "a copy to standard output", ("export", "--format", "sqlite"), 2, "--output"),
        ("export -o", "a missing folder", ("export", "-o", "/nowhere/x.csv"), 5, "/nowhere/x.csv"),
        ("report -o", "a missing folder", ("report", "-o", "/nowhere/x.html"), 5, "/nowhere/x.html"),
    )


class Checks:
    """The pairs that were tried, and the failures."""

    def __init__(self, bench, outcome):
        self.bench, self.outcome = bench, outcome
        self.pairs, self.causes = set(), set()

    def count(self, surface, cause, problem):
        self.outcome.tried += 1
        self.outcome.survived += problem is None
        if (surface, cause) in self.pairs:
            problem = problem or "it is in the table twice"
        self.pairs.add((surface, cause))
        self.causes.add(cause)
        if problem:
            self.outcome.fail(f"{surface}: {cause}: {problem}")

    def call(self, words, code, says, store, folder=None):
        """Returns: the failed check, or nothing."""
        before = content(folder or store.parent)
        command = [word if isinstance(word, bytes) else str(word).encode() for word in (self.bench.loadlog, *words)]
        place = command.index(b"--") if b"--" in command else len(command)
        command[place:place] = [b"--db", os.fsencode(store)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        said = done.stderr.decode(errors="backslashreplace")
        if done.returncode != code:
            return f"exit {done.returncode}, not {code}: {said.strip()}"
        if not said.startswith("loadlog: ") or said.count("\n") != 1 or re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", said):
            return f"it is not reported in one line of text: {said!r}"
        if says not in said:
            return f"it does not say {says!r}: {said.strip()}"
        if done.stdout and not done.stdout.startswith(b"imported 0 loads; "):
            return f"on standard output: {done.stdout[:100]}"
        return None if content(folder or store.parent) == before else "files were touched"


def content(folder):
    """The names of files, and the contents of the store and its log; the index of the log is shared memory of readers."""
    names = sorted(path.name for path in folder.iterdir())
    files = [path for path in folder.iterdir() if path.is_file() and not path.name.endswith("-shm")]
    return names, {path.name: path.read_bytes() for path in files}


def run(bench):
    outcome = Outcome()
    checks = Checks(bench, outcome)
    store = good(bench)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        rows = list(table())
        for row, problem in zip(rows, pool.map(lambda row: checks.call(*row[2:], store), rows)):
            checks.count(*row[:2], problem)
    no_stores(bench, checks, store)
    no_files(bench, checks, store)
    command_line = len(checks.pairs)
    library(bench, checks)
    pairs, causes = len(checks.pairs), len(checks.causes)
    bench.say(f"{pairs} pairs of surface and cause, {command_line} of the command line; {causes} causes")
    if pairs < 100 or causes < 30:
        outcome.fail(f"only {pairs} pairs and {causes} causes")
    # The control: valid input must be accepted.
    problem = checks.call(("status",), 2, "", store)
    outcome.is_void = not (problem or "").startswith("exit 0")
    outcome.control = "valid input is accepted" if not outcome.is_void else "valid input was refused"
    return outcome


def good(bench):
    """A store with some loads, and with a log, so that readers need not create one."""
    folder = bench.folder / "good"
    folder.mkdir()
    store = folder / "loads.db"
    for words in (("start", "known", "--detached"), ("push", "known", "--detached"), ("pop", "other"), ("status",)):
        subprocess.run([bench.loadlog, *words, "--db", store], capture_output=True)
    return store


def no_stores(bench, checks, good):
    ways = (("status",), ("doctor",), ("export",), ("finish", "1234abcd"), ("push", "f"))
    copy = bench.folder / "whole.db"
    subprocess.run([bench.loadlog, "export", "--format", "sqlite", "-o", copy, "--db", good], check=True, capture_output=True)
    for number, (cause, script, path, code, says) in enumerate(PLACES):
        folder = bench.folder / f"place-{number}"
        folder.mkdir()
        store = folder / "loads.db"
        if script:
            environment = os.environ | {"S": "loads.db", "GOOD": str(copy)}
            subprocess.run(["sh", "-c", script], cwd=folder, env=environment, check=True)
        elif path != "" and not path.startswith("/"):
            store = folder / path
        else:
            store = path
        for words in ways:
            problem = checks.call(words, code, says, store, folder)
            checks.count(f"--db with {words[0]}", cause, problem)


def no_files(bench, checks, store):
    for number, (cause, name, content, says) in enumerate(FILES):
        folder = bench.folder / f"file-{number}"
        folder.mkdir()
        (folder / name).write_bytes(content)
        problem = checks.call(("import", folder / name), 1, says, store)
        checks.count("import", cause, problem)
    for ending in ("", "-wal", "-gate"):
        words = ("import", f"{store}{ending}", "--format", "ndjson")
        problem = checks.call(words, 2, "it belongs to the store itself", store)
        checks.count("import", f"a file of the store itself ({ending or 'database'})", problem)


def library(bench, checks):
    folder = bench.folder / "library"
    folder.mkdir()
    done = subprocess.run(
        [bench.program("LoadLogBadInputFixture"), folder], capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        checks.outcome.fail(f"the library's fixture exited with {done.returncode}: {done.stderr[-300:]}")
    for line in done.stdout.splitlines():
        surface, cause, verdict = line.split("\t")
        checks.count(surface, cause, None if verdict == "holds" else verdict)
