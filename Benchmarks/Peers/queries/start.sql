-- As `loadlog start feeds/7`: durable when the shell ends. :id is 32 hexadecimal digits.
BEGIN IMMEDIATE;
INSERT INTO session (id, feed, owner, started_at, started_boot, message, call_site)
VALUES (x':id', 8, 1, unixepoch() * 1000000, 1, 1, 2);
UPDATE feed SET last_attempted = unixepoch() * 1000000 WHERE id = 8;
COMMIT;
