-- As `loadlog history --limit 20`: the newest loads of all feeds. The newest 20 of each feed come from the index of starts.
SELECT hex(s.id), feed.name, state.name, s.started_at, s.duration, message.value, call_site.value, reason.value
FROM (
  SELECT recent.seq FROM feed CROSS JOIN session AS recent ON recent.seq IN (
    SELECT seq FROM session WHERE session.feed = feed.id ORDER BY started_at DESC LIMIT 20)
  ORDER BY recent.started_at DESC LIMIT 20
) AS newest
JOIN session AS s ON s.seq = newest.seq
JOIN feed ON feed.id = s.feed
JOIN state ON state.code = s.state
LEFT JOIN text AS message ON message.id = s.message
LEFT JOIN text AS call_site ON call_site.id = s.call_site
LEFT JOIN text AS reason ON reason.id = s.reason
ORDER BY s.started_at DESC;
