-- The record. Times are wall-clock microseconds since 1970 UTC; columns named *_boot are nanoseconds since boot,
-- including suspend. Durations are nanoseconds. The views at the end are a contract for SQL users; the tables may
-- change with any migration.

CREATE TABLE migration (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  applied_at INTEGER NOT NULL
) STRICT;

-- Settings of the store. retention: microseconds after which loads are pruned, NULL for never.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value INTEGER
) STRICT, WITHOUT ROWID;

-- The names behind the small numbers in rows. A number is never reused.
CREATE TABLE state (
  code INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO state (code, name) VALUES
  (0, 'running'), (1, 'succeeded'), (2, 'unchanged'), (3, 'failed'), (4, 'cancelled'), (5, 'ended'),
  (6, 'crashed'), (7, 'rebooted'), (8, 'abandoned');

CREATE TABLE unmatched_kind (
  code INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO unmatched_kind (code, name) VALUES
  (0, 'orphan_finish'), (1, 'duplicate_finish'), (2, 'extra_pop'),
  -- not unbalanced: a pop that a reset made superfluous, and an orphan whose start arrived later
  (3, 'pop_after_reset'), (4, 'withdrawn');

-- Messages, reasons, tags and call sites, each stored once.
CREATE TABLE text (
  id    INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE feed (
  id               INTEGER PRIMARY KEY,
  name             TEXT NOT NULL UNIQUE,
  last_updated     INTEGER,
  -- 1: last_updated was adopted from another store; the next success replaces it
  is_adopted       INTEGER NOT NULL DEFAULT 0,
  last_changed     INTEGER,
  last_attempted   INTEGER,
  -- the start of the last success, and how many loads that started after it failed and were pruned
  last_success_started INTEGER,
  pruned_failures  INTEGER NOT NULL DEFAULT 0,
  last_failed      INTEGER,
  last_failure     INTEGER REFERENCES text (id),
  last_verdict     INTEGER REFERENCES state (code),
  -- how often a command did not run because a load was running
  overlaps         INTEGER NOT NULL DEFAULT 0,
  -- 1: an expectation made the row; without it and without loads and pops, the feed is unknown
  is_expected      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One process's use of the store, from open to close.
CREATE TABLE owner (
  id               INTEGER PRIMARY KEY,
  uid              BLOB NOT NULL UNIQUE,
  kind             TEXT NOT NULL CHECK (kind IN ('library', 'given', 'inferred', 'detached', 'remote')),
  machine_id       TEXT NOT NULL,
  boot_id          TEXT NOT NULL,
  pid              INTEGER NOT NULL,
  start_ticks      INTEGER,
  pid_namespace    INTEGER,
  time_namespace   INTEGER,
  lock_name        TEXT,
  lock_inode       INTEGER,
  host             TEXT NOT NULL,
  app              TEXT NOT NULL,
  opened_at        INTEGER NOT NULL,
  opened_boot      INTEGER NOT NULL,
  -- number of the last committed event: a batch that is retried adds nothing twice
  last_event       INTEGER NOT NULL DEFAULT 0,
  last_commit_at   INTEGER NOT NULL,
  last_commit_boot INTEGER NOT NULL,
  closed_at        INTEGER,
  -- the verdict on a dead owner, and the evidence
  verdict          INTEGER REFERENCES state (code),
  evidence         TEXT,
  dropped          INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX owner_by_process ON owner (boot_id, pid) WHERE kind <> 'library';

CREATE TABLE session (
  seq           INTEGER PRIMARY KEY,
  id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  feed          INTEGER NOT NULL REFERENCES feed (id),
  owner         INTEGER NOT NULL REFERENCES owner (id),
  state         INTEGER NOT NULL DEFAULT 0 REFERENCES state (code),
  is_anonymous  INTEGER NOT NULL DEFAULT 0,
  is_finished_after_verdict       INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER NOT NULL,
  started_boot  INTEGER NOT NULL,
  -- finished: how long it took, NULL if unknown. Unfinished start: how long it was open at least.
  duration      INTEGER CHECK (duration >= 0),
  -- The wall time of the finish is started_at + duration / 1000 + wall_drift. A drift of more than one second is a
  -- step of the wall clock. NULL if no finish was seen.
  wall_drift    INTEGER,
  -- where the duration comes from: 0 the boot clock, 1 a difference of wall times, 2 an imported file
  duration_source INTEGER NOT NULL DEFAULT 0,
  message       INTEGER REFERENCES text (id),
  tag           INTEGER REFERENCES text (id),
  call_site     INTEGER REFERENCES text (id),
  reason        INTEGER REFERENCES text (id)
) STRICT;

CREATE INDEX session_by_start ON session (feed, started_at);
CREATE INDEX session_running ON session (feed, owner) WHERE state = 0;
CREATE INDEX session_failed ON session (feed, started_at) WHERE state = 3;
-- Loads with a tag, such as the trace id of a span. Loads without one take no place in it.
CREATE INDEX session_by_tag ON session (tag, feed, started_at) WHERE tag IS NOT NULL;
CREATE INDEX session_unfinished ON session (state, feed, call_site, started_at) WHERE state >= 6;

CREATE TABLE unmatched (
  seq       INTEGER PRIMARY KEY,
  id        BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  kind      INTEGER NOT NULL REFERENCES unmatched_kind (code),
  feed      INTEGER REFERENCES feed (id),
  session   BLOB CHECK (length(session) = 16),
  owner     INTEGER NOT NULL REFERENCES owner (id),
  at        INTEGER NOT NULL,
  at_boot   INTEGER NOT NULL,
  -- the verdict that the finish or pop reported
  state     INTEGER NOT NULL REFERENCES state (code),
  reason    INTEGER REFERENCES text (id),
  call_site INTEGER REFERENCES text (id)
) STRICT;

CREATE INDEX unmatched_by_session ON unmatched (session) WHERE session IS NOT NULL;
CREATE INDEX unmatched_by_time ON unmatched (feed, at);
CREATE INDEX unmatched_by_site ON unmatched (kind, feed, call_site, at);

-- How many pops at count 0 are still forgiven after a reset.
CREATE TABLE reset_credit (
  feed  INTEGER NOT NULL REFERENCES feed (id),
  owner INTEGER NOT NULL REFERENCES owner (id),
  pops  INTEGER NOT NULL,
  PRIMARY KEY (feed, owner)
) STRICT, WITHOUT ROWID;

-- Imbalances that a person has acknowledged, by the id of a session or of an unmatched finish.
CREATE TABLE acknowledgement (
  id   BLOB PRIMARY KEY CHECK (length(id) = 16),
  at   INTEGER NOT NULL,
  by   TEXT NOT NULL,
  note TEXT
) STRICT, WITHOUT ROWID;

-- What is expected of feeds, by name or by a pattern with * and ?.
CREATE TABLE expected (
  pattern      TEXT PRIMARY KEY,
  is_glob      INTEGER NOT NULL,
  -- successes are due this many nanoseconds after the start of the last one, or at the times of a cron expression
  every        INTEGER,
  cron         TEXT,
  -- the name of the expression's time zone
  timezone     TEXT,
  -- nanoseconds; NULL for what the feed's durations show
  grace        INTEGER,
  max_running  INTEGER,
  max_failures INTEGER,
  -- 1: a success on any host of a fleet is enough
  anywhere     INTEGER NOT NULL,
  note         TEXT,
  -- when the schedule was set
  since        INTEGER NOT NULL,
  paused_at    INTEGER,
  -- NULL: until it is resumed
  paused_until INTEGER,
  CHECK (every IS NULL OR cron IS NULL),
  CHECK ((cron IS NULL) = (timezone IS NULL))
) STRICT, WITHOUT ROWID;

-- Changes of feeds between fine and a problem, as a notifier or an alarm in an app noticed them.
CREATE TABLE feed_flip (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  feed         INTEGER NOT NULL REFERENCES feed (id),
  -- when it was noticed
  at           INTEGER NOT NULL,
  from_state   TEXT NOT NULL,
  to_state     TEXT NOT NULL,
  -- since when the feed has been in the new state
  since        INTEGER NOT NULL,
  reason       TEXT,
  call_site    TEXT,
  -- the start of the last success before the flip
  last_success INTEGER,
  -- of a flip that ends an outage: how long it lasted, in nanoseconds, and how many due times passed without a success
  down         INTEGER,
  missed       INTEGER
) STRICT;

CREATE INDEX flip_by_feed ON feed_flip (feed, at);
CREATE INDEX flip_by_time ON feed_flip (at);

-- What notifiers have done, by their names.
CREATE TABLE notifier (
  name         TEXT PRIMARY KEY,
  last_check   INTEGER NOT NULL,
  -- failed deliveries in a row, and when the next one may be tried; without a default, which a row of another table
  -- would get if pages were swapped
  attempts     INTEGER NOT NULL,
  next_attempt INTEGER,
  -- the last time in which nothing was checked
  gap_from     INTEGER,
  gap_until    INTEGER
) STRICT, WITHOUT ROWID;

-- The state of a feed that a notifier has delivered last.
CREATE TABLE notified (
  notifier TEXT NOT NULL REFERENCES notifier (name) ON DELETE CASCADE,
  feed     INTEGER NOT NULL REFERENCES feed (id),
  state    TEXT NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (notifier, feed)
) STRICT, WITHOUT ROWID;

-- What indicators showed of a session. Only sessions that an indicator showed, or would have shown, have a row.
CREATE TABLE visibility (
  session    INTEGER PRIMARY KEY REFERENCES session (seq) ON DELETE CASCADE,
  -- how long an indicator was visible, in nanoseconds
  visible    INTEGER NOT NULL CHECK (visible >= 0),
  -- how many shows ended within their grace time
  suppressed INTEGER NOT NULL CHECK (suppressed >= 0)
) STRICT;

-- What `loadlog run` knows of the command of a session.
CREATE TABLE run (
  session     INTEGER PRIMARY KEY REFERENCES session (seq) ON DELETE CASCADE,
  -- counted from 1: each attempt is a session
  attempt     INTEGER NOT NULL CHECK (attempt >= 1),
  -- 1: another attempt followed, or was to follow, so that a failure of this one does not make the feed failing
  is_retried  INTEGER NOT NULL DEFAULT 0,
  -- processor time in nanoseconds, and the greatest memory of a process in bytes; NULL if unknown
  user_time   INTEGER CHECK (user_time >= 0),
  system_time INTEGER CHECK (system_time >= 0),
  max_memory  INTEGER CHECK (max_memory >= 0)
) STRICT;

CREATE INDEX run_retried ON run (session) WHERE is_retried = 1;

-- The end of what the command of a session wrote to standard output and standard error, in the order in which it came.
CREATE TABLE output (
  session INTEGER PRIMARY KEY REFERENCES session (seq) ON DELETE CASCADE,
  -- the number of bytes that the command wrote, including those that were not kept
  total   INTEGER NOT NULL,
  bytes   BLOB NOT NULL,
  CHECK (length(bytes) <= total)
) STRICT;

-- The journal: one row for each change of a session that the counters do not have yet. `was` is NULL for a start,
-- else the state before the change, plus 16 if the session was acknowledged. The row with the greatest n always
-- stays, so that no number is used twice.
CREATE TABLE change (
  n       INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  was     INTEGER
) STRICT;

-- How far each reader of the journal has come. The counters hold every change up to their position.
CREATE TABLE journal_position (
  reader TEXT PRIMARY KEY,
  n      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO journal_position (reader, n) VALUES ('counters', 0);

-- Counters: one row for each UTC day and feed, by the start of a load or the time of an unmatched finish, and one
-- for each feed over all time (day = -1). Feed 0 is the whole store. Counters survive pruning.
CREATE TABLE summary (
  -- days since 1970 UTC
  day               INTEGER NOT NULL,
  feed              INTEGER NOT NULL,
  loads             INTEGER NOT NULL DEFAULT 0,
  succeeded         INTEGER NOT NULL DEFAULT 0,
  unchanged         INTEGER NOT NULL DEFAULT 0,
  failed            INTEGER NOT NULL DEFAULT 0,
  cancelled         INTEGER NOT NULL DEFAULT 0,
  ended             INTEGER NOT NULL DEFAULT 0,
  crashed           INTEGER NOT NULL DEFAULT 0,
  rebooted          INTEGER NOT NULL DEFAULT 0,
  abandoned         INTEGER NOT NULL DEFAULT 0,
  orphan_finish     INTEGER NOT NULL DEFAULT 0,
  duplicate_finish  INTEGER NOT NULL DEFAULT 0,
  extra_pop         INTEGER NOT NULL DEFAULT 0,
  pops_after_reset  INTEGER NOT NULL DEFAULT 0,
  -- how many of crashed, rebooted, abandoned, orphan_finish, duplicate_finish and extra_pop are acknowledged
  acknowledged      INTEGER NOT NULL DEFAULT 0,
  first_start       INTEGER,
  -- Durations in nanoseconds of loads that succeeded or were unchanged, and of all others that finished. Histograms
  -- are OpenTelemetry exponential histograms at scale 5, as varints: the count of zeros, then for each bucket the
  -- zigzag distance to the previous bucket's index and the count.
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
  -- 1: loads of this day were pruned
  is_sealed         INTEGER NOT NULL DEFAULT 0,
  -- of a sealed day only, and only of its part before busy_until (wall time in microseconds): nanoseconds with at least
  -- one load open, and the most loads open at once
  busy              INTEGER,
  peak_depth        INTEGER,
  busy_until        INTEGER,
  PRIMARY KEY (day, feed)
) STRICT;

CREATE INDEX summary_sealed ON summary (day) WHERE is_sealed <> 0;

-- Counters of unacknowledged imbalances by call site: per UTC day, and over all time (day = -1).
CREATE TABLE imbalance_site (
  day       INTEGER NOT NULL,
  -- 0: unknown
  feed      INTEGER NOT NULL,
  -- the code of a state (6 to 8), or 16 plus the code of an unmatched kind
  kind      INTEGER NOT NULL,
  -- 0: unknown
  call_site INTEGER NOT NULL,
  is_likely INTEGER NOT NULL,
  count     INTEGER NOT NULL,
  PRIMARY KEY (day, feed, kind, call_site, is_likely)
) STRICT, WITHOUT ROWID;

-- What this store ships to a fleet's database, and how far it has come; no row without a fleet. The journal then keeps
-- the changes that are not shipped yet.
CREATE TABLE fleet (
  only          INTEGER PRIMARY KEY CHECK (only = 1),
  -- the id of this host in the fleet, and the machine that the store is on: a copy on another must not ship as it
  host          BLOB NOT NULL CHECK (length(host) = 16),
  machine_id    TEXT NOT NULL,
  name          TEXT NOT NULL,
  -- which loads are shipped as rows: all, unusual or none
  loads         TEXT NOT NULL,
  with_messages INTEGER NOT NULL,
  -- the newest batch that is known to have arrived; NULL before the first
  token         BLOB CHECK (length(token) = 16),
  rev           INTEGER NOT NULL DEFAULT 0,
  -- every change of a session up to this number of the journal is shipped, if there is no scan; -1: a new journal was
  -- begun, and all sessions must be shipped again
  through       INTEGER NOT NULL DEFAULT -1,
  -- sessions up to this number are shipped again, whatever the journal says; NULL once all are
  scanned       INTEGER,
  synced_at     INTEGER,
  -- the last round, if it failed, and why
  failed_at     INTEGER,
  failure       TEXT
) STRICT;

-- Batches that were made, the newest of them whether or not they arrived. Old ones tell where to go on after the
-- fleet's database was restored from a backup.
CREATE TABLE fleet_attempt (
  n       INTEGER PRIMARY KEY,
  token   BLOB NOT NULL CHECK (length(token) = 16),
  rev     INTEGER NOT NULL,
  -- the token that the database had to have; NULL if it was not to know the host
  base    BLOB,
  -- through and scanned after the batch
  through INTEGER NOT NULL,
  scanned INTEGER
) STRICT;

-- Rows of other tables than session that are not shipped yet, by their keys. Filled by triggers.
CREATE TABLE unshipped (
  kind    TEXT NOT NULL,
  key     ANY NOT NULL,
  key2    INTEGER NOT NULL DEFAULT 0,
  -- the batch that has the row as it is
  attempt INTEGER,
  PRIMARY KEY (kind, key, key2)
) STRICT, WITHOUT ROWID;

CREATE INDEX unshipped_by_attempt ON unshipped (attempt, kind) WHERE attempt IS NOT NULL;

-- With a fleet, what changes is to be shipped. A row that waits already is not written again.
CREATE TRIGGER ship_feed_insert AFTER INSERT ON feed WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('feed', NEW.id)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_feed_update AFTER UPDATE ON feed WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('feed', NEW.id)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_summary_insert AFTER INSERT ON summary WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key, key2) VALUES ('summary', NEW.day, NEW.feed)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_summary_update AFTER UPDATE ON summary WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key, key2) VALUES ('summary', NEW.day, NEW.feed)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_imbalance_site_insert AFTER INSERT ON imbalance_site WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key, key2) VALUES ('site', NEW.day, NEW.feed)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_imbalance_site_update AFTER UPDATE ON imbalance_site WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key, key2) VALUES ('site', NEW.day, NEW.feed)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_expected_insert AFTER INSERT ON expected WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('expectation', NEW.pattern)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_expected_update AFTER UPDATE ON expected WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('expectation', NEW.pattern)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_expected_delete AFTER DELETE ON expected WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('expectation', OLD.pattern)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_feed_flip_insert AFTER INSERT ON feed_flip WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('flip', NEW.n)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_acknowledgement_insert AFTER INSERT ON acknowledgement WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('acknowledgement', NEW.id)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_acknowledgement_update AFTER UPDATE ON acknowledgement WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('acknowledgement', NEW.id)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_acknowledgement_delete AFTER DELETE ON acknowledgement WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('acknowledgement', OLD.id)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_unmatched_insert AFTER INSERT ON unmatched WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('unmatched', NEW.seq)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

CREATE TRIGGER ship_unmatched_update AFTER UPDATE ON unmatched WHEN EXISTS (SELECT 1 FROM fleet) BEGIN
  INSERT INTO unshipped (kind, key) VALUES ('unmatched', NEW.seq)
  ON CONFLICT DO UPDATE SET attempt = NULL WHERE attempt IS NOT NULL;
END;

-- One row per load. A verdict that no writer has made durable yet is missing: a `running` load may be dead.
CREATE VIEW session_history AS
SELECT
  lower(substr(hex(s.id), 1, 8) || '-' || substr(hex(s.id), 9, 4) || '-' || substr(hex(s.id), 13, 4)
    || '-' || substr(hex(s.id), 17, 4) || '-' || substr(hex(s.id), 21)) AS id,
  feed.name AS feed,
  message.value AS message,
  tag.value AS tag,
  s.is_anonymous AS anonymous,
  state.name AS state,
  s.is_finished_after_verdict AS finished_after_verdict,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000 / 1e3, 'unixepoch') AS started,
  CASE WHEN s.wall_drift IS NOT NULL THEN
    strftime('%Y-%m-%dT%H:%M:%fZ',
      (s.started_at + coalesce(s.duration / 1000, 0) + s.wall_drift) / 1000 / 1e3, 'unixepoch')
  END AS finished,
  CASE WHEN s.state BETWEEN 1 AND 5 THEN s.duration / 1e9 END AS duration,
  CASE WHEN s.state >= 6 THEN s.duration / 1e9 END AS open_at_least,
  CASE WHEN s.state BETWEEN 1 AND 5 AND s.duration IS NOT NULL THEN
    CASE s.duration_source WHEN 0 THEN 'boot' WHEN 1 THEN 'wall' ELSE 'imported' END
  END AS duration_source,
  CASE WHEN abs(s.wall_drift) > 1000000 AND s.duration_source = 0 AND s.duration IS NOT NULL
    THEN s.wall_drift / 1e6 END AS clock_jump,
  nullif(owner.pid, 0) AS pid,
  owner.host AS host,
  owner.app AS app,
  owner.kind = 'inferred' AS inferred,
  call_site.value AS call_site,
  reason.value AS reason,
  run.attempt,
  run.is_retried AS retried,
  run.user_time / 1e9 AS user_time,
  run.system_time / 1e9 AS system_time,
  run.max_memory
FROM session AS s
JOIN feed ON feed.id = s.feed
JOIN owner ON owner.id = s.owner
JOIN state ON state.code = s.state
LEFT JOIN text AS message ON message.id = s.message
LEFT JOIN text AS tag ON tag.id = s.tag
LEFT JOIN text AS call_site ON call_site.id = s.call_site
LEFT JOIN text AS reason ON reason.id = s.reason
LEFT JOIN run ON run.session = s.seq;

-- One row per push that was never popped and per pop that was never pushed.
CREATE VIEW unbalanced AS
SELECT
  lower(substr(hex(u.id), 1, 8) || '-' || substr(hex(u.id), 9, 4) || '-' || substr(hex(u.id), 13, 4)
    || '-' || substr(hex(u.id), 17, 4) || '-' || substr(hex(u.id), 21)) AS id,
  u.kind,
  feed.name AS feed,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.at / 1000 / 1e3, 'unixepoch') AS at,
  u.evidence,
  call_site.value AS call_site,
  u.likely,
  acknowledgement.id IS NOT NULL AS acknowledged,
  acknowledgement.note
