-- Loads are counted some hundreds at a time, so that no start and finish need write a counter.

-- Sessions up to it are in the summaries and in imbalance_site; those after it are counted by whoever asks.
ALTER TABLE settlement ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;

-- Where the last sessions were pruned the sweeps would miss the next ones.
UPDATE settlement SET
  counted = (SELECT coalesce(max(seq), 0) FROM session),
  seq = min(seq, (SELECT coalesce(max(seq), 0) FROM session));

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
  (SELECT count(*) FROM session WHERE session.state = 0 AND session.feed = feed.id) AS running,
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
