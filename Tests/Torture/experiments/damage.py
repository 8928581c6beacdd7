"""Damages, cuts and swaps stores and their logs; then queries them, and recovers what is left.

Nothing may crash, hang, or write to the damaged files. A damaged store must be refused with exit code 3 or 6, or answer
as it did when it was sound. A log has checksums: SQLite treats the part after the damage as never committed, so the
answer may be that of an earlier commit.

Two cases are not promised, and counted: changed bits inside of row data can go undetected, if only the rows differ; and
damage of the structure between rows, on a page that is valid in itself, may be detected only by doctor, which reads
everything.

`loadlog recover` must save at least 95 % of the rows of intact pages into a store that passes `doctor`, and leave the
damaged files as they are (`salvage.py` counts).
"""

import collections
import concurrent.futures
import datetime
import json
import os
import shutil
import subprocess
from dataclasses import dataclass

from outcome import Outcome
from pages import place, row_bytes
from salvage import Salvage, recover

QUESTIONS = (("status",), ("unbalanced",), ("history", "--limit", "1000"))
REFUSED = (3, 6)
HOLDS = ("refused", "the same", "an earlier commit")
NOT_PROMISED = ("a row says something else", "doctor alone sees it")
HANGING = 120
PAGE = 4096
LOG_HEADER, FRAME_HEADER = 32, 24
LEAST_SAVED = 0.95


@dataclass
class Files:
    """The bytes of a store; a missing log is empty."""

    store: bytes
    log: bytes = b""

    @staticmethod
    def read(path):
        log = path.with_name(path.name + "-wal")
        return Files(path.read_bytes(), log.read_bytes() if log.exists() else b"")

    def write(self, path):
        path.write_bytes(self.store)
        if self.log:
            path.with_name(path.name + "-wal").write_bytes(self.log)


@dataclass
class Case:
    kind: str
    files: Files
    question: tuple
    """Answers that are accepted as those of the sound store."""
    allowed: list
    """The store before it was damaged."""
    base: Files
    """A byte for each byte of the store: 1 in row data."""
    rows: bytes

    @property
    def changed(self):
        """The places of changed bytes, if bytes were only changed."""
        if len(self.files.store) != len(self.base.store):
            return []
        return [at for at, (new, old) in enumerate(zip(self.files.store, self.base.store)) if new != old]

    @property
    def sound_in_rows(self):
        """The same damage, without that in row data."""
        store = bytearray(self.files.store)
        for at in self.changed:
            if self.rows[at]:
                store[at] = self.base.store[at]
        return Files(bytes(store), self.files.log)

    @property
    def places(self):
        places = [place(self.base.store, at, self.rows) for at in self.changed]
        return "; ".join(places[:16]) + f" and {len(places) - 16} more" * (len(places) > 16)


