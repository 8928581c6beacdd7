-- As `loadlog status --since`: by feed, through the index of starts. :since is in microseconds.
WITH recent AS (
  SELECT s.feed, s.state, s.started_at, s.duration,
    row_number() OVER (PARTITION BY s.feed ORDER BY s.duration) AS rank,
    count(*) OVER (PARTITION BY s.feed) AS loads
  FROM feed CROSS JOIN session AS s INDEXED BY session_by_start
  WHERE s.feed = feed.id AND s.started_at >= :since
)
SELECT feed.name, max(loads), sum(state = 3), sum(state = 0), max(started_at),
  min(duration) FILTER (WHERE rank >= 0.50 * loads) / 1e9,
  min(duration) FILTER (WHERE rank >= 0.95 * loads) / 1e9,
  max(duration) / 1e9
FROM recent JOIN feed ON feed.id = recent.feed
GROUP BY recent.feed;
