-- As `loadlog status --since`, without the options that compute more: no busy time and no peak depth. One row per feed:
-- last update, running now, loads, failures, median, p95 and maximum of the durations of successes, unbalanced. Quantiles
-- are interpolated between closest ranks. Loads come from the index of starts. :since is in microseconds.
WITH chosen AS (
  SELECT s.feed, s.state, s.state IN (1, 2) AS succeeded, s.duration
  FROM feed CROSS JOIN session AS s ON s.feed = feed.id AND s.started_at >= :since
), ranked AS (
  SELECT *,
    row_number() OVER (PARTITION BY feed ORDER BY succeeded DESC, duration) - 1 AS rank,
    sum(succeeded) OVER (PARTITION BY feed) - 1 AS last
  FROM chosen
), counted AS (
  SELECT feed, count(*) AS loads, sum(state = 3) AS failed, sum(state >= 6) AS unfinished,
    sum(duration * max(0, 1 - abs(rank - 0.50 * last))) FILTER (WHERE succeeded) / 1e9 AS median,
    sum(duration * max(0, 1 - abs(rank - 0.95 * last))) FILTER (WHERE succeeded) / 1e9 AS p95,
    max(duration) FILTER (WHERE succeeded) / 1e9 AS greatest
  FROM ranked GROUP BY feed
)
SELECT feed.name,
  strftime('%Y-%m-%d %H:%M:%S', feed.last_updated / 1000000, 'unixepoch'),
  (SELECT count(*) FROM session WHERE session.state = 0 AND session.feed = feed.id),
  coalesce(loads, 0), coalesce(failed, 0), median, p95, greatest,
  coalesce(unfinished, 0)
    + (SELECT count(*) FROM unmatched WHERE unmatched.feed = feed.id AND at >= :since AND kind <= 2)
FROM feed LEFT JOIN counted ON counted.feed = feed.id;
