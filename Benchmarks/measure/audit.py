"""What the audit log costs: sessions signed out, each of which is a durable write and one entry, next to refreshes, each of
which is a durable write and no entry.

Signing out is the smallest thing that is recorded: a MAC is checked, one row changes, and the entry is bound to the one before
it in its chain. First all of it in one chain, then in as many of the sixteen that accounts share as the load's accounts fall into.
"""

import functools
import operator
import sqlite3
import statistics
import time
import urllib.parse

from bench import Server, load
from client import APP, App
from forge import RefreshKey
from rows import Table
from tokens import CONNECTIONS, SESSIONS, People

# Sixteen chains share the accounts by their ids: so many reach nearly all of them.
ACCOUNTS = 64
# More than a core signs out in a second, so that no round runs dry.
A_SECOND = 12_000


class Recorded:
    """The sessions of one load, and what it came to."""

    def __init__(self, what, script):
        self.what, self.script, self.rounds, self.processor_us = what, script, [], []

    def run(self, bench, server, **environment):
        spent = server.running.processor_seconds()
        path = "/oauth2/revoke" if self.script == "form.lua" else "/oauth2/token"
        one = load(self.script, server.endpoint(path), CONNECTIONS, bench.seconds, **environment)
        self.processor_us.append((server.running.processor_seconds() - spent) / one.answers * 1e6)
        self.rounds.append(one)

    @property
    def answers(self):
        return sum(one.answers for one in self.rounds)

    def tell(self, bench):
        bench.fact(f"{self.what}: a second", statistics.median(one.rate for one in self.rounds), "")
        bench.fact(f"{self.what}: p50", statistics.median(one.p50_ms for one in self.rounds), "ms")
        bench.fact(f"{self.what}: the server's processor time", statistics.median(self.processor_us), "µs")


def query(path, sql, *arguments):
    """Reads while the server has it open."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = connection.execute(sql, arguments).fetchall()
    connection.close()
    return rows


def measure(bench):
    server = Server(bench.programs, bench.folder, "audit.db").start()
    try:
        against(bench, server)
    finally:
        server.stop()


def against(bench, server):
    people, table = People(server), Table(server.path)
    App(server.url).sessions(1, people.person)
    for number in range(ACCOUNTS):
        server.administer(
            "account", "create", f"person{number}", "--password-stdin", secret=people.password + "\n"
        )
    server.stop()
    ada = query(server.path, "SELECT account_id FROM sessions LIMIT 1")[0][0]
    others = [row[0] for row in query(server.path, "SELECT id FROM accounts WHERE id <> ?", ada)]
    chains = {functools.reduce(operator.xor, account) % 16 for account in others}
    share = bench.rounds * bench.seconds * A_SECOND
    # Half of them are of one account, the other half of all the others in turns.
    table.fill(2 * share + SESSIONS, lambda n: {"account_id": ada if n % 2 else others[n // 2 % ACCOUNTS]})
    filled, key = table.bytes(), RefreshKey(server.path)
    server.start()

    refreshed = Recorded("refresh, which records nothing", "refresh.lua")
    one = Recorded("sign-out, all entries in one chain", "form.lua")
    many = Recorded(f"sign-out, entries in {len(chains)} chains", "form.lua")
    paths = {"TOKENS": f"{bench.folder}/tokens.txt", "FORMS": f"{bench.folder}/forms.txt"}

    def living(condition, count):
        rows = query(
            server.path,
            "SELECT id, generation, secret, client_id, account_id FROM sessions "
            f"WHERE revoked_at IS NULL AND account_id {condition} ? LIMIT ?",
            ada, count,
        )  # fmt: skip
        return [key.token(*row) for row in rows]

    def write(path, lines):
        with open(path, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)

    for _ in range(bench.rounds):
        write(paths["TOKENS"], living("=", SESSIONS))
        refreshed.run(bench, server, BODY=f"grant_type=refresh_token&client_id={APP}", TOKENS=paths["TOKENS"])
        for recorded, condition in ((one, "="), (many, "<>")):
            forms = (
                urllib.parse.urlencode({"client_id": APP, "token": token})
                for token in living(condition, bench.seconds * A_SECOND)
            )
            write(paths["FORMS"], forms)
            recorded.run(bench, server, FORMS=paths["FORMS"], MUST="")

    entries = query(server.path, "SELECT COUNT(*) FROM security_events WHERE kind = 'session.signed_out'")[0][0]
    if entries < one.answers + many.answers:
        raise SystemExit(f"{one.answers + many.answers} were signed out, and {entries} recorded")
    reached = query(
        server.path, "SELECT COUNT(DISTINCT chain) FROM security_events WHERE kind = 'session.signed_out'"
    )[0][0]
    if reached < len(chains):
        raise SystemExit(f"the entries stand in {reached} chains")
    began = time.perf_counter()
    server.administer("audit", "verify")
    verified = time.perf_counter() - began
    for recorded in (refreshed, one, many):
        recorded.tell(bench)
    bench.fact("audit verify: entries a second", entries / verified, "")
    server.stop()
    bench.fact("database for each entry", (table.bytes() - filled) / entries, "bytes")