FROM (
  SELECT s.id, state.name AS kind, s.feed, s.started_at AS at,
    coalesce(reason.value, owner.evidence) AS evidence, s.call_site, s.is_anonymous AS likely
  FROM session AS s
  JOIN state ON state.code = s.state
  JOIN owner ON owner.id = s.owner
  LEFT JOIN text AS reason ON reason.id = s.reason
  WHERE s.state >= 6
  UNION ALL
  SELECT m.id, unmatched_kind.name, m.feed, m.at, NULL, m.call_site, 0
  FROM unmatched AS m
  JOIN unmatched_kind ON unmatched_kind.code = m.kind
  WHERE m.kind <= 2
) AS u
LEFT JOIN feed ON feed.id = u.feed
LEFT JOIN text AS call_site ON call_site.id = u.call_site
LEFT JOIN acknowledgement ON acknowledgement.id = u.id;

-- One row per expectation. When a cron expression is due cannot be computed in SQL.
CREATE VIEW expectation AS
SELECT
  pattern,
  is_glob AS glob,
  every / 1e9 AS every,
  cron,
  timezone,
  grace / 1e9 AS grace,
  max_running / 1e9 AS max_running,
  max_failures,
  anywhere,
  note,
  strftime('%Y-%m-%dT%H:%M:%fZ', since / 1000 / 1e3, 'unixepoch') AS since,
  paused_at IS NOT NULL AND (paused_until IS NULL OR paused_until / 1e6 > (julianday('now') - 2440587.5) * 86400)
    AS paused,
  strftime('%Y-%m-%dT%H:%M:%fZ', paused_until / 1000 / 1e3, 'unixepoch') AS paused_until
