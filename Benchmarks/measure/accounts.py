"""Moving a million people in, next to the same rows inserted by SQLite alone; and the account page with few accounts and with many."""

import json
import os
import sqlite3
import subprocess
import time

from bench import Server
from client import App
from load import load_lines, request_line
from rows import Table
from tokens import People

FEW, MANY, BRANDS = 10**4, 10**6, 10**4
# Accounts of one write, as the import makes them.
BATCH = 100
# A valid bcrypt hash: an import reads hashes, and computes none.
HASH = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
# Few connections, as in growth: what is asked is how long one page takes.
CONNECTIONS, PAGES = 8, 4000


def write(path, count):
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            person = {
                "externalId": f"x{number}", "username": f"person{number}", "email": f"person{number}@example.com",
                "emailVerified": True, "passwordHash": HASH,
            }  # fmt: skip
            file.write(json.dumps(person) + "\n")


def accounts(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    (count,) = connection.execute("SELECT count(*) FROM accounts").fetchone()
    connection.close()
    return count


def killed(server, path, after):
    """Begins the import, and kills it when the database has so many accounts."""
    importing = subprocess.Popen(
        [server.program, "account", "import", path], env={**os.environ, **server.environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while importing.poll() is None and accounts(server.path) < after:
        time.sleep(0.05)
    if importing.poll() is not None:
        raise SystemExit("the import ended before it was to be killed")
    importing.kill()
    importing.wait()


def imported(server, path):
    """Accounts a second of an import that runs to its end."""
    began = time.perf_counter()
    outcome = server.administer("account", "import", path, "--json")
    if outcome["faults"]:
        raise SystemExit(f"faults of the import: {outcome['faults'][:3]}")
    return outcome["created"] / (time.perf_counter() - began)


def copied(source, target):
    """Accounts a second where their rows are inserted alone, into an empty database with the same tables and indexes."""
    rows, connection = {}, sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    schema = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rootpage")]
    count = accounts(source)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        found = connection.execute(f"SELECT * FROM {table}").fetchall()
        if len(found) >= FEW:
            rows[table] = found
    connection.close()
    copy = sqlite3.connect(target, isolation_level=None)
    copy.execute("PRAGMA journal_mode = WAL")
    copy.execute("PRAGMA synchronous = FULL")
    for sql in schema:
        copy.execute(sql)
    began = time.perf_counter()
    for batch in range(0, count, BATCH):
        copy.execute("BEGIN IMMEDIATE")
        for table, found in rows.items():
            part = found[batch * len(found) // count : (batch + BATCH) * len(found) // count]
            if part:
                copy.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(part[0]))})", part)
        copy.execute("COMMIT")
    took = time.perf_counter() - began
    copy.close()
    return count / took


def page(bench, server, cookies):
    line = request_line("GET /account", "", {"Cookie": cookies})
    measured, _ = load_lines(server.url, CONNECTIONS, [line] * PAGES, "ada", bench.folder)
    return measured.p50_ms


def measure(bench):
    server = Server(bench.programs, bench.folder, "accounts.db").start()
    few, many = f"{bench.folder}/few.jsonl", f"{bench.folder}/many.jsonl"
    write(few, FEW)
    write(many, MANY)
    try:
        people = People(server)
        App(server.url).sessions(1, people.person)
        rate = imported(server, few)
        limit = copied(server.path, f"{bench.folder}/copy.db")
        bench.fact(f"import of {FEW:,} accounts, a second", rate, "")
        bench.fact("the same to SQLite's inserts of the same rows, in the same batches", rate / limit, "×")
        first = page(bench, server, people.person.cookies())
        server.stop()
        Table(server.path, "brands").add({"id": f"brand{number}"} for number in range(1, BRANDS))
        server.start()
        for after in (MANY // 4, MANY // 2):
            killed(server, many, after)
        rate = imported(server, many)
        found = accounts(server.path)
        if found != MANY + 1:
            raise SystemExit(f"{found:,} accounts after the import of {MANY:,}")
        bench.fact(f"the second half of {MANY:,}, begun again after two kills: accounts a second", rate, "")
        last = page(bench, server, people.person.cookies())
        bench.fact(f"p50 of the account page, {FEW:,} accounts, 1 brand", first, "ms")
        bench.fact(f"the same, {MANY:,} accounts, {BRANDS:,} brands, to that", last / first, "×", 1.3)
    finally:
        server.stop()
