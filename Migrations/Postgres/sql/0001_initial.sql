-- The records of many hosts. Each row belongs to one host, which alone writes it, by its store's numbers. A column has
-- the name and the meaning of the column in the store: times are wall-clock microseconds of the host since 1970 UTC,
-- durations are nanoseconds. Leases are times of this database. The views at the end are a contract for SQL users; the
-- tables may change with any migration.
--
-- Written for Citus, YugabyteDB and CockroachDB, too: no sequences, foreign keys, triggers or partial indexes, and no
-- arithmetic of BIGINT with DOUBLE PRECISION.

CREATE TABLE host (
  -- chosen at random when its store first ships
  id            UUID PRIMARY KEY,
  name          TEXT NOT NULL,
  machine_id    TEXT NOT NULL,
  -- the version of LoadLog that ships
  version       TEXT NOT NULL,
  -- which loads are shipped as rows: all, unusual or none
  loads         TEXT NOT NULL,
  with_messages BOOLEAN NOT NULL,
  -- the number and the token of the batch that was written last
  rev           BIGINT NOT NULL,
  token         UUID NOT NULL,
  -- how many changes were not shipped when the batch was made
  waiting       BIGINT NOT NULL,
  -- microseconds that this database's clock is ahead of the host's
  clock_offset  BIGINT NOT NULL,
  synced_at     TIMESTAMPTZ NOT NULL,
  -- the host counts as alive until then; NULL: it said goodbye
  lease_until   TIMESTAMPTZ,
  -- no longer shown in reports, and no longer allowed to ship
  retired_at    TIMESTAMPTZ
);

-- Messages, reasons, tags and call sites. Rows name them by number: a key of an index has a greatest length.
CREATE TABLE text_value (
  host  UUID NOT NULL,
  id    BIGINT NOT NULL,
  value TEXT,
  PRIMARY KEY (host, id)
);

-- failures: how many loads that started after the last success failed, also those without a row here. overlap_count: the
-- store's column overlaps, which is a word of SQL here.
CREATE TABLE feed (
  host                 UUID NOT NULL,
  id                   BIGINT NOT NULL,
  name                 TEXT,
  last_updated         BIGINT,
  last_changed         BIGINT,
  last_attempted       BIGINT,
  last_success_started BIGINT,
  failures             BIGINT,
  last_failed          BIGINT,
  last_failure         BIGINT,
  last_verdict         SMALLINT,
  overlap_count        BIGINT,
  is_expected          BOOLEAN,
  PRIMARY KEY (host, id)
);

CREATE INDEX feed_by_name ON feed (name, last_updated);

-- One process's use of a store. The store's column host is called name here.
CREATE TABLE owner (
  host           UUID NOT NULL,
  id             BIGINT NOT NULL,
  uid            UUID,
  kind           TEXT,
  machine_id     TEXT,
  boot_id        TEXT,
  pid            BIGINT,
  name           TEXT,
  app            TEXT,
  opened_at      BIGINT,
  last_commit_at BIGINT,
  closed_at      BIGINT,
  verdict        SMALLINT,
  evidence       TEXT,
  dropped        BIGINT,
  PRIMARY KEY (host, id)
);

-- Counters by UTC day and feed, over all time for day -1, of the whole store for feed 0. A histogram has the bytes that it
-- has in the store: numbers in groups of seven bits, the lowest first, whose eighth bit says that more follow. First the
-- number of durations of 0; then for each bucket by how much its index exceeds the last one, in zigzag form, and its
-- count. Bucket i holds the durations greater than 2^(i/32) and at most 2^((i+1)/32) nanoseconds.
CREATE TABLE summary (
  host              UUID NOT NULL,
  day               BIGINT NOT NULL,
  feed              BIGINT NOT NULL,
  loads             BIGINT,
  succeeded         BIGINT,
  unchanged         BIGINT,
  failed            BIGINT,
  cancelled         BIGINT,
  ended             BIGINT,
  crashed           BIGINT,
  rebooted          BIGINT,
  abandoned         BIGINT,
  orphan_finish     BIGINT,
  duplicate_finish  BIGINT,
  extra_pop         BIGINT,
  pops_after_reset  BIGINT,
  acknowledged      BIGINT,
  first_start       BIGINT,
  success_count     BIGINT,
  success_sum       BIGINT,
  success_least     BIGINT,
  success_greatest  BIGINT,
  success_histogram BYTEA,
  other_count       BIGINT,
  other_sum         BIGINT,
  other_least       BIGINT,
  other_greatest    BIGINT,
  other_histogram   BYTEA,
  is_sealed         BOOLEAN,
  PRIMARY KEY (host, day, feed)
);