FROM expected;

-- One row per change of a feed between fine and a problem, as it was noticed.
CREATE VIEW flip AS
SELECT
  f.n,
  feed.name AS feed,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.at / 1000 / 1e3, 'unixepoch') AS at,
  f.from_state AS "from",
  f.to_state AS "to",
  strftime('%Y-%m-%dT%H:%M:%fZ', f.since / 1000 / 1e3, 'unixepoch') AS since,
  f.reason,
  f.call_site,
  f.down / 1e9 AS down,
  f.missed
FROM feed_flip AS f
JOIN feed ON feed.id = f.feed;

-- One row per known feed, over all time, including loads that were pruned: the counters, and the changes that they do not
-- have yet. A session that changed several times counts from its oldest waiting state.
CREATE VIEW feed_status AS
SELECT
  feed.name AS feed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_updated / 1000 / 1e3, 'unixepoch') AS last_updated,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_changed / 1000 / 1e3, 'unixepoch') AS last_changed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_attempted / 1000 / 1e3, 'unixepoch') AS last_attempted,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_failed / 1000 / 1e3, 'unixepoch') AS last_failed,
  failure.value AS last_failure,
  coalesce(s.loads, 0) + coalesce(w.loads, 0) AS loads,
  (SELECT count(*) FROM session WHERE session.state = 0 AND session.feed = feed.id) AS running,
  coalesce(s.succeeded, 0) + coalesce(w.succeeded, 0) AS succeeded,
  coalesce(s.unchanged, 0) + coalesce(w.unchanged, 0) AS unchanged,
  coalesce(s.failed, 0) + coalesce(w.failed, 0) AS failed,
  coalesce(s.cancelled, 0) + coalesce(w.cancelled, 0) AS cancelled,
  coalesce(s.ended, 0) + coalesce(w.ended, 0) AS ended,
  coalesce(s.crashed, 0) + coalesce(w.crashed, 0) AS crashed,
  coalesce(s.rebooted, 0) + coalesce(w.rebooted, 0) AS rebooted,
  coalesce(s.abandoned, 0) + coalesce(w.abandoned, 0) AS abandoned,
  coalesce(s.duplicate_finish, 0) AS duplicate_finish,
  coalesce(s.extra_pop, 0) AS extra_pop,
  coalesce(s.pops_after_reset, 0) AS pops_after_reset,
  (coalesce(s.success_sum + s.other_sum, 0) + coalesce(w.duration_sum, 0)) / 1e9
    / nullif(coalesce(s.success_count + s.other_count, 0) + coalesce(w.duration_count, 0), 0) AS mean_duration,
  nullif(max(coalesce(s.success_greatest, -1), coalesce(s.other_greatest, -1), coalesce(w.duration_greatest, -1)), -1)
    / 1e9 AS max_duration,
  feed.overlaps
