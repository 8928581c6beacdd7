-- What `status` needs of any number of loads, kept up to date in the transactions that change it.

-- One row a feed and UTC day of its loads' starts, and one a feed over all time (day = -1); the same of the
-- store as a whole (feed = 0), where finishes of unknown loads are counted too. Survives the loads.
CREATE TABLE summary (
  feed              INTEGER NOT NULL,
  -- days since 1970 UTC
  day               INTEGER NOT NULL,
  loads             INTEGER NOT NULL DEFAULT 0,
  succeeded         INTEGER NOT NULL DEFAULT 0,
  unchanged         INTEGER NOT NULL DEFAULT 0,
  failed            INTEGER NOT NULL DEFAULT 0,
  cancelled         INTEGER NOT NULL DEFAULT 0,
  ended             INTEGER NOT NULL DEFAULT 0,
  crashed           INTEGER NOT NULL DEFAULT 0,
  rebooted          INTEGER NOT NULL DEFAULT 0,
  abandoned         INTEGER NOT NULL DEFAULT 0,
  -- by their own time
  orphan_finish     INTEGER NOT NULL DEFAULT 0,
  duplicate_finish  INTEGER NOT NULL DEFAULT 0,
  extra_pop         INTEGER NOT NULL DEFAULT 0,
  -- of the last six
  acknowledged      INTEGER NOT NULL DEFAULT 0,
  first_start       INTEGER,
  -- durations in nanoseconds of loads that succeeded or were unchanged, and of all others that finished;
  -- histograms: OpenTelemetry's exponential histogram at scale 5 as varints: count of zeros, then for each
  -- bucket the distance to the last bucket's index, zigzag, and its count
  success_count     INTEGER NOT NULL DEFAULT 0,
  success_sum       INTEGER NOT NULL DEFAULT 0,
  success_least     INTEGER,
  success_greatest  INTEGER,
  success_histogram BLOB,
  other_count       INTEGER NOT NULL DEFAULT 0,
  other_sum         INTEGER NOT NULL DEFAULT 0,
  other_least       INTEGER,
  other_greatest    INTEGER,
  other_histogram   BLOB,
  -- nanoseconds of the day with at least one load open, and the most open at once: of the loads up to
  -- settlement.seq
  busy              INTEGER NOT NULL DEFAULT 0,
  peak_depth        INTEGER NOT NULL DEFAULT 0,
  -- loads that were open when the day began, as varints: seq and end (wall time, nanoseconds; 0: none yet)
  carried           BLOB,
  -- 1: busy, peak_depth and carried are out of date, because something changed out of order
  is_stale          INTEGER NOT NULL DEFAULT 0,
  -- 1: rows of the day were pruned; busy, peak_depth and carried stay as they are
  is_sealed         INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (feed, day)
) STRICT;

CREATE INDEX summary_stale ON summary (feed, day) WHERE is_stale = 1;

-- How far busy time and depth were added up: in the order of starts, a feed at a time; feed 0 is the store.
CREATE TABLE sweep (
  feed     INTEGER PRIMARY KEY,
  -- wall time, nanoseconds
  position INTEGER NOT NULL,
  -- what is open there, as summary.carried
  open     BLOB
) STRICT;

-- One row: sessions up to seq are in the sweeps.
CREATE TABLE settlement (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL
) STRICT;

INSERT INTO settlement (id, seq) VALUES (1, 0);

-- What is unbalanced and not acknowledged, by call site: per UTC day, and over all time (day = -1).
CREATE TABLE imbalance_site (
  day       INTEGER NOT NULL,
  -- 0: unknown
  feed      INTEGER NOT NULL,
  -- the code of a state (6 to 8), or 16 and the code of an unmatched finish
  kind      INTEGER NOT NULL,
  -- 0: unknown
  call_site INTEGER NOT NULL,
  is_likely INTEGER NOT NULL,
  count     INTEGER NOT NULL,
  -- the last time, wall time in microseconds
  last      INTEGER NOT NULL,
  PRIMARY KEY (day, feed, kind, call_site, is_likely)
) STRICT, WITHOUT ROWID;

CREATE INDEX unmatched_by_time ON unmatched (feed, at);

-- One row a feed, over all time, with the loads that were pruned.
DROP VIEW feed_status;

CREATE VIEW feed_status AS
SELECT
  feed.name AS feed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_updated / 1000 / 1e3, 'unixepoch') AS last_updated,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_changed / 1000 / 1e3, 'unixepoch') AS last_changed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_attempted / 1000 / 1e3, 'unixepoch') AS last_attempted,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_failed / 1000 / 1e3, 'unixepoch') AS last_failed,
  failure.value AS last_failure,
  coalesce(s.loads, 0) AS loads,
  (SELECT count(*) FROM session WHERE session.state = 0 AND session.feed = feed.id) AS running,
  coalesce(s.succeeded, 0) AS succeeded,
  coalesce(s.unchanged, 0) AS unchanged,
  coalesce(s.failed, 0) AS failed,
  coalesce(s.cancelled, 0) AS cancelled,
  coalesce(s.ended, 0) AS ended,
  coalesce(s.crashed, 0) AS crashed,
  coalesce(s.rebooted, 0) AS rebooted,
  coalesce(s.abandoned, 0) AS abandoned,
  coalesce(s.duplicate_finish, 0) AS duplicate_finish,
  coalesce(s.extra_pop, 0) AS extra_pop,
  feed.pops_after_reset,
  (s.success_sum + s.other_sum) / 1e9 / nullif(s.success_count + s.other_count, 0) AS mean_duration,
  max(coalesce(s.success_greatest, s.other_greatest), coalesce(s.other_greatest, s.success_greatest)) / 1e9
    AS max_duration
FROM feed
LEFT JOIN summary AS s ON s.feed = feed.id AND s.day = -1
LEFT JOIN text AS failure ON failure.id = feed.last_failure;
