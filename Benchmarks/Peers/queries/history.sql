-- As `loadlog history --limit 20`: the newest loads of all feeds, each feed's from its index, and those that are not in it.
SELECT hex(s.id), feed.name, state.name, s.started_at, s.duration, message.value, call_site.value, reason.value
FROM (
  SELECT recent.seq, recent.started_at FROM feed CROSS JOIN session AS recent ON recent.seq IN (
    SELECT seq FROM session WHERE session.feed = feed.id AND is_new = 0 ORDER BY started_at DESC LIMIT 20)
  UNION ALL
  SELECT seq, started_at FROM session WHERE is_new = 1 AND seq > (SELECT counted FROM settlement)
  ORDER BY started_at DESC LIMIT 20
) AS newest
JOIN session AS s ON s.seq = newest.seq
JOIN feed ON feed.id = s.feed
JOIN state ON state.code = s.state
LEFT JOIN text AS message ON message.id = s.message
LEFT JOIN text AS call_site ON call_site.id = s.call_site
LEFT JOIN text AS reason ON reason.id = s.reason
ORDER BY s.started_at DESC;