def run(bench):
    outcome = Outcome()
    stages = commits(record(bench, "first"))
    foreign = record(bench, "other")
    checked = bench.folder / "first" / "loads.db"
    subprocess.run([bench.loadlog, "doctor", "--repair", "-q", "--db", checked], capture_output=True)
    whole = Files(Files.read(checked).store)
    sound = {"whole": [whole], "logged": stages}
    answers = {
        (name, question): [answer(bench, files, question) for files in states]
        for name, states in sound.items()
        for question in QUESTIONS
    }
    for question in QUESTIONS:
        if answers["whole", question] != answers["logged", question][-1:]:
            outcome.fail(f"{' '.join(question)}: the sound stores do not agree")
    cases = Cases(bench, whole, stages, foreign, answers)
    number = bench.times(1_000, 10_000)
    counts = collections.Counter()
    salvage = Salvage(whole, stages[-1], foreign)
    rows, saved = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 2)) as pool:
        # In the short form a part of the stores is recovered, some of each kind.
        for case, (verdict, text), found in pool.map(
            lambda index: judged(bench, cases.made(index), index, salvage if bench.is_long or index % 7 == 0 else None),
            range(number),
        ):
            outcome.tried += 1
            counts[case.kind, verdict] += 1
            rows[case.kind] += found[0]
            saved[case.kind] += found[1]
            if outcome.tried % 1_000 == 0:
                bench.say(f"{outcome.tried:,} of {number:,}")
            if verdict in HOLDS + NOT_PROMISED:
                outcome.survived += 1
                continue
            outcome.corrupt += verdict == "another answer"
            outcome.fail(f"{case.kind}, {' '.join(case.question)}: {verdict}: {text}")
    for (kind, verdict), count in sorted(counts.items()):
        bench.say(f"{kind}: {verdict}: {count:,}")
    for kind in rows:
        bench.say(f"{kind}: recover saved {saved[kind]:,} of {rows[kind]:,} rows of intact pages")
    bench.say(f"recover saved {saved.total():,} of {rows.total():,} rows of intact pages")
    if saved.total() < LEAST_SAVED * rows.total() or not rows.total():
        outcome.fail("recover saved too few rows")
    for word in NOT_PROMISED:
        count = sum(count for (_, verdict), count in counts.items() if verdict == word)
        bench.say(f"not promised: {word}: {count:,} of {outcome.tried:,}")
    # The control: the damage must be detected in most cases.
    refused = sum(count for (_, verdict), count in counts.items() if verdict == "refused")
    outcome.control = f"{refused:,} refused"
    outcome.is_void = refused * 10 < outcome.tried
    return outcome


