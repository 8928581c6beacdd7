-- The peers' tables: LoadLog's feeds, texts and loads, with the columns that recording needs, the same constraints on
-- them, and the same indexes.

CREATE TABLE IF NOT EXISTS text (
  id    INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE IF NOT EXISTS feed (
  id             INTEGER PRIMARY KEY,
  name           TEXT NOT NULL UNIQUE,
  last_updated   INTEGER,
  last_changed   INTEGER,
  last_attempted INTEGER,
  last_failed    INTEGER,
  last_failure   INTEGER REFERENCES text (id),
  last_verdict   INTEGER
) STRICT;

CREATE TABLE IF NOT EXISTS session (
  seq           INTEGER PRIMARY KEY,
  id            BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
  feed          INTEGER NOT NULL REFERENCES feed (id),
  owner         INTEGER NOT NULL,
  state         INTEGER NOT NULL DEFAULT 0,
  is_anonymous  INTEGER NOT NULL DEFAULT 0,
  is_finished_after_verdict INTEGER NOT NULL DEFAULT 0,
  started_at    INTEGER NOT NULL,
  started_boot  INTEGER NOT NULL,
  duration      INTEGER CHECK (duration >= 0),
  wall_drift    INTEGER,
  duration_source INTEGER NOT NULL DEFAULT 0,
  message       INTEGER REFERENCES text (id),
  tag           INTEGER REFERENCES text (id),
  call_site     INTEGER REFERENCES text (id),
  reason        INTEGER REFERENCES text (id)
) STRICT;

CREATE INDEX IF NOT EXISTS session_by_start ON session (feed, started_at);
CREATE INDEX IF NOT EXISTS session_running ON session (feed, owner) WHERE state = 0;
CREATE INDEX IF NOT EXISTS session_failed ON session (feed, started_at) WHERE state = 3;
CREATE INDEX IF NOT EXISTS session_by_tag ON session (tag, feed, started_at) WHERE tag IS NOT NULL;
CREATE INDEX IF NOT EXISTS session_unfinished ON session (state, feed, call_site, started_at) WHERE state >= 6;

WITH RECURSIVE number (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM number WHERE value < 99)
INSERT OR IGNORE INTO feed (name) SELECT 'feeds/' || value FROM number;
INSERT OR IGNORE INTO text (value) VALUES ('Loading…'), ('Peers/writer:1');
