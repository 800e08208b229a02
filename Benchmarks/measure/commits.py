"""What a durable change takes where SQLite makes it alone."""

import secrets
import sqlite3
import time

ROWS = 64


class Commits:
    """Durable commits of several guarded changes each, as many as there are connections to ask for them at once."""

    def __init__(self, folder, connections):
        self.connections = connections
        # The rows that another part of the run has left serve as well.
        self.database = sqlite3.connect(f"{folder}/commits.db", isolation_level=None)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, revision INTEGER, content BLOB)")
        self.database.executemany(
            "INSERT OR IGNORE INTO rows VALUES (?, 0, ?)", ((number, secrets.token_bytes(1024)) for number in range(ROWS))
        )

    def measure(self, seconds):
        """How many changes a second, and the processor's time for one in microseconds."""
        changes, revision = 0, self.database.execute("SELECT MIN(revision) FROM rows").fetchone()[0]
        began, spent = time.perf_counter(), time.process_time()
        while time.perf_counter() - began < seconds:
            for first in range(0, ROWS, self.connections):
                self.database.execute("BEGIN IMMEDIATE")
                for number in range(first, first + self.connections):
                    changed = self.database.execute(
                        "UPDATE rows SET revision = revision + 1, content = ? WHERE id = ? AND revision = ?",
                        (secrets.token_bytes(1024), number, revision),
                    )
                    if changed.rowcount != 1:
                        raise SystemExit("a change was lost")
                self.database.execute("COMMIT")
                changes += self.connections
            revision += 1
        return changes / (time.perf_counter() - began), (time.process_time() - spent) / changes * 1e6
