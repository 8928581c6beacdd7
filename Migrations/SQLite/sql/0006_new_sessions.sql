-- New sessions wait with their indexes, too: some hundred of them would write a page of that of starts for each feed, and
-- most have ended before they need one of what runs.

-- 1: it comes after settlement.counted, and only a push is in an index yet
ALTER TABLE session ADD COLUMN is_new INTEGER NOT NULL DEFAULT 0;

DROP INDEX session_by_start;
CREATE INDEX session_by_start ON session (feed, started_at) WHERE is_new = 0;

DROP INDEX session_running;
CREATE INDEX session_running ON session (feed, owner) WHERE state = 0 AND (is_new = 0 OR is_anonymous = 1);

-- One row a load. Verdicts that no writer has made durable yet are not in it: `running` may be dead.
DROP VIEW session_history;

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
LEFT JOIN text AS reason ON reason.id = s.reason
-- all of them, in a way in which those of a feed are found by the index
WHERE s.is_new = 0 OR s.seq > (SELECT coalesce(max(counted), 0) FROM settlement);

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
  coalesce(s.loads, 0) + coalesce(n.loads, 0) AS loads,
  (SELECT count(*) FROM session WHERE session.state = 0 AND session.is_new = 0 AND session.feed = feed.id)
    + coalesce(n.running, 0) AS running,
  coalesce(s.succeeded, 0) + coalesce(n.succeeded, 0) AS succeeded,
  coalesce(s.unchanged, 0) + coalesce(n.unchanged, 0) AS unchanged,
  coalesce(s.failed, 0) + coalesce(n.failed, 0) AS failed,
  coalesce(s.cancelled, 0) + coalesce(n.cancelled, 0) AS cancelled,
  coalesce(s.ended, 0) + coalesce(n.ended, 0) AS ended,
  coalesce(s.crashed, 0) + coalesce(n.crashed, 0) AS crashed,
  coalesce(s.rebooted, 0) + coalesce(n.rebooted, 0) AS rebooted,
  coalesce(s.abandoned, 0) + coalesce(n.abandoned, 0) AS abandoned,
  coalesce(s.duplicate_finish, 0) AS duplicate_finish,
  coalesce(s.extra_pop, 0) AS extra_pop,
  feed.pops_after_reset,
  (coalesce(s.success_sum + s.other_sum, 0) + coalesce(n.duration_sum, 0)) / 1e9
    / nullif(coalesce(s.success_count + s.other_count, 0) + coalesce(n.duration_count, 0), 0) AS mean_duration,
  nullif(max(coalesce(s.success_greatest, -1), coalesce(s.other_greatest, -1), coalesce(n.duration_greatest, -1)), -1)
    / 1e9 AS max_duration
FROM feed
LEFT JOIN summary AS s ON s.feed = feed.id AND s.day = -1
LEFT JOIN (
  SELECT
    feed,
    count(*) AS loads,
    sum(state = 0 AND is_new <> 0) AS running,
    sum(state = 1) AS succeeded,
    sum(state = 2) AS unchanged,
    sum(state = 3) AS failed,
    sum(state = 4) AS cancelled,
    sum(state = 5) AS ended,
    sum(state = 6) AS crashed,
    sum(state = 7) AS rebooted,
    sum(state = 8) AS abandoned,
    count(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_count,
    total(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_sum,
    max(CASE WHEN state BETWEEN 1 AND 5 THEN duration END) AS duration_greatest
  FROM session
  WHERE seq > (SELECT counted FROM settlement WHERE id = 1)
  GROUP BY feed
) AS n ON n.feed = feed.id
LEFT JOIN text AS failure ON failure.id = feed.last_failure;
