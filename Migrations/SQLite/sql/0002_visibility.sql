-- What indicators showed of sessions; only of those that one showed, or would have.

CREATE TABLE visibility (
  session    INTEGER PRIMARY KEY REFERENCES session (seq) ON DELETE CASCADE,
  -- how long an indicator was visible, in nanoseconds
  visible    INTEGER NOT NULL CHECK (visible >= 0),
  -- how many shows ended within their grace time
  suppressed INTEGER NOT NULL CHECK (suppressed >= 0)
) STRICT;
