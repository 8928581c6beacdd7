"""The main numbers of `loadlog status` from a table in DuckDB: loads, failures, last start, and three quantiles of the
durations of each feed.

    status.py load DUCKDB CSV   loads the csv into a new database; not measured
    status.py DUCKDB ROUNDS     opens it, and prints the time of each query alone, in seconds, as a JSON array
"""

import json
import sys
import time

import duckdb

QUERY = """
SELECT feed, count(*), count(*) FILTER (state = 'failed'), max(started_at),
  quantile_cont(duration, [0.5, 0.95, 0.99])
FROM session GROUP BY feed ORDER BY feed
"""


def load(path, csv):
    store = duckdb.connect(path)
    store.execute(
        "CREATE TABLE session (id UUID, feed VARCHAR, state VARCHAR, started_at BIGINT, duration BIGINT,"
        " message VARCHAR, call_site VARCHAR, reason VARCHAR)"
    )
    store.execute("COPY session FROM '%s' (HEADER false)" % csv.replace("'", "''"))
    store.close()


def ask(path, rounds):
    store = duckdb.connect(path, read_only=True)
    store.execute(QUERY).fetchall()  # fills the caches; not measured
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        store.execute(QUERY).fetchall()
        seconds.append(time.perf_counter() - began)
    print(json.dumps(seconds))


if __name__ == "__main__":
    if sys.argv[1] == "load":
        load(sys.argv[2], sys.argv[3])
    else:
        ask(sys.argv[1], int(sys.argv[2]))