def record(bench, name):
    """Returns: a store with some of everything except running loads, whose numbers change with time; the whole record
    is in its log."""
    folder = bench.folder / name
    folder.mkdir()
    store = folder / "loads.db"
    parts = [[] for _ in range(5)]
    begin = datetime.datetime(2026, 11, 20, 9, tzinfo=datetime.timezone.utc)
    for number in range(120):
        at = begin + datetime.timedelta(seconds=37 * number)
        ended = at + datetime.timedelta(milliseconds=bench.random.randrange(10, 60_000))
        identity = f"01a1f90f-9824-7b1e-a0d2-{number:04x}{hash_of(name):08x}"
        start = {"event": "start", "at": stamp(at), "feed": f"{name}/feed {number % 7}", "id": identity}
        verdict = ("succeeded", "failed", "unchanged", "cancelled")[number % 4]
        finish = {"event": "finish", "at": stamp(ended), "id": identity, "verdict": verdict, "reason": "why"}
        lines = parts[number // 24]
        lines += [start | {"message": f"loading {number} " * 9, "call_site": f"site {number % 5}"}, finish]
        if number % 11 == 0:
            lines.append({"event": "pop", "at": stamp(at), "feed": start["feed"], "call_site": "pop"})
    for number, lines in enumerate(parts):
        file = folder / f"{number}.ndjson"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        subprocess.run([bench.loadlog, "import", file, "--db", store], capture_output=True, check=True)
    return Files.read(store)


def commits(files):
    """The store after each commit in its log; the first one is the file alone."""
    ends = [0]
    for frame in range(LOG_HEADER, len(files.log) - FRAME_HEADER - PAGE + 1, FRAME_HEADER + PAGE):
        # The last frame of a commit has the number of pages of the file.
        if files.log[frame + 4 : frame + 8] != bytes(4):
            ends.append(frame + FRAME_HEADER + PAGE)
    return [Files(files.store, files.log[:end]) for end in ends]


def hash_of(name):
    return sum(ord(letter) << index for index, letter in enumerate(name))


def stamp(time):
    return time.isoformat(timespec="microseconds").replace("+00:00", "Z")


def answer(bench, files, question):
    """The answer, without the parts that differ each time. Fails unless the store is sound."""
    folder = bench.folder / "sound"
    folder.mkdir()
    files.write(folder / "loads.db")
    found = bench.ask(folder / "loads.db", *question)
    shutil.rmtree(folder)
    return tidied(found)


def tidied(found):
    return {key: value for key, value in found.items() if key not in ("generated_at", "store")}


class Cases:
    """Makes the damage; each case depends only on its number."""

    def __init__(self, bench, whole, stages, foreign, answers):
        self.seed = bench.seed
        self.random = bench.random
        self.whole, self.stages, self.foreign, self.answers = whole, stages, foreign, answers
        self.rows = {id(files): row_bytes(files.store) for files in (whole, stages[-1])}
        self.kinds = (
            self.header, self.page_headers, self.anywhere, self.smear, self.lost_page, self.swapped_pages, self.cut,
            self.noise, self.log_cut, self.log_flip, self.log_noise, self.log_of_another, self.store_of_another,
        )  # fmt: skip

    def made(self, index):
        chance = type(self.random)(f"damage {self.seed} {index}")
        kind = self.kinds[index % len(self.kinds)]
        question = QUESTIONS[index // len(self.kinds) % len(QUESTIONS)]
        if kind == self.log_of_another:
            name = "whole"
        else:
            name = "logged" if kind.__name__.startswith("log_") or chance.random() < 0.3 else "whole"
        base = self.stages[-1] if name == "logged" else self.whole
        files = kind(chance, base)
        known = self.answers[name, question]
        allowed = known if files.store == base.store and files.log != base.log else known[-1:]
        rows = self.rows[id(base)]
        return Case(kind.__name__.replace("_", " "), files, question, allowed, base, rows)

    # In the store.

    def header(self, chance, files):
        # All of it; sizes and versions of the file; those of the schema.
        places = chance.choice((range(100), range(16, 24), range(40, 72)))
        return Files(flipped(chance, files.store, places), files.log)

    def page_headers(self, chance, files):
        start = PAGE * chance.randrange(len(files.store) // PAGE)
        return Files(flipped(chance, files.store, range(start, start + 24)), files.log)

    def anywhere(self, chance, files):
        return Files(flipped(chance, files.store, range(len(files.store))), files.log)

    def smear(self, chance, files):
        """Writes random bytes, a few or some thousand."""
        store = bytearray(files.store)
        begin, length = chance.randrange(len(store)), 1 << chance.randrange(14)
        length = min(length, len(store) - begin)
        store[begin : begin + length] = chance.randbytes(length)
        return Files(bytes(store), files.log)

    def lost_page(self, chance, files):
        store = bytearray(files.store)
        start = PAGE * chance.randrange(len(store) // PAGE)
        store[start : start + PAGE] = bytes(PAGE)
        return Files(bytes(store), files.log)

    def swapped_pages(self, chance, files):
        store = bytearray(files.store)
        one, other = (PAGE * chance.randrange(len(store) // PAGE) for _ in range(2))
        store[one : one + PAGE], store[other : other + PAGE] = (
            files.store[other : other + PAGE], files.store[one : one + PAGE],
        )  # fmt: skip
        return Files(bytes(store), files.log)

    def cut(self, chance, files):
        whole_pages = PAGE * chance.randrange(len(files.store) // PAGE)
        length = chance.choice((chance.randrange(len(files.store)), whole_pages, chance.randrange(200)))
        return Files(files.store[:length], files.log)

    def noise(self, chance, files):
        """Replaces everything by random bytes, with or without the header."""
        kept = chance.choice((0, 16, 100, PAGE))
        return Files(files.store[:kept] + chance.randbytes(len(files.store) - kept), files.log)

    def store_of_another(self, chance, files):
        """Puts the file of another store beside this store's log, or behind the first pages of this store."""
        if files.log:
            return Files(self.foreign.store, files.log)
        kept = PAGE * chance.randrange(1, 4)
        return Files(files.store[:kept] + self.foreign.store[kept:])

    # In the log.

    def log_cut(self, chance, files):
        return Files(files.store, files.log[: chance.randrange(1, len(files.log))])

    def log_flip(self, chance, files):
        frame = LOG_HEADER + (FRAME_HEADER + PAGE) * chance.randrange((len(files.log) - LOG_HEADER) // (FRAME_HEADER + PAGE))
        places = (range(LOG_HEADER), range(frame, frame + FRAME_HEADER), range(len(files.log)))
        return Files(files.store, flipped(chance, files.log, chance.choice(places)))

    def log_noise(self, chance, files):
        kept = chance.choice((0, LOG_HEADER, LOG_HEADER + FRAME_HEADER, len(files.log) // 2))
        return Files(files.store, files.log[:kept] + chance.randbytes(len(files.log) - kept))

    def log_of_another(self, chance, files):
        """Puts the log of another store, whole or cut, which is sound in itself. Skips a store that is all in its log:
        with another log it is that one's."""
        frames = chance.randrange(1, (len(self.foreign.log) - LOG_HEADER) // (FRAME_HEADER + PAGE) + 1)
        return Files(files.store, self.foreign.log[: LOG_HEADER + frames * (FRAME_HEADER + PAGE)])


def flipped(chance, content, places):
    """Flips one to eight bits."""
    content = bytearray(content)
    for _ in range(1 << chance.randrange(4)):
        content[chance.choice(places)] ^= 1 << chance.randrange(8)
    return bytes(content)


def judged(bench, case, index, salvage):
    """Returns: the case, its result in a word and details, and how many rows are intact and how many of them saved."""
    folder = bench.folder / f"case-{index}"
    folder.mkdir()
    store = folder / "loads.db"
    case.files.write(store)
    word, said = verdict(bench, case, store)
    found = (0, 0)
    if salvage and word in HOLDS + NOT_PROMISED:
        wrong, rows = recover(bench, case.files, store, HANGING)
        intact = salvage.intact(case.files, b"" if case.kind.endswith("of another") else case.base.log)
        found = len(intact), len(intact & rows)
        if wrong:
            word, said = "recover", wrong
    if word not in HOLDS + NOT_PROMISED:
        before = folder / "before"
        before.mkdir()
        case.base.write(before / "loads.db")
        said += f"; {case.places}"
        bench.keep(folder)
    shutil.rmtree(folder)
    return case, (word, said), found


def verdict(bench, case, store):
    command = [bench.loadlog, *case.question, "--json", "--db", store]
    # Report a trap in one line; a backtrace takes long.
    environment = os.environ | {"SWIFT_BACKTRACE": "enable=no"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=HANGING, env=environment)
    except subprocess.TimeoutExpired:
        return "hangs", f"for {HANGING} s"
    said = done.stderr.decode(errors="replace").strip()
    if Files.read(store) != case.files:
        return "written to", said
    if done.returncode in REFUSED:
        is_told = said.startswith("loadlog: ") and "\n" not in said and "loads.db" in said and not done.stdout
        return ("refused", said) if is_told else ("not reported in one line", said or done.stdout[:200])
    if done.returncode != 0:
        told = [line for line in said.splitlines() if "Fatal error" in line]
        return f"exit {done.returncode}", (told or [said])[0][-300:]
    found = tidied(json.loads(done.stdout))
    if found == case.allowed[-1]:
        return "the same", ""
    if found in case.allowed:
        return "an earlier commit", ""
    if is_of_rows_alone(bench, case, store):
        return "a row says something else", ""
    if is_seen_by_doctor(bench, store):
        return "doctor alone sees it", ""
    return "another answer", json.dumps(found)[:200]


def is_of_rows_alone(bench, case, store):
    """Whether the answer is as before if the damage in row data is undone: the other damage then changes nothing."""
    if not any(case.rows[at] for at in case.changed):
        return False
    healed = store.parent / "healed" / store.name
    healed.parent.mkdir()
    case.sound_in_rows.write(healed)
    command = [bench.loadlog, *case.question, "--json", "--db", healed]
    done = subprocess.run(command, capture_output=True, timeout=HANGING)
    return done.returncode == 0 and tidied(json.loads(done.stdout)) == case.allowed[-1]


def is_seen_by_doctor(bench, store):
    done = subprocess.run(
        [bench.loadlog, "doctor", "--json", "--db", store], capture_output=True, timeout=HANGING
    )
    if done.returncode in REFUSED:
        return True
    findings = json.loads(done.stdout)["findings"]
    return any(each["topic"] == "integrity" and each["severity"] == "problem" for each in findings)
