"""Rows written directly into a database that no server has open, like one that the server wrote."""

import os
import secrets
import sqlite3
import time


def time_ordered(milliseconds):
    """An id as the server makes them for that time (RFC 9562 section 5.7)."""
    noise = secrets.token_bytes(10)
    version = bytes([0x70 | noise[0] & 0x0F, noise[1], 0x80 | noise[2] & 0x3F])
    return milliseconds.to_bytes(6, "big") + version + noise[3:]


class Table:
    def __init__(self, path, name="sessions"):
        self.path, self.name = path, name

    def open(self):
        return sqlite3.connect(self.path, isolation_level=None)

    def add(self, varied, template=None):
        """Adds rows like the template, or like the first one: one for each of the given, with what that one has of its own."""
        connection = self.open()
        connection.row_factory = sqlite3.Row
        template = template or dict(connection.execute(f"SELECT * FROM {self.name} LIMIT 1").fetchone())
        columns = list(template)
        rows = (tuple({**template, **own}[column] for column in columns) for own in varied)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        connection.executemany(
            f"INSERT INTO {self.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows
        )
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()

    def count(self):
        connection = self.open()
        (count,) = connection.execute(f"SELECT count(*) FROM {self.name}").fetchone()
        connection.close()
        return count

    def fill(self, count, vary=lambda number: {}):
        """Adds sessions until there are so many, each with an id and a secret of its own, and with what else is to vary from one
        to the next."""
        began = int(time.time() * 1000) - 80 * 86_400_000
        self.add(
            {"id": time_ordered(began + number * 3), "secret": secrets.token_bytes(16), **vary(number)}
            for number in range(self.count(), count)
        )

    def bytes(self):
        return os.path.getsize(self.path)
