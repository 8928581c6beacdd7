"""A fleet's database as many hosts would have filled it, made by SQL in seconds."""

import collections
import math
import random

# What one feed of one host does on a day.
LOADS, FAILED = 100, 1
# One host in so many is late.
LATE = 50
# Hosts differ by their number modulo KINDS, days by theirs modulo PHASES; each combination has durations of its own.
KINDS, PHASES = 10, 5


class MadeFleet:
    """Hosts that are alive, and the numbers that an answer about them must have."""

    def __init__(self, database, hosts, feeds, days):
        self.database = database
        self.hosts, self.feeds, self.days = hosts, feeds, days
        self.random = random.Random(1)
        if days % PHASES:
            raise ValueError(f"days must be a multiple of {PHASES}")

    @property
    def loads(self):
        return self.hosts * self.feeds * self.days * LOADS

    @property
    def failed(self):
        return self.hosts * self.feeds * self.days * FAILED

    @property
    def late(self):
        """The number of hosts of which a feed is late."""
        return self.hosts // LATE

    def make(self):
        sql = [
            """
            CREATE TABLE made_host AS
              SELECT n, md5('host' || n)::UUID AS id FROM generate_series(1, {hosts}) AS n;
            CREATE TABLE made_durations (kind INT, feed BIGINT, phase INT, is_success BOOLEAN, count BIGINT, sum BIGINT,
              least BIGINT, greatest BIGINT, histogram BYTEA);
            INSERT INTO made_durations VALUES {durations};
            INSERT INTO host SELECT id, 'web-' || n, 'machine-' || n, '0.1.0', 'unusual', FALSE, 1, id, 0, 0, now(),
              now() + INTERVAL '1 hour', NULL FROM made_host;
            INSERT INTO text_value SELECT made_host.id, t.id, t.value FROM made_host,
              (VALUES (1, 'connection refused'), (2, 'Reader/ReviewsView.swift:42')) AS t (id, value);
            INSERT INTO owner SELECT id, 1, id, 'library', 'machine-' || n, 'boot', 42, 'web-' || n, 'reader', {start}, {now},
              NULL, NULL, NULL, 0 FROM made_host;
            """,
            # The last success was minutes ago, but some hosts are late with one feed.
            """
            INSERT INTO feed SELECT id, f, 'feed-' || lpad(f::TEXT, 2, '0'), s.at, s.at, s.at + 1000000, s.at - 5000000, 0,
              {now} - 40000000000 + f, 1, 1, 0, FALSE
            FROM made_host, generate_series(1, {feeds}) AS f,
              LATERAL (SELECT CASE WHEN f = 3 AND n % {late} = 0 THEN {now} - 36000000000
                ELSE {now} - 60000000 * (1 + (n * 7 + f) % 30) END AS at) AS s;
            INSERT INTO expectation SELECT id, 'feed-' || lpad(f::TEXT, 2, '0'), FALSE, 3600000000000, NULL, NULL, NULL, NULL,
              NULL, FALSE, NULL, {start}, NULL, NULL, FALSE FROM made_host, generate_series(1, {feeds}) AS f;
            """,
            # Counters of days, of all time, and of each host together.
            """
            INSERT INTO summary
            SELECT h.id, d.day, s.feed, s.count + o.count, s.count, 0, o.count, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
              {start} + greatest(d.day - {first}, 0) * 86400000000,
              s.count, s.sum, s.least, s.greatest, s.histogram, o.count, o.sum, o.least, o.greatest, o.histogram, FALSE
            FROM made_host AS h
            CROSS JOIN (SELECT generate_series({first}, {first} + {days} - 1) AS day UNION ALL SELECT -1) AS d
            JOIN made_durations AS s ON s.kind = h.n % {kinds} AND s.is_success
              AND s.phase = CASE WHEN d.day < 0 THEN -1 ELSE d.day % {phases} END
            JOIN made_durations AS o ON o.kind = s.kind AND NOT o.is_success AND o.phase = s.phase AND o.feed = s.feed;
            """,
            # Each host runs two loads; each failure is a row.
            """
            INSERT INTO session
            SELECT id, f, md5('run' || n || '/' || f)::UUID, f, 1, 0, FALSE, FALSE, {now} - 5000000, NULL, NULL, 0, NULL,
              NULL, 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM made_host, generate_series(1, 2) AS f;
            INSERT INTO session
            SELECT id, 1000 + d * {feeds} + f, md5('fail' || n || '/' || f || '/' || d)::UUID, f, 1, 3, FALSE, FALSE,
              {start} + d * 86400000000 + 3600000000 + f, 1000000000, 0, 0, NULL, NULL, 2, 1, NULL, NULL, NULL, NULL, NULL,
              NULL, NULL FROM made_host, generate_series(1, {feeds}) AS f, generate_series(0, {days} - 1) AS d;
            DROP TABLE made_host, made_durations;
            """,
            "ANALYZE",
        ]  # fmt: skip
        now = int(self.database.psql("SELECT (extract(epoch FROM now()) * 1000000)::BIGINT")[0][0])
        first = now // 86_400_000_000 - self.days
        numbers = {
            "hosts": self.hosts, "feeds": self.feeds, "days": self.days, "kinds": KINDS, "phases": PHASES, "late": LATE, "now": now,
            "first": first, "start": first * 86_400_000_000, "durations": ", ".join(self.durations()),
        }
        for statement in sql:
            self.database.psql(statement.format(**numbers), seconds=600)

    def durations(self):
        """Rows of durations: of a day of each phase, of all days (phase -1), and of all feeds together (feed 0)."""
        for kind in range(KINDS):
            sums = collections.defaultdict(Durations)
            for feed in range(1, self.feeds + 1):
                for phase in range(PHASES):
                    for is_success, count in ((True, LOADS - FAILED), (False, FAILED)):
                        day = Durations()
                        for _ in range(count):
                            day.add(int(1e9 * (1 + feed / 10) * math.exp(self.random.gauss(0, 0.5))))
                        sums[feed, phase, is_success].merge(day)
                        sums[0, phase, is_success].merge(day)
                        for _ in range(self.days // PHASES):
                            sums[feed, -1, is_success].merge(day)
                            sums[0, -1, is_success].merge(day)
            for (feed, phase, is_success), durations in sums.items():
                yield f"({kind}, {feed}, {phase}, {is_success}, {durations.row()})"


class Durations:
    """Durations as a store keeps them: a count, a sum, the least, the greatest, and a histogram."""

    def __init__(self):
        self.count, self.sum, self.least, self.greatest = 0, 0, math.inf, 0
        self.buckets = collections.Counter()

    def add(self, duration):
        self.count += 1
        self.sum += duration
        self.least, self.greatest = min(self.least, duration), max(self.greatest, duration)
        self.buckets[math.ceil(math.log2(duration) * 32) - 1] += 1

    def merge(self, other):
        self.count += other.count
        self.sum += other.sum
        self.least, self.greatest = min(self.least, other.least), max(self.greatest, other.greatest)
        self.buckets.update(other.buckets)

    def row(self):
        # The number of zeros; then for each bucket how much its index is greater than the last one, and its count.
        histogram, last = bytearray(varint(0)), 0
        for index, count in sorted(self.buckets.items()):
            histogram += varint(2 * (index - last)) + varint(count)
            last = index
        return f"{self.count}, {self.sum}, {self.least}, {self.greatest}, '\\x{histogram.hex()}'"


def varint(number):
    """A number in groups of seven bits, the lowest first; the eighth bit says that more follow."""
    groups = bytearray()
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    groups.append(number)
    return groups
