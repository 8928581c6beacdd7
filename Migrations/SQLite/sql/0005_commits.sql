-- A library owner's newest commit is kept in the row of a feed that the commit changes anyway: it need not write its
-- own row each time. What counts is the greater number, here or in owner.last_event.

ALTER TABLE feed ADD COLUMN commit_owner INTEGER REFERENCES owner (id);
-- as owner.last_event, last_commit_at and last_commit_boot
ALTER TABLE feed ADD COLUMN commit_event INTEGER;
ALTER TABLE feed ADD COLUMN commit_at INTEGER;
ALTER TABLE feed ADD COLUMN commit_boot INTEGER;

CREATE INDEX feed_by_commit ON feed (commit_owner) WHERE commit_owner IS NOT NULL;
