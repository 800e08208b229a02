"""Moving a million people in on both engines, next to the same rows inserted by SQLite alone; and the pages of an account's holder and of operators
with few accounts and with many."""

import itertools
import json
import os
import sqlite3
import subprocess
import time
import uuid

import crowd
from bench import Server
from client import App
from load import load_lines, request_line
from postgresql import Database, PostgreSQLServer
from rows import Table
from tokens import People

FEW, MANY, BRANDS = 10**4, 10**6, 10**4
# Accounts of one write, as the import makes them.
BATCH = 100
# A valid bcrypt hash: an import reads hashes, and computes none.
HASH = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
# Few connections, as in growth: what is asked is how long one page takes.
CONNECTIONS, PAGES = 8, 4000
# An account's page in the console is five calls. An operator has 120 a minute, and the server runs four of all operators at a time.
OPERATORS, CONSOLE_CONNECTIONS, CONSOLE_PAGES = 200, 4, 1000


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


def killed(server, path, count, after):
    """Begins the import, and kills it when the database has so many accounts."""
    importing = subprocess.Popen(
        [server.program, "account", "import", path], env={**os.environ, **server.environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while importing.poll() is None and count() < after:
        time.sleep(0.05)
    if importing.poll() is not None:
        raise SystemExit("the import ended before it was to be killed")
    importing.kill()
    importing.wait()


def moved_in(server, path, count, present):
    """Accounts a second after the second kill of an import of all, into a database that has so many others."""
    for after in (MANY // 4, MANY // 2):
        killed(server, path, count, after)
    rate = imported(server, path)
    found = count()
    if found != MANY + present:
        raise SystemExit(f"{found:,} accounts after the import of {MANY:,}, and {present:,} others")
    return rate


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


def operators(server):
    """The Cookie headers of operators who have just signed in by two factors, while no server has the database open."""
    ids, cookies = crowd.sign_in(
        server.path, OPERATORS, amr="pwd otp mfa", acr="urn:wallet-auth:acr:2fa", auth_time=int(time.time() * 1000)
    )
    Table(server.path, "operators").add({"account_id": account} for account in ids)
    return cookies


def console(bench, server, cookies):
    """p50 of an account's page in the console and of the list of accounts, each in its own way, in milliseconds."""
    connection = sqlite3.connect(f"file:{server.path}?mode=ro", uri=True)
    imported = "SELECT id FROM accounts WHERE id NOT IN (SELECT account_id FROM operators) ORDER BY random() LIMIT ?"
    found = connection.execute(imported, (CONSOLE_PAGES,)).fetchall()
    connection.close()
    paths = {
        "account": [f"/admin/account?id={uuid.UUID(bytes=account)}" for (account,) in found],
        "list": ["/admin/list?of=account"] * CONSOLE_PAGES,
    }
    figures = {}
    for name, addresses in paths.items():
        lines = [
            request_line(f"GET {address}", "", {"Cookie": cookie})
            for address, cookie in zip(addresses, itertools.cycle(cookies))
        ]
        measured, _ = load_lines(server.url, CONSOLE_CONNECTIONS, lines, "person", bench.folder)
        figures[name] = measured.p50_ms
    return figures


def measure(bench):
    server = Server(bench.programs, bench.folder, "accounts.db", WALLETAUTH_ADMIN_CONSOLE="true").start()
    few, many = f"{bench.folder}/few.jsonl", f"{bench.folder}/many.jsonl"
    write(few, FEW)
    write(many, MANY)
    try:
        people = People(server)
        App(server.url).sessions(1, people.person)
        server.administer("operator", "grant", "ada", "--role", "owner")
        rate = imported(server, few)
        limit = copied(server.path, f"{bench.folder}/copy.db")
        bench.fact(f"import of {FEW:,} accounts, a second", rate, "")
        bench.fact("the same to SQLite's inserts of the same rows, in the same batches", rate / limit, "×")
        first = page(bench, server, people.person.cookies())
        server.stop()
        cookies = operators(server)
        server.start()
        before = console(bench, server, cookies)
        server.stop()
        Table(server.path, "brands").add({"id": f"brand{number}"} for number in range(1, BRANDS))
        server.start()
        rate = moved_in(server, many, lambda: accounts(server.path), 1 + OPERATORS)
        bench.fact(f"the second half of {MANY:,}, begun again after two kills: accounts a second", rate, "")
        last = page(bench, server, people.person.cookies())
        server.stop()
        cookies = operators(server)
        server.start()
        after = console(bench, server, cookies)
        bench.fact(f"p50 of the account page, {FEW:,} accounts, 1 brand", first, "ms")
        bench.fact(f"the same, {MANY:,} accounts, {BRANDS:,} brands, to that", last / first, "×", 1.3)
        for name, title in {"account": "an account's page in the console", "list": "its list of accounts"}.items():
            bench.fact(f"p50 of {title}, {FEW:,} accounts, 1 brand", before[name], "ms")
            bench.fact(f"the same, {MANY:,} accounts, {BRANDS:,} brands, to that", after[name] / before[name], "×", 1.3)
    finally:
        server.stop()
    on_postgresql(bench, many)


def on_postgresql(bench, path):
    database = Database()
    server = PostgreSQLServer(bench, database, "importing")
    try:
        server.start()
        rate = moved_in(server, path, lambda: database.number("SELECT count(*) FROM accounts"), 0)
        bench.fact(f"the second half of {MANY:,} on PostgreSQL, begun again after two kills: accounts a second", rate, "")
    finally:
        server.stop()
        database.stop()
