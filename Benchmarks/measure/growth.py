"""The same refresh with more and more sessions in the database, and what each of them takes there."""

import random
import secrets
import sqlite3
import urllib.parse

from bench import Server, load
from client import APP, App, Key
from forge import RefreshKey
from rows import Table
from tokens import People

# Few connections: what is asked is how long one refresh takes, not how many fit.
CONNECTIONS = 8
SIZES = [10**4, 10**5, 10**6]
# Spread over the whole table, so that their pages are not all in memory already.
SAMPLE = 20_000


def sample(path, key, count):
    """Refresh tokens of sessions from all over the table."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT id, generation, secret, client_id, account_id FROM sessions").fetchall()
    connection.close()
    return [key.token(*row) for row in random.sample(rows, min(count, len(rows)))]


def measure(bench):
    server = Server(bench.programs, bench.folder, "growth.db").start()
    table, path = Table(server.path), f"{bench.folder}/tokens.txt"
    try:
        # As the SDK's are: bound to a key, and renewed once with an attempt.
        app, attempt = App(server.url, Key()), secrets.token_urlsafe(16)
        form = {"grant_type": "refresh_token", "client_id": APP, "attempt": attempt}
        app.token(**form, refresh_token=app.sessions(1, People(server).person)[0])
        server.stop()
        key = RefreshKey(server.path)
        empty, first = table.bytes(), None
        for size in SIZES:
            table.fill(size)
            filled = table.bytes()
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(sample(server.path, key, SAMPLE)) + "\n")
            server.start()
            app.token(**form, refresh_token="none")
            measured = load(
                "refresh.lua", server.endpoint("/oauth2/token"), CONNECTIONS, bench.seconds, TOKENS=path,
                BODY=urllib.parse.urlencode(form), DPOP=app.proof(),
            )  # fmt: skip
            memory = server.running.resident_mb()
            server.stop()
            first = first or measured.p50_ms
            bench.fact(f"p50 of a DPoP-bound refresh, {size:,} sessions", measured.p50_ms, "ms")
        bench.fact(f"p50 with {SIZES[-1]:,} sessions to that with {SIZES[0]:,}", measured.p50_ms / first, "×", 1.3)
        bench.fact(f"resident after the load, {SIZES[-1]:,} sessions", memory, "MB", 100)
        bench.fact("database for each session", (filled - empty) / SIZES[-1], "bytes", 400)
        bench.fact("database for each refresh", (table.bytes() - filled) / measured.answers, "bytes", 0)
    finally:
        server.stop()
