-- As `loadlog last-updated feeds/7`.
SELECT strftime('%Y-%m-%d %H:%M:%S', last_updated / 1000000, 'unixepoch') FROM feed WHERE name = 'feeds/7';