CREATE INDEX summary_by_day ON summary (day);

-- Counters of unacknowledged imbalances by call site, per UTC day and over all time (day -1). A row that counts nothing
-- any longer has the count 0.
CREATE TABLE site (
  host      UUID NOT NULL,
  day       BIGINT NOT NULL,
  feed      BIGINT NOT NULL,
  kind      SMALLINT NOT NULL,
  call_site BIGINT NOT NULL,
  is_likely BOOLEAN NOT NULL,
  count     BIGINT,
  PRIMARY KEY (host, day, feed, kind, call_site, is_likely)
);

-- is_removed: the host no longer has the row.
CREATE TABLE expectation (
  host         UUID NOT NULL,
  pattern      TEXT NOT NULL,
  is_glob      BOOLEAN,
  every        BIGINT,
  cron         TEXT,
  timezone     TEXT,
  grace        BIGINT,
  max_running  BIGINT,
  max_failures BIGINT,
  anywhere     BOOLEAN,
  note         TEXT,
  since        BIGINT,
  paused_at    BIGINT,
  paused_until BIGINT,
  is_removed   BOOLEAN,
  PRIMARY KEY (host, pattern)
);

-- Changes of feeds between fine and a problem.
CREATE TABLE flip (
  host         UUID NOT NULL,
  n            BIGINT NOT NULL,
  feed         BIGINT,
  at           BIGINT,
  from_state   TEXT,
  to_state     TEXT,
  since        BIGINT,
  reason       TEXT,
  call_site    TEXT,
  last_success BIGINT,
  down         BIGINT,
  missed       BIGINT,
  PRIMARY KEY (host, n)
);

CREATE INDEX flip_by_time ON flip (at);

-- Imbalances that a person has acknowledged. is_removed: the host no longer has the row.
CREATE TABLE acknowledgement (
  host       UUID NOT NULL,
  id         UUID NOT NULL,
  at         BIGINT,
  by         TEXT,
  note       TEXT,
  is_removed BOOLEAN,
  PRIMARY KEY (host, id)
);

CREATE TABLE unmatched (
  host      UUID NOT NULL,
  seq       BIGINT NOT NULL,
  id        UUID,
  kind      SMALLINT,
  feed      BIGINT,
  session   UUID,
  owner     BIGINT,
  at        BIGINT,
  state     SMALLINT,
  reason    BIGINT,
  call_site BIGINT,
  PRIMARY KEY (host, seq)
);

CREATE INDEX unmatched_by_id ON unmatched (id);
CREATE INDEX unmatched_by_time ON unmatched (at);

-- Loads, as rows: all of a host, the unusual ones, or none (host.loads). The last columns are those of the store's
-- tables visibility and run. state is NULL if the load's end was not shipped, because it was pruned or the host ships no
-- rows of loads any more: only the counters have its verdict.
CREATE TABLE session (
  host                      UUID NOT NULL,
  seq                       BIGINT NOT NULL,
  id                        UUID,
  feed                      BIGINT,
  owner                     BIGINT,
  state                     SMALLINT,
  is_anonymous              BOOLEAN,
  is_finished_after_verdict BOOLEAN,
  started_at                BIGINT,
  duration                  BIGINT,
  wall_drift                BIGINT,
  duration_source           SMALLINT,
  message                   BIGINT,
  tag                       BIGINT,
  call_site                 BIGINT,
  reason                    BIGINT,
  visible                   BIGINT,
  suppressed                BIGINT,
  attempt                   BIGINT,
  is_retried                BOOLEAN,
  user_time                 BIGINT,
  system_time               BIGINT,
  max_memory                BIGINT,
  PRIMARY KEY (host, seq)
);

CREATE INDEX session_by_id ON session (id);
CREATE INDEX session_by_start ON session (started_at);
CREATE INDEX session_by_feed ON session (host, feed, started_at);
CREATE INDEX session_by_state ON session (state, started_at);

