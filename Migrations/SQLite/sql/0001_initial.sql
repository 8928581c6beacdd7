-- The record. Times: wall clock in microseconds since 1970 UTC; *_boot in nanoseconds since boot,
-- suspend included. Durations in nanoseconds. The views at the end are the contract for people who
-- come with a SQL shell; the tables may change with any migration.

CREATE TABLE migration (
  version    INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  applied_at INTEGER NOT NULL
) STRICT;

-- Words for the small numbers that rows keep; never reused.
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
  (0, 'orphan_finish'), (1, 'duplicate_finish'), (2, 'extra_pop');

-- Messages, reasons, tags and call sites, each stored once.
CREATE TABLE text (
  id    INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE feed (
  id               INTEGER PRIMARY KEY,
  name             TEXT NOT NULL UNIQUE,
  last_updated     INTEGER,
  -- 1: last_updated was taken over from elsewhere; a success replaces it
  is_adopted       INTEGER NOT NULL DEFAULT 0,
  last_changed     INTEGER,
  last_attempted   INTEGER,
  last_failed      INTEGER,
  last_failure     INTEGER REFERENCES text (id),
  last_verdict     INTEGER REFERENCES state (code),
  pops_after_reset INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One process's use of the store, from open to close.
CREATE TABLE owner (
  id               INTEGER PRIMARY KEY,
  uid              BLOB NOT NULL UNIQUE,
  kind             TEXT NOT NULL CHECK (kind IN ('library', 'given', 'inferred', 'detached')),
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
  -- number of the last event committed: a batch that is tried again adds nothing twice
  last_event       INTEGER NOT NULL DEFAULT 0,
  last_commit_at   INTEGER NOT NULL,
  last_commit_boot INTEGER NOT NULL,
  closed_at        INTEGER,
  -- the verdict on a dead owner, and its proof
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
  is_late       INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER NOT NULL,
  started_boot  INTEGER NOT NULL,
  -- finished: how long it took, NULL if that cannot be known. Unfinished start: how long it was open at least.
  duration      INTEGER CHECK (duration >= 0),
  -- wall time of the finish = started_at + duration / 1000 + wall_drift. More than a second of drift is
  -- a step of the wall clock. NULL where no finish was seen.
  wall_drift    INTEGER,
  -- 1: the duration is a difference of wall times
  is_wall       INTEGER NOT NULL DEFAULT 0,
  message       INTEGER REFERENCES text (id),
  tag           INTEGER REFERENCES text (id),
  call_site     INTEGER REFERENCES text (id),
  reason        INTEGER REFERENCES text (id)
) STRICT;

CREATE INDEX session_by_start ON session (feed, started_at);
CREATE INDEX session_running ON session (feed, owner) WHERE state = 0;
CREATE INDEX session_unfinished ON session (state) WHERE state >= 6;

CREATE TABLE unmatched (
  seq       INTEGER PRIMARY KEY,
  id        BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  kind      INTEGER NOT NULL REFERENCES unmatched_kind (code),
  feed      INTEGER REFERENCES feed (id),
  session   BLOB CHECK (length(session) = 16),
  owner     INTEGER NOT NULL REFERENCES owner (id),
  at        INTEGER NOT NULL,
  at_boot   INTEGER NOT NULL,
  -- the verdict that the finish or pop told
  state     INTEGER NOT NULL REFERENCES state (code),
  reason    INTEGER REFERENCES text (id),
  call_site INTEGER REFERENCES text (id)
) STRICT;

CREATE INDEX unmatched_by_session ON unmatched (session) WHERE session IS NOT NULL;

-- How many pops at 0 a reset has made superfluous.
CREATE TABLE reset_credit (
  feed  INTEGER NOT NULL REFERENCES feed (id),
  owner INTEGER NOT NULL REFERENCES owner (id),
  pops  INTEGER NOT NULL,
  PRIMARY KEY (feed, owner)
) STRICT, WITHOUT ROWID;

-- Imbalances that somebody has seen; by the id of a session or of an unmatched finish.
CREATE TABLE acknowledgement (
  id   BLOB PRIMARY KEY CHECK (length(id) = 16),
  at   INTEGER NOT NULL,
  by   TEXT NOT NULL,
  note TEXT
) STRICT, WITHOUT ROWID;

-- One row a load. Verdicts that no writer has made durable yet are not in it: `running` may be dead.
CREATE VIEW session_history AS
SELECT
  lower(substr(hex(s.id), 1, 8) || '-' || substr(hex(s.id), 9, 4) || '-' || substr(hex(s.id), 13, 4)
    || '-' || substr(hex(s.id), 17, 4) || '-' || substr(hex(s.id), 21)) AS id,
  feed.name AS feed,
  message.value AS message,
  tag.value AS tag,
  s.is_anonymous AS anonymous,
  state.name AS state,
  s.is_late AS late,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000 / 1e3, 'unixepoch') AS started,
  CASE WHEN s.wall_drift IS NOT NULL THEN
    strftime('%Y-%m-%dT%H:%M:%fZ',
      (s.started_at + coalesce(s.duration / 1000, 0) + s.wall_drift) / 1000 / 1e3, 'unixepoch')
  END AS finished,
  CASE WHEN s.state BETWEEN 1 AND 5 THEN s.duration / 1e9 END AS duration,
  CASE WHEN s.state >= 6 THEN s.duration / 1e9 END AS open_at_least,
  CASE WHEN s.state BETWEEN 1 AND 5 THEN iif(s.is_wall, 'wall', 'boot') END AS duration_source,
  CASE WHEN abs(s.wall_drift) > 1000000 AND NOT s.is_wall AND s.duration IS NOT NULL
    THEN s.wall_drift / 1e6 END AS clock_jump,
  owner.pid AS pid,
  owner.host AS host,
  owner.app AS app,
  owner.kind = 'inferred' AS inferred,
  call_site.value AS call_site,
  reason.value AS reason
FROM session AS s
JOIN feed ON feed.id = s.feed
JOIN owner ON owner.id = s.owner
JOIN state ON state.code = s.state
LEFT JOIN text AS message ON message.id = s.message
LEFT JOIN text AS tag ON tag.id = s.tag
LEFT JOIN text AS call_site ON call_site.id = s.call_site
LEFT JOIN text AS reason ON reason.id = s.reason;

-- One row for each push that was never popped and each pop that was never pushed.
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
) AS u
LEFT JOIN feed ON feed.id = u.feed
LEFT JOIN text AS call_site ON call_site.id = u.call_site
LEFT JOIN acknowledgement ON acknowledgement.id = u.id;

