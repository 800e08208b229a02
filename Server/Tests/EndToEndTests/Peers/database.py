"""Works on a database of the server under test, past the server.

    database.py DATABASE SQL              runs statements
    database.py DATABASE QUERY PROCESS    waits until the query yields another number than 0, and kills the process at once;
                                          prints `watching` when it begins to look

DATABASE is the path of a SQLite file, or the URL of a PostgreSQL database.
"""

import os
import signal
import sqlite3
import subprocess
import sys

# Seconds. A busy server may hold the file's lock for long.
PATIENCE = 120


def psql(url, statements):
    command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statements]
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def execute(database, statements):
    if database.startswith("postgresql:"):
        psql(database, statements)
        return
    with sqlite3.connect(database, timeout=PATIENCE) as rows:
        rows.executescript(statements)
    rows.close()


def kill_once(database, query, process):
    if database.startswith("postgresql:"):
        print("watching", flush=True)
        # Each round sees what was committed before it.
        psql(database, f"DO $$ BEGIN WHILE ({query}) = 0 LOOP END LOOP; END $$")
    else:
        rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=PATIENCE)
        print("watching", flush=True)
        while rows.execute(query).fetchone()[0] == 0:
            pass
    os.kill(process, signal.SIGKILL)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        kill_once(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        execute(*sys.argv[1:3])