-- One row per host. state: alive while its lease holds, silent after it, closed if it said goodbye, or retired.
-- clock_offset: seconds that this database's clock is ahead of the host's.
CREATE VIEW fleet_hosts AS
SELECT
  id AS host_id,
  name AS host,
  CASE
    WHEN retired_at IS NOT NULL THEN 'retired'
    WHEN lease_until IS NULL THEN 'closed'
    WHEN lease_until > now() THEN 'alive'
    ELSE 'silent'
  END AS state,
  machine_id,
  version,
  loads,
  with_messages,
  waiting,
  CAST(clock_offset AS DOUBLE PRECISION) / 1e6 AS clock_offset,
  synced_at,
  lease_until,
  retired_at
FROM host;

-- One row per host and feed, over all time. Loads without an end are running while the host's lease holds, unless they
-- have no process; else they are unknown. To add up all feeds of a host, read its row of summary with day -1 and feed 0 instead.
CREATE VIEW fleet_status AS
SELECT
  h.host_id,
  h.host,
  feed.name AS feed,
  to_timestamp(feed.last_updated / 1e6) AS last_updated,
  to_timestamp(feed.last_changed / 1e6) AS last_changed,
  to_timestamp(feed.last_attempted / 1e6) AS last_attempted,
  to_timestamp(feed.last_failed / 1e6) AS last_failed,
  failure.value AS last_failure,
  coalesce(s.loads, 0) AS loads,
  CASE WHEN h.state = 'alive' THEN greatest(0, coalesce(s.open, 0) - coalesce(detached.loads, 0)) ELSE 0 END AS running,
  CASE WHEN h.state = 'alive' THEN coalesce(detached.loads, 0) ELSE coalesce(s.open, 0) END AS unknown,
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
  coalesce(s.pops_after_reset, 0) AS pops_after_reset,
  (CAST(s.success_sum AS DOUBLE PRECISION) + CAST(s.other_sum AS DOUBLE PRECISION)) / 1e9
    / CAST(nullif(s.success_count + s.other_count, 0) AS DOUBLE PRECISION) AS mean_duration,
  CAST(greatest(s.success_greatest, s.other_greatest) AS DOUBLE PRECISION) / 1e9 AS max_duration,
  feed.overlap_count
FROM feed
JOIN fleet_hosts AS h ON h.host_id = feed.host
LEFT JOIN (
  SELECT summary.*,
    loads - succeeded - unchanged - failed - cancelled - ended - crashed - rebooted - abandoned AS open
  FROM summary WHERE day = -1
) AS s ON s.host = feed.host AND s.feed = feed.id
LEFT JOIN (
  SELECT l.host, l.feed, count(*) AS loads
  FROM session AS l
  JOIN owner ON owner.host = l.host AND owner.id = l.owner
  WHERE l.state = 0 AND owner.kind = 'detached'
  GROUP BY l.host, l.feed
) AS detached ON detached.host = feed.host AND detached.feed = feed.id
LEFT JOIN text_value AS failure ON failure.host = feed.host AND failure.id = feed.last_failure
WHERE h.state <> 'retired'
  -- not for an expectation that was removed, or a flip, alone
  AND (NOT coalesce(feed.is_expected, FALSE) OR feed.last_attempted IS NOT NULL OR feed.last_updated IS NOT NULL
    OR s.host IS NOT NULL
    OR EXISTS (
      SELECT 1 FROM expectation AS e
      WHERE e.host = feed.host AND e.pattern = feed.name AND e.is_glob IS NOT TRUE AND e.is_removed IS NOT TRUE));

-- One row per push that was never popped and per pop that was never pushed, of the loads that are shipped as rows.
CREATE VIEW fleet_unbalanced AS
SELECT
  h.host_id,
  h.host,
  u.id,
  u.kind,
  feed.name AS feed,
  to_timestamp(u.at / 1e6) AS at,
  u.evidence,
  call_site.value AS call_site,
  u.likely,
  acknowledgement.id IS NOT NULL AS acknowledged,
  acknowledgement.note