FROM feed
LEFT JOIN summary AS s ON s.feed = feed.id AND s.day = -1
LEFT JOIN (
  SELECT
    session.feed,
    sum(oldest.was IS NULL) AS loads,
    sum(state = 1) AS succeeded,
    sum(state = 2) AS unchanged,
    sum(state = 3) AS failed,
    sum(state = 4) AS cancelled,
    sum(state = 5) AS ended,
    sum(state = 6) - sum(oldest.was & 15 IS 6) AS crashed,
    sum(state = 7) - sum(oldest.was & 15 IS 7) AS rebooted,
    sum(state = 8) - sum(oldest.was & 15 IS 8) AS abandoned,
    count(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_count,
    total(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_sum,
    max(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_greatest
  FROM (
    SELECT change.session, change.was, min(change.n) FROM change
    WHERE change.n > (SELECT n FROM journal_position WHERE reader = 'counters')
    GROUP BY change.session
  ) AS oldest
  -- A load that had finished is counted already.
  JOIN session ON session.seq = oldest.session AND coalesce(oldest.was & 15, 0) NOT BETWEEN 1 AND 5
  GROUP BY session.feed
) AS w ON w.feed = feed.id
LEFT JOIN text AS failure ON failure.id = feed.last_failure
-- not for an expectation that was removed, or a flip, alone
WHERE NOT feed.is_expected OR feed.last_attempted IS NOT NULL OR feed.last_updated IS NOT NULL
  OR EXISTS (SELECT 1 FROM expected WHERE expected.pattern = feed.name AND NOT is_glob)
  OR EXISTS (SELECT 1 FROM unmatched WHERE unmatched.feed = feed.id);
