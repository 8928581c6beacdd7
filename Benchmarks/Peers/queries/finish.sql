-- As `loadlog finish`: durable when the shell ends. :id is 32 hexadecimal digits.
BEGIN IMMEDIATE;
UPDATE session SET state = 1, duration = max(0, unixepoch() * 1000000 - started_at) * 1000, wall_drift = 0
WHERE id = x':id' AND state = 0;
UPDATE feed SET last_updated = unixepoch() * 1000000, last_changed = unixepoch() * 1000000, last_verdict = 1
WHERE id = 8;
COMMIT;