FROM (
  SELECT s.host, s.id, CASE s.state WHEN 6 THEN 'crashed' WHEN 7 THEN 'rebooted' ELSE 'abandoned' END AS kind,
    s.feed, s.started_at AS at, coalesce(reason.value, owner.evidence) AS evidence, s.call_site,
    s.is_anonymous AS likely
  FROM session AS s
  JOIN owner ON owner.host = s.host AND owner.id = s.owner
  LEFT JOIN text_value AS reason ON reason.host = s.host AND reason.id = s.reason
  WHERE s.state >= 6
  UNION ALL
  SELECT m.host, m.id,
    CASE m.kind WHEN 0 THEN 'orphan_finish' WHEN 1 THEN 'duplicate_finish' ELSE 'extra_pop' END,
    m.feed, m.at, NULL, m.call_site, FALSE
  FROM unmatched AS m
  WHERE m.kind <= 2
) AS u
JOIN fleet_hosts AS h ON h.host_id = u.host
LEFT JOIN feed ON feed.host = u.host AND feed.id = u.feed
LEFT JOIN text_value AS call_site ON call_site.host = u.host AND call_site.id = u.call_site
LEFT JOIN acknowledgement
  ON acknowledgement.host = u.host AND acknowledgement.id = u.id AND NOT acknowledgement.is_removed
WHERE h.state <> 'retired';

-- One row per load that is shipped as a row. A load without an end is running while the host's lease holds, unless it has
-- no process; else it is unknown. owner_host: the name of the machine that recorded the load.
CREATE VIEW fleet_history AS
SELECT
  h.host_id,
  h.host,
  s.id,
  feed.name AS feed,
  message.value AS message,
  tag.value AS tag,
  s.is_anonymous AS anonymous,
  CASE s.state
    WHEN 0 THEN CASE WHEN h.state = 'alive' AND owner.kind <> 'detached' THEN 'running' ELSE 'unknown' END
    WHEN 1 THEN 'succeeded' WHEN 2 THEN 'unchanged' WHEN 3 THEN 'failed' WHEN 4 THEN 'cancelled' WHEN 5 THEN 'ended'
    WHEN 6 THEN 'crashed' WHEN 7 THEN 'rebooted' WHEN 8 THEN 'abandoned'
  END AS state,
  s.is_finished_after_verdict AS finished_after_verdict,
  to_timestamp(s.started_at / 1e6) AS started,
  CASE WHEN s.wall_drift IS NOT NULL
    THEN to_timestamp((s.started_at + coalesce(s.duration / 1000, 0) + s.wall_drift) / 1e6) END AS finished,
  CASE WHEN s.state BETWEEN 1 AND 5 THEN CAST(s.duration AS DOUBLE PRECISION) / 1e9 END AS duration,
  CASE WHEN s.state >= 6 THEN CAST(s.duration AS DOUBLE PRECISION) / 1e9 END AS open_at_least,
  CASE WHEN s.state BETWEEN 1 AND 5 AND s.duration IS NOT NULL THEN
    CASE s.duration_source WHEN 0 THEN 'boot' WHEN 1 THEN 'wall' ELSE 'imported' END
  END AS duration_source,
  CASE WHEN abs(s.wall_drift) > 1000000 AND s.duration_source = 0 AND s.duration IS NOT NULL
    THEN CAST(s.wall_drift AS DOUBLE PRECISION) / 1e6 END AS clock_jump,
  nullif(owner.pid, 0) AS pid,
  owner.name AS owner_host,
  owner.app AS app,
  owner.kind = 'inferred' AS inferred,
  call_site.value AS call_site,
  reason.value AS reason,
  s.attempt,
  s.is_retried AS retried,
  CAST(s.user_time AS DOUBLE PRECISION) / 1e9 AS user_time,
  CAST(s.system_time AS DOUBLE PRECISION) / 1e9 AS system_time,
  s.max_memory
FROM session AS s
JOIN fleet_hosts AS h ON h.host_id = s.host
JOIN feed ON feed.host = s.host AND feed.id = s.feed
JOIN owner ON owner.host = s.host AND owner.id = s.owner
LEFT JOIN text_value AS message ON message.host = s.host AND message.id = s.message
LEFT JOIN text_value AS tag ON tag.host = s.host AND tag.id = s.tag
LEFT JOIN text_value AS call_site ON call_site.host = s.host AND call_site.id = s.call_site
LEFT JOIN text_value AS reason ON reason.host = s.host AND reason.id = s.reason
WHERE h.state <> 'retired' AND s.state IS NOT NULL;
