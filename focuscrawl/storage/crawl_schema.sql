-- The one file of a crawl, but for the table of pages, which is made from PageRecord (focuscrawl/records.py). Keys of
-- URLs are 64-bit numbers (see the views for their 16 hex digits), times are Unix seconds in UTC, columns called data and
-- targets hold JSON.

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL                -- JSON
) WITHOUT ROWID;

CREATE TABLE events (
    id   INTEGER PRIMARY KEY,
    at   REAL NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
);

CREATE TABLE state (
    name     TEXT PRIMARY KEY,         -- "ranker", "judge", …
    saved_at REAL NOT NULL,
    data     TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE hosts (
    host       TEXT PRIMARY KEY,
    delay_s    REAL,                   -- NULL: the crawl's
    hold_until REAL NOT NULL DEFAULT 0,
    leased_at  REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- What is added to the score of all links of a group.
CREATE TABLE groups (
    grp    TEXT PRIMARY KEY,
    offset REAL NOT NULL
) WITHOUT ROWID;

-- A group of a host; grp is '' when the host itself is the group.
CREATE TABLE buckets (
    id   INTEGER PRIMARY KEY,
    host TEXT NOT NULL,
    grp  TEXT NOT NULL,
    UNIQUE (host, grp)
);

-- Every URL that was ever found worth a fetch, in order of discovery, so that new ones go to the end of the file.
CREATE TABLE entries (
    seq        INTEGER PRIMARY KEY,
    key        INTEGER NOT NULL,
    bucket     INTEGER,                -- NULL for another address of a fetched page, of which only the key is known
    score      REAL NOT NULL,
    state      INTEGER NOT NULL,       -- 0 queued, 1 queued but not_before has not come, 2 done, 3 failed, 4 refused
    attempts   INTEGER NOT NULL,       -- that ended without success
    depth      INTEGER NOT NULL,
    tunnel     INTEGER NOT NULL,
    not_before REAL NOT NULL,
    url        TEXT NOT NULL,
    data       TEXT NOT NULL           -- '' for {}
);
CREATE INDEX entries_queued ON entries (bucket, score DESC) WHERE state = 0;
CREATE INDEX entries_waiting ON entries (not_before) WHERE state = 1;

-- Where to find a key. A key is a random number, so adding one changes a page of this index of its own; therefore
-- keys are added many at a time, in order. Those above seq "indexed_upto" (table settings) are only in entries yet.
CREATE TABLE keys (
    key INTEGER PRIMARY KEY,
    seq INTEGER NOT NULL
);

-- All links of a fetched page, in order, as a JSON list of keys: one row a page costs a third of one row a link.
CREATE TABLE page_links (
    source  INTEGER PRIMARY KEY,
    targets TEXT NOT NULL
);

CREATE VIEW links (source, position, target) AS
SELECT source, t.key, t.value FROM page_links, json_each(targets) AS t;

CREATE VIEW verdicts (key, url, judged_at, relevance, threshold, relevant, predicted, judged) AS
SELECT printf('%016x', key), url, fetched_at, relevance, threshold, relevant, predicted, judged
FROM pages WHERE outcome = 'done';

CREATE VIEW pages_hex AS
SELECT printf('%016x', key) AS key_hex, printf('%016x', parent) AS parent_hex, pages.* FROM pages;

-- What a lease is, only the process that crawls knows: entries in flight show as queued here.
CREATE VIEW frontier AS
SELECT
    printf('%016x', e.key) AS key,
    e.url,
    b.host,
    b.grp AS "group",
    e.score,
    coalesce(g.offset, 0.0) AS offset,
    coalesce(g.offset, 0.0) + e.score AS priority,
    e.seq,
    CASE e.state WHEN 0 THEN 'queued' WHEN 1 THEN 'queued' WHEN 2 THEN 'done' WHEN 3 THEN 'failed' ELSE 'refused' END
        AS state,
    e.attempts,
    e.depth,
    e.tunnel,
    e.not_before,
    e.data
FROM entries AS e
LEFT JOIN buckets AS b ON b.id = e.bucket
LEFT JOIN groups AS g ON g.grp = CASE b.grp WHEN '' THEN b.host ELSE b.grp END;
