"""What programs printed while they recorded, and whether the store agrees with it."""

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

RUNNING, CANCELLED, ENDED, CRASHED, REBOOTED, ABANDONED = 0, 4, 5, 6, 7, 8
STATES = {"succeeded": 1, "unchanged": 2, "failed": 3}


@dataclass
class Testimony:
    """The output of one program, line by line; the fixture documents the lines."""

    started: set = field(default_factory=set)
    announced: dict = field(default_factory=dict)
    finished: dict = field(default_factory=dict)
    pushing: Counter = field(default_factory=Counter)
    pushed: Counter = field(default_factory=Counter)
    popping: Counter = field(default_factory=Counter)
    popped: Counter = field(default_factory=Counter)
    refusals: list = field(default_factory=list)
    said: set = field(default_factory=set)
    is_closing: bool = False
    is_closed: bool = False

    def hear(self, line):
        word, *rest = line.split(" ", 2)
        match word:
            case "started":
                self.started.add(rest[0])
            case "finishing":
                self.announced[rest[0]] = STATES[rest[1]]
            case "finished":
                self.finished[rest[0]] = STATES[rest[1]]
            case "pushing":
                self.pushing[rest[0]] += int(rest[1])
            case "popping":
                self.popping[rest[0]] += int(rest[1])
            case "closing":
                self.is_closing = True
            case "flushed" | "closed":
                # All earlier events are durable, even those that were refused and kept.
                self.finished.update(self.announced)
                self.pushed, self.popped = Counter(self.pushing), Counter(self.popping)
                self.is_closed = word == "closed"
            case "refused":
                self.refusals.append(line)
        self.said.add(line)

    @property
    def said_early(self):
        """A copy that counts everything about to be recorded as acknowledged."""
        return Testimony(finished=self.announced, pushed=self.pushing, popped=self.popping)

    @classmethod
    def of(cls, text):
        """Parses a whole output; ignores a last line that a kill has cut."""
        testimony = cls()
        for line in text.split("\n")[:-1]:
            testimony.hear(line)
        return testimony


class Damaged(Exception):
    """The store cannot be read, or contradicts itself."""


