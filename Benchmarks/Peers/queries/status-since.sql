-- As `loadlog status --since`: by feed, through the index of starts and the loads that are not in it. :since is in
-- microseconds.
WITH chosen AS (
  SELECT s.feed, s.state, s.started_at, s.duration FROM feed CROSS JOIN session AS s INDEXED BY session_by_start
  WHERE s.feed = feed.id AND s.is_new = 0 AND s.started_at >= :since
  UNION ALL
  SELECT feed, state, started_at, duration FROM session
  WHERE is_new = 1 AND seq > (SELECT counted FROM settlement) AND started_at >= :since
), recent AS (
  SELECT s.feed, s.state, s.started_at, s.duration,
    row_number() OVER (PARTITION BY s.feed ORDER BY s.duration) AS rank,
    count(*) OVER (PARTITION BY s.feed) AS loads
  FROM chosen AS s
)
SELECT feed.name, max(loads), sum(state = 3), sum(state = 0), max(started_at),
  min(duration) FILTER (WHERE rank >= 0.50 * loads) / 1e9,
  min(duration) FILTER (WHERE rank >= 0.95 * loads) / 1e9,
  max(duration) / 1e9
FROM recent JOIN feed ON feed.id = recent.feed
GROUP BY recent.feed;
