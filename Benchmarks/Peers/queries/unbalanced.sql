-- As `loadlog unbalanced`: every unfinished start and unmatched finish that is not acknowledged, newest first. Kinds of
-- unmatched finishes above 2 are not unbalanced.
SELECT hex(u.id), u.kind, feed.name, u.at, call_site.value, u.likely
FROM (
  SELECT id, state AS kind, feed, started_at AS at, call_site, is_anonymous AS likely
  FROM session INDEXED BY session_unfinished WHERE state >= 6
  UNION ALL
  SELECT id, 16 + kind, feed, at, call_site, 0 FROM unmatched WHERE kind <= 2
) AS u
LEFT JOIN feed ON feed.id = u.feed
LEFT JOIN text AS call_site ON call_site.id = u.call_site
LEFT JOIN acknowledgement ON acknowledgement.id = u.id
WHERE acknowledgement.id IS NULL
ORDER BY u.at DESC;