class Record:
    """The contents of a store, read with SQLite alone, so that a fault in LoadLog's reader cannot hide anything."""

    def __init__(self, path):
        try:
            try:
                self._open(path, "ro")
            except sqlite3.OperationalError as error:
                # Only a store that is being created has a rollback journal. SQLite needs write access to roll it back.
                if error.sqlite_errorname != "SQLITE_READONLY_ROLLBACK":
                    raise
                self._open(path, "rw")
        except sqlite3.Error as error:
            raise Damaged(f"cannot be read: {error}") from error

    def _open(self, path, mode):
        connection = sqlite3.connect(f"file:{path}?mode={mode}", uri=True)
        try:
            self._read(connection)
        finally:
            connection.close()

    def _read(self, ask):
        # Read everything in one transaction: other processes may update counters or delete old loads meanwhile.
        ask.execute("BEGIN")
        complaints = [row[0] for row in ask.execute("PRAGMA integrity_check(3)")]
        if complaints != ["ok"]:
            raise Damaged(f"integrity: {complaints[0]}")
        if dangling := ask.execute("PRAGMA foreign_key_check").fetchall():
            raise Damaged(f"{len(dangling)} rows refer to rows that are not there")
        self.loads = {
            _text(id): (state, bool(is_anonymous), feed, reason)
            for id, state, is_anonymous, feed, reason in ask.execute(
                "SELECT s.id, s.state, s.is_anonymous, feed.name, text.value FROM session AS s"
                " JOIN feed ON feed.id = s.feed LEFT JOIN text ON text.id = s.reason"
            )
        }
        self.extra_pops = Counter(
            row[0] for row in ask.execute("SELECT name FROM unmatched JOIN feed ON feed.id = feed WHERE kind = 2")
        )
        if strays := ask.execute("SELECT count(*) FROM unmatched WHERE kind <> 2").fetchone()[0]:
            raise Damaged(f"{strays} finishes without their starts")
        self.unbalanced = {row[0] for row in ask.execute("SELECT id FROM unbalanced")}
        self.dropped = ask.execute("SELECT coalesce(sum(dropped), 0) FROM owner").fetchone()[0]
        self._check_unbalanced(ask)
        self._check_summaries(ask)

    def _check_unbalanced(self, ask):
        unmatched = {_text(row[0]) for row in ask.execute("SELECT id FROM unmatched")}
        if self.unbalanced != unmatched | self.ids(CRASHED, REBOOTED, ABANDONED):
            raise Damaged("the view of imbalances does not agree with the rows")

    def _check_summaries(self, ask):
        """Counters and the changes that wait in the journal agree with the rows."""
        states = ", ".join(f"count(*) FILTER (WHERE state = {code})" for code in range(1, 9))
        kinds = ", ".join(f"count(*) FILTER (WHERE kind = {code})" for code in range(3))
        loads = {row[0]: row[1:] for row in ask.execute(f"SELECT feed, count(*), {states} FROM session GROUP BY feed")}
        pops = {row[0]: row[1:] for row in ask.execute(f"SELECT feed, {kinds} FROM unmatched GROUP BY feed")}
        rows = {feed: (*loads.get(feed, (0,) * 9), *pops.get(feed, (0,) * 3)) for feed in loads.keys() | pops.keys()}
        if rows:
            rows[0] = tuple(map(sum, zip(*rows.values())))
        counted = {
            row[0]: list(row[1:])
            for row in ask.execute(
                "SELECT feed, loads, succeeded, unchanged, failed, cancelled, ended, crashed, rebooted, abandoned,"
                " orphan_finish, duplicate_finish, extra_pop FROM summary WHERE day = -1"
            )
        }
        sites = Counter()
        for feed, kind, call_site, count in ask.execute(
            "SELECT feed, kind, call_site, sum(count) FROM imbalance_site WHERE day = -1 GROUP BY 1, 2, 3"
        ):
            sites[feed, kind, call_site] += count
        for feed, call_site, state, was in ask.execute(
            "SELECT feed, coalesce(call_site, 0), state, was FROM (SELECT session AS row, was, min(n) FROM change"
            " WHERE n > (SELECT n FROM journal_position WHERE reader = 'counters') GROUP BY session)"
            " JOIN session ON seq = row"
        ):
            for key in (feed, 0):
                counts = counted.setdefault(key, [0] * 12)
                if was is None:
                    counts[0] += 1
                elif was >= CRASHED:
                    counts[was] -= 1
                if state:
                    counts[state] += 1
            if was is not None and was >= CRASHED:
                sites[feed, was, call_site] -= 1
            if state >= CRASHED:
                sites[feed, state, call_site] += 1
        if rows != {feed: tuple(counts) for feed, counts in counted.items() if any(counts)}:
            raise Damaged(f"counters do not agree with the rows: {counted} for {rows}")
        expected = Counter()
        for feed, kind, call_site, count in ask.execute(
            "SELECT feed, state, coalesce(call_site, 0), count(*) FROM session WHERE state >= 6 GROUP BY 1, 2, 3"
            " UNION ALL SELECT feed, 16 + kind, coalesce(call_site, 0), count(*) FROM unmatched GROUP BY 1, 2, 3"
        ):
            expected[feed, kind, call_site] += count
        if expected != +sites:
            raise Damaged("the call sites of imbalances do not agree with the rows")

    def ids(self, *states):
        return {id for id, (state, *_) in self.loads.items() if state in states}

    def lost(self, testimonies):
        """Acknowledged records that are missing, one text for each."""
        for testimony in testimonies:
            for id in testimony.started - self.loads.keys():
                yield f"start {id}"
            for id, verdict in testimony.finished.items():
                state = self.loads.get(id, (None,))[0]
                if state not in (verdict, None):
                    yield f"finish {id}: {state} for {verdict}"
            for kind, counts in (("push", testimony.pushed), ("pop", testimony.popped)):
                for feed, count in counts.items():
                    if (there := self._counted(kind, feed)) < count:
                        yield f"{kind}: {there} of {count} of {feed}"
            if testimony.is_closed:
                for id in testimony.started - testimony.finished.keys():
                    if self.loads.get(id, (CANCELLED,))[0] != CANCELLED:
                        yield f"close: {id} is {self.loads[id][0]}"

    def invented(self, testimonies, in_flight):
        """Records that are there and cannot be, one text for each.

        `in_flight` is the number of unacknowledged starts that may be there.
        """
        known = {}
        for testimony in testimonies:
            open = {RUNNING, CRASHED, REBOOTED} | ({CANCELLED} if testimony.is_closing else set())
            for id in testimony.started:
                known[id] = open | {testimony.announced.get(id, RUNNING)}
            for kind, counts in (("push", testimony.pushing), ("pop", testimony.popping)):
                for feed, count in counts.items():
                    if (there := self._counted(kind, feed)) > count:
                        yield f"{kind}: {there} of {feed} for {count}"
        for id, (state, is_anonymous, feed, reason) in self.loads.items():
            if is_anonymous:
                continue
            if id in known:
                if state not in known[id]:
                    yield f"{id} is {state}"
            elif (state, reason) == (ABANDONED, "deadline"):
                pass
            elif in_flight == 0 or state not in (RUNNING, CRASHED, REBOOTED, CANCELLED):
                yield f"{id} of {feed} is {state}, but no program has started it"
            else:
                in_flight -= 1

    def _counted(self, kind, feed):
        rows = [state for state, is_anonymous, name, _ in self.loads.values() if is_anonymous and name == feed]
        return len(rows) if kind == "push" else rows.count(ENDED) + self.extra_pops[feed]


def _text(id):
    digits = id.hex()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