-- One row a feed, over all time.
CREATE VIEW feed_status AS
SELECT
  feed.name AS feed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_updated / 1000 / 1e3, 'unixepoch') AS last_updated,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_changed / 1000 / 1e3, 'unixepoch') AS last_changed,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_attempted / 1000 / 1e3, 'unixepoch') AS last_attempted,
  strftime('%Y-%m-%dT%H:%M:%fZ', feed.last_failed / 1000 / 1e3, 'unixepoch') AS last_failed,
  failure.value AS last_failure,
  count(s.seq) AS loads,
  coalesce(sum(s.state = 0), 0) AS running,
  coalesce(sum(s.state = 1), 0) AS succeeded,
  coalesce(sum(s.state = 2), 0) AS unchanged,
  coalesce(sum(s.state = 3), 0) AS failed,
  coalesce(sum(s.state = 4), 0) AS cancelled,
  coalesce(sum(s.state = 5), 0) AS ended,
  coalesce(sum(s.state = 6), 0) AS crashed,
  coalesce(sum(s.state = 7), 0) AS rebooted,
  coalesce(sum(s.state = 8), 0) AS abandoned,
  (SELECT count(*) FROM unmatched AS m WHERE m.feed = feed.id AND m.kind = 1) AS duplicate_finish,
  (SELECT count(*) FROM unmatched AS m WHERE m.feed = feed.id AND m.kind = 2) AS extra_pop,
  feed.pops_after_reset,
  avg(CASE WHEN s.state BETWEEN 1 AND 5 THEN s.duration END) / 1e9 AS mean_duration,
  max(CASE WHEN s.state BETWEEN 1 AND 5 THEN s.duration END) / 1e9 AS max_duration
FROM feed
LEFT JOIN session AS s ON s.feed = feed.id
LEFT JOIN text AS failure ON failure.id = feed.last_failure
GROUP BY feed.id;
